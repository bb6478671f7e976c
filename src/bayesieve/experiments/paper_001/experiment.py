"""The experiment's jobs: one a set, a fold and a selector, and one a set and a fold for the promise of recall."""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.exceptions import ParameterError
from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_001.contestants import LEARNERS, selectors
from bayesieve.experiments.paper_001.picture import draw_figures
from bayesieve.experiments.paper_001.recall_floor import run_floor
from bayesieve.experiments.paper_001.sets import SETS
from bayesieve.experiments.paper_001.summary import summarize
from bayesieve.experiments.paper_001.table import markdown

__all__ = ["recall_tables", "run_job"]

_SEED: Final = 1


def recall_tables(n_folds: int = 10, most_columns: int = 50, wanted: Sequence[str] = ()) -> Experiment:
    """Return the experiment, of all data sets or of some, with so many folds and columns."""
    if unknown := [name for name in wanted if name not in SETS]:
        raise ParameterError(f"There is no set {unknown[0]!r}; there are {', '.join(SETS)}.")
    parts = [*(("sizes", selector) for selector in selectors(most_columns)), ("floor", "")]
    names: list[tuple[Hashable, ...]] = [
        (part, name, fold, selector)
        for name in SETS
        if not wanted or name in wanted
        for fold in range(n_folds)
        for part, selector in parts
    ]
    setting = [n_folds, most_columns]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=names,
        run=partial(run_job, n_folds=n_folds, most_columns=most_columns),
        n_steps=1,
        most_processes=len(names),
        name=lambda record: tuple(record["job"]),
        fits=lambda record: record["setting"] == setting,
        summarize=summarize,
        markdown=markdown,
        draw=draw_figures,
    )


def run_job(
    name: tuple[Any, ...],
    n_folds: int,
    most_columns: int,
    n_threads: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Do a job by its name; each runs on one thread."""
    part, data, fold, selector = name
    task = _task(n_folds, most_columns)
    record = task((data, fold, selector)) if part == "sizes" else run_floor(task.folds(data), fold)
    on_step()
    return {"job": list(name), "setting": [n_folds, most_columns], "data": data, **record}


@lru_cache(maxsize=1)
def _task(n_folds: int, most_columns: int) -> EvaluationTask:
    """Return what all jobs of a process share: the data set it is at, with the encodings of the fold."""
    return EvaluationTask(
        selectors=selectors(most_columns),
        learners=LEARNERS,
        data={name: each.load for name, each in SETS.items()},
        sizes=range(1, most_columns + 1),
        cv=n_folds,
        random_state=_SEED,
    )
