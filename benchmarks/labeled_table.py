# SPDX-License-Identifier: BSD-3-Clause
"""Published data sets as tables that this library and Khiops read in the same way."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import sklearn.datasets
from numpy.typing import NDArray
from sklearn.utils import Bunch

from bayesieve import datasets
from bayesieve.papers.paper_002.folds import SETS

__all__ = ["TABLES", "LabeledTable", "load_table"]

TABLES: dict[str, Callable[[], Bunch]] = {
    "breast_cancer": sklearn.datasets.load_breast_cancer,
    "iris": sklearn.datasets.load_iris,
    "wine": sklearn.datasets.load_wine,
    **SETS,
    "madelon": datasets.load_madelon,
    "arcene": lambda: datasets.load_arcene("all"),
    "dexter": lambda: datasets.load_dexter("all"),
    "dorothea": datasets.load_dorothea,
}
_MOST_COLUMNS = 2_000  # of peers, without --full; sparse tables are dense for them
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class LabeledTable:
    """A data frame of numbers and categories, and classes 0, 1, ..."""

    name: str
    frame: pd.DataFrame
    target: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.target.max()) + 1

    def is_ordered(self, column: str) -> bool:
        """Return whether a column is numeric."""
        return self.frame[column].dtype.kind == "f"

    def tally(self, column: str) -> tuple[list[object], NDArray[np.int64]]:
        """Return the distinct values and their class counts: missing values are the lowest number, or the label ""."""
        values = self.frame[column] if self.is_ordered(column) else self.frame[column].astype(object).fillna("")
        ids, labels = pd.factorize(values.fillna(-np.inf) if self.is_ordered(column) else values, sort=True)
        counts = np.zeros((len(labels), self.n_classes), dtype=np.int64)
        np.add.at(counts, (ids, self.target), 1)
        return list(labels), counts


def load_table(name: str, full: bool) -> LabeledTable:
    """Load a data set; of a wide one, the columns with the most nonzero values."""
    bunch = TABLES[name]()
    target = np.unique(bunch.target, return_inverse=True)[1].astype(np.int64)
    data = bunch.data
    if not isinstance(data, pd.DataFrame):
        most = _MOST_CELLS // len(target) if full else _MOST_COLUMNS
        if data.shape[1] > most:
            present = np.asarray((data != 0).sum(axis=0)).ravel()
            data = data[:, np.sort(np.argsort(-present, kind="stable")[:most])]
        data = pd.DataFrame(data if isinstance(data, np.ndarray) else data.toarray())
    return LabeledTable(name, _as_khiops_reads(data), target)


def _as_khiops_reads(frame: pd.DataFrame) -> pd.DataFrame:
    """Round numbers to ten digits, as Khiops does on reading, and give columns short names."""
    numbers = frame.select_dtypes("number").astype(np.float64)
    distinct, places = np.unique(numbers.to_numpy(), return_inverse=True)
    rounded = np.array([float(f"{value:.10g}") for value in distinct])[places.reshape(numbers.shape)]
    same = pd.concat([pd.DataFrame(rounded, columns=numbers.columns), frame.drop(columns=numbers.columns)], axis=1)
    same = same[list(frame.columns)]
    return same.set_axis([f"c{j}" for j in range(frame.shape[1])], axis=1)
