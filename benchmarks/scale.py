# SPDX-License-Identifier: BSD-3-Clause
"""Rows on two local Dask workers: time, memory and traffic of a search, against the engine in this process.

The table is generated in blocks on the workers. Traffic is what scheduler, client and workers write to each
other. Searches on the workers and in this process alternate, and the fastest of each counts. ``--full`` takes ten
million rows, otherwise there are one million.
"""

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster
from distributed.comm.tcp import TCP

from bayesieve import NaiveBayesSelector
from bayesieve.bins import Codes
from bayesieve.estimators.rows import read_training_rows
from bayesieve.fit.solve import prepare
from bayesieve.fit.task import SearchTask
from bayesieve.search import Observer, SearchRun, SearchState, run_search
from bayesieve.search.engine import BlockSegments, MemoryEngine, Segment
from benchmarks.report import Row, Section
from benchmarks.table_in_blocks import TableInBlocks

__all__ = ["SETTINGS", "loopback", "run", "workers"]

_COLUMNS, _STEPS, _RANKED_STEPS = 200, 20, 4
_BLOCK = 500_000
_TABLE = TableInBlocks(_COLUMNS, _COLUMNS, 0.1, _BLOCK)
_GROWTH = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
_KIB, _MIB, _GIB = 2**10, 2**20, 2**30
SETTINGS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
}
_REPEATS = 3


def run(full: bool) -> Section:
    """Measure a forward search for 20 of 200 columns by the Brier score, and steps by the area under the curve."""
    largest = 10_000_000 if full else 1_000_000
    notes = _Notes()
    with dask.config.set(SETTINGS):
        rows = _compare(largest, notes)
        for n_rows in (n for n in _GROWTH if n < largest):
            with workers() as client:
                notes.add(_Search(_forward("brier", _STEPS), client, n_rows).growth)
        with workers() as client:
            ranked = _Search(_forward("auc", _RANKED_STEPS), client, largest)
            rows.append(Row("AUC: traffic per step and worker, to 1 MiB", ranked.traffic / _MIB, 1.0, "MiB", 1.0))
            notes.add(f"AUC: {ranked.seconds / _RANKED_STEPS:.2f} s per step")
    title = (
        f"{largest:,} rows x {_COLUMNS} columns in blocks of {_BLOCK:,}, two workers of one thread: {_STEPS} columns"
    )
    return Section(title, "yardstick", rows, notes.lines)


class _Notes:
    """Notes, which are also printed at once, since the benchmark takes minutes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, note: str) -> None:
        print(note, file=sys.stderr, flush=True)
        self.lines.append(note)


def _compare(n_rows: int, notes: _Notes) -> list[Row]:
    """Search on the workers, and then with all codes and one thread in this process."""
    with workers() as client:
        search = _Search(_forward("brier", _STEPS), client, n_rows)
        notes.add(search.growth)
        notes.add(
            f"bins and codes: {search.learning:.1f} s, {search.learning / n_rows / _COLUMNS * 1e9:.1f} ns per cell"
        )
        notes.add(f"a message to all blocks and back: {search.message * 1e3:.1f} ms")
        memory = max(client.run(_peak).values())
        notes.add(f"peak memory of a worker {memory / _GIB:.2f} GiB, traffic {search.traffic / _KIB:.1f} KiB per step")
        segment = _collected(search.task)
        placed, alone = [search.seconds], []
        for _ in range(_REPEATS):
            here = _in_memory(search.task, segment)
            alone.append(here.seconds)
            placed.append(search.again())
    notes.add(
        f"here {_list(alone)} s, on the workers {_list(placed)} s; same path: {search.path == here.path}; load average "
        f"{os.getloadavg()[0]:.1f}"
    )
    gain = 1.8 if n_rows >= 10_000_000 else 1.2
    return [
        Row("search phase, to one thread in this process", min(placed), min(alone), "s", gain, gain=True),
        Row("peak memory of a worker, to 3 GiB", memory / _GIB, 3.0, "GiB", 1.0),
        Row("traffic per step and worker, to 100 KiB", search.traffic / _KIB, 100.0, "KiB", 1.0),
    ]


def _list(seconds: list[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in seconds)


@contextmanager
def workers(n_workers: int = 2) -> Iterator[Client]:
    """Start worker processes of one thread each, and give a client of them."""
    size: dict[str, Any] = {"n_workers": n_workers, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**size, dashboard_address=":0", memory_limit=None) as cluster, Client(cluster) as client:
        yield client


def _forward(criterion: str, n_features: int) -> NaiveBayesSelector:
    return NaiveBayesSelector(criterion=criterion, cv=0, n_features=n_features)


class _Clock(Observer):
    """Records the time of each step."""

    def __init__(self) -> None:
        self.times = [time.perf_counter()]

    def on_step(self, step: Any, n_steps: int) -> None:
        self.times.append(time.perf_counter())


class _Search:
    """A search on the workers, its time and its traffic."""

    def __init__(self, selector: NaiveBayesSelector, client: Client, n_rows: int) -> None:
        X, y = _TABLE.lazy(n_rows)
        begin = time.perf_counter()
        rows = read_training_rows(selector, X, y, None)
        task = prepare(rows, selector._options(rows))
        assert isinstance(task, SearchTask)
        self.task = task
        self.learning = time.perf_counter() - begin
        self._engine = self.task.engine()
        self._engine.score(self.task.space.moves("add", np.arange(2)))  # lays out the rows on the workers
        _written()
        client.run(_written)
        before, clock = _all_written(client), _Clock()
        self.path = _run_search(self._engine, self.task, clock)
        self.seconds = clock.times[-1] - clock.times[0]
        self.traffic = (_all_written(client) - before) / len(self.path) / 2
        self.message = min(_seconds(self._engine) for _ in range(20))
        n_candidates = sum(len(self.task.space.groups) - k for k in range(len(self.path)))
        each = self.seconds / n_candidates / n_rows * 1e9
        self.growth = (
            f"{n_rows:,} rows: {self.seconds / len(self.path):.3f} s per step, {each:.3f} ns per row and candidate"
        )

    def again(self) -> float:
        """Return the seconds of the same search."""
        self._engine.reset({})
        clock = _Clock()
        assert _run_search(self._engine, self.task, clock) == self.path
        return clock.times[-1] - clock.times[0]


def _seconds(engine: Any) -> float:
    """Return the seconds of an empty task on all blocks."""
    begin = time.perf_counter()
    engine._rows._blocks.reduce(_nothing, _first)
    return time.perf_counter() - begin


def _nothing(block: Any) -> int:
    return 0


def _first(a: int, b: int) -> int:
    return a


class _MemorySearch:
    def __init__(self, path: Any, seconds: float) -> None:
        self.path, self.seconds = path, seconds


def _collected(task: SearchTask) -> Segment:
    """Collect all codes, one block at a time."""
    assert isinstance(task.segments, BlockSegments)
    blocks, n_rows = task.segments.blocks, sum(task.segments.masses[0])
    codes = Codes.empty(np.diff(task.segments.tables[0].offsets) - 1, n_rows)
    target, weights = np.empty(n_rows, dtype=np.int32), np.ones(n_rows, dtype=np.int64)
    end = 0
    for i in range(len(blocks)):
        block = blocks.ask(i, _only)
        begin, end = end, end + block.codes.n_rows
        codes.narrow[:, begin:end], codes.wide[:, begin:end] = block.codes.narrow, block.codes.wide
        target[begin:end] = block.target
    return Segment(codes, target, weights, task.n_classes, task.segments.tables[0])


def _in_memory(task: SearchTask, segment: Segment) -> _MemorySearch:
    engine = MemoryEngine([segment], task.method_options.model, task.criterion, 1)
    engine.score(task.space.moves("add", np.arange(2)))
    clock = _Clock()
    path = _run_search(engine, task, clock)
    return _MemorySearch(path, clock.times[-1] - clock.times[0])


def _run_search(engine: Any, task: SearchTask, clock: _Clock) -> Any:
    assert task.search is not None
    clock.times = [time.perf_counter()]
    state = SearchState(engine, task.space, SearchRun(observers=[clock]))
    return run_search(task.search, state, task.stopping, task.criterion).steps


def _only(segments: Any) -> Any:
    return segments[0]


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _all_written(client: Client) -> int:
    """Return the bytes that all processes have written to each other since the first call."""
    return _written() + sum(client.run(_written).values())


def _written() -> int:
    """Return the bytes that this process has written to others since the first call."""
    if not hasattr(TCP, "n_written"):
        write = TCP.write

        async def count(self: Any, *args: Any, **kwargs: Any) -> Any:
            n_bytes = await write(self, *args, **kwargs)
            TCP.n_written += n_bytes  # type: ignore[attr-defined]
            return n_bytes

        TCP.n_written, TCP.write = 0, count  # type: ignore[attr-defined, method-assign]
    return int(TCP.n_written)  # type: ignore[attr-defined]


def loopback() -> int:
    """Return the bytes that the loopback device has sent."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == "lo":
            return int(counts.split()[8])
    return 0
