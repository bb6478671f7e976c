# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the experiment: one per set, fold and selector, and one per set and fold for the recall floor."""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_001.paper_methods import LEARNERS, selectors
from bayesieve.experiments.paper_001.paper_summary import summarize
from bayesieve.experiments.paper_001.recall_floor import run_floor
from bayesieve.experiments.paper_001.sets import SETS
from bayesieve.experiments.present_sets import check_names, present_sets

__all__ = ["recall_tables", "run_job"]

_SEED: Final = 1


def recall_tables(cv: int = 10, sizes: int = 50, sets: Sequence[str] = ()) -> Experiment:
    """Return the experiment on all data sets, or on those named."""
    check_names(sets, SETS)
    names, notes = present_sets({name: each.load for name, each in SETS.items() if not sets or name in sets})
    kinds = [*(("sizes", selector) for selector in selectors(sizes)), ("floor", "")]
    jobs: list[tuple[Hashable, ...]] = [
        (kind, name, fold, selector) for name in names for fold in range(cv) for kind, selector in kinds
    ]
    setting = [cv, sizes]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=jobs,
        run=partial(run_job, n_folds=cv, most_columns=sizes),
        n_steps=1,
        most_processes=len(jobs),
        name=lambda record: tuple(record["job"]),
        fits=lambda record: record["setting"] == setting,
        summarize=summarize,
        notes=tuple(notes),
    )


def run_job(
    name: tuple[Any, ...],
    n_folds: int,
    most_columns: int,
    n_threads: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Run a job by its name, on one thread."""
    kind, data, fold, selector = name
    task = _task(n_folds, most_columns)
    record = task((data, fold, selector)) if kind == "sizes" else run_floor(task.folds(data), fold)
    on_step()
    return {"job": list(name), "setting": [n_folds, most_columns], "data": data, **record}


@lru_cache(maxsize=1)
def _task(n_folds: int, most_columns: int) -> EvaluationTask:
    """Return the task that all jobs of a process share, with its open data set and the encodings of a fold."""
    return EvaluationTask(
        selectors=selectors(most_columns),
        learners=LEARNERS,
        data={name: each.load for name, each in SETS.items()},
        sizes=range(1, most_columns + 1),
        cv=n_folds,
        random_state=_SEED,
    )
