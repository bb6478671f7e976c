# SPDX-License-Identifier: BSD-3-Clause
"""Column weights between 0 and 1 by coordinate steps that halve (the fractional naive Bayes of Khiops).

    objective(w) = prior(w) + sum over rows of -log p~(class)

The prior (Hue and Boullé, 2024) is

    s · (log 2 + [w = 0] · C0 + [w ≠ 0] · (U(⌈W⌉) - log ⌈W⌉!) + sum over k of B_k w_k^p),        W = sum of w_k

with U Rissanen's universal code of an integer, B_k the cost of column k's partition and C0 that of the class
frequencies alone. p < 1 prefers few large weights to many small ones. All terms are multiples of 2^-40, so that a
weight that goes and comes back leaves the same sum.

With N rows, steps are 1, 1/2 ... down to 2^-(⌈log2(N + 1)⌉ - 1). For each step, at most two rounds: every weight is
raised by the step if the objective falls by more than the tolerance; then every positive weight is lowered by it if the
objective rises by less than that. A second round needs a first that was worth the tolerance. The first pass has the
order given, later ones random orders.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins.modl.code_lengths import log_star
from bayesieve.exact import FIXED_ONE, exp_nonpositive, log_positive, to_fixed
from bayesieve.search.answers import BestMove
from bayesieve.search.candidates import random_orders, try_in_turn
from bayesieve.search.engine import Change, Engine, Moves
from bayesieve.search.run import SearchRun

__all__ = ["FractionalWeights", "WeightPrior", "fractional_weights"]

Columns = NDArray[np.intp]

_LOG_2 = float.fromhex("0x1.62e42fefa39efp-1")
_LOG_ALL_INTEGERS = float.fromhex("0x1.0d77a2b45d06cp+0")  # log 2.86511: the normalizer of the code without a bound


@dataclass(frozen=True)
class WeightPrior:
    """Costs of weights, in nats.

    Attributes
    ----------
    costs : float array of shape (n_columns,)
        B_k: the cost of choosing column k and of its partition, without that of its counts' data.
    null_cost : float
        C0.
    strength : float
        s, what the prior counts against the rows.
    exponent : float
        p, at most 1.
    """

    costs: Floats
    null_cost: float = 0.0
    strength: float = 0.1
    exponent: float = 0.95

    def of_column(self, columns: NDArray[np.intp], weights: Floats) -> Ints:
        """Return B_k w_k^p of some columns, in multiples of 2^-40."""
        positive = np.where(weights > 0.0, weights, 1.0)
        powers = exp_nonpositive(self.exponent * log_positive(positive))
        return to_fixed(np.where(weights > 0.0, self.costs[columns] * powers, 0.0))

    def of_sum(self, sums: Floats) -> Ints:
        """Return what the sum of all weights costs, in multiples of 2^-40."""
        return self._by_ceiling[np.ceil(sums).astype(np.int64)]

    def total(self, fixed: Ints) -> Floats:
        """Return the cost in nats from the sum of all terms, in multiples of 2^-40."""
        return self.strength * (fixed / float(FIXED_ONE))

    @cached_property
    def _by_ceiling(self) -> Ints:
        count = np.arange(1, len(self.costs) + 1, dtype=np.float64)
        code = to_fixed(_LOG_ALL_INTEGERS + _LOG_2 * log_star(count)[0])
        log_factorial = np.cumsum(to_fixed(log_positive(count)))
        nothing = to_fixed(np.array([self.null_cost]))
        return np.concatenate([nothing, code - log_factorial]) + to_fixed(np.array([_LOG_2]))


@dataclass(frozen=True)
class FractionalWeights:
    """The result of the descent.

    Attributes
    ----------
    weights : float array of shape (n_columns,)
        Multiples of the last step.
    objective : tuple of float
        The objective without columns, and after each change.
    n_trials : int
        How many weight vectors were scored.
    complete : bool
        False if Ctrl-C or the end of its time stopped it; the weights are those reached by then.
    """

    weights: NDArray[np.float64]
    objective: tuple[float, ...]
    n_trials: int
    complete: bool


def fractional_weights(
    engine: Engine,
    prior: WeightPrior,
    n_rows: float,
    *,
    order: Columns | None = None,
    seed: int = 1,
    run: SearchRun | None = None,
) -> FractionalWeights:
    """Return weights that make prior plus rows cheap.

    Parameters
    ----------
    engine : Engine
        Scores by `SmoothedLogLoss`, on one segment.
    prior : WeightPrior
        With a cost for each of the engine's columns.
    n_rows : float
        The weight of the rows.
    order : int array, default=None
        The columns that may have a weight, in the order of the first pass; all of them by default.
    seed : int, default=1
        Decides the later orders.
    run : SearchRun, default=None
        The run that the descent is part of; by default one without time limit, observers and checkpoint.
    """
    columns = np.arange(len(prior.costs)) if order is None else order
    run = SearchRun() if run is None else run
    descent = _Descent(engine, prior, n_rows, run)
    run.drive(lambda: _descend(descent, columns, seed))
    return FractionalWeights(descent.weights, tuple(descent.trace), descent.n_trials, run.complete)


def _descend(descent: "_Descent", columns: Columns, seed: int) -> None:
    tolerance = 0.01 * (1.0 + abs(descent.value)) / (1.0 + descent.n_rows)
    ordered = _orders(columns, seed)
    for halvings in range(ceil(log2(descent.n_rows + 1.0))):
        step = 2.0**-halvings
        for _ in range(2):
            before = descent.value
            descent.go_through(next(ordered), step, -tolerance)
            descent.go_through(next(ordered), -step, tolerance)
            if not before - descent.value > tolerance:
                break


def _orders(columns: Columns, seed: int) -> Iterator[Columns]:
    """Yield the order given, then random ones."""
    yield columns
    for order in random_orders(len(columns), seed):
        yield columns[order]


class _Descent:
    """Weights, and the objective that they have."""

    def __init__(self, engine: Engine, prior: WeightPrior, n_rows: float, run: SearchRun) -> None:
        self._engine = engine
        self._prior = prior
        self._run = run
        self.n_rows = n_rows
        self.weights = np.zeros(len(prior.costs))
        self._columns_cost = 0
        self.n_trials = 0
        nothing = prior.total(prior.of_sum(np.zeros(1)))
        self.value = float(nothing[0]) - n_rows * engine.reset({})
        self.trace = [self.value]
        run.has_result = True

    def go_through(self, order: Columns, step: float, slack: float) -> None:
        """Change weights by a step, in this order, wherever the objective then is below the present one plus slack."""
        waiting = order
        while True:
            here = self.weights[waiting]
            waiting = waiting[here < 1.0 if step > 0 else here > 0.0]
            if not len(waiting):
                return
            n_tried, accepted = self._try(waiting, np.clip(self.weights[waiting] + step, 0.0, 1.0), slack)
            if not accepted:
                return
            waiting = waiting[n_tried:]

    def _try(self, columns: Columns, after: NDArray[np.float64], slack: float) -> tuple[int, bool]:
        """Try changes in turn and make the first that is acceptable."""
        before = self.weights[columns]
        moved = self._prior.of_column(columns, after) - self._prior.of_column(columns, before)
        # Weights and their sums are multiples of the last step: the ceiling is exact.
        sums = self.weights.sum() - before + after
        costs = self._prior.total(self._columns_cost + moved + self._prior.of_sum(sums)).tolist()
        action = "raise" if after[0] > before[0] else "lower"
        limit = self.value + slack

        def compute() -> BestMove:
            moves = Moves(columns.astype(np.int32), before, after, np.arange(len(columns) + 1))
            tried, accepted = try_in_turn(self._score, moves, lambda i, score: costs[i] - self.n_rows * score < limit)
            return BestMove(action, int(columns[len(tried) - 1]) if accepted else None, tried[-1], tried=tried)

        answer = self._run.answer(BestMove, lambda stored: stored.can_be_first(action, columns.tolist()), compute)
        n_tried = len(answer.tried)
        self.n_trials += n_tried
        if answer.group is not None:
            i = n_tried - 1
            reached = self._engine.apply((Change(answer.group, float(before[i]), float(after[i])),))
            self._run.confirm(answer, reached)
            self.weights[columns[i]] = after[i]
            self._columns_cost += int(moved[i])
            self.value = costs[i] - self.n_rows * reached
            self.trace.append(self.value)
        return n_tried, answer.group is not None

    def _score(self, moves: Moves) -> NDArray[np.float64]:
        return self._run.score(self._engine, moves, lambda: np.flatnonzero(self.weights).tolist(), exact=True)
