# SPDX-License-Identifier: BSD-3-Clause
"""Training of a scorecard from a table: the task, the problem that is trained on, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from bayesieve._typing import Ints
from bayesieve.additive.problem import AdditiveProblem, CodedColumn
from bayesieve.additive.train import TrainedScorecard, train
from bayesieve.fit.coded_folds import row_arrays
from bayesieve.fit.options import ScorecardOptions, TrainingOptions
from bayesieve.fit.rows import LearnedTable, TrainingRows
from bayesieve.fit.selection import Outcome, Trained
from bayesieve.fit.task import Task, lay_out, make_stopping
from bayesieve.models.model import HeldOutScores
from bayesieve.search import SearchRun, WeightedSubset

__all__ = ["ScorecardTask", "prepare_scorecard", "train_scorecard"]


@dataclass(frozen=True)
class ScorecardTask(Task):
    """A task whose tables are fitted together; ``fold`` is that of each row, where a splitter divides the rows."""

    method_options: ScorecardOptions
    table: LearnedTable
    fold: Ints | None

    @property
    def n_scored(self) -> float:
        """Weight of the rows, each of which is held out once."""
        return float(self.sample.weights.sum()) * self.unit

    def marks(self) -> list[Any]:
        """Return texts and arrays of all that decides the answers of the search."""
        method_options = self.method_options
        space = self.space
        moves = (space.groups, space.names, sorted(space.locked), self.stopping)
        trends = (sorted(method_options.monotone.items()), sorted(method_options.leads.items()))
        additive = method_options.additive
        sizes = (additive.n_folds, additive.most_accurate, additive.n_pairs, method_options.pairs, additive.merge_cost)
        fold = [] if self.fold is None else [self.fold]
        return [repr((method_options.method, *moves)), repr(trends), repr(sizes), *fold, *row_arrays(self.sample)]


def prepare_scorecard(
    rows: TrainingRows, options: TrainingOptions, method_options: ScorecardOptions, groups: ArrayLike | None = None
) -> ScorecardTask:
    """Learn finest bins, code the rows, and find the fold of each, unless folds are drawn by the values of the rows."""
    fold = rows.fold_of_rows(None if method_options.drawn and groups is None else options.splitter, groups)
    table = rows.learn_all(options.learning(None, with_values=True))
    space = lay_out(rows, options, table.columns, full=False)
    stopping = make_stopping(options.n_features, 0.0, space)
    return ScorecardTask(rows, options, table.columns, table.rows, space, stopping, method_options, table, fold)


def train_scorecard(task: ScorecardTask, run: SearchRun) -> Trained:
    """Select columns and learn their tables."""
    trained = train(_problem(task), run)
    outcome = _outcome(task, trained)
    return Trained(outcome, trained.fitted, trained.fitted.shown(outcome.visit.columns))


def _problem(task: ScorecardTask) -> AdditiveProblem:
    method_options = task.method_options
    options = task.options
    place = {int(j): k for k, j in enumerate(task.columns.columns)}
    pairs = method_options.pairs
    return AdditiveProblem(
        task.sample,
        _columns(task),
        task.space,
        task.stopping,
        task.criterion,
        task.rows.classes,
        task.rows.class_mass,
        task.unit,
        replace(method_options.additive, backend=options.backend, n_threads=options.n_threads),
        fold=task.fold,
        pairs=None if pairs is None else [(place[a], place[b]) for a, b in pairs if a in place and b in place],
        prior_shift=options.prior_shift,
        all_rows=task.table.all_rows,
    )


def _columns(task: ScorecardTask) -> list[CodedColumn]:
    monotone = task.method_options.monotone
    leads = task.method_options.leads
    return [
        CodedColumn(partition, counts, values, monotone.get(j, 0), leads.get(j, 0))
        for j, partition, counts, values in zip(
            task.columns.columns.tolist(),
            task.final.partitions,
            task.final.counts,
            task.columns.bin_values,
            strict=True,
        )
    ]


def _outcome(task: ScorecardTask, trained: TrainedScorecard) -> Outcome:
    names = task.space.names
    position = {name: j for j, name in enumerate(names)}
    subsets = {
        columns: WeightedSubset(tuple(position[name] for name in columns), (1.0,) * len(columns), None)
        for columns in trained.sizes
    }
    scorer = _HeldOutScorer(names, trained.held_out)
    return Outcome(trained.path, trained.visit, subsets, lambda: scorer, trained.gains, trained.exclusions)


@dataclass(frozen=True)
class _HeldOutScorer:
    """Scores the rows of each fold by the tables that were learned without them."""

    names: tuple[str, ...]
    held_out: Callable[[tuple[str, ...]], list[HeldOutScores]]

    def score(self, subset: WeightedSubset) -> list[HeldOutScores]:
        """Return scores, classes and weights of the rows of each fold."""
        columns = tuple(self.names[j] for j in subset.columns)
        return self.held_out(columns)
