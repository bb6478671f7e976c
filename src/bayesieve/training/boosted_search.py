"""How a boosted selection is run, and what it leaves: the steps of every subset visited, learnt from all rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import BlockSegments, BoostEngine, BoostingRound, Segment, TrainTestRows, add
from bayesieve.models import Boosting
from bayesieve.search import Observer, SearchState, WeightedSubset, run_search
from bayesieve.training.outcome import Gains, Outcome, unit_weights
from bayesieve.training.scored_rows import ScoredRows, distinct_rows, merge_scored
from bayesieve.training.task import Task, open_checkpoint

__all__ = ["final_rounds", "run_boosted"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Guide:
    """What a path is told: the score is the sum of what columns brought as they entered."""

    name: str
    is_loss: bool = False


class _Runs:
    """Goes through offers again, on the rows of the search."""

    def __init__(self, task: Task) -> None:
        assert isinstance(task.options.model, Boosting)
        splits = [
            TrainTestRows(*pair) for pair in zip(task.data.training.separate(), task.segments.separate(), strict=True)
        ]
        self._segments, self._model = task.segments, task.options.model
        self.engine = BoostEngine(splits, task.options.model, task.unit, task.options.backend, task.options.n_threads)
        self.brought: dict[int, float] = {}  # by each column as it entered
        self.standing = 0.0

    def begin_again(self) -> None:
        """Let no column have entered."""
        self.standing = self.engine.reset({})

    def go_to(self, columns: tuple[int, ...]) -> None:
        """Let exactly these columns have entered, in this order."""
        at = tuple(dict.fromkeys(each.column for each in self.engine.rounds))
        if columns[: len(at)] != at:
            at, self.standing = (), self.engine.reset({})
        for j in columns[len(at) :]:
            before, self.standing = self.standing, self.engine.apply(add([j]))
            self.brought[j] = self.standing - before

    def alone(self, task: Task) -> Floats:
        """Return the score of each column alone, where none has entered."""
        return self.engine.score(task.space.moves("add", np.arange(len(task.space.groups))), exact=True)

    def score(self, offer: WeightedSubset) -> list[ScoredRows]:
        """Return evidence, classes and weights of the judged rows."""
        self.go_to(offer.columns)
        if isinstance(self._segments, BlockSegments):
            return self._segments.blocks.reduce(_score_block, merge_scored, self._model, self.engine.rounds)
        beliefs = zip(self.engine.beliefs, self._segments, strict=True)
        return [ScoredRows(belief.scores, segment.target, segment.weights) for belief, segment in beliefs]


def run_boosted(task: Task, watchers: list[Observer]) -> tuple[Outcome, dict[tuple[str, ...], Ints]]:
    """Run the search; return its outcome, and the columns of every step, in order, of each subset visited."""
    assert task.search is not None
    assert isinstance(task.options.model, Boosting)
    runs = _Runs(task)
    walk = SearchState(runs.engine, task.space, open_checkpoint(task), watchers, task.options.max_time)
    path = run_search(task.search, walk, task.stopping, _Guide(task.options.model.method))
    visit = path.choose(task.stopping, one_se=task.options.one_se)
    visits = [*path.best_by_size().values(), visit]
    offers = unit_weights(task, visits)
    runs.begin_again()
    alone = runs.alone(task) if path.complete and task.space.groups else None
    rounds = {}
    for each in sorted(visits, key=lambda visit: visit.n_features):
        runs.go_to(offers[each.columns].columns)
        rounds[each.columns] = np.array([one.column for one in runs.engine.rounds], dtype=np.int64)
    gains = None if alone is None else _gains(runs, task, alone, offers[visit.columns].columns)
    return Outcome(path, visit, offers, task.segments, gains=gains, scored=runs.score), rounds


def final_rounds(task: Task, columns: Ints) -> tuple[BoostingRound, ...]:
    """Return the steps of some columns, in order, learnt from all rows."""
    assert isinstance(task.options.model, Boosting)
    (rows,) = task.data.everything.separate()
    engine = BoostEngine(
        [TrainTestRows(rows, rows)], task.options.model, task.unit, task.options.backend, task.options.n_threads
    )
    engine.repeat(columns.tolist())
    return engine.rounds


def _score_block(segments: Sequence[Segment], model: Boosting, rounds: Sequence[BoostingRound]) -> list[ScoredRows]:
    """Return what is believed of the rows of a block after some steps."""
    scored = []
    for s, segment in enumerate(segments):
        state = model.begin(segment.tables.start, segment.codes.n_rows)
        for each in rounds:
            state = model.shift(state, each.column, each.tables[s], segment.codes.column(each.column), 0.0, 1.0)
        scored.append(distinct_rows(ScoredRows(model.beliefs(state).scores, segment.target, segment.weights)))
    return scored


def _gains(runs: _Runs, task: Task, alone: Floats, chosen: tuple[int, ...]) -> Gains:
    """Tell what chosen columns brought as they entered, and what others would bring now."""
    units = task.space.groups
    runs.go_to(chosen)
    gains = np.array([runs.brought.get(unit.columns[0], 0.0) for unit in units])
    outside = np.flatnonzero([unit.columns[0] not in chosen for unit in units])
    if len(outside):
        gains[outside] = runs.engine.score(task.space.moves("add", outside), exact=True) - runs.standing
    return Gains(0.0, alone, gains)
