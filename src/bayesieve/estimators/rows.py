# SPDX-License-Identifier: BSD-3-Clause
"""Rows as an estimator is given them: training rows, and new rows, checked against the training table and coded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from bayesieve.bins import Partition
from bayesieve.data import (
    Column,
    IndexedFrame,
    LabeledRows,
    Table,
    encode_target,
    frame_backend,
    is_frame,
    is_in_blocks,
    map_rows,
    open_raw,
    read_table,
    read_target,
    read_weights,
    refuse_blocks,
    table_header,
)
from bayesieve.estimators._sklearn import ACCEPTS_ALL_FRAMES
from bayesieve.estimators._types import Array, TableLike, Tags, TargetLike
from bayesieve.exceptions import DataError, ParameterError, SmallWeightsWarning, UnseenValuesWarning, warn_caller
from bayesieve.fit.class_order import order_classes
from bayesieve.fit.rows import MemoryRows, TrainingRows
from bayesieve.models import PairTable, ScoreTable

__all__ = [
    "CodedColumn",
    "CodedTerms",
    "ColumnReader",
    "accept_any_table",
    "check_header",
    "code_rows",
    "find_columns",
    "open_new_rows",
    "predict_rows",
    "read_benefit_rows",
    "read_rows",
    "read_training_rows",
    "refuse_idle_benefits",
    "warn_of_small_weights",
]

_FEWEST = 20  # rows that count as one


def read_training_rows(
    estimator: BaseEstimator,
    X: TableLike,
    y: TargetLike,
    sample_weight: ArrayLike | None,
    X_val: TableLike | None = None,
    y_val: TargetLike | None = None,
) -> TrainingRows:
    """Read training rows, in this process or in blocks; the estimator keeps names and number of the columns."""
    if (X_val is None) != (y_val is None):
        raise ParameterError("X_val and y_val belong together; one of them is missing.")
    raw = open_raw(X, y, sample_weight, estimator.backend)
    if raw is None:
        return read_rows(estimator, X, y, sample_weight, X_val, y_val)
    if X_val is not None:
        raise ParameterError("X_val needs a table in memory; for rows in blocks, set cv to folds, a share or 0.")
    from bayesieve.fit.block_rows import BlockedRows

    rows = BlockedRows.read(raw)
    warn_of_small_weights(float(rows.class_mass.sum()) * rows.unit, int(rows.class_sizes.sum()))
    check_header(estimator, rows.example, rows.head, reset=True)
    return order_classes(rows)


def read_rows(
    estimator: BaseEstimator,
    X: TableLike,
    y: TargetLike,
    sample_weight: ArrayLike | None,
    X_val: TableLike | None = None,
    y_val: TargetLike | None = None,
) -> MemoryRows:
    """Read training rows in this process."""
    refuse_blocks(X, type(estimator).__name__)
    table = read_table(X)
    check_header(estimator, X, table, reset=True)
    weights = read_weights(sample_weight, table.n_rows)
    labels = y if y is None else np.asarray(y)
    if labels is not None and labels.shape == (table.n_rows, 1):
        message = "A column-vector y was passed when a 1d array was expected; its one column is taken."
        warn_caller(message, DataConversionWarning)
    rows = MemoryRows(table, read_target(labels, table.n_rows, weights), weights, example=X)
    warn_of_small_weights(float(rows.class_mass.sum()) * rows.unit, int(rows.class_sizes.sum()))
    if X_val is not None:
        rows = replace(rows, validation=_read_validation(rows, X_val, y_val))
    return order_classes(rows)


def warn_of_small_weights(total: float, n_rows: int) -> None:
    """Warn of weights that add up to far less than the number of their rows."""
    if total * _FEWEST < n_rows >= _FEWEST:
        warn_caller(
            f"sample_weight adds up to {total:.3g} over {n_rows:,} rows. A weight of k counts as k copies of the row, "
            f"so that the table counts as {total:.3g} rows; multiply weights by {n_rows / total:.4g} if a row counts "
            "once on average.",
            SmallWeightsWarning,
        )


def _read_validation(rows: MemoryRows, X: TableLike, y: TargetLike) -> LabeledRows:
    table = read_table(X)
    if table.n_columns != rows.table.n_columns:
        expected = rows.table.n_columns
        raise DataError(f"The validation table has {table.n_columns} columns; the training table has {expected}.")
    if hasattr(X, "columns") and table.names != rows.names:
        other = next(b for a, b in zip(rows.names, table.names, strict=True) if a != b)
        raise DataError(f"The validation table has the column {other!r} where the training table has another name.")
    target = encode_target(y, table.n_rows, rows.classes)
    return LabeledRows(table, target, read_weights(None, table.n_rows))


def refuse_idle_benefits(criterion: str, matrix: ArrayLike | None, benefits: ArrayLike | None) -> None:
    """Refuse benefits that a criterion does not use, and a criterion without the benefits that it needs."""
    if criterion != "benefit":
        for name, given in (("benefits", benefits), ("benefit_matrix", matrix)):
            if given is not None:
                raise ParameterError(
                    f"{name} would be ignored: benefits are for criterion='benefit' of NaiveBayesSelector and "
                    "SelectiveNaiveBayes."
                )
    elif (matrix is None) == (benefits is None):
        given = "neither is" if matrix is None else "both are"
        raise ParameterError(
            f"criterion='benefit' needs benefit_matrix=... or fit(..., benefits=...), one of them; {given} given."
        )


def read_benefit_rows(
    rows: TrainingRows, criterion: str, matrix: ArrayLike | None, benefits: ArrayLike | None
) -> TrainingRows:
    """Return rows with the benefits of actions, one matrix for all or one per row, if the criterion needs them."""
    return rows.with_benefits(matrix, benefits) if criterion == "benefit" else rows


_SUSPICIOUS = 0.2  # share of rows with an unseen value
_MOST_NAMED = 8  # columns in a message


class CodedColumn(NamedTuple):
    """A column of new rows, and the bin of each row."""

    column: Column
    codes: NDArray[np.intp]


class CodedTerms(NamedTuple):
    """The terms of a model in new rows: a column per score table, and two per pair, each with the bins of its table."""

    tables: list[CodedColumn]
    pairs: list[tuple[CodedColumn, CodedColumn]]

    @property
    def codes(self) -> list[NDArray[np.intp]]:
        """The codes of each score table."""
        return [each.codes for each in self.tables]

    @property
    def pair_codes(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The codes of each pair."""
        return [(first.codes, second.codes) for first, second in self.pairs]


def open_new_rows(estimator: BaseEstimator, X: TableLike) -> Table:
    """Open a table under the names of the training columns.

    Columns of a data frame are found by their names, and those that the estimator uses are enough, as it may have been
    trained on many more. An array has all training columns, by position.
    """
    check_is_fitted(estimator)
    table = read_table(X)
    if _is_read_by_name(estimator, X):
        _check_columns(estimator, table.names)
        return table.arranged(estimator.column_names_)
    check_header(estimator, X, table, reset=False)
    return table.renamed(estimator.column_names_)


def _is_read_by_name(estimator: BaseEstimator, X: TableLike) -> bool:
    """Return whether training table and new table have names; the numbers of columns in pandas are not names."""
    if not hasattr(estimator, "feature_names_in_") or not is_frame(X):
        return False
    whole = X.whole if isinstance(X, IndexedFrame) else X
    return frame_backend(X) != "pandas" or all(isinstance(name, str) for name in whole.columns)


def _check_columns(estimator: BaseEstimator, names: Sequence[str]) -> None:
    """Refuse a table without a column that the estimator uses."""
    used = _used_columns(estimator)
    if absent := sorted(set(used) - set(names), key=used.index):
        shown = ", ".join(map(repr, used[:_MOST_NAMED])) + (" and others" if len(used) > _MOST_NAMED else "")
        raise DataError(f"The table has no column {absent[0]!r}, which the model uses; it uses {shown}.")


def _used_columns(estimator: BaseEstimator) -> list[str]:
    """Return the columns of a model, those that a selector selects, or all that a transformer was fitted to."""
    if hasattr(estimator, "scorecard_"):
        return list(estimator.scorecard_.columns)
    names: list[str] = estimator.column_names_
    return [names[j] for j in np.flatnonzero(estimator.support_)] if hasattr(estimator, "support_") else names


def find_columns(estimator: BaseEstimator, X: TableLike, places: Sequence[int]) -> list[int]:
    """Return where some training columns are in a new table, once its header is checked; no row is read."""
    example, header = table_header(X) if is_in_blocks(X) else (X, read_table(X))
    if not _is_read_by_name(estimator, example):
        check_header(estimator, example, header, reset=False)
        return list(places)
    _check_columns(estimator, header.names)
    position = {name: j for j, name in enumerate(header.names)}
    return [position[estimator.column_names_[j]] for j in places]


def predict_rows(
    estimator: BaseEstimator, answer: Callable[[Table], Array], X: TableLike, empty: Callable[[], Array]
) -> Array | TableLike:
    """Return predictions of a table: an array, or a lazy one of Dask; ``empty`` gives that of no rows."""
    check_is_fitted(estimator)
    if is_in_blocks(X):
        find_columns(estimator, X, ())
    return map_rows(X, partial(_answer, estimator, answer), empty())


def _answer(estimator: BaseEstimator, answer: Callable[[Table], Array], X: TableLike) -> Array:
    return answer(open_new_rows(estimator, X))


def code_rows(
    table: Table, tables: Iterable[ScoreTable], pairs: Iterable[PairTable], positions: Mapping[str, int]
) -> CodedTerms:
    """Read each column of some score tables and pairs once, and code it; warn once if many values were unseen."""
    reader = ColumnReader(table, positions)
    coded = reader.code_rows(tables, pairs)
    reader.warn_of_unseen()
    return coded


class ColumnReader:
    """Columns of new rows, each read once, for one model after the other."""

    def __init__(self, table: Table, positions: Mapping[str, int]) -> None:
        self._table = table
        self._positions = positions
        self._columns: dict[str, Column] = {}
        self._unseen: dict[str, float] = {}
        self._last: dict[tuple[str, int], CodedColumn] = {}

    def code_rows(self, tables: Iterable[ScoreTable], pairs: Iterable[PairTable]) -> CodedTerms:
        """Code the columns of a model; bins that the model before had, too, are not computed again."""
        tables = list(tables)
        pairs = list(pairs)
        self._read([*(each.name for each in tables), *(name for pair in pairs for name in pair.names)])
        before = self._last
        self._last = {}
        return CodedTerms(
            [self._code(each.name, each.partition, before) for each in tables],
            [
                (
                    self._code(pair.names[0], pair.partitions[0], before),
                    self._code(pair.names[1], pair.partitions[1], before),
                )
                for pair in pairs
            ],
        )

    def warn_of_unseen(self) -> None:
        """Warn if many rows have values that did not occur in training."""
        suspicious = [f"{name!r} ({n:.0%} of rows)" for name, n in self._unseen.items() if n > _SUSPICIOUS]
        if suspicious:
            warn_caller(
                f"Values that training did not have in {', '.join(suspicious[:5])}; they add nothing to the score, so "
                "that predictions can be far off.",
                UnseenValuesWarning,
            )

    def _read(self, names: Iterable[str]) -> None:
        absent = [name for name in dict.fromkeys(names) if name not in self._columns]
        columns = self._table.columns_at([self._positions[name] for name in absent])
        self._columns.update(zip(absent, columns, strict=True))

    def _code(self, name: str, partition: Partition, before: Mapping[tuple[str, int], CodedColumn]) -> CodedColumn:
        column = self._columns[name]
        key = (name, id(partition))
        if key not in before:
            codes = partition.bins_of(column)[column.ids]
            unseen = np.count_nonzero(codes == partition.n_bins) / len(codes) if len(codes) else 0.0
            self._unseen[name] = max(unseen, self._unseen.get(name, 0.0))
            self._last[key] = CodedColumn(column, codes)
        else:
            self._last[key] = before[key]
        return self._last[key]


def check_header(estimator: BaseEstimator, X: TableLike, table: Table, *, reset: bool) -> None:
    """Remember names and number of the columns, or compare them with those remembered, in scikit-learn's words."""
    X = X.whole if isinstance(X, IndexedFrame) else X
    if not ACCEPTS_ALL_FRAMES and frame_backend(X) not in (None, "pandas"):
        X = _Header(table.names, (table.n_rows, table.n_columns))
    try:
        validate_data(estimator, X, skip_check_array=True, reset=reset)
    except TypeError as error:  # names of several types
        kinds = sorted({type(name).__name__ for name in getattr(X, "columns", ())})
        raise DataError(f"Column names must all be strings, or all be numbers; found {' and '.join(kinds)}.") from error


class _Header:
    """As much of the interchange protocol as scikit-learn needs."""

    def __init__(self, names: Sequence[str], shape: tuple[int, int]) -> None:
        self._names = names
        self.shape = shape

    def __dataframe__(self) -> _Header:
        return self

    def column_names(self) -> Sequence[str]:
        """Return the names."""
        return self._names


def accept_any_table(tags: Tags) -> Tags:
    """Declare that missing values, categories and sparse tables are accepted."""
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.sparse = True
    return tags
