# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with peers: seconds of each on an array.

Usage: ``peers_run.py FOLDER NAME ...``; the folder holds ``array.npz`` (X, y), the result is ``seconds.json``. A peer
that is not installed has no entry.
"""

import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PEERS", "run"]

_ENOUGH = 1.0  # seconds: a longer call is not repeated
_REPEATS = 5


def _orange(X: Any, y: Any) -> Callable[[], Any]:
    """Entropy and the minimum description length of Fayyad and Irani."""
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess.discretize import EntropyMDL

    columns = [ContinuousVariable(f"c{j}") for j in range(X.shape[1])]
    domain = Domain(columns, DiscreteVariable("class", [str(c) for c in range(int(y.max()) + 1)]))
    table = Table.from_numpy(domain, X, y)  # before the clock starts
    return lambda: [EntropyMDL()(table, column) for column in columns]


def _fimdlp(X: Any, y: Any) -> Callable[[], Any]:
    from fimdlp.mdlp import FImdlp

    return lambda: FImdlp(n_jobs=-1).fit(X, y)


def _optbinning(X: Any, y: Any) -> Callable[[], Any]:
    """Without a monotone trend, which the others do not require."""
    from optbinning import BinningProcess

    names = [f"c{j}" for j in range(X.shape[1])]
    free = {name: {"monotonic_trend": None} for name in names}
    return lambda: BinningProcess(names, binning_fit_params=free, n_jobs=-1).fit(X, y)


def _skrebate(X: Any, y: Any) -> Callable[[], Any]:
    from skrebate import ReliefF

    return lambda: ReliefF(10, n_neighbors=10, n_jobs=1).fit(X, y)


def _mrmr(X: Any, y: Any) -> Callable[[], Any]:
    """Ten columns, by F statistics and correlations."""
    import pandas as pd
    from mrmr import mrmr_classif

    frame, target = pd.DataFrame(X).add_prefix("c"), pd.Series(y)
    return lambda: mrmr_classif(frame, target, K=10, n_jobs=1, show_progress=False)


PEERS = {"Orange": _orange, "fimdlp": _fimdlp, "optbinning": _optbinning, "skrebate": _skrebate, "mrmr": _mrmr}


def run(folder: Path, names: list[str]) -> None:
    """Measure peers, each by the minimum of some repeats."""
    warnings.simplefilter("ignore")
    logging.disable()
    with np.load(folder / "array.npz") as arrays:
        X, y = arrays["X"], arrays["y"]
    seconds = {name: _measure(PEERS[name](X, y)) for name in names if find_spec(name)}
    (folder / "seconds.json").write_text(json.dumps(seconds))


def _measure(task: Callable[[], Any]) -> dict[str, float]:
    """Return the minimum of wall time, and of thread time, which depends less on other programs of the machine."""
    clocks = {"wall": time.perf_counter, "thread": time.thread_time}
    best = dict.fromkeys(clocks, float("inf"))
    for _ in range(_REPEATS):
        begin = {name: clock() for name, clock in clocks.items()}
        task()
        taken = {name: clock() - begin[name] for name, clock in clocks.items()}
        best = {name: min(best[name], taken[name]) for name in clocks}
        if taken["wall"] > _ENOUGH:
            break
    return best


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2:])
