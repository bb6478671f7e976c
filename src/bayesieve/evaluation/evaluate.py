"""Nested cross-validation of selectors × classifiers × sizes."""

import os
import sys
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from bayesieve.evaluation.journal import Journal
from bayesieve.evaluation.learner import Learner
from bayesieve.evaluation.measures import MEASURES
from bayesieve.evaluation.naming import name_data, named
from bayesieve.evaluation.result import Evaluation
from bayesieve.evaluation.resuming import run_left
from bayesieve.evaluation.scattered_data import ScatteredData
from bayesieve.evaluation.study import Study
from bayesieve.exceptions import InterruptedSearchWarning, ParameterError

__all__ = ["evaluate"]

Record = dict[str, Any]


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
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> Evaluation:
    """Score selectors × classifiers × sizes on rows that took no part in selection, tuning, encoding or fit.

    Parameters
    ----------
    selectors : selector, list, or mapping of name to selector
        Fitted once on each outer fold, for all sizes. A selector with a ``ranking_`` without ties, or a ``path_``,
        gives columns for each size; any other gives its own selection. None takes all columns.
    classifiers : classifier, `Learner`, list, or mapping of name to one
        A `Learner` carries a grid of parameters, tuned at the largest size inside each outer fold, and the form in
        which the classifier takes columns. By default scikit-learn's classifiers get scaled numbers and an indicator
        of each label, learnt inside the fold, and those that read any table get the columns as they are.
    data : (X, y), Bunch, function without arguments that returns one of them, or mapping of name to one
        Tables as the library's estimators take them, with strings and missing values. Collections of Dask stay on its
        workers; classifiers must then be the library's own, without a grid, and ``n_jobs`` None or 1.
    sizes : int or iterable of int, default=None
        Numbers of columns; those beyond a table's are left out. None takes each selector's own selection.
    cv : int or splitter, default=10
        Outer folds: shuffled and stratified, or a splitter of scikit-learn.
    inner_cv : int, default=5
        Inner folds, which choose among a grid's parameters.
    tune_on : str, default="accuracy"
        The measure by which they do.
    positive : label, default=None
        The positive one of two classes; the second by default.
    journal : path, default=None
        A file with a line for each finished job. The same call goes on where an interrupted one was, and gives the
        identical table; records of other data or parameters are refused.
    n_jobs : int, default=None
        Processes; the result does not depend on it. In a script, several need ``if __name__ == "__main__":``.
    random_state : int, default=0
        Shuffles outer and inner folds.
    verbose : int, default=0
        Report progress on standard error.

    Returns
    -------
    evaluation : Evaluation
        ``to_frame()`` is the tidy table; ``summary()``, ``selections()`` and ``stability()`` are others.

    See Also
    --------
    compare : Whether differences are more than chance.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bayesieve import FilterSelector, evaluate
    >>> found = evaluate(
    ...     FilterSelector("mrmr", n_features=3),
    ...     LogisticRegression(solver="liblinear"),
    ...     load_breast_cancer(),
    ...     sizes=[1, 3],
    ...     cv=3,
    ... )
    >>> found.to_frame().groupby("size")["auc"].mean().round(2).to_dict()
    {1: 0.98, 3: 0.99}
    """
    if tune_on not in MEASURES:
        raise ParameterError(f"tune_on must be one of {', '.join(MEASURES)}, got {tune_on!r}.")
    learners = {
        name: each if isinstance(each, Learner) else Learner(each)
        for name, each in named(classifiers, "classifiers").items()
    }
    study = Study(
        selectors=named(selectors, "selectors"),
        learners=learners,
        data=name_data(data),
        sizes=_read_sizes(sizes),
        cv=cv,
        inner_cv=inner_cv,
        tune_on=tune_on,
        positive=positive,
        random_state=random_state,
    )
    jobs = study.jobs()
    record_of = Journal(
        None if journal is None else Path(journal),
        name=lambda record: (record["data"], record["fold"], record["selector"]),
        fits=lambda record: record["mark"] == _mark(study, record),
    )
    n_processes = int(effective_n_jobs(n_jobs))
    if n_processes > 1 and any(isinstance(study.hold(name).data, ScatteredData) for name in study.data):
        raise ParameterError(f"n_jobs={n_jobs}: rows in blocks are worked on where they are; use None or 1.")
    n_left = sum(job not in record_of for job in jobs)
    complete = run_left(study, jobs, record_of, n_processes, _Lines(n_left) if verbose else _silent)
    if not complete:
        warnings.warn(
            f"The evaluation was interrupted after {len(record_of.records(jobs))} of {len(jobs)} jobs; with a journal, "
            "the same call goes on.",
            InterruptedSearchWarning,
            stacklevel=2,
        )
    held = {name: study.hold(name).data for name in study.data}
    names = {name: each.table.names for name, each in held.items()}
    backend = next((each.backend for each in held.values() if each.backend), None)
    return Evaluation(record_of.records(jobs), names, complete, backend)


def _read_sizes(sizes: Any) -> list[int] | None:
    if sizes is None:
        return None
    wanted = [sizes] if not isinstance(sizes, Iterable) else list(sizes)
    if not wanted or not all(int(size) == size and size >= 1 for size in wanted):
        raise ParameterError(f"sizes must be numbers of columns, 1 or more, got {sizes!r:.60}.")
    return sorted({int(size) for size in wanted})


def _mark(study: Study, record: Record) -> str:
    """Return the mark that a record should have; one of a selector or data set that is not asked for may stay."""
    if record["data"] not in study.data or record["selector"] not in study.selectors:
        return str(record["mark"])
    return study.mark(record["data"], record["selector"])


def _silent(record: Record) -> None:
    """Say nothing."""


class _Lines:
    """A line about every job that is done, at most about five a second."""

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
        sys.stderr.write(f"{self._n_done} of {self._n_jobs}: {where}; {elapsed:.1f} s, about {left:.0f} s left\n")
