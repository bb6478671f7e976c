"""Columns chosen by their weights: the penalised log-likelihood, and a greedy path to it.

    maximise over w >= 0 and the start:    log-likelihood - sum_k theta_k w_k,       theta_k = m (1 - log q_k)

q_k is the probability that column k is informative, from its evidence e_k (a log Bayes factor) and the share rho of
informative columns, which all that can speak tell together by expectation maximisation:

    q_k = rho e^e_k / (rho e^e_k + 1 - rho),      rho <- (sum_k q_k + 1/2) / (K + 1)

So a column is charged for the doubt whether it says anything at all, and no column is refused beforehand. The objective
is concave and has one maximum; most weights are 0 there. The path adds, one at a time, the column that promises most,
(slope - theta)^2 / (2 curvature), and weighs all anew: so every smaller number of columns has weights of its own.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve.engine import Weighing
from bayesieve.exceptions import InterruptedSearchWarning
from bayesieve.search.observer import Observer
from bayesieve.search.path import Phase, SelectionPath, Step
from bayesieve.search.state import StopSearch

__all__ = ["PenalizedSearch", "WeightedSubset", "column_penalties", "informative_share"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDS: Final = 200
_EXTREME: Final = 50.0  # evidence beyond is as good as certain


@dataclass(frozen=True)
class WeightedSubset:
    """Weights of some columns, and the evidence of each class before they speak (None: that of class frequencies)."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    start: Ints | None


def informative_share(evidence: Floats) -> float:
    """Return the share of informative columns, given the evidence of all; those that are mute (-inf) do not count."""
    share, told = 0.5, evidence[~np.isneginf(evidence)]
    for _ in range(_ROUNDS if len(told) else 0):
        share = (float(np.add.accumulate(_probabilities(told, share))[-1]) + 0.5) / (len(told) + 1.0)
    return share


def column_penalties(evidence: Floats, share: float, factor: float = 2.0) -> Floats:
    """Return theta of each column."""
    return factor * (1.0 - log_positive(np.maximum(_probabilities(evidence, share), 1e-30)))


def _probabilities(evidence: Floats, share: float) -> Floats:
    clipped = evidence.clip(-_EXTREME, _EXTREME)
    # 1 / (1 + (1 - rho) / rho e^-e), with an exponent that is not positive.
    small = exp_nonpositive(-np.abs(clipped))
    odds = np.where(clipped < 0, share * small, share)
    against = np.where(clipped < 0, 1.0 - share, (1.0 - share) * small)
    return np.where(np.isneginf(evidence), 0.0, odds / (odds + against))


class PenalizedSearch:
    """Adds columns one by one, or all at once; remembers the weights of every subset visited."""

    def __init__(
        self,
        weighing: Weighing,
        names: Sequence[str],
        penalties: Floats,
        *,
        kept: Sequence[int] = (),
        observers: Sequence[Observer] = (),
        max_time: float | None = None,
    ) -> None:
        self._weighing, self._names = weighing, names
        self._penalties = penalties.copy()
        self._penalties[list(kept)] = 0.0
        self._kept = list(kept)
        self._observers = observers
        self._deadline = None if max_time is None else time.monotonic() + max_time
        self._steps: list[Step] = []
        self._phases: list[Phase] = []
        self.offers: dict[tuple[str, ...], WeightedSubset] = {}
        self.complete = True

    def run(self, *stages: Callable[[], None]) -> SelectionPath:
        """Run some stages in turn; Ctrl-C and the end of the time keep what was found."""
        try:
            for stage in stages:
                stage()
        except StopSearch:
            self.complete = False
        except KeyboardInterrupt:
            if not self._phases:
                raise
            self.complete = False
            warnings.warn(
                "The search was interrupted; the best subset so far was kept. A second Ctrl-C stops at once.",
                InterruptedSearchWarning,
                stacklevel=2,
            )
        return SelectionPath("log_loss", True, tuple(self._steps), tuple(self._phases), complete=self.complete)

    def walk(self, start: Sequence[int], largest: int) -> None:
        """Add the column that promises most until there are so many, or none promises anything."""
        chosen = list(dict.fromkeys([*self._kept, *start]))
        self._stand(np.zeros(len(self._names)))
        self._descend(chosen)
        self._open("greedy", chosen)
        everything = np.arange(len(self._names), dtype=np.int32)
        worth = self._worth()
        while len(chosen) < largest:
            self._check_time()
            outside = np.delete(everything, chosen)
            gains = self._gains(outside)
            if not len(outside) or gains.max() <= 0.0:
                break
            order = np.argsort(-gains, kind="stable")[:2]
            runner_up = int(outside[order[1]]) if len(order) > 1 and gains[order[1]] > 0.0 else None
            chosen.append(int(outside[order[0]]))
            self._descend(chosen)
            self._record("add", chosen[-1], chosen, runner_up)
            for idle in [j for j in chosen if self._weighing.weights[j] == 0.0 and j not in self._kept]:
                chosen.remove(idle)
                self._record("drop", idle, chosen, None)
            if (reached := self._worth()) <= worth:
                break
            worth = reached

    def fit_all(self) -> None:
        """Find the weights of all columns together; those that get none are not selected."""
        self._check_time()
        everything = np.arange(len(self._names), dtype=np.int32)
        self._weighing.descend(everything, self._penalties)
        weights = self._weighing.weights
        by_worth = np.argsort(-weights, kind="stable")
        entered = [self._names.index(name) for step in self._steps if step.action == "add" for name in step.columns]
        chosen = dict.fromkeys([*self._kept, *entered, *by_worth.tolist()])
        self._open("weights", [j for j in chosen if weights[j] > 0.0 or j in self._kept])

    def weigh(self, columns: Sequence[int]) -> WeightedSubset:
        """Return the weights of a given subset."""
        self._stand(np.zeros(len(self._names)))
        self._descend(list(columns))
        return self._offer(list(columns))

    def _stand(self, weights: Floats) -> None:
        self._weighing.reset(self._weighing.start, weights)

    def _descend(self, columns: Sequence[int]) -> None:
        chosen = np.array(sorted(columns), dtype=np.int32)
        self._weighing.descend(chosen, self._penalties[chosen])

    def _gains(self, columns: NDArray[np.int32]) -> Floats:
        if not len(columns):
            return np.empty(0)
        slopes, curvatures = self._weighing.slopes(columns)
        pull = np.maximum(slopes - self._penalties[columns], 0.0)
        return pull * pull / (2.0 * curvatures)

    def _worth(self) -> float:
        """Return the objective: in units of the mean log-likelihood, with penalties in proportion."""
        score, _ = self._weighing.scores()
        charged = np.add.accumulate(self._penalties * self._weighing.weights)
        return score - (float(charged[-1]) / self._weighing.mass if len(charged) else 0.0)

    def _check_time(self) -> None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise StopSearch("max_time")

    def _open(self, name: str, columns: Sequence[int]) -> None:
        score, split_scores = self._weighing.scores()
        names = tuple(self._names[j] for j in columns)
        self._phases.append(Phase(name, len(self._steps), names, score, split_scores))
        self.offers[names] = self._offer(columns)
        for observer in self._observers:
            observer.on_phase(self._phases[-1])

    def _record(self, action: str, column: int, columns: Sequence[int], runner_up: int | None) -> None:
        score, split_scores = self._weighing.scores()
        name = self._names[column]
        other = None if runner_up is None else self._names[runner_up]
        self._steps.append(Step(action, name, score, len(columns), other, None, (name,), split_scores))
        self.offers[tuple(self._names[j] for j in columns)] = self._offer(columns)
        for observer in self._observers:
            observer.on_step(self._steps[-1], len(self._steps))

    def _offer(self, columns: Sequence[int]) -> WeightedSubset:
        weights = self._weighing.weights
        return WeightedSubset(tuple(columns), tuple(float(weights[j]) for j in columns), self._weighing.start)
