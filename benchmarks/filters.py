# SPDX-License-Identifier: BSD-3-Clause
"""Filters against NumPy, and against peers if their environment exists."""

import json
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bayesieve import FilterSelector, filters
from bayesieve.filters import ClassTables, CodedColumns, SubsetEngine
from bayesieve.filters.univariate import gain_ratio, mutual_information, symmetric_uncertainty
from bayesieve.papers.peers import Environment
from bayesieve.search.engine import Moves, add
from benchmarks.filter_problems import coded_rows, discrete_problem, relief_problem
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

_PEERS = Environment("filter_peers", "skrebate", "fast-select", "mrmr_selection")
_SCRIPT = Path(__file__).resolve().parent / "filter_peers_run.py"
_N_SELECTED = 50


def run(full: bool) -> Section:
    """Measure the processor time of one thread; for peers, that of their process."""
    X, y = discrete_problem()
    rows = coded_rows(X, y)
    table = [_univariate(X, y, rows), *_greedy(X, y, rows), *_growth(full)]
    notes = [
        "W2: 10,000 × 1,000, five codes, two classes; W3: 2,000 × 500 numbers; limits are those of the fastest R peer"
    ]
    numbers, labels = relief_problem()
    table += _relief(numbers, labels)
    if _PEERS.exists:
        table += _against_peers(X, y, rows, numbers, labels, notes)
    else:
        notes.append(_PEERS.recipe)
    return Section("Filters, one thread", "yardstick", table, notes)


def _univariate(X: NDArray[np.int64], y: NDArray[np.int64], rows: CodedColumns) -> Row:
    def ours() -> None:
        tables = ClassTables.of_codes(rows.codes, rows.target, rows.weights, 2)
        for formula in (mutual_information, symmetric_uncertainty, gain_ratio):
            formula(tables)

    best = minima({"ours": seconds(ours), "NumPy": seconds(lambda: _numpy_scores(X, y))}, repeats=5)
    name = "W2: information, uncertainty and gain ratio of all columns, to bincount"
    return Row(name, best["ours"], best["NumPy"], "s", 3.0, gain=True)


def _numpy_scores(X: NDArray[np.int64], y: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    n_rows, n_columns = X.shape
    cells = (np.arange(n_columns) * 5 + X) * 2 + y[:, None]
    table = np.bincount(cells.ravel(), minlength=n_columns * 10).reshape(n_columns, 5, 2) / n_rows

    def entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=1)

    h_x, h_y = entropy(table.sum(axis=2)), entropy(table.sum(axis=1))
    shared = h_x + h_y - entropy(table.reshape(n_columns, -1))
    return shared, 2 * shared / (h_x + h_y), shared / h_x


def greedy(rows: CodedColumns, name: str, n_selected: int = _N_SELECTED) -> list[int]:
    """Select columns by forward search."""
    engine = SubsetEngine(rows, ClassTables.of_codes(rows.codes, rows.target, rows.weights, 2), name)
    candidates, selected = np.arange(rows.codes.n_columns), []
    for _ in range(n_selected):
        moves = Moves.shift(candidates.astype(np.int32), np.arange(len(candidates) + 1), 0.0, 1.0)
        place = int(np.argmax(engine.score(moves)))
        selected.append(int(candidates[place]))
        engine.apply(add(selected[-1:]))
        candidates = np.delete(candidates, place)
    return selected


def _greedy(X: NDArray[np.int64], y: NDArray[np.int64], rows: CodedColumns) -> list[Row]:
    tasks = {name: seconds(lambda name=name: greedy(rows, name)) for name in ("mrmr", "jmi", "cmim")}
    selector = FilterSelector("mrmr", n_features=_N_SELECTED, discretizer=None)
    ranking = FilterSelector("mutual_info", n_features=_N_SELECTED, discretizer=None, n_jobs=1)
    tasks["selector"] = seconds(lambda: selector.fit(X, y))
    tasks["ranking"] = seconds(lambda: ranking.fit(X, y))
    best = minima(tasks, repeats=2)
    return [
        Row("W2: mrmr, 50 columns, to 0.2 s", best["mrmr"], 0.2, "s", 1.0),
        Row("W2: jmi, 50 columns, to 0.35 s", best["jmi"], 0.35, "s", 1.0),
        Row("W2: cmim, 50 columns, to mrmr", best["cmim"], best["mrmr"], "s"),
        Row("W2: FilterSelector('mrmr') on the raw table, to mrmr on codes", best["selector"], best["mrmr"], "s"),
        Row("W2: FilterSelector('mutual_info') on the raw table, to 0.05 s", best["ranking"], 0.05, "s", 1.0),
    ]


def _relief(numbers: NDArray[np.float64], labels: NDArray[np.int64]) -> list[Row]:
    selector = FilterSelector("relieff", n_features=_N_SELECTED, n_jobs=1)
    tasks = {
        "kernel": seconds(lambda: filters.relieff(numbers, labels)),
        "selector": seconds(lambda: selector.fit(numbers, labels)),
    }
    best = minima(tasks, repeats=2)
    return [
        Row("W3: relieff, to 0.12 s", best["kernel"], 0.12, "s", 1.0),
        Row("W3: FilterSelector('relieff'), to relieff", best["selector"], best["kernel"], "s", 1.1),
    ]


def _growth(full: bool) -> list[Row]:
    """Return nanoseconds per row and candidate of one step, to those of the smallest table."""
    sizes = [(10_000, 1000), (10_000, 4000), (100_000, 1000), *([(1_000_000, 1000)] if full else [])]
    taken = []
    for n_rows, n_columns in sizes:
        rows = coded_rows(*discrete_problem(n_rows, n_columns))
        engine = SubsetEngine(rows, ClassTables.of_codes(rows.codes, rows.target, rows.weights, 2), "jmi")
        engine.reset({0: 1.0})
        moves = Moves.shift(np.arange(1, n_columns, dtype=np.int32), np.arange(n_columns), 0.0, 1.0)
        token = engine.snapshot()

        def step(engine: SubsetEngine = engine, moves: Moves = moves, token: object = token) -> None:
            engine.restore(token)
            engine.score(moves)

        best = minima({"step": seconds(step)}, repeats=2)["step"]
        taken.append(nanoseconds(best, n_rows, n_columns))
    return [
        Row(f"jmi, one step of {n_rows:,} × {n_columns:,}: ns per cell, to 10,000 × 1,000", ns, taken[0], "ns", 2.0)
        for (n_rows, n_columns), ns in zip(sizes[1:], taken[1:], strict=True)
    ]


def _against_peers(
    X: NDArray[np.int64],
    y: NDArray[np.int64],
    rows: CodedColumns,
    numbers: NDArray[np.float64],
    labels: NDArray[np.int64],
    notes: list[str],
) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "arrays.npz", X=X, y=y, numbers=numbers, labels=labels)
        _PEERS.run(_SCRIPT, folder)
        theirs = json.loads((Path(folder) / "seconds.json").read_text())
        weights = np.load(Path(folder) / "weights.npy")
    ours = filters.relieff(numbers, labels)
    notes.append(f"ReliefF differs from skrebate by at most {np.abs(ours - weights).max():.1g}")
    clock = time.process_time
    tasks = {"mrmr": seconds(lambda: greedy(rows, "mrmr"), clock)}
    tasks["relieff"] = seconds(lambda: filters.relieff(numbers, labels), clock)
    best = minima(tasks, repeats=2)
    comparisons = [
        ("W2: mrmr, to mrmr_selection (F and correlation)", "mrmr", "mrmr_selection", 50.0),
        ("W3: relieff, to skrebate", "relieff", "skrebate", 100.0),
        ("W3: relieff, to the first call of fast-select", "relieff", "fast-select", 20.0),
        ("W3: relieff, to fast-select after its compilation", "relieff", "fast-select again", None),
    ]
    return [Row(name, best[task], theirs[peer], "s", target, gain=True) for name, task, peer, target in comparisons]
