# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that other libraries do, too, as rows or columns grow: processor seconds of one thread.

The line of a library ends before the size at which a run is expected to take longer than a limit.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_selection import SequentialFeatureSelector, mutual_info_classif
from sklearn.naive_bayes import CategoricalNB
from threadpoolctl import threadpool_limits

from bayesieve import FilterSelector, NaiveBayesSelector, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.papers.peers import KHIOPS, Environment
from benchmarks.problems import Shape, make_segment
from benchmarks.quality_exchange import Answer, Problem
from benchmarks.timing import fastest, seconds

__all__ = ["AXES", "JOBS", "Line", "lines", "missing_peers", "sizes_in_time"]

Rows = tuple[NDArray[Any], NDArray[np.int64]]
Fit = Callable[[Any, Any], float]

FILTER_PEERS = Environment("filter_peers", "skrebate", "fast-select", "mrmr_selection")
_FOLDER = Path(__file__).resolve().parent
_N_CODES = 8
_COLUMNS, _ROWS = 20, 2_000  # where the other size grows
_SELECTED = 3
_FILTERED = 10


def _steps(first: int, last: int) -> list[int]:
    """Return 1, 3, 10, 30, ... between two sizes."""
    return [m * 10**k for k in range(9) for m in (1, 3) if first <= m * 10**k <= last]


# With --full, larger tables and, by a longer limit, larger sizes of each library.
AXES: dict[str, Callable[[bool], list[tuple[int, int]]]] = {
    "rows": lambda full: [(n, _COLUMNS) for n in _steps(1_000, 10_000_000 if full else 1_000_000)],
    "columns": lambda full: [(_ROWS, p) for p in _steps(10, 10_000)],
}


def _codes(n_rows: int, n_columns: int) -> Rows:
    """Return codes below eight, all of which depend on the class."""
    segment = make_segment(Shape(2, _N_CODES, n_rows, n_columns))
    return np.ascontiguousarray(segment.codes.narrow.T), segment.target.astype(np.int64)


def _numbers(n_rows: int, n_columns: int) -> Rows:
    """Return normal numbers, of which every other one has a mean that depends on the class, ever less."""
    rng = np.random.default_rng(7)
    y = (rng.random(n_rows) < 0.3).astype(np.int64)
    X = rng.normal(size=(n_rows, n_columns))
    X[:, ::2] += y[:, None] * (1.0 / (1.0 + 0.1 * np.arange(0, n_columns, 2)))
    return X, y


def _estimator(make: Callable[[], Any]) -> Fit:
    return lambda X, y: fastest(seconds(lambda: make().fit(X, y), time.process_time))


def _wrapper_peer(X: Any, y: Any) -> float:
    model = CategoricalNB(min_categories=_N_CODES)
    selector = SequentialFeatureSelector(model, n_features_to_select=_SELECTED, cv=2)
    return fastest(seconds(lambda: selector.fit(X, y), time.process_time))


def _mlxtend(X: Any, y: Any) -> float:
    from mlxtend.feature_selection import SequentialFeatureSelector as Peer

    selector = Peer(CategoricalNB(min_categories=_N_CODES), k_features=_SELECTED, cv=2)
    return fastest(seconds(lambda: selector.fit(X, y), time.process_time))


def _information_peer(X: Any, y: Any) -> float:
    return fastest(seconds(lambda: mutual_info_classif(X, y, discrete_features=True), time.process_time))


def _in_environment(name: str) -> Fit:
    """Run a peer of the environment of filters, whose own clock starts after its table is read."""

    def fit(X: Any, y: Any) -> float:
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "array.npz", X=X, y=y)
            FILTER_PEERS.run(_FOLDER / "peers_run.py", folder, name)
            return float(json.loads((Path(folder) / "seconds.json").read_text())[name]["thread"])

    return fit


def _khiops(X: Any, y: Any) -> float:
    """Run Khiops with one core, from its text file to its report."""
    frame = pd.DataFrame(X).add_prefix("c").astype(float)
    with tempfile.TemporaryDirectory() as folder:
        Problem(frame, y, frame.iloc[:1], {}).write(Path(folder))
        KHIOPS.run(_FOLDER / "quality_khiops_run.py", folder)
        return Answer.read(Path(folder)).seconds


@dataclass(frozen=True)
class Job:
    """A table by its numbers of rows and columns, and what libraries need to do the same with it."""

    table: Callable[[int, int], Rows]
    fits: dict[str, Fit]


def _filter(method: str, **settings: Any) -> Fit:
    return _estimator(partial(FilterSelector, method, n_features=_FILTERED, n_jobs=1, **settings))


_SEARCH = {"criterion": "error", "smoothing": 1, "discretizer": None, "cv": 2, "n_features": _SELECTED, "n_jobs": 1}
JOBS = {
    "search": Job(
        _codes,
        {
            "bayesieve": _estimator(partial(NaiveBayesSelector, **_SEARCH)),
            "scikit-learn": _wrapper_peer,
            "mlxtend": _mlxtend,
        },
    ),
    "mutual information": Job(
        _codes, {"bayesieve": _filter("mutual_info", discretizer=None), "scikit-learn": _information_peer}
    ),
    "mRMR": Job(_codes, {"bayesieve": _filter("mrmr", discretizer=None), "mrmr_selection": _in_environment("mrmr")}),
    "ReliefF": Job(_numbers, {"bayesieve": _filter("relieff"), "skrebate": _in_environment("skrebate")}),
    "classifier": Job(
        _numbers,
        {
            "bayesieve": _estimator(partial(SelectiveNaiveBayes, n_jobs=1)),
            "bayesieve, scorecard": _estimator(partial(ScorecardClassifier, n_jobs=1)),
            "Khiops": _khiops,
        },
    ),
}


@dataclass(frozen=True)
class Line:
    """Processor seconds of a library by size."""

    job: str
    library: str
    axis: str
    seconds: dict[int, float]


def missing_peers() -> dict[str, str]:
    """Return the libraries that are not installed, and how to install each."""
    missing = {} if find_spec("mlxtend") else {"mlxtend": "mlxtend is not installed: pip install '.[peers]'"}
    if not FILTER_PEERS.exists:
        missing |= dict.fromkeys(("skrebate", "mrmr_selection"), FILTER_PEERS.recipe)
    return missing if KHIOPS.exists else {**missing, "Khiops": KHIOPS.recipe}


def lines(full: bool, limit: float) -> Iterator[Line]:
    """Measure every library on every job, as rows and as columns grow."""
    missing = missing_peers()
    with threadpool_limits(1):  # the time of the process is then that of one thread
        for name, job in JOBS.items():
            for axis, shapes in AXES.items():
                for library in (library for library in job.fits if library not in missing):
                    fit = job.fits[library]
                    sizes = {shape[axis == "columns"]: shape for shape in shapes(full)}
                    taken = sizes_in_time(
                        list(sizes), lambda n, fit=fit, job=job, sizes=sizes: fit(*job.table(*sizes[n])), limit
                    )
                    yield Line(name, library, axis, taken)


def sizes_in_time(sizes: Sequence[int], run: Callable[[int], float], limit: float) -> dict[int, float]:
    """Run sizes in turn until the next one is expected to take longer than the limit.

    Expected is the growth between the last two sizes; from the first to the second, growth in proportion.
    """
    taken: dict[int, float] = {}
    for i, n in enumerate(sizes):
        if i > 0:
            growth = n / sizes[i - 1] if i == 1 else taken[sizes[i - 1]] / taken[sizes[i - 2]]
            if growth * taken[sizes[i - 1]] > limit:
                break
        taken[n] = run(n)
    return taken
