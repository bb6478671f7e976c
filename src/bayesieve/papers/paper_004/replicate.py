# SPDX-License-Identifier: BSD-3-Clause
"""One seed: simulate, run every method, and return sizes and errors as plain data."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from bayesieve.papers.paper_004.filters import mrmr_ranking, mutual_information_ranking
from bayesieve.papers.paper_004.paper_methods import METHODS, IndicatorMethod
from bayesieve.papers.paper_004.problem import Problem, make_problem
from bayesieve.papers.paper_004.trace import Trace, count_errors, curve
from bayesieve.papers.paper_004.wrappers import Wrapper

__all__ = ["run_seed"]

_RANKINGS = {"mi": mutual_information_ranking, "mrmr": mrmr_ranking}


def run_seed(
    seed: int, *, n_series: int = 6000, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Run every method on the data of one seed.

    Parameters
    ----------
    seed : int
        Seed of the series and the halves.
    n_series : int
        Number of series of the training set, and of the test set.
    n_threads : int
        The result does not depend on it.
    on_step : callable
        Called after the simulation and after each method.

    Returns
    -------
    record : dict
        ``rows``, for each method its size, numbers of errors on half B and test, seconds and the curve of test errors
        by size; ``everything``, the test errors of all columns; serializes to JSON.
    """
    began, worked = time.perf_counter(), time.process_time()
    problem = make_problem(seed, n_series, n_threads)
    simulated = time.perf_counter() - began
    on_step()
    wrappers: dict[str, Wrapper] = {}
    rows = {}
    for method in METHODS:
        began = time.perf_counter()
        traces = _run(method, problem, wrappers)
        rows[method.key] = {**_row(traces, problem), "seconds": round(time.perf_counter() - began, 3)}
        on_step()
    return {
        "seed": seed,
        "n_series": n_series,
        "n_validation": len(problem.validation.target),
        "n_test": len(problem.test.target),
        "n_columns": problem.n_columns,
        "everything": count_errors(problem, range(problem.n_columns), []).wrong_test[0],
        "simulation_seconds": round(simulated, 3),
        "processor_seconds": round(time.process_time() - worked, 3),
        "rows": rows,
    }


def _run(method: IndicatorMethod, problem: Problem, wrappers: dict[str, Wrapper]) -> list[Trace]:
    if method.is_filter:
        ranking = _RANKINGS[method.search](problem.train)
        return [count_errors(problem, (), [(column, 1) for column in ranking])]
    if method.criterion not in wrappers:
        wrappers[method.criterion] = Wrapper(problem, method.criterion)
    return wrappers[method.criterion].run(method.search)


def _row(traces: Sequence[Trace], problem: Problem) -> dict[str, Any]:
    choice = traces[-1].choose()
    return {
        "size": choice.size,
        "wrong_b": choice.wrong_b,
        "wrong_test": choice.wrong_test,
        "phases": len(traces),
        "columns": [problem.names[j] for j in sorted(choice.columns)],
        "curve": curve(traces, problem.n_columns),
    }
