# SPDX-License-Identifier: BSD-3-Clause
"""A model between two passes over all rows, as one array of numbers, which a journal keeps."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import ShapeState
from bayesieve.additive.stacked_shapes import StackedShapes

__all__ = ["Progress", "model_bytes", "pack", "unpack"]


class Progress(NamedTuple):
    """How far the last step went, the damping of the next, and the number of steps tried."""

    moved: float = np.inf
    damping: float = 0.0
    n_steps: int = 0


def _arrays(model: StackedShapes) -> list[Floats]:
    return [*(array for state in model.states for array in state.arrays), *model.tables, model.intercept]


def pack(model: StackedShapes, progress: Progress) -> Floats:
    """Return all numbers of a model, after those of the progress."""
    return np.concatenate([progress, *(array.ravel() for array in _arrays(model))])


def model_bytes(model: StackedShapes) -> bytes:
    """Return the bytes of all numbers of a model, by which it is recognized."""
    return pack(model, Progress()).tobytes()


def unpack(template: StackedShapes, numbers: Floats) -> tuple[StackedShapes, Progress]:
    """Return the model of packed numbers, in the shapes of another, and the progress."""
    arrays = _arrays(template)
    parts = np.split(numbers[3:], np.cumsum([array.size for array in arrays])[:-1])
    shaped = iter([part.reshape(array.shape) for part, array in zip(parts, arrays, strict=True)])
    states = tuple(
        ShapeState(next(shaped), next(shaped), next(shaped), tuple(next(shaped) for _ in state.weights))
        for state in template.states
    )
    tables = tuple(next(shaped) for _ in template.tables)
    progress = Progress(float(numbers[0]), float(numbers[1]), int(numbers[2]))
    return replace(template, states=states, tables=tables, intercept=next(shaped)), progress
