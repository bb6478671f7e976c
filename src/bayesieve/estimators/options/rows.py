"""Training rows as an estimator is given them."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

from bayesieve.data import encode_target, open_raw, read_table, read_target, read_weights, refuse_blocks
from bayesieve.estimators._sklearn import check_header
from bayesieve.estimators._types import TableLike, TargetLike
from bayesieve.exceptions import DataError, ParameterError, warn_caller
from bayesieve.training.block_rows import BlockedRows
from bayesieve.training.fold_counts import LabeledRows
from bayesieve.training.memory_rows import MemoryRows
from bayesieve.training.rows import TrainingRows

__all__ = ["read_benefit_rows", "read_rows", "read_training_rows", "refuse_idle_benefits"]


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
    rows = BlockedRows.read(raw)
    check_header(estimator, rows.example, rows.head, reset=True)
    return rows


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
    if X_val is None:
        return rows
    return MemoryRows(table, rows.target, weights, validation=_read_validation(rows, X_val, y_val), example=X)


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
