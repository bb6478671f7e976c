# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of one seed: the table, searches guided by the other half, the cost of each search, and the scorecard."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from bayesieve import ScorecardClassifier
from bayesieve.papers.paper_004.filters import mrmr_ranking, mutual_information_ranking
from bayesieve.papers.paper_004.paper_methods import METHODS, IndicatorMethod
from bayesieve.papers.paper_004.problem import Problem, Sample, make_problem
from bayesieve.papers.paper_004.trace import Trace, count_errors, curve
from bayesieve.papers.paper_004.wrappers import Wrapper, paper_selector, run_guided_by_training

__all__ = ["JOBS", "run_job"]

Record = dict[str, Any]
_FIRST: Final = 20  # columns of a path whose redundancy is measured
_RANKINGS: Final = {"mi": mutual_information_ranking, "mrmr": mrmr_ranking}


def run_job(
    name: tuple[str, int], *, n_series: int = 6000, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> Record:
    """Run one job on the data of its seed.

    Parameters
    ----------
    name : (str, int)
        One of `JOBS`, and the seed of the series and the halves.
    n_series : int
        Number of series of the training set, and of the test set.
    n_threads : int
        The result does not depend on it, apart from seconds.
    on_step : callable
        Called after the simulation, and after each method of the table.

    Returns
    -------
    record : dict
        What the job computes; serializes to JSON.
    """
    kind, seed = name
    problem = make_problem(seed, n_series, n_threads)
    on_step()
    sizes = {"n_validation": len(problem.validation.target), "n_test": len(problem.test.target)}
    return {"job": [kind, seed], "n_series": n_series, **sizes, **JOBS[kind](problem, on_step)}


def _table(problem: Problem, on_step: Callable[[], None]) -> Record:
    """Return for each method its size, numbers of errors, columns, and test errors by size."""
    wrappers: dict[str, Wrapper] = {}
    rows = {}
    for method in METHODS:
        traces = _run(method, problem, wrappers)
        rows[method.key] = _row(traces, problem) | _first_columns(traces[0], problem.train)
        if not method.is_filter:
            rows[method.key]["tied"] = wrappers[method.criterion].tied_share(method.search)
        on_step()
    everything = count_errors(problem, range(problem.n_columns), []).wrong_test[0]
    return {"n_columns": problem.n_columns, "everything": everything, "rows": rows}


def _guided(problem: Problem, on_step: Callable[[], None]) -> Record:
    """Return size and errors of the paper's searches, guided by half A."""
    rows = {}
    for method in METHODS:
        if method.is_search_of_the_paper:
            choice = run_guided_by_training(problem, method.search, method.criterion)[-1].choose()
            rows[method.key] = {"size": choice.size, "wrong_b": choice.wrong_b, "wrong_test": choice.wrong_test}
    return {"rows": rows}


def _costs(problem: Problem, on_step: Callable[[], None]) -> Record:
    """Return the processor seconds of each method of the paper by itself, from coded indicators to the selection."""
    seconds = {}
    train, validation = problem.train, problem.validation
    for method in METHODS:
        if method.printed is None:
            continue
        began = time.process_time()
        if method.is_filter:
            _RANKINGS[method.search](train)
        else:
            selector = paper_selector(method.search, method.criterion)
            selector.fit(train.indicators, train.target, X_val=validation.indicators, y_val=validation.target)
        seconds[method.key] = round(time.process_time() - began, 3)
    return {"n_columns": problem.n_columns, "seconds": seconds}


def _scorecard(problem: Problem, on_step: Callable[[], None]) -> Record:
    """Return size and errors of a scorecard of automatic size, fitted on both halves."""
    both = Sample(
        np.vstack([problem.train.indicators, problem.validation.indicators]),
        np.concatenate([problem.train.target, problem.validation.target]),
    )
    began = time.process_time()
    model = ScorecardClassifier(n_jobs=problem.n_threads).fit(both.indicators, both.target)
    seconds = time.process_time() - began
    wrong = int((model.predict(problem.test.indicators) != problem.test.target).sum())
    return {"size": int(model.n_features_), "wrong_test": wrong, "seconds": round(seconds, 3)}


JOBS: Final = {"table": _table, "guided": _guided, "cost": _costs, "scorecard": _scorecard}


def _run(method: IndicatorMethod, problem: Problem, wrappers: dict[str, Wrapper]) -> list[Trace]:
    if method.is_filter:
        ranking = _RANKINGS[method.search](problem.train)
        return [count_errors(problem, (), [(column, 1) for column in ranking])]
    if method.criterion not in wrappers:
        wrappers[method.criterion] = Wrapper(problem, method.criterion)
    return wrappers[method.criterion].run(method.search)


def _row(traces: Sequence[Trace], problem: Problem) -> Record:
    choice = traces[-1].choose()
    return {
        "size": choice.size,
        "wrong_b": choice.wrong_b,
        "wrong_test": choice.wrong_test,
        "phases": len(traces),
        "columns": [problem.names[j] for j in sorted(choice.columns)],
        "curve": curve(traces, problem.n_columns),
    }


def _first_columns(trace: Trace, sample: Sample) -> Record:
    """Return the mean absolute correlation on half A of the first columns that a path from none adds."""
    if trace.start:
        return {}
    columns = [column for column, sign in trace.moves if sign > 0][:_FIRST]
    correlations = np.atleast_2d(np.corrcoef(sample.indicators[:, columns], rowvar=False))
    return {"redundancy": float(np.abs(correlations[np.triu_indices(len(columns), 1)]).mean())}
