"""Log-likelihoods of a column's values within each class, with the estimates of Weka's naive Bayes."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

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
        All rows; every label of theirs counts, as those of a file's header do in Weka.
    train : int array
        Training rows.
    codes : int array
        The classes of the training rows.
    n_classes : int
        Number of classes.
    """
    n_labels = len(column.labels)
    counts = np.zeros((n_labels + 1, n_classes))
    np.add.at(counts, (column.ids[train], codes), 1.0)
    counts = counts[:n_labels]
    if column.ordered and n_labels > 2:
        likelihoods = _normal(np.asarray(column.labels, dtype=np.float64), counts)
    else:
        likelihoods = np.log((counts + 1) / (counts.sum(axis=0) + n_labels))
    return np.vstack([likelihoods, np.zeros(n_classes)])


def _normal(values: Floats, counts: Floats) -> Floats:
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
