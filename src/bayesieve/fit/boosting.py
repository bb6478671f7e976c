# SPDX-License-Identifier: BSD-3-Clause
"""How a boosted selection is run, and what it leaves: the steps of every subset visited, learned from all rows."""

from collections.abc import Sequence

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.fit.coded_folds import distinct_rows, merge_scored
from bayesieve.fit.selection import BoostingStep, Outcome
from bayesieve.fit.task import SearchTask
from bayesieve.fit.weighted_search import unit_weights
from bayesieve.models import Boosting
from bayesieve.models.model import HeldOutScores
from bayesieve.search import Guide, SearchRun, SearchState, WeightedSubset, run_search
from bayesieve.search.engine import BoostEngine, BoostingRound, Segments, TrainTestSplit, add
from bayesieve.search.engine.gradients.row_gradients import NumpyGradients
from bayesieve.search.path import Gains

__all__ = ["run_boosted"]

Steps = dict[tuple[str, ...], tuple[BoostingStep, ...]]


class _Runs:
    """Goes through candidates again, on the rows of the search."""

    def __init__(self, task: SearchTask) -> None:
        options = task.options
        assert isinstance(task.method_options.model, Boosting)
        test_rows: Sequence[Segments] = task.segments.parts()
        train_rows: Sequence[Segments] = (
            test_rows if task.folds.training is task.segments else task.folds.training.parts()
        )
        splits = [TrainTestSplit(*pair) for pair in zip(train_rows, test_rows, strict=True)]
        self._model = task.method_options.model
        self._in_blocks = task.segments.local is None
        self.engine = BoostEngine(splits, task.method_options.model, task.unit, options.backend, options.n_threads)
        self.entry_gains: dict[int, float] = {}  # by each column as it entered
        self.reached = 0.0

    def begin_again(self) -> None:
        """Let no column have entered."""
        self.reached = self.engine.reset({})

    def go_to(self, columns: tuple[int, ...]) -> None:
        """Let exactly these columns have entered, in this order."""
        at = tuple(dict.fromkeys(each.column for each in self.engine.rounds))
        if columns[: len(at)] != at:
            at = ()
            self.reached = self.engine.reset({})
        for j in columns[len(at) :]:
            before = self.reached
            self.reached = self.engine.apply(add([j]))
            self.entry_gains[j] = self.reached - before

    def alone(self, task: SearchTask) -> Floats:
        """Return the score of each column alone, where none has entered."""
        return self.engine.score(task.space.moves("add", np.arange(len(task.space.groups))), exact=True)

    def score(self, subset: WeightedSubset) -> list[HeldOutScores]:
        """Return evidence, classes and weights of the test rows."""
        self.go_to(subset.columns)
        merged = self.engine.ask_test_rows(_score_rows, merge_scored, self._model, self._in_blocks)
        return [rows for segment in merged for rows in segment]


def run_boosted(task: SearchTask, run: SearchRun) -> tuple[Outcome, Steps]:
    """Run the search; return its outcome, and the steps of each subset visited, learned from all rows."""
    assert task.search is not None
    assert isinstance(task.method_options.model, Boosting)
    runs = _Runs(task)
    state = SearchState(runs.engine, task.space, run)
    path = run_search(task.search, state, task.stopping, Guide(task.method_options.model.method))
    visit = path.choose(task.stopping, one_se=task.method_options.one_se)
    visits = [*path.best_by_size().values(), visit]
    subsets = unit_weights(task, visits)
    runs.begin_again()
    alone = runs.alone(task) if path.complete and task.space.groups else None
    rounds = {}
    for each in sorted(visits, key=lambda visit: visit.n_features):
        runs.go_to(subsets[each.columns].columns)
        rounds[each.columns] = np.array([one.column for one in runs.engine.rounds], dtype=np.int64)
    gains = None if alone is None else _gains(runs, task, alone, subsets[visit.columns].columns)
    return Outcome(path, visit, subsets, lambda: runs, gains=gains), _steps(task, rounds)


def _steps(task: SearchTask, columns_of: dict[tuple[str, ...], Ints]) -> Steps:
    """Learn the steps of the longest subset from all rows; those of the others are its first ones."""
    names = task.space.names
    longest = max(columns_of.values(), key=len)
    steps = tuple(
        BoostingStep(names[each.column], each.alphas[0], each.tables[0]) for each in _final_rounds(task, longest)
    )
    return {columns: steps[: len(own)] for columns, own in columns_of.items()}


def _final_rounds(task: SearchTask, columns: Ints) -> tuple[BoostingRound, ...]:
    """Return the steps of some columns, in order, learned from all rows."""
    options = task.options
    assert isinstance(task.method_options.model, Boosting)
    (rows,) = task.folds.everything.parts()
    engine = BoostEngine(
        [TrainTestSplit(rows, rows)], task.method_options.model, task.unit, options.backend, options.n_threads
    )
    engine.repeat(columns.tolist())
    return engine.rounds


def _score_rows(rows: NumpyGradients, model: Boosting, in_blocks: bool) -> list[HeldOutScores]:
    """Return the evidence of the rows of a block; of rows elsewhere, those that are alike as one."""
    (segment,) = rows.segments
    scored = HeldOutScores(model.predictions(rows.states[0]).scores, segment.target, segment.weights)
    return [distinct_rows(scored) if in_blocks else scored]


def _gains(runs: _Runs, task: SearchTask, alone: Floats, selected: tuple[int, ...]) -> Gains:
    """Return the gains of selected columns as they entered, and those of others now."""
    groups = task.space.groups
    runs.go_to(selected)
    gains = np.array([runs.entry_gains.get(group.columns[0], 0.0) for group in groups])
    outside = np.flatnonzero([group.columns[0] not in selected for group in groups])
    if len(outside):
        gains[outside] = runs.engine.score(task.space.moves("add", outside), exact=True) - runs.reached
    return Gains(0.0, alone, gains)
