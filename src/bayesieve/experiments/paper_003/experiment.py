# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the experiment: votes per set and fold, and the filters per set, fold and filter."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final

from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_001.paper_methods import FILTERS, LEARNERS, selectors
from bayesieve.experiments.paper_001.sets import SETS
from bayesieve.experiments.paper_003.paper_summary import summarize
from bayesieve.experiments.paper_003.vote_folds import run_votes
from bayesieve.experiments.present_sets import check_names, present_sets

__all__ = ["run_job", "vote_tables"]

_SEED: Final = 1  # the folds of paper 001


def vote_tables(cv: int = 10, sizes: int = 10, sets: Sequence[str] = ()) -> Experiment:
    """Return the experiment on all data sets, or on those named; ``sizes`` is the number k of voting columns."""
    check_names(sets, SETS)
    names, notes = present_sets({name: each.load for name, each in SETS.items() if not sets or name in sets})
    kinds = [("votes", ""), *(("filters", name) for name in FILTERS)]
    jobs: list[tuple[Hashable, ...]] = [
        (kind, name, fold, selector) for name in names for fold in range(cv) for kind, selector in kinds
    ]
    setting = [cv, sizes]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=jobs,
        run=partial(run_job, n_folds=cv, k=sizes),
        n_steps=1,
        most_processes=len(jobs),
        name=lambda record: tuple(record["job"]),
        fits=lambda record: record["setting"] == setting,
        summarize=summarize,
        notes=tuple(notes),
    )


def run_job(
    name: tuple[Any, ...], n_folds: int, k: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Run a job by its name, on one thread."""
    kind, data, fold, selector = name
    task = _task(n_folds, k)
    record = task((data, fold, selector)) if kind == "filters" else run_votes(task.folds(data), fold, k)
    on_step()
    return {"job": list(name), "setting": [n_folds, k], "data": data, "fold": fold, **record}


@lru_cache(maxsize=1)
def _task(n_folds: int, k: int) -> EvaluationTask:
    """Return the task that all jobs of a process share, with its open data set and the encodings of a fold."""
    return EvaluationTask(
        selectors={name: each for name, each in selectors(k).items() if name in FILTERS},
        learners={name: replace(each, grid=None) for name, each in LEARNERS.items()},  # not tuned, for speed
        data={name: each.load for name, each in SETS.items()},
        sizes=range(1, k + 1),
        cv=n_folds,
        random_state=_SEED,
    )
