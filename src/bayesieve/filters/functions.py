# SPDX-License-Identifier: BSD-3-Clause
"""Univariate scores as functions of a table and its classes."""

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from bayesieve._typing import Floats
from bayesieve.bins import CODING_RULES, CodingRule
from bayesieve.data import read_table, read_target, read_weights
from bayesieve.exceptions import ParameterError
from bayesieve.filters.coded_table import FilterData
from bayesieve.filters.column_scores import COLUMN_SCORES, relief

__all__ = [
    "chi2",
    "conditional_entropy",
    "gain_ratio",
    "modl_level",
    "mutual_info",
    "pearson",
    "relieff",
    "symmetric_uncertainty",
]


class ScoreFunction:
    """A univariate score of all columns of a table.

    Called with ``X``, a data frame, array or sparse matrix; ``y``, the class labels; and optionally ``sample_weight``
    (a weight of k counts as k copies), ``discretizer`` ("modl", "mdlp", "equal_frequency", "equal_width", a rule, or
    None: each distinct value is a code) and ``n_threads``. Returns a float64 array of shape (n_features,). Missing
    values have a code of their own.
    """

    def __init__(self, name: str, meaning: str) -> None:
        self.__name__ = name
        self.__doc__ = f"{meaning}\n\n{type(self).__doc__}"
        self._score = COLUMN_SCORES[name].compute

    def __call__(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        discretizer: str | CodingRule | None = "modl",
        n_threads: int = 1,
    ) -> Floats:
        """Score all columns."""
        return _scores(self._score, X, y, sample_weight, discretizer, n_threads)


def relieff(
    X: Any,
    y: ArrayLike,
    *,
    n_neighbors: int = 10,
    sigma: float | None = None,
    n_threads: int = 1,
) -> Floats:
    """Return ReliefF's weight of each column.

    Parameters
    ----------
    X : data frame, array or sparse matrix of shape (n_samples, n_features)
        Numbers are compared on a scale from 0 to 1, labels for equality.
    y : array of shape (n_samples,)
        Class labels.
    n_neighbors : int, default=10
        Number of nearest rows per class.
    sigma : float or None, default=None
        The weight of the r-th nearest (from 0) is exp(-(r / sigma)²); None gives all the same weight.
    n_threads : int, default=1
        Number of threads; the result does not depend on it.

    Returns
    -------
    weights : float64 array of shape (n_features,)
        Between -1 and 1; around 0 for an uninformative column.
    """
    if n_neighbors < 1 or (sigma is not None and not sigma > 0):
        raise ParameterError(f"n_neighbors={n_neighbors!r} must be 1 or more, and sigma={sigma!r} positive or None.")
    return _scores(partial(relief, n_neighbors=n_neighbors, sigma=sigma), X, y, None, None, n_threads)


def _scores(
    score: Callable[[FilterData, CodingRule], Floats],
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    discretizer: Any,
    n_threads: int,
) -> Floats:
    if isinstance(discretizer, str) and discretizer not in CODING_RULES:
        names = ", ".join(repr(name) for name in CODING_RULES if name)
        raise ParameterError(f"discretizer={discretizer!r} is not supported; {names} or None is expected.")
    rule = discretizer if isinstance(discretizer, CodingRule) else CODING_RULES[discretizer]
    table = read_table(X)
    weights = read_weights(sample_weight, table.n_rows)
    return score(FilterData(table, read_target(y, table.n_rows, weights), weights, n_threads), rule)


mutual_info = ScoreFunction("mutual_info", "Mutual information I(X; Y) of each column and the class, in nats.")
conditional_entropy = ScoreFunction(
    "conditional_entropy", "Conditional entropy H(Y | X) of the class, in nats: smaller is better."
)
gain_ratio = ScoreFunction("gain_ratio", "Gain ratio I(X; Y) / H(X); 0 for a constant.")
symmetric_uncertainty = ScoreFunction("symmetric_uncertainty", "Symmetric uncertainty 2 I(X; Y) / (H(X) + H(Y)).")
chi2 = ScoreFunction("chi2", "Pearson's chi-square statistic of codes against classes.")
pearson = ScoreFunction(
    "pearson", "Absolute correlation of numbers with the class; for several classes or labels, a mean."
)
modl_level = ScoreFunction("modl_level", "MODL level: the share of the null model's cost that the optimal bins save.")
