# SPDX-License-Identifier: BSD-3-Clause
"""Time of optimal intervals from raw columns: to a sort, to other discretizers, and by number of rows."""

import json
import tempfile
import time
from collections.abc import Callable
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesieve import MODLDiscretizer
from bayesieve.bins.modl.cells import PartitionRules
from bayesieve.bins.modl.criterion import KhiopsPrior
from bayesieve.bins.modl.intervals import find_intervals
from bayesieve.bins.modl.tables import Tables
from bayesieve.papers.peers import Environment
from benchmarks.khiops import KHIOPS, run_khiops
from benchmarks.labeled_table import LabeledTable
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SCRIPT = Path(__file__).resolve().parent / "peers_run.py"
_PEERS = Environment("peers", "Orange3", "fimdlp", "optbinning")
_QUICK, _SLOW = ("Orange",), ("fimdlp", "optbinning")  # the slow ones need up to a minute per table
_CUTS, _RATES = (0.10, 0.25, 0.40, 0.60, 0.85), (0.20, 0.60, 0.35, 0.70, 0.10, 0.50)
_GROWTH = (10_000, 100_000, 1_000_000)
_LARGEST = 10_000_000


def run(full: bool) -> Section:
    """Measure one long column, many short ones, and growth."""
    names = [*_QUICK, *(_SLOW if full else ())]
    notes = [] if KHIOPS.exists else [KHIOPS.recipe]
    if not _PEERS.exists:
        notes.append(_PEERS.recipe)
    notes.append(
        "peers are timed without reading their table. the total of Khiops is from a table in memory to bins in memory: "
        "its file is written by pandas and read by Khiops, its report written and read"
    )
    rows = [*_one_column(names), *_many_columns(names), *_growth([*_GROWTH, _LARGEST] if full else [*_GROWTH])]
    return Section("Speed of optimal intervals", "yardstick", rows, notes)


def _one_column(names: list[str]) -> list[Row]:
    """Return ratios of thread time: both sides have one thread."""
    X, y = _six_intervals(100_000)
    table = Tables.stack([np.eye(2, dtype=np.int64)[y[np.argsort(X[:, 0])]]])
    tasks = {
        "fit": _fit(X, y, 1),
        "search": seconds(lambda: find_intervals(table, PartitionRules(KhiopsPrior()))),
        "argsort": seconds(lambda: np.argsort(X[:, 0])),
        "stable": seconds(lambda: np.argsort(X[:, 0], kind="stable")),
    }
    best = {name: 1e3 * taken for name, taken in minima(tasks, repeats=5).items()}
    of = f"{len(y):,} distinct values, two classes"
    return [
        Row(f"fit, {of}, to numpy.argsort", best["fit"], best["argsort"], "ms", 8.0),
        Row(f"fit, {of}, to a stable numpy.argsort", best["fit"], best["stable"], "ms"),
        Row(f"search in sorted counts, {of}, to numpy.argsort", best["search"], best["argsort"], "ms"),
        *(
            Row(f"fit, {of}, to {name}", best["fit"], 1e3 * taken["thread"], "ms", gain=True)
            for name, taken in _peers(X, y, names).items()
        ),
    ]


def _many_columns(names: list[str]) -> list[Row]:
    """Return ratios of wall time, since both sides may use two cores; for Khiops also of processor time."""
    X, y = _shifts_and_scales(10_000, 200)
    clocks = {"wall": time.perf_counter, "processor": time.process_time}
    ours = minima({name: _fit(X, y, 2, clock) for name, clock in clocks.items()}, repeats=2)
    of = "10,000 x 200, two threads"
    rows = []
    if KHIOPS.exists:
        frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
        runs = [run_khiops(LabeledTable("many", frame, y)).seconds for _ in range(2)]
        khiops = {name: min(taken[name] for taken in runs) for name in ("total", *clocks)}
        rows.append(Row(f"fit, {of}, to the total of Khiops", ours["wall"], khiops["total"], "s", 30.0, gain=True))
        rows.append(Row(f"fit, {of}, to Khiops from file to file", ours["wall"], khiops["wall"], "s", gain=True))
        rows.append(Row(f"fit, {of}, to the same, processor", ours["processor"], khiops["processor"], "s", gain=True))
    rows += [
        Row(f"fit, {of}, to {name}", ours["wall"], taken["wall"], "s", gain=True)
        for name, taken in _peers(X, y, names).items()
    ]
    return rows


def _growth(sizes: list[int]) -> list[Row]:
    """Return the time for N rows over N log N, against the first."""
    ns = []
    for n_rows in sizes:
        best = minima({"fit": _fit(*_six_intervals(n_rows), 1)}, repeats=1)["fit"]
        ns.append(nanoseconds(best, n_rows) / log2(n_rows))
    pairs = zip(sizes, ns, strict=True)
    return [Row(f"fit of {n_rows:,} distinct values, per row and log2 of rows", t, ns[0], "ns") for n_rows, t in pairs]


def _fit(X: Floats, y: Ints, n_jobs: int, clock: Callable[[], float] = time.thread_time) -> Callable[[], float]:
    return seconds(lambda: MODLDiscretizer(n_jobs=n_jobs).fit(X, y), clock)


def _peers(X: Floats, y: Ints, names: list[str]) -> dict[str, dict[str, float]]:
    if not _PEERS.exists:
        return {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "array.npz", X=X, y=y)
        _PEERS.run(_SCRIPT, folder, *names)
        taken: dict[str, dict[str, float]] = json.loads((folder / "seconds.json").read_text())
    return taken


def _six_intervals(n_rows: int) -> tuple[Floats, Ints]:
    """Return one column without ties, and a class whose rate changes at five values."""
    rng = np.random.default_rng(44)
    x = rng.random(n_rows)
    y = rng.random(n_rows) < np.array(_RATES)[np.searchsorted(_CUTS, x)]
    return x[:, None], y.astype(np.int64)


def _shifts_and_scales(n_rows: int, n_columns: int) -> tuple[Floats, Ints]:
    """Return columns whose mean (60) or spread (60) depends on the class ever more, and noise."""
    rng = np.random.default_rng(45)
    y = (rng.random(n_rows) < 0.4).astype(np.int64)
    X = rng.normal(size=(n_rows, n_columns))
    strength = 0.05 + 0.03 * np.arange(60)
    X[:, :60] += y[:, None] * strength
    X[:, 60:120] *= 1.0 + y[:, None] * strength
    return X, y
