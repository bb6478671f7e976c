# SPDX-License-Identifier: BSD-3-Clause
"""What a process that fits one classifier reads and writes; peers' environments have NumPy, SciPy and pandas only.

A folder holds ``cells.npz`` and ``problem.json``; the result is ``answer.json`` in the same folder.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Answer", "Problem", "Table", "rows_of"]

Table = pd.DataFrame | sparse.csr_array


def rows_of(table: Table, rows: NDArray[np.intp]) -> Table:
    """Return some rows of a frame or of a sparse matrix."""
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


@dataclass(frozen=True)
class Problem:
    """Training rows with classes from 0, test rows, and the settings of the classifier.

    Columns of frames are floats, with NaN for missing values, or categories; a sparse matrix has floats.
    """

    train: Table
    target: NDArray[np.int64]
    test: Table
    settings: dict[str, Any]

    def write(self, folder: Path) -> None:
        """Write the files."""
        if not isinstance(self.train, pd.DataFrame):
            sparse.save_npz(folder / "train.npz", self.train)
            sparse.save_npz(folder / "test.npz", self.test)
            np.savez(folder / "cells.npz", target=self.target)
            (folder / "problem.json").write_text(json.dumps({"settings": self.settings}), encoding="utf-8")
            return
        rows = pd.concat([self.train, self.test], ignore_index=True)
        cells, labels = {}, {}
        for j, name in enumerate(rows.columns):
            if rows[name].dtype.kind == "f":
                cells[f"c{j}"] = rows[name].to_numpy()
            else:
                codes = rows[name].astype("category").cat
                cells[f"c{j}"], labels[name] = codes.codes.to_numpy(), codes.categories.astype(str).tolist()
        np.savez(folder / "cells.npz", target=self.target, **cells)
        problem = {"names": rows.columns.tolist(), "labels": labels, "settings": self.settings}
        (folder / "problem.json").write_text(json.dumps(problem), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Problem":
        """Read the files."""
        problem = json.loads((folder / "problem.json").read_text(encoding="utf-8"))
        columns: dict[str, Any] = {}
        with np.load(folder / "cells.npz") as cells:
            target = cells["target"]
            if "names" not in problem:
                matrices = (sparse.load_npz(folder / f"{part}.npz") for part in ("train", "test"))
                return cls(next(matrices), target, next(matrices), problem["settings"])
            for j, name in enumerate(problem["names"]):
                values, labels = cells[f"c{j}"], problem["labels"].get(name)
                columns[name] = values if labels is None else pd.Categorical.from_codes(values, labels)
        rows = pd.DataFrame(columns)
        n = len(target)
        train, test = (_used(part) for part in (rows.iloc[:n], rows.iloc[n:]))
        return cls(train, target, test, problem["settings"])

    def kinds(self, number: str, category: str) -> dict[str, str]:
        """Return the kind of each column, in the words of a library."""
        return {name: number if kind.kind == "f" else category for name, kind in self.train.dtypes.items()}


def _used(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose categories are those that occur: nothing of the test rows is known in training."""
    columns = {
        name: rows[name] if rows[name].dtype.kind == "f" else rows[name].cat.remove_unused_categories()
        for name in rows.columns
    }
    return pd.DataFrame(columns).reset_index(drop=True)


@dataclass(frozen=True)
class Answer:
    """Probabilities of the test rows, what the model uses, and processor seconds of the fit.

    Probabilities are of class 1; with more than two classes a row has a list of those of all classes. ``n_columns`` and
    ``n_pairs`` are None if a model does not count them.
    """

    probabilities: list[Any]
    n_columns: int | None
    n_pairs: int | None
    seconds: float

    def write(self, folder: Path) -> None:
        """Write the file."""
        (folder / "answer.json").write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def probabilities_of(p: NDArray[np.float64]) -> list[Any]:
        """Return probabilities of all classes, shape (n_rows, n_classes), in this form."""
        return (p[:, 1] if p.shape[1] == 2 else p).tolist()

    @classmethod
    def read(cls, folder: Path) -> "Answer":
        """Read the file."""
        return cls(**json.loads((folder / "answer.json").read_text(encoding="utf-8")))
