# SPDX-License-Identifier: BSD-3-Clause
"""Columns selected by their weights: the penalized log-likelihood, and a greedy path to it.

    maximize over w >= 0 and the start:    log-likelihood - sum_k theta_k w_k,       theta_k = m (1 - log q_k)

q_k is the probability that column k is informative, from its log Bayes factor and the share of informative columns,
which is estimated from all columns with a score table (`effect_share`). So the penalty of a column grows as it becomes
less likely to be informative, and no column is refused beforehand. The objective is concave and has one maximum; most
weights are 0 there. The path adds, one at a time, the column of the largest expected gain,
(slope - theta)^2 / (2 curvature), and refits all weights: every smaller number of columns has weights of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.exact import log_positive
from bayesieve.search.answers import WeightedMove
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.effect_share import effect_probabilities, effect_share
from bayesieve.search.engine import Weighing
from bayesieve.search.path import Phase, SelectionPath, Step
from bayesieve.search.run import SearchRun

__all__ = ["PenalizedSearch", "WeightedSubset", "column_penalties", "informative_share", "newton_gains"]


_NEGLIGIBLE: Final = 1e-3  # such a weight changes log-odds in the third decimal at most
_LARGEST: Final = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class WeightedSubset:
    """Weights of some columns, and the start: the evidence per class without columns (None: by class frequencies)."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    start: Ints | None


def newton_gains(slopes: Floats, curvatures: Floats, mass: float) -> Floats:
    """Return slope² / (2 curvature), 0 for a falling slope.

    All are proportional to the weight of the rows. A power of two of its size is taken out before the square and put
    back after it, which changes no bit and keeps the squares of huge weights finite.
    """
    size = 2.0 ** np.frexp(mass)[1] if np.frexp(mass)[1] < 1024 else 2.0**1023
    rising = np.maximum(slopes, 0.0) / size
    return np.minimum(rising * rising / (2.0 * (curvatures / size)), _LARGEST / max(size, 1.0)) * size


def informative_share(log_bayes_factors: Floats) -> float:
    """Return the share of informative columns, given the log Bayes factors of all; those of -inf do not count."""
    return effect_share(np.sort(log_bayes_factors[~np.isneginf(log_bayes_factors)]))


def column_penalties(log_bayes_factors: Floats, share: float, factor: float = 2.0) -> Floats:
    """Return theta of each column."""
    probabilities = effect_probabilities(log_bayes_factors, share)
    probabilities = np.where(np.isneginf(log_bayes_factors), 0.0, probabilities)
    return factor * (1.0 - log_positive(np.maximum(probabilities, 1e-30)))


class PenalizedSearch:
    """Adds columns one by one, or all at once; keeps the weights of every subset visited.

    Parameters
    ----------
    weighing : Weighing
        The rows, a start and weights.
    names : sequence of str
        Names of the columns.
    penalties : float array of shape (n_columns,)
        theta of each column.
    kept : sequence of int, default=()
        Columns that are always selected, without penalty.
    order : int array of shape (n_columns,), default=None
        The order in which weights are refitted; that of the columns by default.
    run : SearchRun, default=None
        The run that records the steps; a run without time limit, observers and checkpoint by default.
    """

    def __init__(
        self,
        weighing: Weighing,
        names: Sequence[str],
        penalties: Floats,
        *,
        kept: Sequence[int] = (),
        order: NDArray[np.intp] | None = None,
        run: SearchRun | None = None,
    ) -> None:
        self._weighing = weighing
        self._names = names
        self._penalties = penalties.copy()
        self._penalties[list(kept)] = 0.0
        self._kept = list(kept)
        self._everything = np.arange(len(names), dtype=np.int32)
        self._order = self._everything if order is None else np.asarray(order, dtype=np.int32)
        self._run = SearchRun() if run is None else run
        self._scores = weighing.scores()
        self.subsets: dict[tuple[str, ...], WeightedSubset] = {}

    def run(self, *stages: Callable[[], None]) -> SelectionPath:
        """Execute some stages in turn; return the record."""
        self._run.drive(*stages)
        return self._run.path(CRITERIA["log_loss"])

    def walk(self, start: Sequence[int], largest: int) -> None:
        """Add the column of the largest expected gain until there are that many, or none has a gain."""
        selected = list(dict.fromkeys([*self._kept, *start]))
        self._refit("start", selected)
        self._open("greedy", selected)
        objective = self._objective()
        while len(selected) < largest and (answer := self._next(selected)).group is not None:
            selected.append(answer.group)
            self._record("add", answer.group, selected, answer.runner_up)
            for idle in [j for j in selected if self._weighing.weights[j] == 0.0 and j not in self._kept]:
                selected.remove(idle)
                self._record("drop", idle, selected, None)
            before = objective
            objective = self._objective()
            if objective <= before:
                break

    def fit_all(self) -> None:
        """Fit the weights of all columns together; those with weight 0 are not selected."""

        def descend() -> WeightedMove:
            self._run.check_time()
            self._descend(self._order)
            self._merge_copies()
            return self._reached("weights")

        self._answer("weights", descend)
        weights = self._weighing.weights
        steps = self._run.steps
        by_weight = np.argsort(-weights, kind="stable")
        entered = [self._names.index(name) for step in steps if step.action == "add" for name in step.columns]
        candidates = dict.fromkeys([*self._kept, *entered, *by_weight.tolist()])
        self._open("weights", [j for j in candidates if weights[j] > 0.0 or j in self._kept])

    def _merge_copies(self) -> None:
        """Give the weights of equal columns to the first of them, and none to columns whose weight changes nothing.

        Equal columns have the same slope and curvature to the last bit, at these weights and without any. Scores are
        the same, since their tables are.
        """
        start = self._weighing.start.copy()
        weights = self._weighing.weights.copy()
        weighted = np.flatnonzero(weights).astype(np.int32)
        if not len(weighted):
            return
        keys = [self._weighing.slopes(weighted)]
        if len({each.tobytes() for each in np.column_stack(keys[0])}) < len(weighted):
            self._weighing.reset(start, np.zeros(len(weights)))
            keys.append(self._weighing.slopes(weighted))
            first: dict[bytes, int] = {}
            for j, key in zip(weighted.tolist(), np.column_stack([*keys[0], *keys[1]]), strict=True):
                original = first.setdefault(key.tobytes(), j)
                if original != j:
                    weights[original] = weights[original] + weights[j]
                    weights[j] = 0.0
        weights[weights < _NEGLIGIBLE] = 0.0
        self._weighing.reset(start, weights)

    def weigh(self, columns: Sequence[int]) -> WeightedSubset:
        """Return the weights of a given subset."""
        with self._run.journal():
            self._refit("weigh", columns)
        return self._subset(columns)

    def _refit(self, action: str, columns: Sequence[int]) -> None:
        """Fit the weights of some columns, all others being 0."""

        def descend() -> WeightedMove:
            self._weighing.reset(self._weighing.start, np.zeros(len(self._names)))
            self._descend(columns)
            return self._reached(action)

        self._answer(action, descend)

    def _next(self, selected: Sequence[int]) -> WeightedMove:
        """Add the column of the largest expected gain and refit all weights; no group if none has any."""

        def add_best() -> WeightedMove:
            self._run.check_time()
            outside = np.delete(self._everything, selected)
            gains = self._gains(outside)
            if not len(outside) or gains.max() <= 0.0:
                return self._reached("add")
            order = np.argsort(-gains, kind="stable")[:2]
            runner_up = int(outside[order[1]]) if len(order) > 1 and gains[order[1]] > 0.0 else None
            best = int(outside[order[0]])
            self._descend([*selected, best])
            return self._reached("add", best, runner_up)

        return self._answer("add", add_best, selected)

    def _answer(self, action: str, compute: Callable[[], WeightedMove], selected: Sequence[int] = ()) -> WeightedMove:
        """Return a new answer, or the journal's, whose weights are then set."""
        n_columns = len(self._names)
        n_classes = len(self._weighing.start)

        def fits(stored: WeightedMove) -> bool:
            columns = [stored.group, stored.runner_up, *(j for j, _ in stored.weights)]
            in_range = all(j is None or 0 <= j < n_columns for j in columns)
            return stored.action == action and in_range and len(stored.start) == n_classes and (
                stored.group not in selected
            )  # fmt: skip

        answer = self._run.answer(WeightedMove, fits, compute)
        start = np.array(answer.start, dtype=np.int64)
        weights = np.zeros(n_columns)
        for j, weight in answer.weights:
            weights[j] = weight
        if (start != self._weighing.start).any() or (weights != self._weighing.weights).any():
            self._weighing.reset(start, weights)
            self._scores = self._weighing.scores()
            self._run.confirm(answer, self._scores[0])
        return answer

    def _reached(self, action: str, column: int | None = None, runner_up: int | None = None) -> WeightedMove:
        """Return the present start and weights as an answer."""
        self._scores = self._weighing.scores()
        weights = self._weighing.weights
        weighted = [(j, float(weights[j])) for j in np.flatnonzero(weights).tolist()]
        start = self._weighing.start.tolist()
        return WeightedMove(action, column, self._scores[0], runner_up, None, start=start, weights=weighted)

    def _descend(self, columns: Sequence[int] | NDArray[np.int32]) -> None:
        ordered = self._order[np.isin(self._order, columns)]
        self._weighing.descend(ordered, self._penalties[ordered])

    def _gains(self, columns: NDArray[np.int32]) -> Floats:
        """Return by how much each column would raise the objective, to second order."""
        if not len(columns):
            return np.empty(0)
        slopes, curvatures = self._weighing.slopes(columns)
        return newton_gains(slopes - self._penalties[columns], curvatures, self._weighing.mass)

    def _objective(self) -> float:
        """Return the objective: in units of the mean log-likelihood, with penalties in proportion."""
        penalty = np.add.accumulate((self._penalties * self._weighing.weights)[self._order])
        return self._scores[0] - (float(penalty[-1]) / self._weighing.mass if len(penalty) else 0.0)

    def _open(self, name: str, columns: Sequence[int]) -> None:
        names = tuple(self._names[j] for j in columns)
        self.subsets[names] = self._subset(columns)
        self._run.open_phase(Phase(name, len(self._run.steps), names, *self._scores))

    def _record(self, action: str, column: int, columns: Sequence[int], runner_up: int | None) -> None:
        score, split_scores = self._scores
        name = self._names[column]
        other = None if runner_up is None else self._names[runner_up]
        self.subsets[tuple(self._names[j] for j in columns)] = self._subset(columns)
        self._run.record(Step(action, name, score, len(columns), other, None, (name,), split_scores))

    def _subset(self, columns: Sequence[int]) -> WeightedSubset:
        weights = self._weighing.weights
        return WeightedSubset(tuple(columns), tuple(float(weights[j]) for j in columns), self._weighing.start)
