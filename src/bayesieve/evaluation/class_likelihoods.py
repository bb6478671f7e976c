# SPDX-License-Identifier: BSD-3-Clause
"""Log-likelihoods of a column's values within each class, with the estimates of Weka's naive Bayes."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data import Column

__all__ = ["learn_likelihoods"]

_SMALLEST: Final = 1e-75  # probability of a value
_NO_SPREAD: Final = 1e-10  # a standard deviation below it is replaced

Ids = NDArray[np.integer[Any]]


def learn_likelihoods(column: Column, train: Ids, codes: Ids, n_classes: int) -> Floats:
    """Return the log-likelihood of each label of a column, of shape (n_labels + 1, n_classes); the last is missing.

    A number has a normal distribution per class. Its precision is the mean distance of neighboring distinct training
    values; values are rounded to it, the standard deviation is at least a sixth of it, and the probability of a value
    is that of the interval of this width around it. Labels, and numbers with at most two distinct values, have
    frequencies with a pseudo-count of 1. Missing values are skipped.

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
