# SPDX-License-Identifier: BSD-3-Clause
"""Nested cross-validation of selectors × classifiers × sizes, of which every one has a name."""

import os
import time
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from bayesieve.data import own_client
from bayesieve.evaluation.data_set import Source, read_row_values
from bayesieve.evaluation.evaluation_task import EvaluationTask, Learner
from bayesieve.evaluation.jobs import Journal, run_remaining
from bayesieve.evaluation.measures import MEASURES
from bayesieve.evaluation.result import Evaluation, check_record
from bayesieve.exceptions import InterruptedSearchWarning, ParameterError, warn_caller
from bayesieve.search import log_progress

__all__ = ["evaluate", "name_data", "name_estimators"]

Record = dict[str, Any]


@own_client()
def evaluate(
    selectors: Any,
    classifiers: Any,
    data: Any,
    *,
    sizes: Any = None,
    cv: Any = 10,
    inner_cv: int = 5,
    tune_on: str = "accuracy",
    positive: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> Evaluation:
    """Score selectors × classifiers × sizes by nested cross-validation.

    Every score is of held-out rows: selection, encoding, tuning and fit use the training rows of an outer fold only.

    Parameters
    ----------
    selectors : selector, list, or mapping of name to selector
        Fitted once per outer fold, for all sizes. A selector with a ``ranking_`` without ties, or a ``path_``, is
        evaluated at each size; any other at the size of its own selection. None keeps all columns.
    classifiers : classifier, `Learner`, list, or mapping of name to one
        A `Learner` has a grid of hyperparameters, tuned at the largest size inside each outer fold, and the encoding
        of the columns. By default scikit-learn's classifiers get scaled numbers and one-hot encoded labels, learned
        inside the fold, and those that read any table get the columns as they are.
    data : (X, y), Bunch, function without arguments that returns one of them, or mapping of name to one
        Tables as the library's estimators take them, with strings and missing values. Dask collections stay on their
        workers; classifiers must then be the library's own, without a grid, and ``n_jobs`` None or 1.
    sizes : int or iterable of int, default=None
        Numbers of columns; those above the number of columns of a table are left out. None evaluates each selector's
        own selection.
    cv : int or splitter, default=10
        Outer folds: shuffled and stratified, or a splitter of scikit-learn.
    inner_cv : int, default=5
        Number of inner folds, which tune the hyperparameters of a grid.
    tune_on : str, default="accuracy"
        The measure that tuning improves.
    positive : label, default=None
        Positive class, of two; default: the second.
    groups : array of shape (n_samples,), or mapping of data name to one, default=None
        Rows of one group are in one outer fold, in one inner fold of a grid, and in one fold of a selector that draws
        folds.
    sample_weight : array of shape (n_samples,), or mapping of data name to one, default=None
        Weights of rows in fits and in scores; selectors and classifiers must accept them.
    journal : path, default=None
        A file with one line per finished job. The same call resumes an interrupted evaluation and gives the identical
        table; records of other data or parameters are refused.
    n_jobs : int, default=None
        Number of processes; the result does not depend on it. In a script, several need ``if __name__ == "__main__":``.
    random_state : int, default=0
        Seed of outer and inner folds.
    verbose : int, default=0
        Report progress on standard error.

    Returns
    -------
    evaluation : Evaluation
        ``to_frame()`` is the tidy table; see also ``summary()``, ``selections()`` and ``stability()``.

    See Also
    --------
    compare : Statistical tests of the differences.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bayesieve import FilterSelector, evaluate
    >>> evaluation = evaluate(
    ...     FilterSelector("mrmr", n_features=3),
    ...     LogisticRegression(solver="liblinear"),
    ...     load_breast_cancer(),
    ...     sizes=[1, 3],
    ...     cv=3,
    ... )
    >>> evaluation.to_frame().groupby("size")["auc"].mean().round(2).to_dict()
    {1: 0.98, 3: 0.99}
    """
    if tune_on not in MEASURES:
        raise ParameterError(f"tune_on must be one of {', '.join(MEASURES)}, got {tune_on!r}.")
    learners = {
        name: each if isinstance(each, Learner) else Learner(each)
        for name, each in name_estimators(classifiers, "classifiers").items()
    }
    sources = name_data(data)
    task = EvaluationTask(
        selectors=name_estimators(selectors, "selectors"),
        learners=learners,
        data=sources,
        values=read_row_values(groups, sample_weight, list(sources)),
        sizes=_read_sizes(sizes),
        cv=cv,
        inner_cv=inner_cv,
        tune_on=tune_on,
        positive=positive,
        random_state=random_state,
    )
    jobs = task.jobs()
    finished = Journal(
        None if journal is None else Path(journal),
        name=lambda record: (record["data"], record["fold"], record["selector"]),
        fits=partial(_fits, task),
    )
    n_processes = int(effective_n_jobs(n_jobs))
    if n_processes > 1 and not all(task.data_set(name).data.in_memory for name in task.data):
        raise ParameterError(f"n_jobs={n_jobs}: rows in blocks are processed by their own workers; use None or 1.")
    n_left = sum(job not in finished for job in jobs)
    complete = run_remaining(task, jobs, finished, n_processes, _ProgressLines(n_left) if verbose else _no_output)
    if not complete:
        warn_caller(
            f"The evaluation was interrupted after {len(finished.records(jobs))} of {len(jobs)} jobs; with a journal, "
            "the same call resumes it.",
            InterruptedSearchWarning,
        )
    data_sets = {name: task.data_set(name).data for name in task.data}
    names = {name: each.table.names for name, each in data_sets.items()}
    backend = next((each.backend for each in data_sets.values() if each.backend), None)
    return Evaluation(finished.records(jobs), names, complete, backend)


def name_estimators(estimators: Any, parameter: str) -> dict[str, Any]:
    """Return estimators by name: a mapping as it is, others by the names of their classes."""
    if isinstance(estimators, Mapping):
        by_name = {str(name): each for name, each in estimators.items()}
    else:
        values = estimators if isinstance(estimators, list | tuple) else [estimators]
        names = ["all" if each is None else type(_estimator(each)).__name__ for each in values]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise ParameterError(f"{parameter} has two of {repeated[0]}; use a mapping of names to them.")
        by_name = dict(zip(names, values, strict=True))
    if not by_name:
        raise ParameterError(f"{parameter} is empty.")
    for each in by_name.values():
        is_all = each is None and parameter == "selectors"
        if not is_all and not hasattr(_estimator(each), "fit"):
            raise ParameterError(
                f"{parameter} must be estimators, got {type(each).__name__}; the arguments are selectors, classifiers "
                "and (X, y), with None as the selector that keeps all columns."
            )
    return by_name


def _estimator(learner: Any) -> Any:
    return learner.estimator if isinstance(learner, Learner) else learner


def name_data(data: Any) -> dict[str, Source]:
    """Return sources by name; a single one is named "data"."""
    has_names = isinstance(data, Mapping) and not hasattr(data, "target")
    sources: dict[str, Source] = dict(data) if has_names else {"data": data}
    if not sources:
        raise ParameterError("data is empty; use (X, y), or a mapping of names to such pairs.")
    return {str(name): source for name, source in sources.items()}


def _read_sizes(sizes: Any) -> list[int] | None:
    if sizes is None:
        return None
    values = [sizes] if not isinstance(sizes, Iterable) else list(sizes)
    if not values or not all(int(size) == size and size >= 1 for size in values):
        raise ParameterError(f"sizes must be numbers of columns, 1 or more, got {sizes!r:.60}.")
    return sorted({int(size) for size in values})


def _fits(task: EvaluationTask, record: Record) -> bool:
    """Return whether a record is of these settings; those of other selectors or data sets are kept as they are."""
    check_record(record)
    data, selector = record["data"], record["selector"]
    is_other = data not in task.data or selector not in task.selectors
    return is_other or bool(record["fingerprint"] == task.fingerprint(data, selector))


def _no_output(record: Record) -> None:
    """Print nothing."""


class _ProgressLines:
    """Prints one line per finished job, at most about five per second."""

    def __init__(self, n_jobs: int) -> None:
        self._n_jobs, self._n_done, self._began, self._shown = n_jobs, 0, time.monotonic(), 0.0

    def __call__(self, record: Record) -> None:
        self._n_done += 1
        now = time.monotonic()
        if now - self._shown < 0.2 and self._n_done < self._n_jobs:
            return
        self._shown, elapsed = now, now - self._began
        left = elapsed / self._n_done * (self._n_jobs - self._n_done)
        where = f"{record['data']}, fold {record['fold']}, {record['selector']}"
        log_progress(f"{self._n_done} of {self._n_jobs}: {where}; {elapsed:.1f} s, about {left:.0f} s left")
