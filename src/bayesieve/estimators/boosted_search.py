"""How a boosted selection is run, and what it leaves: the steps of every subset visited, learnt from all rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import BoostEngine, Course, Round, add
from bayesieve.estimators.outcome import Gains, Outcome, ScoredRows, unit_weights
from bayesieve.estimators.task import Task, open_checkpoint
from bayesieve.models import Boosting
from bayesieve.search import Observer, SelectionPath, Walk, Weighted, run_search

__all__ = ["final_rounds", "run_boosted"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _Guide:
    """What a path is told: the score is the sum of what columns brought as they entered."""

    name: str
    is_loss: bool = False


class _Runs:
    """Goes through offers again, on the rows of the search."""

    def __init__(self, task: Task) -> None:
        assert isinstance(task.plan.model, Boosting)
        courses = [Course(taught, judged) for taught, judged in zip(task.taught, task.segments, strict=True)]
        self._segments = task.segments
        self.engine = BoostEngine(courses, task.plan.model, task.unit, task.backend, task.n_threads)

    def go_to(self, columns: tuple[int, ...]) -> None:
        """Let exactly these columns have entered, in this order."""
        at = tuple(dict.fromkeys(each.column for each in self.engine.rounds))
        if columns[: len(at)] != at:
            at = ()
            self.engine.reset({})
        for j in columns[len(at) :]:
            self.engine.apply(add([j]))

    def score(self, offer: Weighted) -> list[ScoredRows]:
        """Return evidence, classes and weights of the judged rows."""
        self.go_to(offer.columns)
        beliefs = zip(self.engine.beliefs, self._segments, strict=True)
        return [ScoredRows(belief.scores, segment.target, segment.weights) for belief, segment in beliefs]


def run_boosted(estimator: Any, task: Task, watchers: list[Observer]) -> tuple[Outcome, dict[tuple[str, ...], Ints]]:
    """Run the search; return its outcome, and the columns of every step, in order, of each subset visited."""
    assert task.search is not None
    assert isinstance(task.plan.model, Boosting)
    runs = _Runs(task)
    walk = Walk(runs.engine, task.ground, open_checkpoint(estimator, task), watchers, estimator.max_time)
    path = run_search(task.search, walk, task.stopping, _Guide(task.plan.model.method))
    visit = path.choose(task.stopping, one_se=estimator.one_se)
    visits = [*path.best_by_size().values(), visit]
    offers = unit_weights(task, visits)
    rounds = {}
    for each in sorted(visits, key=lambda visit: visit.n_features):
        runs.go_to(offers[each.columns].columns)
        rounds[each.columns] = np.array([one.column for one in runs.engine.rounds], dtype=np.int64)
    gains = _gains(runs, task, replace(path, order=visit.columns), offers[visit.columns].columns)
    return Outcome(path, visit, offers, task.segments, gains=gains, scored=runs.score), rounds


def final_rounds(task: Task, columns: Ints) -> tuple[Round, ...]:
    """Return the steps of some columns, in order, learnt from all rows."""
    assert isinstance(task.plan.model, Boosting)
    rows = task.final.segment
    engine = BoostEngine([Course(rows, rows)], task.plan.model, task.unit, task.backend, task.n_threads)
    engine.repeat(columns.tolist())
    return engine.rounds


def _gains(runs: _Runs, task: Task, path: SelectionPath, chosen: Sequence[int]) -> Gains | None:
    """Score each column alone, what chosen ones brought as they entered, and what others would bring now."""
    where = task.ground
    if not path.complete or not where.units:  # whoever stopped the search does not want to wait for reasons
        return None
    engine, place = runs.engine, {unit.columns[0]: u for u, unit in enumerate(where.units)}
    score = empty = engine.reset({})
    alone = engine.score(where.moves("add", np.arange(len(where.units))), exact=True)
    gains = np.zeros(len(where.units))
    for j in chosen:
        before, score = score, engine.apply(add([j]))
        gains[place[j]] = score - before
    outside = np.setdiff1d(np.arange(len(where.units)), [place[j] for j in chosen])
    if len(outside):
        gains[outside] = engine.score(where.moves("add", outside), exact=True) - score
    return Gains(empty, alone, gains)
