# SPDX-License-Identifier: BSD-3-Clause
"""Scores of all columns of a table, from raw values: read, code, count, apply a formula."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins import MODL, CodingRule, Partition
from bayesieve.exceptions import ParameterError
from bayesieve.filters.coded_table import CodedTable, FilterData, counted_batches, learned_batches
from bayesieve.filters.pearson import correlation
from bayesieve.filters.relieff import relief_weights
from bayesieve.filters.univariate import FORMULAS, ClassTables, conditional_entropy

__all__ = ["COLUMN_SCORES", "ColumnScore", "correlations", "levels", "relief"]


@dataclass(frozen=True)
class ColumnScore:
    """A univariate score: how it is computed, whether smaller is better, and the score of a constant column.

    ``parameters`` are the names of its further arguments. ``of_coded``, if given, returns the same scores for columns
    that are already coded by a rule; a score without it uses the values themselves.
    """

    compute: Callable[..., Floats]
    is_loss: bool = False
    of_constant: Callable[[FilterData], float] = lambda data: 0.0
    parameters: tuple[str, ...] = ()
    of_coded: Callable[[CodedTable, CodingRule], Floats] | None = None


def coded_scores(formula: Callable[[ClassTables], Floats], data: FilterData, rule: CodingRule) -> Floats:
    """Return a formula's value for each column."""
    scores = np.zeros(data.table.n_columns)
    for first, _, learned in learned_batches(data, rule):
        tables = ClassTables.of_bins([learned], data.mass, data.weights.unit)
        scores[first : first + len(learned)] = formula(tables)
    return scores


def levels(data: FilterData, rule: CodingRule) -> Floats:
    """Return the share of the null model's cost that each column's optimal partition saves."""
    scores = np.zeros(data.table.n_columns)
    for first, _, learned in learned_batches(data, rule):
        scores[first : first + len(learned)] = _levels_of(learned.partitions, rule)
    return scores


def _levels_of(partitions: Sequence[Partition], rule: CodingRule) -> Floats:
    if not isinstance(rule, MODL):
        raise ParameterError("method='modl_level' needs MODL partitions; discretizer='modl' is expected.")
    return np.array([partition.level or 0.0 for partition in partitions])


def correlations(data: FilterData, rule: CodingRule) -> Floats:
    """Return the correlation of each column with the class; the coding rule is not used."""
    scores = np.zeros(data.table.n_columns)
    for first, batch, counts in counted_batches(data):
        for k, column in enumerate(batch.columns):
            scores[first + k] = correlation(column, counts[batch.offsets[k] : batch.offsets[k + 1]])
    return scores


def relief(data: FilterData, rule: CodingRule, n_neighbors: int = 10, sigma: float | None = None) -> Floats:
    """Return ReliefF's weight of each column; the coding rule is not used."""
    weights = data.weights.units[data.weights.units > 0]
    if (weights != weights[0]).any():
        raise ParameterError(
            "method='relieff' compares single rows; unequal values of sample_weight are not supported."
        )
    return relief_weights(data, n_neighbors, sigma)


def _class_entropy(data: FilterData) -> float:
    return float(conditional_entropy(ClassTables.stack([data.mass[None]], data.mass))[0])


def _of_formula(formula: Callable[[ClassTables], Floats]) -> ColumnScore:
    return ColumnScore(partial(coded_scores, formula), of_coded=lambda coded, rule: formula(coded.tables))


COLUMN_SCORES: dict[str, ColumnScore] = {
    **{name: _of_formula(formula) for name, formula in FORMULAS.items()},
    "conditional_entropy": replace(_of_formula(conditional_entropy), is_loss=True, of_constant=_class_entropy),
    "pearson": ColumnScore(correlations),
    "modl_level": ColumnScore(levels, of_coded=lambda coded, rule: _levels_of(coded.partitions, rule)),
    "relieff": ColumnScore(relief, parameters=("n_neighbors", "sigma")),
}
