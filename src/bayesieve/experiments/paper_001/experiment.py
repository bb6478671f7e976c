"""The jobs of the experiment: one per set, fold and selector, and one per set and fold for the recall floor."""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.exceptions import ParameterError
from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_001.paper_figure import draw_figures
from bayesieve.experiments.paper_001.paper_methods import LEARNERS, selectors
from bayesieve.experiments.paper_001.paper_summary import summarize
from bayesieve.experiments.paper_001.paper_table import markdown
from bayesieve.experiments.paper_001.recall_floor import run_floor
from bayesieve.experiments.paper_001.sets import SETS

__all__ = ["recall_tables", "run_job"]

_SEED: Final = 1


def recall_tables(n_folds: int = 10, most_columns: int = 50, names: Sequence[str] = ()) -> Experiment:
    """Return the experiment on all data sets, or on those named."""
    if unknown := [name for name in names if name not in SETS]:
        raise ParameterError(f"There is no data set {unknown[0]!r}; choose from {', '.join(SETS)}.")
    kinds = [*(("sizes", selector) for selector in selectors(most_columns)), ("floor", "")]
    jobs: list[tuple[Hashable, ...]] = [
        (kind, name, fold, selector)
        for name in SETS
        if not names or name in names
        for fold in range(n_folds)
        for kind, selector in kinds
    ]
    setting = [n_folds, most_columns]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=jobs,
        run=partial(run_job, n_folds=n_folds, most_columns=most_columns),
        n_steps=1,
        most_processes=len(jobs),
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
