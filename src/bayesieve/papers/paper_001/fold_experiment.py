# SPDX-License-Identifier: BSD-3-Clause
"""Experiments on the folds of the eleven sets of paper 001: an evaluation of selectors, and one other run per fold."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from bayesieve.evaluation.data_set import DataSet, Source
from bayesieve.evaluation.evaluation_task import EvaluationTask, Learner
from bayesieve.papers.experiment import Experiment, Record
from bayesieve.papers.paper_001.sets import SETS
from bayesieve.papers.present_sets import check_names, present_sets

__all__ = ["FoldExperiment", "FoldJobs", "evaluation_task"]

_SEED: Final = 1  # of the folds


@dataclass(frozen=True)
class FoldJobs:
    """Jobs other than those of the evaluation, one per data set and fold.

    Attributes
    ----------
    run : callable
        ``run(data_set, fold, most_columns)`` returns the record of a job.
    data : mapping of str to loader, or None
        Data sets other than the eleven, which are left out where some of the eleven are asked for by name.
    """

    run: Callable[[DataSet, int, int], Record]
    data: Mapping[str, Source] | None = None


@dataclass(frozen=True)
class FoldExperiment:
    """Jobs named (kind, set, fold, selector).

    Attributes
    ----------
    kind : str
        The kind of the jobs of an evaluation, one per set, fold and selector.
    others : mapping of str to FoldJobs
        The other jobs by their kinds.
    task : callable
        ``task(n_folds, most_columns)`` returns the evaluation; cached, so that the jobs of a process share its open
        data set and the encodings of a fold.
    summarize : callable
        See `Experiment`.
    """

    kind: str
    others: Mapping[str, FoldJobs]
    task: Callable[[int, int], EvaluationTask]
    summarize: Callable[[Sequence[Record]], Record]

    def open(self, cv: int, most_columns: int, sets: Sequence[str] = ()) -> Experiment:
        """Return the experiment on all data sets that are present, or on those named."""
        check_names(sets, SETS)
        names, notes = present_sets({name: each.load for name, each in SETS.items() if not sets or name in sets})
        kinds = [(kind, "") for kind, each in self.others.items() if each.data is None]
        kinds += [(self.kind, name) for name in self.task(cv, most_columns).selectors]
        jobs: list[tuple[Hashable, ...]] = [
            (kind, name, fold, selector) for name in names for fold in range(cv) for kind, selector in kinds
        ]
        if "newsgroup" in names and not sets:
            jobs += [
                (kind, name, fold, "")
                for kind, each in self.others.items()
                for name in each.data or ()
                for fold in range(cv)
            ]
        setting = [cv, most_columns]
        return Experiment(
            journal_name="jobs.jsonl",
            noun="jobs",
            jobs=jobs,
            run=partial(self.run, n_folds=cv, most_columns=most_columns),
            n_steps=1,
            most_processes=len(jobs),
            name=lambda record: tuple(record["job"]),
            fits=lambda record: record["setting"] == setting,
            summarize=self.summarize,
            notes=tuple(notes),
        )

    def run(
        self,
        name: tuple[Any, ...],
        n_folds: int,
        most_columns: int,
        n_threads: int = 1,
        on_step: Callable[[], None] = lambda: None,
    ) -> Record:
        """Run a job by its name, on one thread."""
        kind, data, fold, selector = name
        task = self.task(n_folds, most_columns)
        if kind == self.kind:
            record = task((data, fold, selector))
        else:
            record = self.others[kind].run(task.data_set(data), fold, most_columns)
        on_step()
        return {"job": list(name), "setting": [n_folds, most_columns], "data": data, "fold": fold, **record}


def evaluation_task(
    selectors: Mapping[str, Any],
    learners: Mapping[str, Learner],
    n_folds: int,
    most_columns: int,
    more_data: Mapping[str, Source] = MappingProxyType({}),
) -> EvaluationTask:
    """Return the evaluation of selectors at every size on the eleven sets; other jobs may need more data sets."""
    return EvaluationTask(
        selectors=selectors,
        learners=learners,
        data={name: each.load for name, each in SETS.items()} | dict(more_data),
        sizes=range(1, most_columns + 1),
        cv=n_folds,
        random_state=_SEED,
    )
