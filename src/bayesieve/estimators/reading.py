"""Training rows as an estimator is given them."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning

from bayesieve.data import read_table, read_target, read_weights
from bayesieve.estimators.header import check_header
from bayesieve.estimators.sample import Sample

__all__ = ["read_sample"]


def read_sample(estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
    """Read training rows; the estimator remembers names and number of the columns."""
    table = read_table(X)
    check_header(estimator, X, table, reset=True)
    weights = read_weights(sample_weight, table.n_rows)
    labels = y if y is None else np.asarray(y)
    if labels is not None and labels.shape == (table.n_rows, 1):
        message = "A column-vector y was passed when a 1d array was expected; its one column is taken."
        warnings.warn(message, DataConversionWarning, stacklevel=5)
    return Sample(table, read_target(labels, table.n_rows, weights), weights)
