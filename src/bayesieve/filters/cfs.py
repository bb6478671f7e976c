"""Correlation-based feature selection (Hall 1999): columns that share much with the class and little with each other.

The merit of a subset S is Σ su(i, Y) / sqrt(|S| + 2 Σ su(i, j)), su the symmetric uncertainty. Best-first search, as in
Weka: the best subset not yet expanded is expanded by every column; five expansions in a row that bring nothing end it,
and the five best open subsets are remembered. Then columns that are locally predictive are added: by decreasing su with
the class, each unless it shares more with a column inside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.filters.class_tables import ClassTables
from bayesieve.filters.joint_sums import CodedRows, joint_sums
from bayesieve.filters.pair_terms import PairTerms
from bayesieve.filters.univariate import symmetric_uncertainty

__all__ = ["CorrelationSelection", "select_by_correlation"]

Floats = NDArray[np.float64]

_STALE = 5
_LEAST_GAIN = 1e-5


@dataclass(frozen=True)
class CorrelationSelection:
    """The columns found in the order in which they entered, and the merit after each; how many the search itself found.

    ``relevance`` is the symmetric uncertainty of every column with the class.
    """

    columns: tuple[int, ...]
    merits: tuple[float, ...]
    n_searched: int
    relevance: Floats


class Correlations:
    """Symmetric uncertainties, those between columns made when they are asked for."""

    def __init__(self, rows: CodedRows, tables: ClassTables, n_threads: int = 1) -> None:
        self.relevance = symmetric_uncertainty(tables)
        self._tables, self._counter = tables, joint_sums(rows, n_threads)
        self._known: dict[int, Floats] = {}

    def between(self, column: int) -> Floats:
        """Return those of a column with all others."""
        if column not in self._known:
            everything = np.arange(self._tables.n_columns, dtype=np.int64)
            terms = PairTerms(self._tables, self._counter, column, everything, with_class=False)
            self._known[column] = terms.symmetric_uncertainty
        return self._known[column]

    def merits(self, subset: Sequence[int]) -> Floats:
        """Return the merit of a subset with each other column added."""
        # In the order of the columns, so that a subset's merit does not depend on how it came about.
        members = sorted(subset)
        inner = sum(float(self.between(i)[j]) for i in members for j in members if i < j)
        shared = np.zeros(len(self.relevance))
        for i in members:
            shared += self.between(i)
        relevance = self.relevance + sum(float(self.relevance[i]) for i in members)
        return np.asarray(relevance / np.sqrt(len(members) + 1 + 2 * (inner + shared)))


def select_by_correlation(
    rows: CodedRows, tables: ClassTables, start: Sequence[int] = (), n_threads: int = 1
) -> CorrelationSelection:
    """Search from some columns, which stay, and add what is locally predictive."""
    correlations = Correlations(rows, tables, n_threads)
    found = list(_best_first(correlations, tuple(start)))
    n_searched = len(found)
    for j in np.argsort(-correlations.relevance, kind="stable").tolist():
        relevance = correlations.relevance[j]
        if relevance > 0 and j not in found and all(correlations.between(i)[j] <= relevance for i in found):
            found.append(j)
    merits = tuple(float(correlations.merits(found[:k])[j]) for k, j in enumerate(found))
    return CorrelationSelection(tuple(found), merits, n_searched, correlations.relevance)


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
        # Of equal merits the older stays in front; a stable sort keeps that order.
        top = candidates[np.argsort(-merits[candidates], kind="stable")][:_STALE].tolist()
        open_ = sorted([*open_, *((float(merits[j]), (*subset, j)) for j in top)], key=lambda each: -each[0])[:_STALE]
        n_stale = 0 if improved else n_stale + 1
    return best
