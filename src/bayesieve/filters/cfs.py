# SPDX-License-Identifier: BSD-3-Clause
"""Correlation-based feature selection (Hall 1999): columns that are correlated with the class, not with each other.

The merit of a subset S is Σ su(i, Y) / sqrt(|S| + 2 Σ su(i, j)), su the symmetric uncertainty. Best-first search, as in
Weka: the best open subset is expanded by every column; five expansions in a row without improvement end the search, and
the five best open subsets are kept. Then locally predictive columns are added: by decreasing su with the class, each
unless its su with a selected column is larger.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesieve._typing import Floats
from bayesieve.filters.joint_counts import CodedColumns, PairTerms, joint_sums
from bayesieve.filters.univariate import ClassTables, symmetric_uncertainty

__all__ = ["CorrelationSelection", "select_by_correlation"]


_STALE = 5
_LEAST_GAIN = 1e-5


@dataclass(frozen=True)
class CorrelationSelection:
    """The selected columns in the order in which they were added, and the merit after each.

    ``n_searched`` of them are from the search itself. ``relevance`` is the symmetric uncertainty of every column with
    the class.
    """

    columns: tuple[int, ...]
    merits: tuple[float, ...]
    n_searched: int
    relevance: Floats


class Correlations:
    """Symmetric uncertainties; those between columns are computed on demand."""

    def __init__(self, rows: CodedColumns, tables: ClassTables, n_threads: int = 1) -> None:
        self.relevance = symmetric_uncertainty(tables)
        self._tables, self._counter = tables, joint_sums(rows, n_threads)
        self._cache: dict[int, Floats] = {}

    def between(self, column: int) -> Floats:
        """Return the symmetric uncertainties of a column with all columns."""
        if column not in self._cache:
            all_columns = np.arange(self._tables.n_columns, dtype=np.int64)
            terms = PairTerms(self._tables, self._counter, column, all_columns, with_class=False)
            self._cache[column] = terms.symmetric_uncertainty
        return self._cache[column]

    def merits(self, subset: Sequence[int]) -> Floats:
        """Return the merit of a subset with each other column added."""
        # In the order of the columns, so that a subset's merit does not depend on the order of additions.
        members = sorted(subset)
        inner = sum(float(self.between(i)[j]) for i in members for j in members if i < j)
        shared = np.zeros(len(self.relevance))
        for i in members:
            shared += self.between(i)
        relevance = self.relevance + sum(float(self.relevance[i]) for i in members)
        return np.asarray(relevance / np.sqrt(len(members) + 1 + 2 * (inner + shared)))


def select_by_correlation(
    rows: CodedColumns, tables: ClassTables, start: Sequence[int] = (), n_threads: int = 1
) -> CorrelationSelection:
    """Search from some columns, which are kept, and add locally predictive columns."""
    correlations = Correlations(rows, tables, n_threads)
    selected = list(_best_first(correlations, tuple(start)))
    n_searched = len(selected)
    for j in np.argsort(-correlations.relevance, kind="stable").tolist():
        relevance = correlations.relevance[j]
        if relevance > 0 and j not in selected and all(correlations.between(i)[j] <= relevance for i in selected):
            selected.append(j)
    merits = tuple(float(correlations.merits(selected[:k])[j]) for k, j in enumerate(selected))
    return CorrelationSelection(tuple(selected), merits, n_searched, correlations.relevance)


def _best_first(correlations: Correlations, start: tuple[int, ...]) -> tuple[int, ...]:
    best = start
    best_merit = float(correlations.merits(start[:-1])[start[-1]]) if start else 0.0
    open_: list[tuple[float, tuple[int, ...]]] = [(best_merit, start)]
    n_stale = 0
    while open_ and n_stale < _STALE:
        _, subset = open_.pop(0)
        merits = correlations.merits(subset)
        candidates = np.setdiff1d(np.arange(len(merits)), subset)
        improved = False
        for j in candidates[merits[candidates] > best_merit + _LEAST_GAIN].tolist():
            if merits[j] - best_merit > _LEAST_GAIN:
                best, best_merit, improved = (*subset, j), float(merits[j]), True
        # On ties the older subset stays in front; a stable sort keeps that order.
        top = candidates[np.argsort(-merits[candidates], kind="stable")][:_STALE].tolist()
        open_ = sorted([*open_, *((float(merits[j]), (*subset, j)) for j in top)], key=lambda each: -each[0])[:_STALE]
        n_stale = 0 if improved else n_stale + 1
    return best
