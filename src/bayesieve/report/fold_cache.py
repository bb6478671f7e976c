# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of finished folds in a folder, so that an interrupted cross-validation can be resumed."""

import hashlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import FinishedWork
from bayesieve.exceptions import DataError
from bayesieve.report.held_out_predictions import FoldPredictions

__all__ = ["FoldCache"]


@dataclass(frozen=True)
class FoldCache:
    """A folder with one file per fold; ``key`` identifies data and parameters, and keeps other runs apart."""

    folder: Path
    key: str

    def write(self, number: int, fold: FoldPredictions) -> None:
        """Store a fold."""
        document = {
            "rows": _packed(fold.rows),
            "sizes": [int(size) for size in fold.sizes],
            "stages": _packed(fold.stages),
            "predicted": _packed(fold.predicted),
            "columns": list(fold.columns),
            "complete": bool(fold.complete),
        }
        FinishedWork(self._path(number), "file").replace(document)

    def read(self, number: int) -> FoldPredictions | None:
        """Return a stored fold; None if there is none, or its file is damaged."""
        try:
            (document,) = FinishedWork(self._path(number), "file").documents()
            if document is None:
                return None
            rows, stages, predicted = (_unpacked(document[name]) for name in ("rows", "stages", "predicted"))
            sizes, columns = tuple(document["sizes"]), tuple(document["columns"])
            return FoldPredictions(rows, sizes, stages, predicted, columns, document["complete"])
        except (DataError, ValueError, KeyError, TypeError):
            return None

    def count(self, n_folds: int) -> int:
        """Return how many of the folds are stored."""
        return sum(self._path(number).exists() for number in range(n_folds))

    def _path(self, number: int) -> Path:
        digest = hashlib.sha256(self.key.encode()).hexdigest()[:16]
        return self.folder / f"fold_{digest}_{number}.json"


def _packed(array: NDArray[Any]) -> list[Any]:
    """Return an array as values of JSON."""
    return [array.dtype.str, array.shape, b64encode(array.tobytes()).decode()]


def _unpacked(packed: list[Any]) -> NDArray[Any]:
    kind, shape, content = packed
    return np.frombuffer(b64decode(content), dtype=kind).reshape(shape).copy()
