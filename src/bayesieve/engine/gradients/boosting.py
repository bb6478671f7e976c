"""Boosting as an engine: the ordinary forward search drives it.

The rows' state changes with every addition, and with it what any further column would say. One sum of pulls by code
tells a column's step; the same sum over the rows that are judged tells what the step brings there. The score of a
subset is the sum of what its columns brought as they entered, in multiples of 2^-40, the mean over the segments.

It is not reversible: what a column said depended on those before it. A subset is therefore its order too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import FIXED_ONE, to_fixed
from bayesieve.engine.base import Segment
from bayesieve.engine.blocks.boosting import make_boosted_rows
from bayesieve.engine.blocks.segments import BlockSegments
from bayesieve.engine.gradients.boosted_rows import BoostedRows
from bayesieve.engine.moves import Move, Moves
from bayesieve.models import Boosting, BoostingSteps, Evidence, GradientSums

__all__ = ["BoostEngine", "BoostingRound", "TrainTestRows"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_REPEATS: Final = 20  # before a column that is new enters


@dataclass(frozen=True)
class TrainTestRows:
    """Rows that steps are learnt from, and rows on which they are judged; the two may be the same.

    Rows in blocks are scattered segments of one segment each.
    """

    train: Segment | BlockSegments
    test: Segment | BlockSegments


class BoostingRound(NamedTuple):
    """One step that was taken: which column, how far, and what each of its codes added in each segment."""

    column: int
    alphas: tuple[float, ...]
    tables: tuple[Ints, ...]


class _State(NamedTuple):
    rows: tuple[Any, ...]
    totals: tuple[int, ...]
    rounds: tuple[BoostingRound, ...]


class BoostEngine:
    """Scores additions of single columns; what was chosen stays.

    With ``replace``, chosen columns speak again before each addition, as long as one of them brings more than every
    column that is new; that is part of the addition.
    """

    def __init__(
        self, splits: Sequence[TrainTestRows], model: Boosting, unit: float, backend: str = "auto", n_threads: int = 1
    ) -> None:
        self._model, self._booster = model, model.booster
        self._pairs: list[tuple[BoostedRows, BoostedRows]] = []
        for split in splits:
            train = make_boosted_rows(split.train, model, unit, backend, n_threads)
            own = split.test is split.train
            test = train if own else make_boosted_rows(split.test, model, unit, backend, n_threads)
            self._pairs.append((train, test))
        self._n_columns = splits[0].train.n_columns
        self.n_looks = 0
        self.reset({})

    @property
    def segment_scores(self) -> Sequence[float]:
        """What the columns brought on each segment."""
        return tuple(total / FIXED_ONE for total in self._entered.totals)

    @property
    def rounds(self) -> tuple[BoostingRound, ...]:
        """Every step up to the last addition."""
        return self._entered.rounds

    @property
    def beliefs(self) -> list[Evidence]:
        """What is believed of the judged rows of each segment, where they are in this process."""
        states = self._entered.rows[1::2]
        return [self._model.predictions(state) for state in states]

    def reset(self, weights: Mapping[int, float]) -> float:
        """Choose some columns, in this order, and nothing else."""
        for rows in self._rows:
            rows.reset()
        self._totals = np.zeros(len(self._pairs), dtype=np.int64)
        self._rounds: list[BoostingRound] = []
        self._forget()
        self._entered = self._present
        for column in weights:
            self._enter(column)
        return self._score()

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> Floats:
        """Return the score after each addition; all are exact."""
        columns = _columns(moves)
        self._settle()
        return self._mean(self._totals.sum() + self._gains(columns).sum(axis=0))

    def apply(self, move: Move) -> float:
        """Choose one more column."""
        (column,) = _columns([move]).tolist()
        self._enter(column)
        return self._score()

    def repeat(self, columns: Sequence[int]) -> None:
        """Take exactly these steps, whether columns repeat or not."""
        self.reset({})
        for column in columns:
            self._take(column)
        self._entered = self._present

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return self._present, self._entered, self._settled

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        present, self._entered, settled = token
        for rows, state in zip(self._rows, present.rows, strict=True):
            rows.state = state
        self._totals, self._rounds = np.array(present.totals, dtype=np.int64), list(present.rounds)
        self._forget()
        self._settled = settled

    @property
    def _rows(self) -> list[BoostedRows]:
        return [rows for pair in self._pairs for rows in pair]

    @property
    def _present(self) -> _State:
        states = tuple(rows.state for rows in self._rows)
        return _State(states, tuple(self._totals.tolist()), tuple(self._rounds))

    def _score(self) -> float:
        return float(self._mean(np.array([sum(self._entered.totals)]))[0])

    def _mean(self, totals: Ints) -> Floats:
        return totals / float(len(self._pairs) * FIXED_ONE)

    def _enter(self, column: int) -> None:
        self._settle()
        self._take(column)
        self._entered = self._present

    def _settle(self) -> None:
        """Let chosen columns speak again, as long as that brings more than any column that is new."""
        chosen = np.unique([each.column for each in self._rounds]).astype(np.int64)
        if not self._model.replace or self._settled or not len(chosen):
            return
        new = np.setdiff1d(np.arange(self._n_columns), chosen)
        for _ in range(_MOST_REPEATS):
            again, best = self._gains(chosen).sum(axis=0), self._gains(new).sum(axis=0).max(initial=0)
            if again.max() <= best:
                break
            self._take(int(chosen[np.argmax(again)]))
        self._settled = True

    def _take(self, column: int) -> None:
        """Take the step of a column."""
        columns = np.array([column], dtype=np.int64)
        self._totals = self._totals + self._gains(columns)[:, 0]
        steps = [self._steps(train.pulled(columns)) for train, _ in self._pairs]
        for (train, test), step in zip(self._pairs, steps, strict=True):
            for rows in (train,) if test is train else (train, test):
                rows.add(column, step.table)
        alphas = tuple(float(step.alphas[0]) for step in steps)
        self._rounds.append(BoostingRound(column, alphas, tuple(step.table for step in steps)))
        self._forget()

    def _forget(self) -> None:
        """Know nothing of what columns would bring now."""
        self._known = np.zeros(self._n_columns, dtype=bool)
        self._looked = np.zeros((len(self._pairs), self._n_columns), dtype=np.int64)
        self._settled = False

    def _gains(self, columns: Ints) -> Ints:
        """Return what the step of each column brings on each segment, in multiples of 2^-40."""
        new = columns[~self._known[columns]]
        if len(new):
            self.n_looks += len(new)
            for s, (train, test) in enumerate(self._pairs):
                pulled, own = train.pulled(new), test is train
                there = pulled if own else test.pulled(new)
                gains = self._booster.gains(self._steps(pulled), there, self._model.doubt if own else 0.0)
                self._looked[s, new] = to_fixed(gains)
            self._known[new] = True
        gains_of: Ints = self._looked[:, columns]
        return gains_of

    def _steps(self, pulled: GradientSums) -> BoostingSteps:
        return self._booster.steps(pulled, self._model.doubt, self._model.shrinkage)


def _columns(moves: Sequence[Move]) -> Ints:
    batch = Moves.of(moves)
    if not batch.are_single or (batch.before != 0.0).any() or (batch.after != 1.0).any():
        raise ValueError("Boosting adds whole columns one at a time; what was added cannot be dropped.")
    return batch.columns.astype(np.int64)
