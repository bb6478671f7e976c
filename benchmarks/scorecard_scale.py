# SPDX-License-Identifier: BSD-3-Clause
"""A scorecard's final shapes on two local Dask workers: time and traffic of a pass over all rows.

The yardstick is one thread in this process: the same sums of as many rows, and the whole of the shapes in memory, per
row. Times are processor seconds, of this process and the workers together. Traffic is that of the loopback device, so
nothing else should use it meanwhile. The fit has all columns and no pairs. ``--full`` takes ten million rows, otherwise
there are a million.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask

from bayesieve import ScorecardClassifier
from bayesieve.additive.block_sums import block_sums
from bayesieve.additive.blocks import AllRows
from bayesieve.estimators.rows import read_training_rows
from bayesieve.fit.solve import prepare, solve
from benchmarks.report import Row, Section
from benchmarks.scale import SETTINGS, loopback, workers
from benchmarks.table_in_blocks import TableInBlocks

__all__ = ["run"]

_COLUMNS, _BLOCK, _IN_MEMORY = 100, 250_000, 60_000
_TABLE = TableInBlocks(_COLUMNS, 40, 1.0, _BLOCK)
_KIB = 2**10


def run(full: bool) -> Section:
    """Measure a fit on the workers, and its passes."""
    n_rows = 10_000_000 if full else 1_000_000
    with dask.config.set(SETTINGS), workers() as client:
        passes = _Passes(client)
        with passes.measured():
            learning, shapes = _fit(client, *_TABLE.lazy(n_rows))
        own, n_own = passes.one_block()
    memory = _fit(None, _TABLE.features(0, _IN_MEMORY), _TABLE.labels(0, _IN_MEMORY))[1]
    per_pass = sum(passes.seconds) / len(passes.seconds)
    rows = [
        Row("a pass per row, to one thread in this process", per_pass / n_rows * 1e9, own / n_own * 1e9, "ns", 1.5),
        Row("all shapes per row, to one thread in memory", shapes / n_rows * 1e6, memory / _IN_MEMORY * 1e6, "us", 1.5),
        Row("traffic per pass and worker, to 1 MiB", max(passes.traffic) / 2 / _KIB, 1024.0, "KiB", 1.0),
    ]
    notes = [
        f"bins and codes {learning:.1f} s; shapes {shapes:.1f} s, "
        f"of which {len(passes.seconds)} passes {sum(passes.seconds):.1f} s; {sum(passes.clock):.1f} s on the clock",
        f"{passes.n_columns} columns and {passes.n_pairs} pairs in the final fit, {passes.n_entries:,} scores",
    ]
    title = f"Scorecard: {n_rows:,} rows x {_COLUMNS} columns in blocks of {_BLOCK:,}, two workers of one thread"
    return Section(title, "yardstick", rows, notes)


def _processor_seconds(client: Any) -> float:
    """Return the processor seconds of this process and of the workers."""
    return time.process_time() + (0.0 if client is None else sum(client.run(time.process_time).values()))


class _Passes:
    """Seconds and bytes of each pass."""

    def __init__(self, client: Any) -> None:
        self.seconds: list[float] = []
        self.clock: list[float] = []
        self.traffic: list[int] = []
        self._client, self._last = client, None

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the passes of fits inside."""
        ask = AllRows.whole_sums

        def whole_sums(rows: AllRows, model: Any) -> Any:
            used, begin, before = _processor_seconds(self._client), time.perf_counter(), loopback()
            sums = ask(rows, model)
            self.traffic.append(loopback() - before)
            self.clock.append(time.perf_counter() - begin)
            self.seconds.append(_processor_seconds(self._client) - used)
            self._last = rows, model
            self.n_columns, self.n_pairs = len(rows.layout.columns), len(rows.layout.pairs)
            self.n_entries = rows.n_entries
            return sums

        AllRows.whole_sums = whole_sums  # type: ignore[method-assign]
        try:
            yield
        finally:
            AllRows.whole_sums = ask  # type: ignore[method-assign]

    def one_block(self) -> tuple[float, int]:
        """Return the seconds of the sums of some rows on one thread in this process, and their number."""
        rows, model = self._last
        block = rows.blocks.reduce(_first_block, _first)
        begin = time.process_time()
        block_sums(block, rows.layout, model, rows.backend)
        return time.process_time() - begin, len(block.target)


def _fit(client: Any, X: Any, y: Any) -> tuple[float, float]:
    """Return the processor seconds of bins and codes, and of everything after."""
    begin, model = _processor_seconds(client), ScorecardClassifier("best", n_pairs=0, n_jobs=1)
    rows = read_training_rows(model, X, y, None)
    task = prepare(rows, model._options(rows))
    learned = _processor_seconds(client)
    solve(task, [])
    return learned - begin, _processor_seconds(client) - learned


def _first_block(block: Any) -> Any:
    return block


def _first(a: Any, b: Any) -> Any:
    return a
