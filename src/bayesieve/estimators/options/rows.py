"""Training rows as an estimator is given them."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning

from bayesieve.data import is_dask, open_raw, read_table, read_target, read_weights
from bayesieve.decisions import read_benefits
from bayesieve.estimators.options.feature_names import check_header
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.training.block_rows import BlockedRows, TrainingRows, read_blocked_rows
from bayesieve.training.memory_rows import MemoryRows

__all__ = ["read_rows", "read_training_rows", "with_benefits"]


def read_training_rows(estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingRows:
    """Read training rows, here or in blocks; the estimator remembers names and number of the columns."""
    raw = open_raw(X, y, sample_weight, getattr(estimator, "backend", "auto"))
    if raw is not None:
        scattered = read_blocked_rows(raw)
        check_header(estimator, scattered.example, scattered.head, reset=True)
        return scattered
    return read_rows(estimator, X, y, sample_weight)


def read_rows(estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> MemoryRows:
    """Read training rows in this process."""
    if is_dask(X):
        raise DataError(f"{type(estimator).__name__} takes rows in this process; compute() these first.")
    table = read_table(X)
    check_header(estimator, X, table, reset=True)
    weights = read_weights(sample_weight, table.n_rows)
    labels = y if y is None else np.asarray(y)
    if labels is not None and labels.shape == (table.n_rows, 1):
        message = "A column-vector y was passed when a 1d array was expected; its one column is taken."
        warnings.warn(message, DataConversionWarning, stacklevel=5)
    return MemoryRows(table, read_target(labels, table.n_rows, weights), weights)


def with_benefits(sample: TrainingRows, matrix: Any, benefits: Any, cv: Any) -> MemoryRows:
    """Return rows that know what actions bring: a matrix for all, or each row's own."""
    if isinstance(sample, BlockedRows):
        raise ParameterError("criterion='benefit' is for rows in this process; for rows in blocks use 'log_loss'.")
    if (matrix is None) == (benefits is None):
        found = "neither is" if matrix is None else "both are"
        raise ParameterError(
            f"criterion='benefit' asks for benefit_matrix=... or fit(..., benefits=...), one of them; {found} given."
        )
    n_classes = sample.n_classes
    if matrix is not None:
        return replace(sample, benefits=read_benefits(matrix, n_classes, name="benefit_matrix"))
    if isinstance(cv, tuple):
        raise ParameterError("benefits of the rows do not tell of those in cv=(X, y); use folds or a share.")
    return replace(sample, benefits=read_benefits(benefits, n_classes, sample.n_rows))
