# SPDX-License-Identifier: BSD-3-Clause
"""Boosting as an engine: the ordinary forward search drives it.

The rows' state changes with every addition, and with it the step of any further column. The gradient histogram of a
column gives its step; the histogram over the test rows gives the gain of the step there. The score of a subset is the
sum of the gains of its columns as they entered, in multiples of 2^-40, the mean over the segments.

It is not reversible: the step of a column depended on those before it. A subset is therefore its order too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.models import Boosting, BoostingSteps, Evidence, GradientSums
from bayesieve.search.engine.gradients.block_gradients import BlockGradients
from bayesieve.search.engine.gradients.losses import BoostingLoss
from bayesieve.search.engine.gradients.row_gradients import Contribution, NumpyGradients, RowState
from bayesieve.search.engine.moves import Move, Moves
from bayesieve.search.engine.segments import Segment, Segments

__all__ = ["BoostEngine", "BoostingRound", "TrainTestSplit"]

Answer = TypeVar("Answer")

_MOST_REPEATS: Final = 20  # before a column that is new enters


@dataclass(frozen=True)
class TrainTestSplit:
    """Rows that steps are learned from, and rows on which they are tested; the two may be the same.

    Both are of one segment each.
    """

    train: Segments
    test: Segments


class BoostingRound(NamedTuple):
    """One step: its column, how far it went, and what each code added in each segment."""

    column: int
    alphas: tuple[float, ...]
    tables: tuple[Ints, ...]


class _State(NamedTuple):
    rows: tuple[RowState, ...]
    totals: tuple[int, ...]
    rounds: tuple[BoostingRound, ...]


class _StepGradients:
    """The rows of one segment, whose columns contribute the sum of their steps."""

    def __init__(self, segments: Segments, model: Boosting, unit: float, backend: str, n_threads: int) -> None:
        if len(segments) != 1:
            raise ValueError(f"Boosting takes one segment at a time, and was given {len(segments)}.")
        shift = BoostingLoss.shift_of(sum(segments.masses[0]))
        mass = segments.blocks.reduce(_rounded_mass, add, shift)
        self._loss = BoostingLoss(model, shift, mass, unit)
        self.rows = BlockGradients(segments, self._loss, backend, n_threads)
        self.empty = self.rows.state

    def add(self, column: int, table: Ints) -> None:
        """Add a step to the contribution of a column."""
        before: Contribution = self.rows.state.contributions.get(column, 0.0)
        self.rows.change(column, table if isinstance(before, float) else before + table)

    def gradients(self, columns: Ints) -> GradientSums:
        """Return the gradient sums of each code of some columns."""
        return self._loss.in_rows(self.rows.gradients(columns), self.rows.sizes(columns))


class BoostEngine:
    """Scores additions of single columns; selected columns stay.

    With ``replace``, selected columns take further steps before each addition, as long as one of them gains more than
    every new column; that is part of the addition.
    """

    def __init__(
        self, splits: Sequence[TrainTestSplit], model: Boosting, unit: float, backend: str = "auto", n_threads: int = 1
    ) -> None:
        self._model = model
        self._booster = model.booster
        self._pairs: list[tuple[_StepGradients, _StepGradients]] = []
        for split in splits:
            train = _StepGradients(split.train, model, unit, backend, n_threads)
            own = split.test is split.train
            test = train if own else _StepGradients(split.test, model, unit, backend, n_threads)
            self._pairs.append((train, test))
        self._n_columns = splits[0].train.n_columns
        self.reset({})

    @property
    def segment_scores(self) -> Sequence[float]:
        """Gains of the columns on each segment."""
        return tuple(total / FIXED_ONE for total in self._entered.totals)

    @property
    def rounds(self) -> tuple[BoostingRound, ...]:
        """Every step up to the last addition."""
        return self._entered.rounds

    @property
    def beliefs(self) -> list[Evidence]:
        """Evidence of the test rows of each segment after the last addition."""
        return [Evidence(scores) for scores in self.ask_test_rows(_evidence, _side_by_side, self._model)]

    def ask_test_rows(
        self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *args: Any
    ) -> list[Answer]:
        """Return ``task(rows, *args)`` of each segment's test rows after the last addition, merged over blocks."""
        states = self._entered.rows[1::2]
        pairs = zip(self._pairs, states, strict=True)
        return [test.rows.ask(task, merge, *args, state=state) for (_, test), state in pairs]

    def reset(self, weights: Mapping[int, float]) -> float:
        """Select some columns, in this order, and nothing else."""
        for each in self._rows:
            each.rows.state = each.empty
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
        """Select one more column."""
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
        for each, state in zip(self._rows, present.rows, strict=True):
            each.rows.state = state
        self._totals = np.array(present.totals, dtype=np.int64)
        self._rounds = list(present.rounds)
        self._forget()
        self._settled = settled

    @property
    def _rows(self) -> list[_StepGradients]:
        return [rows for pair in self._pairs for rows in pair]

    @property
    def _present(self) -> _State:
        states = tuple(each.rows.state for each in self._rows)
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
        """Let selected columns take further steps, as long as that gains more than any new column."""
        selected = np.unique([each.column for each in self._rounds]).astype(np.int64)
        if not self._model.replace or self._settled or not len(selected):
            return
        new = np.setdiff1d(np.arange(self._n_columns), selected)
        for _ in range(_MOST_REPEATS):
            again = self._gains(selected).sum(axis=0)
            best = self._gains(new).sum(axis=0).max(initial=0)
            if again.max() <= best:
                break
            self._take(int(selected[np.argmax(again)]))
        self._settled = True

    def _take(self, column: int) -> None:
        """Take the step of a column."""
        columns = np.array([column], dtype=np.int64)
        self._totals = self._totals + self._gains(columns)[:, 0]
        steps = [self._steps(train.gradients(columns)) for train, _ in self._pairs]
        for (train, test), step in zip(self._pairs, steps, strict=True):
            for rows in (train,) if test is train else (train, test):
                rows.add(column, step.table)
        alphas = tuple(float(step.alphas[0]) for step in steps)
        self._rounds.append(BoostingRound(column, alphas, tuple(step.table for step in steps)))
        self._forget()

    def _forget(self) -> None:
        """Forget the gains of columns: the state has changed."""
        self._is_scored = np.zeros(self._n_columns, dtype=bool)
        self._new_gains = np.zeros((len(self._pairs), self._n_columns), dtype=np.int64)
        self._settled = False

    def _gains(self, columns: Ints) -> Ints:
        """Return the gain of the step of each column on each segment, in multiples of 2^-40."""
        new = columns[~self._is_scored[columns]]
        if len(new):
            for s, (train, test) in enumerate(self._pairs):
                sums = train.gradients(new)
                own = test is train
                test_sums = sums if own else test.gradients(new)
                gains = self._booster.gains(self._steps(sums), test_sums, self._model.pseudo_count if own else 0.0)
                self._new_gains[s, new] = to_fixed(gains)
            self._is_scored[new] = True
        gains_of: Ints = self._new_gains[:, columns]
        return gains_of

    def _steps(self, sums: GradientSums) -> BoostingSteps:
        return self._booster.steps(sums, self._model.pseudo_count, self._model.shrinkage)


def _columns(moves: Sequence[Move]) -> Ints:
    batch = Moves.of(moves)
    if not batch.are_single or (batch.before != 0.0).any() or (batch.after != 1.0).any():
        raise ValueError("Boosting adds whole columns one at a time; what was added cannot be dropped.")
    return batch.columns.astype(np.int64)


def _rounded_mass(segments: Sequence[Segment], shift: int) -> int:
    """Return the rounded weight of a block's rows."""
    return int(BoostingLoss.rounded(segments[0].weights, shift).sum())


def _evidence(rows: NumpyGradients, model: Boosting) -> Ints:
    """Return the evidence of a block's rows, shape (n_classes, n_rows)."""
    return model.predictions(rows.states[0]).scores


def _side_by_side(a: Ints, b: Ints) -> Ints:
    return np.concatenate([a, b], axis=1)
