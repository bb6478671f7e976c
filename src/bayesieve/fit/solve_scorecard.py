# SPDX-License-Identifier: BSD-3-Clause
"""From a task to a scorecard: the problem that is trained on, and its outcome."""

from bayesieve.additive.problem import AdditiveOptions, AdditiveProblem, CodedColumn
from bayesieve.additive.scorecard import FittedScorecards
from bayesieve.additive.train import TrainedScorecard, train
from bayesieve.fit.coded_folds import ScoredRows
from bayesieve.fit.outcome import Outcome
from bayesieve.fit.task import Task
from bayesieve.search import SearchRun, WeightedSubset

__all__ = ["run_scorecard"]


def run_scorecard(task: Task, run: SearchRun) -> tuple[Outcome, FittedScorecards]:
    """Select columns and learn their tables."""
    trained = train(_problem(task), run)
    return _outcome(task, trained), trained.fitted


def _problem(task: Task) -> AdditiveProblem:
    options, rows = task.options.shapes, task.final.segment
    assert options is not None
    assert rows is not None  # rows in blocks have a sample
    place = {int(j): k for k, j in enumerate(task.data.columns.columns)}
    pairs = options.pairs
    return AdditiveProblem(
        rows,
        _columns(task),
        task.space,
        task.stopping,
        task.criterion,
        task.rows.classes,
        task.rows.class_mass,
        task.unit,
        AdditiveOptions(
            n_folds=options.n_folds,
            most_accurate=options.most_accurate,
            min_gain=options.min_gain,
            merge_cost=options.merge_cost,
            n_pairs=options.n_pairs,
            backend=task.options.backend,
            n_threads=task.options.n_threads,
        ),
        fold=task.fold,
        pairs=None if pairs is None else [(place[a], place[b]) for a, b in pairs if a in place and b in place],
        prior_shift=task.options.prior_shift,
        all_rows=task.data.all_rows,
    )


def _columns(task: Task) -> list[CodedColumn]:
    options, final, learned = task.options.shapes, task.final, task.data.columns
    assert options is not None
    return [
        CodedColumn(partition, counts, values, options.monotone.get(j, 0), options.leads.get(j, 0))
        for j, partition, counts, values in zip(
            learned.columns.tolist(), final.partitions, final.counts, learned.bin_values, strict=True
        )
    ]


def _outcome(task: Task, trained: TrainedScorecard) -> Outcome:
    names = task.space.names
    position = {name: j for j, name in enumerate(names)}
    subsets = {
        columns: WeightedSubset(tuple(position[name] for name in columns), (1.0,) * len(columns), None)
        for columns in trained.sizes
    }

    def scored(subset: WeightedSubset) -> list[ScoredRows]:
        held_out = trained.held_out(tuple(names[j] for j in subset.columns))
        return [ScoredRows(own.scores, own.target, own.weights) for own in held_out]

    return Outcome(
        trained.path,
        trained.visit,
        subsets,
        task.segments,
        gains=trained.gains,
        scored=scored,
        exclusions=trained.exclusions,
    )
