"""A greedy filter as an engine: the ordinary forward search drives it.

The score of a subset is the sum of its columns' scores as they entered, so that an addition's gain is the filter's
score of the column. Pair tables are made once for each chosen column and candidate, when a candidate is looked at: of a
filter whose scores only fall, a candidate whose old score is below the two best need not be looked at.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import FIXED_ONE
from bayesieve.engine import Move, Moves
from bayesieve.filters.class_tables import ClassTables
from bayesieve.filters.joint_sums import CodedRows, joint_sums
from bayesieve.filters.pair_terms import PairTerms
from bayesieve.filters.subset_formulas import SUBSET_FORMULAS

__all__ = ["SubsetEngine"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEW = 8  # candidates that are looked at first
_FAR = np.iinfo(np.int64).max


class SubsetEngine:
    """Scores additions of single columns; what was chosen stays.

    ``beta`` is the price of redundancy in the filters that have one. ``n_pairs`` counts the pair tables made.
    """

    def __init__(
        self, rows: CodedRows, tables: ClassTables, name: str, *, beta: float = 1.0, n_threads: int = 1
    ) -> None:
        self._tables, self._formula, self._beta = tables, SUBSET_FORMULAS[name], beta
        self._counter = joint_sums(rows, n_threads)
        self._relevance = tables.logs.nats(tables.information)
        self.n_pairs = 0
        self.reset({})

    @property
    def segment_scores(self) -> Sequence[float]:
        """The score: there is one segment."""
        return (self._score,)

    def reset(self, weights: Mapping[int, float]) -> float:
        """Choose some columns, in this order, and nothing else."""
        self._chosen: list[int] = []
        self._gathered = np.full(self._tables.n_columns, _FAR if self._formula.least else 0, dtype=np.int64)
        self._seen = np.zeros(self._tables.n_columns, dtype=np.int64)  # how many of the chosen were gathered
        self._score = 0.0
        for column in weights:
            self._add(column)
        return self._score

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> Floats:
        """Return the score after each addition."""
        columns = _columns(moves)
        if exact or not self._formula.least:
            self._look(columns)
            return self._score + self._scores(columns)
        size = _FEW
        while len(left := self._hopeful(columns)):
            self._look(left[:size])
            size *= 2
        return self._score + self._scores(columns)

    def apply(self, move: Move) -> float:
        """Choose one more column."""
        (column,) = _columns([move]).tolist()
        self._add(column)
        return self._score

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return list(self._chosen), self._gathered.copy(), self._seen.copy(), self._score

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        chosen, gathered, seen, self._score = token
        self._chosen, self._gathered, self._seen = list(chosen), gathered.copy(), seen.copy()

    def _add(self, column: int) -> None:
        self._look(np.array([column]))
        self._score += float(self._scores(np.array([column]))[0])
        self._chosen.append(column)

    def _look(self, columns: Ints) -> None:
        """Gather what candidates have not yet seen of the chosen columns."""
        join = np.minimum if self._formula.least else np.add
        first = int(self._seen[columns].min(initial=len(self._chosen)))
        for turn in range(first, len(self._chosen)):
            new = columns[self._seen[columns] == turn]
            if not len(new):
                continue
            terms = PairTerms(self._tables, self._counter, self._chosen[turn], new, self._formula.with_class)
            self._gathered[new] = join(self._gathered[new], self._formula.make_problem_data(terms))
            self._seen[new] = turn + 1
            self.n_pairs += len(new)

    def _hopeful(self, columns: Ints) -> Ints:
        """Return the candidates that could be among the best two for all that is known, the most hopeful first."""
        scores, known = self._scores(columns), self._seen[columns] == len(self._chosen)
        best = np.sort(scores[known])[-2:]
        enough = best[0] if len(best) == 2 else -np.inf
        open_ = np.flatnonzero(~known & (scores >= enough))
        return columns[open_[np.argsort(-scores[open_], kind="stable")]]

    def _scores(self, columns: Ints) -> Floats:
        """Return the filter's scores for all that is known, in multiples of 2^-40: what differs by less is a tie."""
        k, relevance = len(self._chosen), self._relevance[columns]
        if not k:
            scores = relevance
        else:
            gathered = self._gathered[columns]
            unit = self._formula.own_unit
            told = self._tables.logs.nats(gathered) if unit is None else gathered.astype(np.float64) * unit
            scores = self._formula.score(relevance, told, k, self._beta)
        return np.rint(scores * FIXED_ONE) / FIXED_ONE


def _columns(moves: Sequence[Move]) -> Ints:
    batch = Moves.of(moves)
    if not batch.are_single or (batch.before != 0.0).any() or (batch.after != 1.0).any():
        raise ValueError("A filter adds whole columns one at a time.")
    return batch.columns.astype(np.int64)
