"""Finished folds in a folder, so that an interrupted estimate goes on where it was."""

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bayesieve.data import write_atomically
from bayesieve.report.honest_rows import FoldRows

__all__ = ["FoldShelf"]


@dataclass(frozen=True)
class FoldShelf:
    """A folder of folds; ``setting`` names data and parameters, and folds of another one are not found."""

    folder: Path
    setting: str

    def write(self, number: int, fold: FoldRows) -> None:
        """Keep a fold."""
        content = io.BytesIO()
        np.savez(
            content,
            rows=fold.rows,
            sizes=np.array(fold.sizes, dtype=np.int64),
            stages=fold.stages,
            predicted=fold.predicted,
            columns=np.array(fold.columns, dtype=np.str_),
        )
        write_atomically(self._place(number), content.getvalue())

    def read(self, number: int) -> FoldRows | None:
        """Return a fold that was kept; None if there is none, or its file is damaged."""
        try:
            with np.load(self._place(number), allow_pickle=False) as kept:
                sizes, columns = tuple(kept["sizes"].tolist()), tuple(kept["columns"].tolist())
                return FoldRows(kept["rows"], sizes, kept["stages"], kept["predicted"], columns)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def _place(self, number: int) -> Path:
        name = hashlib.sha256(self.setting.encode()).hexdigest()[:16]
        return self.folder / f"fold_{name}_{number}.npz"
