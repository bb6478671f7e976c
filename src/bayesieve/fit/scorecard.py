# SPDX-License-Identifier: BSD-3-Clause
"""Training of a scorecard from a table: the task, the problem that is trained on, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from bayesieve._typing import Ints
from bayesieve.additive.problem import AdditiveProblem, CodedColumn
from bayesieve.additive.train import TrainedScorecard, train
from bayesieve.exceptions import ParameterError
from bayesieve.fit.coded_folds import row_arrays
from bayesieve.fit.options import ScorecardOptions, TrainingOptions
from bayesieve.fit.rows import LearnedTable, TrainingRows
from bayesieve.fit.selection import Outcome, Trained
from bayesieve.fit.task import Task, lay_out, make_stopping
from bayesieve.models.model import HeldOutScores
from bayesieve.search import Guide, SearchRun, WeightedSubset
from bayesieve.search.criteria import Criterion

__all__ = ["ScorecardTask", "outcome_of", "prepare_scorecard", "problem_of", "train_scorecard"]


@dataclass(frozen=True)
class ScorecardTask(Task):
    """A task whose tables are fitted together.

    ``fold`` is that of each row, where a splitter divides the rows; ``at_random`` whether they may be divided again.
    """

    method_options: ScorecardOptions
    table: LearnedTable
    fold: Ints | None
    at_random: bool

    @property
    def n_scored(self) -> float:
        """Weight of the rows, each of which is held out once."""
        return float(self.sample.weights.sum()) * self.unit

    @property
    def has_numbers(self) -> bool:
        """Whether the target is a number."""
        return self.table.numbers is not None

    @property
    def guide(self) -> Guide | Criterion:
        """What the path records."""
        return self.method_options.guide or self.criterion

    def marks(self) -> list[Any]:
        """Return texts and arrays of all that decides the answers of the search."""
        method_options = self.method_options
        space = self.space
        moves = (space.groups, space.names, sorted(space.locked), self.stopping)
        rules = sorted(method_options.rules.items(), key=lambda rule: rule[0])
        additive = method_options.additive
        counts = (additive.n_folds, additive.most_accurate, additive.n_pairs, method_options.pairs)
        sizes = (*counts, additive.merge_cost, additive.min_gain, self.unit, self.at_random)
        fold = [each for each in (self.fold, self.table.equal) if each is not None]
        texts = [repr((method_options.method, *moves)), repr(rules), repr(sizes), repr(self._bins())]
        numbers = [] if self.table.numbers is None else [repr(method_options.number_losses), self.table.numbers]
        return [*texts, *fold, *numbers, *row_arrays(self.sample)]

    def _bins(self) -> list[tuple[Any, ...]]:
        """Return what priors read of the bins of each column: what numbers stand for, or that they are categories."""
        kinds = [(type(each).__name__, getattr(each, "missing", False)) for each in self.final.partitions]
        values = [None if each is None else (each[0].tolist(), each[1]) for each in self.columns.bin_values]
        return list(zip(kinds, values, strict=True))


def prepare_scorecard(
    rows: TrainingRows, options: TrainingOptions, method_options: ScorecardOptions, groups: ArrayLike | None = None
) -> ScorecardTask:
    """Learn finest bins, code the rows, and find the fold of each, unless folds are drawn by the values of the rows."""
    fold = rows.fold_of_rows(None if method_options.drawn and groups is None else options.splitter, groups)
    table = rows.learn_all(options.learning(None, with_values=True))
    space = lay_out(rows, options, table.columns, full=False)
    stopping = make_stopping(options.n_features, 0.0, space)
    at_random = method_options.at_random and groups is None
    return ScorecardTask(
        rows, options, table.columns, table.rows, space, stopping, method_options, table, fold, at_random
    )


def train_scorecard(task: ScorecardTask, run: SearchRun) -> Trained:
    """Select columns and learn their tables."""
    trained = train(problem_of(task), run)
    outcome = outcome_of(task, trained)
    return Trained(outcome, trained.fitted, trained.fitted.shown(outcome.visit.columns))


def problem_of(task: ScorecardTask) -> AdditiveProblem:
    """Return what a scorecard is trained on."""
    method_options = task.method_options
    options = task.options
    place = {int(j): k for k, j in enumerate(task.columns.columns)}
    pairs, columns = method_options.pairs, _columns(task)
    for j in {j for pair in pairs or () for j in pair if j in place}:
        if columns[place[j]].has_neutral_bin:
            name = task.space.names[place[j]]
            raise ParameterError(
                f"Column {name!r} has missing values that are neutral, so it can be in no pair of n_pairs."
            )
    return AdditiveProblem(
        task.sample,
        columns,
        task.space,
        task.stopping,
        task.guide,
        task.rows.classes,
        task.rows.class_mass,
        task.unit,
        replace(method_options.additive, backend=options.backend, n_threads=options.n_threads),
        fold=task.fold,
        divides_again=task.at_random,
        equal=task.table.equal,
        pairs=None if pairs is None else [(place[a], place[b]) for a, b in pairs if a in place and b in place],
        prior_shift=options.prior_shift,
        all_rows=task.table.all_rows,
        numbers=task.table.numbers,
        number_losses=method_options.number_losses,
    )


def _columns(task: ScorecardTask) -> list[CodedColumn]:
    rules = [task.method_options.rule_of(j) for j in task.columns.columns.tolist()]
    return [
        CodedColumn(partition, counts, values, rule.direction, rule.lead, rule.missing == "neutral")
        for rule, partition, counts, values in zip(
            rules,
            task.final.partitions,
            task.final.counts,
            task.columns.bin_values,
            strict=True,
        )
    ]


def outcome_of(task: ScorecardTask, trained: TrainedScorecard) -> Outcome:
    """Return what training came to."""
    names = task.space.names
    position = {name: j for j, name in enumerate(names)}
    subsets = {
        columns: WeightedSubset(tuple(position[name] for name in columns), (1.0,) * len(columns), None)
        for columns in trained.sizes
    }
    scorer = _HeldOutScorer(names, trained.held_out)
    return Outcome(
        trained.path, trained.visit, subsets, lambda: scorer, trained.gains, trained.exclusions, trained.shares
    )


@dataclass(frozen=True)
class _HeldOutScorer:
    """Scores the rows of each fold by the tables that were learned without them."""

    names: tuple[str, ...]
    held_out: Callable[[tuple[str, ...]], list[HeldOutScores]]

    def score(self, subset: WeightedSubset) -> list[HeldOutScores]:
        """Return scores, classes and weights of the rows of each fold."""
        columns = tuple(self.names[j] for j in subset.columns)
        return self.held_out(columns)
