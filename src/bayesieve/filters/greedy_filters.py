# SPDX-License-Identifier: BSD-3-Clause
"""The greedy filters, each defined by an accumulator and a formula, and their engine for the forward search.

A candidate f is scored by its relevance I(f; Y), by an accumulator over the selected columns s, and by their number k.
With k = 0 every filter scores by relevance alone. Formulas as in Brown et al., JMLR 13 (2012).

The score of a subset is the sum of its columns' scores when they were added, so that the gain of an addition is the
filter's score of the column. Pair tables are computed once for each selected column and candidate, lazily: if scores
can only fall, a candidate whose old score is below the two best needs no update.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, nearest_fixed, to_fixed
from bayesieve.filters.joint_counts import CodedColumns, PairTerms, joint_sums
from bayesieve.filters.univariate import ClassTables
from bayesieve.search.engine import Move, Moves

__all__ = ["SUBSET_FORMULAS", "SubsetEngine", "SubsetFormula"]

_LEAST_REDUNDANCY = 2.0**-20  # nats: replaces a mean redundancy of 0 in a ratio
_FINE = 2.0**13
_FIRST_UPDATES = 8  # candidates
_FAR = np.iinfo(np.int64).max


@dataclass(frozen=True)
class SubsetFormula:
    """How selected columns change the score of a candidate.

    Attributes
    ----------
    accumulate : callable
        Returns the term of one selected column for the accumulator of each candidate.
    score : callable
        Returns the score from relevance, accumulator (both in nats, or in the accumulator's own unit), k > 0 and beta,
        the penalty of redundancy.
    with_class : bool
        Whether the class is part of the joint counts.
    least : bool
        Whether the accumulator is the minimum of the terms instead of their sum: then scores can only fall.
    own_unit : float or None
        The unit of the accumulator if it is not nats.
    """

    accumulate: Callable[[PairTerms], Ints]
    score: Callable[[Floats, Floats, int, float], Floats]
    with_class: bool = True
    least: bool = False
    own_unit: float | None = None


def _shares(terms: PairTerms) -> Ints:
    """Return I(f, s; Y) / H(f, s, Y), in multiples of 2^-40."""
    entropy = terms.joint_entropy
    shares = np.divide(terms.joint_relevance, entropy, out=np.zeros(len(entropy)), where=entropy > 0)
    return to_fixed(shares)


def _lost(terms: PairTerms) -> Ints:
    return terms.redundancy - terms.conditional_redundancy


SUBSET_FORMULAS: dict[str, SubsetFormula] = {
    # I(f; Y) - mean_s I(f; s)
    "mrmr": SubsetFormula(lambda t: t.redundancy, lambda rel, acc, k, beta: rel - acc / k, with_class=False),
    # I(f; Y) / mean_s I(f; s)
    "mrmr_ratio": SubsetFormula(
        lambda t: t.redundancy, lambda rel, acc, k, beta: rel / np.maximum(acc / k, _LEAST_REDUNDANCY), with_class=False
    ),
    # I(f; Y) - beta · sum_s I(f; s)
    "mifs": SubsetFormula(lambda t: t.redundancy, lambda rel, acc, k, beta: rel - beta * acc, with_class=False),
    # sum_s I(f, s; Y)
    "jmi": SubsetFormula(lambda t: t.joint_relevance, lambda rel, acc, k, beta: acc),
    # min(I(f; Y), min_s I(f; Y | s)), as in Fleuret's algorithm: in few rows, I(f; Y | s) of noise can exceed I(f; Y)
    "cmim": SubsetFormula(
        lambda t: t.conditional_relevance, lambda rel, acc, k, beta: np.minimum(rel, acc), least=True
    ),
    # sum_s I(f, s; Y) / H(f, s, Y)
    "disr": SubsetFormula(_shares, lambda rel, acc, k, beta: acc, own_unit=1.0 / FIXED_ONE),
    # I(f; Y) - sum_s max(0, I(f; s) - I(f; s | Y))
    "icap": SubsetFormula(lambda t: np.maximum(_lost(t), 0), lambda rel, acc, k, beta: rel - acc),
    # I(f; Y) - sum_s I(f; s) + sum_s I(f; s | Y)
    "cife": SubsetFormula(_lost, lambda rel, acc, k, beta: rel - acc),
    # I(f; Y) + sum_s I(f; s | Y)
    "condred": SubsetFormula(lambda t: t.conditional_redundancy, lambda rel, acc, k, beta: rel + acc),
}


class SubsetEngine:
    """Scores additions of single columns; there are no removals.

    ``beta`` is the penalty of redundancy in the filters that have one. ``n_pairs`` counts the computed pair tables.
    """

    def __init__(
        self, rows: CodedColumns, tables: ClassTables, name: str, *, beta: float = 1.0, n_threads: int = 1
    ) -> None:
        self._tables, self._formula, self._beta = tables, SUBSET_FORMULAS[name], beta
        self._counter = joint_sums(rows, n_threads)
        self._relevance = tables.logs.nats(tables.information)
        self.n_pairs = 0
        self.reset({})

    @property
    def segment_scores(self) -> Sequence[float]:
        """The score of the only segment."""
        return (self._score,)

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected columns, in order."""
        return tuple(self._selected)

    @property
    def totals(self) -> tuple[float, ...]:
        """The score of no column, and the one after each selected column."""
        return tuple(self._totals)

    def reset(self, weights: Mapping[int, float]) -> float:
        """Select these columns, in this order."""
        self._selected: list[int] = []
        self._accumulated = np.full(self._tables.n_columns, _FAR if self._formula.least else 0, dtype=np.int64)
        self._n_updates = np.zeros(self._tables.n_columns, dtype=np.int64)  # by selected columns
        self._totals = [0.0]
        for column in weights:
            self._add(column)
        return self._score

    @property
    def _score(self) -> float:
        return self._totals[-1]

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> Floats:
        """Return the score after each addition."""
        columns = _columns(moves)
        if exact or not self._formula.least:
            self._update(columns)
            return self._score + self._scores(columns)
        size = _FIRST_UPDATES
        while len(left := self._pending(columns)):
            self._update(left[:size])
            size *= 2
        return self._score + self._scores(columns)

    def apply(self, move: Move) -> float:
        """Select one more column."""
        (column,) = _columns([move]).tolist()
        self._add(column)
        return self._score

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return list(self._selected), self._accumulated.copy(), self._n_updates.copy(), list(self._totals)

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        selected, accumulated, n_updates, totals = token
        self._selected, self._accumulated, self._n_updates = list(selected), accumulated.copy(), n_updates.copy()
        self._totals = list(totals)

    def _add(self, column: int) -> None:
        self._update(np.array([column]))
        self._totals.append(self._score + float(self._scores(np.array([column]))[0]))
        self._selected.append(column)

    def _update(self, columns: Ints) -> None:
        """Update the accumulators of candidates by the selected columns that they do not include yet."""
        join = np.minimum if self._formula.least else np.add
        first = int(self._n_updates[columns].min(initial=len(self._selected)))
        for turn in range(first, len(self._selected)):
            new = columns[self._n_updates[columns] == turn]
            if not len(new):
                continue
            terms = PairTerms(self._tables, self._counter, self._selected[turn], new, self._formula.with_class)
            self._accumulated[new] = join(self._accumulated[new], self._formula.accumulate(terms))
            self._n_updates[new] = turn + 1
            self.n_pairs += len(new)

    def _pending(self, columns: Ints) -> Ints:
        """Return outdated candidates that could still be among the best two, the most promising first."""
        scores, is_current = self._scores(columns), self._n_updates[columns] == len(self._selected)
        best = np.sort(scores[is_current])[-2:]
        enough = best[0] if len(best) == 2 else -np.inf
        open_ = np.flatnonzero(~is_current & (scores >= enough))
        return columns[open_[np.argsort(-scores[open_], kind="stable")]]

    def _scores(self, columns: Ints) -> Floats:
        """Return the scores by the present accumulators, in multiples of 2^-40: smaller differences are ties."""
        k, relevance = len(self._selected), self._relevance[columns]
        if not k:
            scores = relevance
        else:
            accumulated = self._accumulated[columns]
            unit = self._formula.own_unit
            terms = self._tables.logs.nats(accumulated) if unit is None else accumulated.astype(np.float64) * unit
            with np.errstate(over="ignore"):  # of beta, which may be any number
                scores = self._formula.score(relevance, terms, k, self._beta)
        # From _FINE on, floats are multiples of 2^-40 themselves.
        return np.where(np.abs(scores) < _FINE, nearest_fixed(np.clip(scores, -_FINE, _FINE)), scores)


def _columns(moves: Sequence[Move]) -> Ints:
    batch = Moves.of(moves)
    if not batch.are_single or (batch.before != 0.0).any() or (batch.after != 1.0).any():
        raise ValueError("A filter only adds single columns with weight 1.")
    return batch.columns.astype(np.int64)
