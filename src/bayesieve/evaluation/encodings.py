"""Raw columns as numbers for scikit-learn's classifiers, learnt on a fold's fitting rows and nowhere else.

Each column is encoded by itself, so that a subset's matrix is made of its columns' blocks, and one encoding serves
every selector and every size.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from bayesieve.estimators import MODLDiscretizer
from bayesieve.evaluation.opened_data import OpenedData, Rows
from bayesieve.evaluation.scattered_data import ScatteredData

__all__ = ["ENCODINGS", "Bins", "Encoding", "Numbers", "Raw", "Tenths", "encoding_of"]

Floats = NDArray[np.float64]
Ids = NDArray[np.integer[Any]]


class Encoding(Protocol):
    """Gives a subset's columns in the form that a classifier takes."""

    def __init__(self, data: OpenedData | ScatteredData, fitting: Rows, scored: Rows) -> None: ...

    def pick(self, columns: Sequence[int]) -> tuple[Any, Any] | None:
        """Return the fitting rows and the scored rows; None if the columns tell nothing: they are constant, or none."""


class _Blocks:
    """Blocks of numbers, each made when its column is first asked for."""

    def __init__(self, data: OpenedData | ScatteredData, fitting: Rows, scored: Rows) -> None:
        self._data, self._fitting, self._scored = data, fitting, scored
        self._blocks: dict[int, tuple[Floats, Floats]] = {}

    def pick(self, columns: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Return the fitting rows and the scored rows."""
        for j in columns:
            if j not in self._blocks:
                self._blocks[j] = self._encode(j)
        chosen = [self._blocks[j] for j in columns]
        if not any(block.shape[1] for block, _ in chosen):
            return None
        return np.hstack([block for block, _ in chosen]), np.hstack([block for _, block in chosen])

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        raise NotImplementedError


class Numbers(_Blocks):
    """Numbers are scaled, with the median for a missing one; each label, and that it is missing, is an indicator."""

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        column = self._data.column(j)
        if not column.ordered:
            return _indicators(column.ids[self._fitting], column.ids[self._scored])
        values = column.values
        learnt, new = values[self._fitting], values[self._scored]
        known = learnt[~np.isnan(learnt)]
        if not len(known) or np.ptp(known) == 0:
            return np.empty((len(learnt), 0)), np.empty((len(new), 0))
        middle = np.median(known)
        learnt, new = (np.where(np.isnan(each), middle, each) for each in (learnt, new))
        mean, spread = learnt.mean(), learnt.std()
        return (learnt[:, None] - mean) / spread, (new[:, None] - mean) / spread


class Bins(_Blocks):
    """Each MODL bin is an indicator; a column of one bin has none."""

    def __init__(self, data: OpenedData | ScatteredData, fitting: Rows, scored: Rows) -> None:
        super().__init__(data, fitting, scored)
        bins = MODLDiscretizer().fit(data.rows(fitting), data.labels[fitting])
        self._learnt, self._new = bins.transform(data.rows(fitting)), bins.transform(data.rows(scored))

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        return _indicators(self._learnt[:, j], self._new[:, j], both=True)


class Tenths(_Blocks):
    """Each of ten intervals with equally many rows, each label, and that it is missing, is an indicator."""

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        column = self._data.column(j)
        if not column.ordered:
            return _indicators(column.ids[self._fitting], column.ids[self._scored], both=True)
        learnt, new = column.values[self._fitting], column.values[self._scored]
        known = learnt[~np.isnan(learnt)]
        bounds = np.unique(np.quantile(known, np.arange(1, 10) / 10)) if len(known) else known
        codes = (np.where(np.isnan(each), -1, np.searchsorted(bounds, each)) for each in (learnt, new))
        return _indicators(*codes, both=True)


class Raw:
    """The columns as they came, for classifiers that read any table."""

    def __init__(self, data: OpenedData | ScatteredData, fitting: Rows, scored: Rows) -> None:
        self._data, self._fitting, self._scored = data, fitting, scored

    def pick(self, columns: Sequence[int]) -> tuple[Any, Any] | None:
        """Return the fitting rows and the scored rows."""
        if not self._data.tells(self._fitting, columns):
            return None
        return self._data.part(self._fitting, list(columns)), self._data.part(self._scored, list(columns))


ENCODINGS: dict[str, type[Encoding]] = {"numbers": Numbers, "bins": Bins, "tenths": Tenths, "raw": Raw}


def encoding_of(classifier: Any) -> str:
    """Return how a classifier takes tables: as they are if it says that it reads categories and missing values."""
    tags = get_tags(classifier).input_tags
    return "raw" if tags.allow_nan and tags.string else "numbers"


def _indicators(learnt: Ids, new: Ids, *, both: bool = False) -> tuple[Floats, Floats]:
    """Return an indicator of each value seen in the fitting rows: of two values, one is enough unless ``both`` count.

    A value that was never seen has no indicator, and a single value tells nothing.
    """
    seen = np.unique(learnt)
    if len(seen) < 2:
        seen = seen[:0]
    elif len(seen) == 2 and not both:
        seen = seen[1:]
    return (learnt[:, None] == seen).astype(np.float64), (new[:, None] == seen).astype(np.float64)
