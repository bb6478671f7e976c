# SPDX-License-Identifier: BSD-3-Clause
"""Scores of all columns of a table, from raw values: read, code, count, apply a formula; by name, and as functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesieve._typing import Floats
from bayesieve.bins import CODING_RULES, MODL, CodingRule, Partition
from bayesieve.data import LabeledRows, read_table, read_target, read_weights
from bayesieve.exceptions import ParameterError
from bayesieve.filters.coded_table import CodedTable, counted_batches, learned_batches
from bayesieve.filters.relieff import relief_weights
from bayesieve.filters.univariate import FORMULAS, ClassTables, correlation

__all__ = [
    "COLUMN_SCORES",
    "ColumnScore",
    "chi2",
    "conditional_entropy",
    "correlations",
    "gain_ratio",
    "levels",
    "modl_level",
    "mutual_info",
    "pearson",
    "relief",
    "relieff",
    "symmetric_uncertainty",
]


@dataclass(frozen=True)
class ColumnScore:
    """A univariate score: how it is computed, whether smaller is better, and the score of a constant column.

    It is computed from rows, a coding rule, a number of threads and further arguments, named by ``parameters``.
    ``of_coded``, if given, returns the same scores for columns that are already coded by a rule; a score without it
    uses the values themselves.
    """

    compute: Callable[..., Floats]
    is_loss: bool = False
    of_constant: Callable[[LabeledRows], float] = lambda rows: 0.0
    parameters: tuple[str, ...] = ()
    of_coded: Callable[[CodedTable, CodingRule], Floats] | None = None


def coded_scores(
    formula: Callable[[ClassTables], Floats], rows: LabeledRows, rule: CodingRule, n_threads: int
) -> Floats:
    """Return a formula's value for each column."""
    scores = np.zeros(rows.table.n_columns)
    for first, _, learned in learned_batches(rows, rule, n_threads):
        tables = ClassTables.of_bins([learned], rows.class_mass, rows.unit)
        scores[first : first + len(learned)] = formula(tables)
    return scores


def levels(rows: LabeledRows, rule: CodingRule, n_threads: int) -> Floats:
    """Return the share of the null model's cost that each column's optimal partition saves."""
    scores = np.zeros(rows.table.n_columns)
    for first, _, learned in learned_batches(rows, rule, n_threads):
        scores[first : first + len(learned)] = _levels_of(learned.partitions, rule)
    return scores


def _levels_of(partitions: Sequence[Partition], rule: CodingRule) -> Floats:
    if not isinstance(rule, MODL):
        raise ParameterError("method='modl_level' needs MODL partitions; discretizer='modl' is expected.")
    return np.array([partition.level or 0.0 for partition in partitions])


def correlations(rows: LabeledRows, rule: CodingRule, n_threads: int) -> Floats:
    """Return the correlation of each column with the class; the coding rule is not used."""
    scores = np.zeros(rows.table.n_columns)
    for first, batch, counts in counted_batches(rows, n_threads):
        for k, column in enumerate(batch.columns):
            scores[first + k] = correlation(column, counts[batch.offsets[k] : batch.offsets[k + 1]])
    return scores


def relief(
    rows: LabeledRows, rule: CodingRule, n_threads: int, n_neighbors: int = 10, sigma: float | None = None
) -> Floats:
    """Return ReliefF's weight of each column; the coding rule is not used."""
    weights = rows.weights.units[rows.weights.units > 0]
    if (weights != weights[0]).any():
        raise ParameterError(
            "method='relieff' compares single rows; unequal values of sample_weight are not supported."
        )
    return relief_weights(rows, n_neighbors, sigma, n_threads)


def _class_entropy(rows: LabeledRows) -> float:
    tables = ClassTables.stack([rows.class_mass[None]], rows.class_mass)
    return float(FORMULAS["conditional_entropy"](tables)[0])


def _of_formula(formula: Callable[[ClassTables], Floats]) -> ColumnScore:
    return ColumnScore(partial(coded_scores, formula), of_coded=lambda coded, rule: formula(coded.tables))


COLUMN_SCORES: dict[str, ColumnScore] = {
    **{name: _of_formula(formula) for name, formula in FORMULAS.items()},
    "conditional_entropy": replace(
        _of_formula(FORMULAS["conditional_entropy"]), is_loss=True, of_constant=_class_entropy
    ),
    "pearson": ColumnScore(correlations),
    "modl_level": ColumnScore(levels, of_coded=lambda coded, rule: _levels_of(coded.partitions, rule)),
    "relieff": ColumnScore(relief, parameters=("n_neighbors", "sigma")),
}


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
    score: Callable[[LabeledRows, CodingRule, int], Floats],
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
    return score(LabeledRows(table, read_target(y, table.n_rows, weights), weights), rule, n_threads)


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
