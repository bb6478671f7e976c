# SPDX-License-Identifier: BSD-3-Clause
"""A sample of rows in blocks that comes to this process: evenly spread within each class.

A rare class has at least half of an equal share of the sample, or all of its rows if they are fewer: half a million
rows of which one in a thousand is positive would otherwise have five hundred positive ones. Rows of a class that is
thinned more than another have a weight that makes up for it.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bayesieve._typing import Ints
from bayesieve.data.blocks.block_survey import LabeledBlock
from bayesieve.fit.block_folds import FoldNumbers
from bayesieve.search.engine import Segment

__all__ = ["SampledRows", "sample_rows", "sample_steps", "weigh_classes"]

_MOST_ROWS: Final = 1 << 19
_MOST_CODES: Final = 1 << 28  # bytes


@dataclass(frozen=True)
class SampledRows:
    """Numbers the rows of one block: 1 for every ``steps[c]``-th row of class c, given how many came before."""

    steps: Ints
    before: Ints

    def numbers(self, rows: LabeledBlock) -> FoldNumbers:
        """Return 1 for the rows of the sample, 0 for others."""
        numbers = np.zeros(len(rows.target.codes), dtype=np.int32)
        for c, (step, before) in enumerate(zip(self.steps.tolist(), self.before.tolist(), strict=True)):
            own = np.flatnonzero((rows.target.codes == c) & (rows.weights.units > 0))
            numbers[own[-before % step :: step]] = 1
        return numbers


def sample_steps(class_sizes: Ints, n_columns: int) -> Ints:
    """Return for each class the step from one sampled row to the next, a multiple of the smallest one."""
    most = max(len(class_sizes), min(_MOST_ROWS, _MOST_CODES // max(1, n_columns)))
    n_rows, n_shares = int(class_sizes.sum()), 2 * len(class_sizes)
    if n_rows <= most:
        return np.ones(len(class_sizes), dtype=np.int64)
    rare = class_sizes * n_shares < most * -(-n_rows // most)
    steps = np.maximum(class_sizes * n_shares // most, 1)
    rest = most - int((-(-class_sizes // steps))[rare].sum())
    steps[~rare] = -(-int(class_sizes[~rare].sum()) // max(1, rest - int((~rare).sum())))
    return np.asarray(-(-steps // steps.min()) * steps.min())


def sample_rows(sizes: Ints, steps: Ints) -> list[SampledRows]:
    """Return what numbers the rows of each block; ``sizes`` are rows of each class, shape (n_blocks, n_classes)."""
    return [SampledRows(steps, before) for before in np.cumsum(sizes, axis=0) - sizes]


def weigh_classes(segment: Segment, factors: Ints) -> Segment:
    """Return rows whose weights are multiplied by the factor of their class."""
    return replace(segment, weights=segment.weights * factors[segment.target])
