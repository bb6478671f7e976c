# SPDX-License-Identifier: BSD-3-Clause
"""A table and its classes, in memory or in blocks of rows, on which selectors and classifiers are compared.

Of rows in blocks, the classes are collected, from which folds are drawn; features stay with their workers.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bayesieve.data import (
    Column,
    RawBlock,
    RawBlocks,
    RowBlocks,
    Table,
    Target,
    frame_backend,
    is_frame,
    pick_columns,
    read_table,
    read_target,
    read_weights,
)
from bayesieve.estimators._sklearn import pick_rows
from bayesieve.evaluation.measures import Forecast, forecast
from bayesieve.exceptions import DataError
from bayesieve.search import fingerprint

__all__ = ["LabeledBlocks", "LabeledTable", "Rows"]

Rows = NDArray[np.intp]


class LabeledTable:
    """A table in memory and its classes; types of columns depend on all rows, and columns are read at their first use.

    Parameters
    ----------
    X : table
        As the library's estimators take it.
    y : array of shape (n_samples,)
        Class labels.
    """

    in_memory: Final = True

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.table: Table = read_table(X)
        self.target: Target = read_target(y, self.table.n_rows, read_weights(None, self.table.n_rows))
        self.labels: NDArray[Any] = np.asarray(y).ravel()  # it may have been a column
        self._columns: dict[int, Column] = {}

    def forecast(self, classifier: Any, X: Any, classes: NDArray[Any]) -> Forecast:
        """Return the predictions of a fitted classifier for some rows."""
        return forecast(classifier, X, classes)

    @property
    def backend(self) -> str | None:
        """The library of the table, None if it is not a data frame."""
        return frame_backend(self.X)

    def column(self, j: int) -> Column:
        """Return a typed column, which is cached."""
        if j not in self._columns:
            self._columns[j] = self.table.column(j)
        return self._columns[j]

    def varies(self, rows: Rows, columns: Sequence[int]) -> bool:
        """Return whether any of some columns varies among some rows."""
        return any(np.ptp(self.column(j).ids[rows]) > 0 for j in columns)

    def rows(self, rows: Rows) -> Any:
        """Return some rows of the table, in its own format."""
        return pick_rows(self.X, rows)

    def take(self, rows: Rows, columns: list[int]) -> Any:
        """Return some columns of some rows, in the library of the table."""
        if self.backend is not None:
            return pick_rows(pick_columns(self.X, columns), rows)
        if issparse(self.X):
            return self.X.tocsr()[rows][:, columns]
        return np.asarray(self.X)[rows][:, columns]

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of all values."""
        parts: list[str | NDArray[Any]] = [repr(self.target.classes.tolist()), self.target.codes]
        if issparse(self.table.numbers):
            sparse = self.table.numbers
            return fingerprint([*parts, repr(sparse.shape), sparse.data, sparse.indices, sparse.indptr])
        for j, name in enumerate(self.table.names):
            column = self.table.column(j)
            labels = np.asarray(column.labels) if column.ordered else repr(column.labels)
            parts += [name, labels, column.ids]
        return fingerprint(parts)


class LabeledBlocks:
    """The interface of `LabeledTable` for rows in blocks; only classifiers that fit rows in blocks can be compared."""

    in_memory: Final = False

    def __init__(self, raw: RawBlocks) -> None:
        self._raw = raw
        sizes, self.labels = raw.targets.reduce(_labels, _append)
        self._ends = np.append(0, np.cumsum(sizes))
        n_rows = len(self.labels)
        self.target: Target = read_target(self.labels, n_rows, read_weights(None, n_rows))
        names = raw.rows.ask(int(np.flatnonzero(sizes)[0]), _names)
        self.table = Table(names, n_rows, _refuse)

    def forecast(self, classifier: Any, X: Any, classes: NDArray[Any]) -> Forecast:
        """Return the predictions of a fitted classifier for the rows of some blocks; only they are collected."""
        places = np.searchsorted(classes, classifier.classes_)
        labels, class_probabilities = X.rows.reduce(_predict, _stack, classifier)
        probabilities = np.zeros((len(labels), len(classes)))
        probabilities[:, places] = class_probabilities
        return Forecast(np.searchsorted(classes, labels), probabilities, probabilities)

    @property
    def backend(self) -> str | None:
        """The library of the blocks, None if they are not data frames."""
        return frame_backend(self._raw.example)

    def column(self, j: int) -> Any:
        """Raise: columns are not collected."""
        raise _refusal()

    def varies(self, rows: Rows, columns: Sequence[int]) -> bool:
        """Return whether there are columns; constant ones are left to the classifier."""
        return len(columns) > 0

    def rows(self, rows: Rows) -> RawBlocks:
        """Return some rows."""
        return self.take(rows, None)

    def take(self, rows: Rows, columns: list[int] | None) -> RawBlocks:
        """Return some columns of some rows."""
        mask = np.zeros(len(self.labels), dtype=bool)
        mask[rows] = True
        masks = np.split(mask, self._ends[1:-1])
        example = self._raw.example if columns is None else _columns(self._raw.example, columns)
        return RawBlocks(_pick(self._raw.rows, masks, columns), _pick(self._raw.targets, masks, columns), example)

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of classes and names; the values are not collected."""
        return fingerprint([repr(self.target.classes.tolist()), self.target.codes, repr(self.table.names)])


def _predict(raw: RawBlock, classifier: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    if not len(raw.y):
        return classifier.classes_[:0], np.empty((0, len(classifier.classes_)))
    return classifier.predict(raw.X), classifier.predict_proba(raw.X)


def _stack(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _labels(raw: RawBlock) -> tuple[list[int], NDArray[Any]]:
    labels = np.asarray(raw.y)
    return [len(labels)], labels


def _append(a: tuple[list[int], Any], b: tuple[list[int], Any]) -> tuple[list[int], Any]:
    return a[0] + b[0], np.concatenate([a[1], b[1]])


def _names(raw: RawBlock) -> list[str]:
    return read_table(raw.X).names


def _refuse(places: Sequence[int]) -> Any:
    raise _refusal()


def _refusal() -> DataError:
    return DataError(
        "Rows in blocks need classifiers that fit rows in blocks, such as SelectiveNaiveBayes, without a grid of "
        "hyperparameters; for other classifiers, load a sample of the rows into memory."
    )


def _pick(blocks: RowBlocks[RawBlock], masks: Sequence[Any], columns: list[int] | None) -> RowBlocks[RawBlock]:
    return blocks.zip(masks).map(_take, columns)


def _take(pair: tuple[RawBlock, NDArray[np.bool_]], columns: list[int] | None) -> RawBlock:
    raw, mask = pair
    X = raw.X
    if X is not None:
        X = pick_rows(X if columns is None else _columns(X, columns), np.flatnonzero(mask))
    labels = np.asarray(raw.y)[mask]
    return RawBlock(X, labels, None if raw.weights is None else np.asarray(raw.weights)[mask])


def _columns(X: Any, columns: list[int]) -> Any:
    return pick_columns(X, columns) if is_frame(X) else X[:, columns]
