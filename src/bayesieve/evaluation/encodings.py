# SPDX-License-Identifier: BSD-3-Clause
"""Encodings of raw columns as numbers for scikit-learn's classifiers, learned on the training rows of a fold alone.

Columns are encoded separately: the matrix of a subset is a stack of its columns' indicators, and one encoding serves
every selector and every size.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from bayesieve._typing import Floats
from bayesieve.data import Column
from bayesieve.estimators import MODLDiscretizer
from bayesieve.evaluation.labeled_table import LabeledBlocks, LabeledTable, Rows

__all__ = [
    "ENCODINGS",
    "Bins",
    "Deciles",
    "Encoding",
    "Likelihoods",
    "Numbers",
    "Raw",
    "encoding_of",
    "learn_likelihoods",
]

Ids = NDArray[np.integer[Any]]
_MODERATE = 400  # powers of two whose squares, added up, are floats
_FARTHEST = 1e15  # standard deviations from the mean
_SMALLEST: Final = 1e-75  # probability of a value
_NO_SPREAD: Final = 1e-10  # a standard deviation below it is replaced


class Encoding(Protocol):
    """The columns of a subset in the form that a classifier takes."""

    def __init__(self, data: LabeledTable | LabeledBlocks, train: Rows, test: Rows) -> None: ...

    def pick(self, columns: Sequence[int]) -> tuple[Any, Any] | None:
        """Return the training and the test rows; None if there are no columns, or all are constant."""


class _ByColumn:
    """Encoded columns, each computed at its first use."""

    def __init__(self, data: LabeledTable | LabeledBlocks, train: Rows, test: Rows) -> None:
        self._data, self._train, self._test = data, train, test
        self._encoded: dict[int, tuple[Floats, Floats]] = {}

    def pick(self, columns: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Return the training rows and the test rows."""
        for j in columns:
            if j not in self._encoded:
                self._encoded[j] = self._encode(j)
        pairs = [self._encoded[j] for j in columns]
        if not any(train.shape[1] for train, _ in pairs):
            return None
        return np.hstack([train for train, _ in pairs]), np.hstack([test for _, test in pairs])

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        raise NotImplementedError


class Numbers(_ByColumn):
    """Numbers are imputed by the median and scaled; labels are one-hot encoded, missing ones included."""

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        column = self._data.column(j)
        if not column.ordered:
            return _indicators(column.ids[self._train], column.ids[self._test])
        values = column.values
        train, test = _moderate(values[self._train], values[self._test])
        present = train[~np.isnan(train)]
        if not len(present) or present.min() == present.max():
            return np.empty((len(train), 0)), np.empty((len(test), 0))
        median = np.median(present)
        train, test = (np.where(np.isnan(each), median, each) for each in (train, test))
        mean, deviation = train.mean(), train.std()
        with np.errstate(over="ignore"):
            train, test = (np.clip((each - mean) / deviation, -_FARTHEST, _FARTHEST) for each in (train, test))
        return train[:, None], test[:, None]


class Bins(_ByColumn):
    """Columns are one-hot encoded by their MODL bins; a column with a single bin is dropped."""

    def __init__(self, data: LabeledTable | LabeledBlocks, train: Rows, test: Rows) -> None:
        super().__init__(data, train, test)
        bins = MODLDiscretizer().fit(data.rows(train), data.labels[train])
        self._train_bins, self._test_bins = bins.transform(data.rows(train)), bins.transform(data.rows(test))

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        return _indicators(self._train_bins[:, j], self._test_bins[:, j], both=True)


class Deciles(_ByColumn):
    """Ten equal-frequency intervals per number, labels and missing values, all one-hot encoded."""

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        column = self._data.column(j)
        if not column.ordered:
            return _indicators(column.ids[self._train], column.ids[self._test], both=True)
        train, test = column.values[self._train], column.values[self._test]
        present = train[~np.isnan(train)]
        bounds = np.unique(np.quantile(present, np.arange(1, 10) / 10)) if len(present) else present
        codes = (np.where(np.isnan(each), -1, np.searchsorted(bounds, each)) for each in (train, test))
        return _indicators(*codes, both=True)


class Likelihoods(_ByColumn):
    """The log-likelihood of each value within each class: normal for numbers, frequencies for labels, as in Weka."""

    def _encode(self, j: int) -> tuple[Floats, Floats]:
        column, target = self._data.column(j), self._data.target
        if np.ptp(column.ids[self._train]) == 0:
            return np.empty((len(self._train), 0)), np.empty((len(self._test), 0))
        table = learn_likelihoods(column, self._train, target.codes[self._train], len(target.classes))
        return table[column.ids[self._train]], table[column.ids[self._test]]


class Raw:
    """The columns as they are, for classifiers that read any table."""

    def __init__(self, data: LabeledTable | LabeledBlocks, train: Rows, test: Rows) -> None:
        self._data, self._train, self._test = data, train, test

    def pick(self, columns: Sequence[int]) -> tuple[Any, Any] | None:
        """Return the training rows and the test rows."""
        if not self._data.varies(self._train, columns):
            return None
        return self._data.take(self._train, list(columns)), self._data.take(self._test, list(columns))


ENCODINGS: dict[str, type[Encoding]] = {
    "numbers": Numbers,
    "bins": Bins,
    "deciles": Deciles,
    "likelihoods": Likelihoods,
    "raw": Raw,
}


def encoding_of(classifier: Any) -> str:
    """Return the encoding that a classifier needs: none if its tags allow strings and missing values."""
    tags = get_tags(classifier).input_tags
    return "raw" if tags.allow_nan and tags.string else "numbers"


def _moderate(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return numbers whose squares are floats: others are divided by a power of two."""
    exponent = int(np.frexp(np.nanmax(np.abs(train), initial=0.0))[1])
    if abs(exponent) <= _MODERATE:
        return train, test
    with np.errstate(over="ignore"):
        return np.ldexp(train, -exponent), np.ldexp(test, -exponent)


def _indicators(train: Ids, test: Ids, *, both: bool = False) -> tuple[Floats, Floats]:
    """Return one indicator per value of the training rows; a single one for two values, unless ``both`` are asked for.

    New values have no indicator, and a constant column has none.
    """
    values = np.unique(train)
    if len(values) < 2:
        values = values[:0]
    elif len(values) == 2 and not both:
        values = values[1:]
    return (train[:, None] == values).astype(np.float64), (test[:, None] == values).astype(np.float64)


def learn_likelihoods(column: Column, train: Ids, codes: Ids, n_classes: int) -> Floats:
    """Return the log-likelihood of each label of a column, of shape (n_labels + 1, n_classes); the last is missing.

    Estimates are those of Weka's naive Bayes. A number has a normal distribution per class. Its precision is the mean
    distance of neighboring distinct training values; values are rounded to it, the standard deviation is at least a
    sixth of it, and the probability of a value is that of the interval of this width around it. Labels, and numbers
    with at most two distinct values, have frequencies with a pseudo-count of 1. Missing values are skipped.

    Parameters
    ----------
    column : Column
        All rows.
    train : int array
        Training rows; a label that they do not have is skipped as a missing one.
    codes : int array
        The classes of the training rows.
    n_classes : int
        Number of classes.
    """
    counts = np.zeros((len(column.labels) + 1, n_classes))
    np.add.at(counts, (column.ids[train], codes), 1.0)
    occurring = np.flatnonzero(counts[:-1].sum(axis=1))  # the last one is missing values
    likelihoods = np.zeros_like(counts)
    if column.ordered and len(occurring) > 2:
        likelihoods[:-1] = _normal(np.asarray(column.labels, dtype=np.float64), counts[:-1])
    else:
        inside = counts[occurring]
        likelihoods[occurring] = np.log((inside + 1) / (inside.sum(axis=0) + len(occurring)))
    return likelihoods


def _normal(values: Floats, counts: Floats) -> Floats:
    from scipy.special import ndtr

    occurring = values[counts.sum(axis=1) > 0]
    precision = float(np.diff(occurring).mean()) if len(occurring) > 1 else 0.01  # Weka's default
    rounded = (np.rint(values / precision) * precision)[:, None]
    mass = np.maximum(counts.sum(axis=0), 1.0)
    means = (rounded * counts).sum(axis=0) / mass
    deviations = np.sqrt(((rounded - means) ** 2 * counts).sum(axis=0) / mass)
    deviations = np.where(deviations > _NO_SPREAD, np.maximum(deviations, precision / 6), precision / 6)
    upper, lower = (ndtr((rounded - means + side * precision / 2) / deviations) for side in (1, -1))
    likelihoods: Floats = np.log(np.maximum(upper - lower, _SMALLEST))
    return likelihoods
