# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of finished folds in a folder, so that an interrupted cross-validation can be resumed."""

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bayesieve.data import write_atomically
from bayesieve.report.held_out_predictions import FoldPredictions

__all__ = ["FoldCache"]


@dataclass(frozen=True)
class FoldCache:
    """A folder with one file per fold; ``key`` identifies data and parameters, and keeps other runs apart."""

    folder: Path
    key: str

    def write(self, number: int, fold: FoldPredictions) -> None:
        """Store a fold."""
        content = io.BytesIO()
        np.savez(
            content,
            rows=fold.rows,
            sizes=np.array(fold.sizes, dtype=np.int64),
            stages=fold.stages,
            predicted=fold.predicted,
            columns=np.array(fold.columns, dtype=np.str_),
            complete=np.array(fold.complete),
        )
        write_atomically(self._path(number), content.getvalue())

    def read(self, number: int) -> FoldPredictions | None:
        """Return a stored fold; None if there is none, or its file is damaged."""
        try:
            with np.load(self._path(number), allow_pickle=False) as arrays:
                sizes, columns = tuple(arrays["sizes"].tolist()), tuple(arrays["columns"].tolist())
                return FoldPredictions(
                    arrays["rows"], sizes, arrays["stages"], arrays["predicted"], columns, bool(arrays["complete"])
                )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def count(self, n_folds: int) -> int:
        """Return how many of the folds are stored."""
        return sum(self._path(number).exists() for number in range(n_folds))

    def _path(self, number: int) -> Path:
        digest = hashlib.sha256(self.key.encode()).hexdigest()[:16]
        return self.folder / f"fold_{digest}_{number}.npz"
