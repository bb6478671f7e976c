# SPDX-License-Identifier: BSD-3-Clause
"""Time of a step per row and candidate as the problem grows, and of whole jobs, compared with other libraries.

Constant time per row and candidate means proportional growth. ``benchmarks.growth_page`` draws the figures of
``--json`` and writes the page's tables. Above a million rows, blocks are simulated: the same million rows are asked
again and again, as if they were others. ``--full`` lets the runs of other libraries take longer, and so reach larger
sizes.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from bayesieve.data import MemoryBlocks
from bayesieve.data.blocks.row_blocks import merge_pairs
from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import BlockSegments, DistributedEngine, Segment, scatter
from benchmarks.growth_peers import lines, missing_peers
from benchmarks.growth_workers import with_threads, with_workers
from benchmarks.problems import Shape, additions, engine, make_segment
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

_APPLIED = 5
_CRITERION = "brier"
_SERIES = {
    "rows": {n: Shape(2, 8, n, 100) for n in (1_000, 10_000, 100_000, 1_000_000)},
    "columns": {n: Shape(2, 8, 5_000, n) for n in (100, 1_000, 10_000)},
    "classes": {n: Shape(n, 8, 20_000, 200) for n in (2, 3, 4, 6, 8)},
    "codes": {n: Shape(2, n, 20_000, 200) for n in (2, 8, 16, 17, 64, 255, 300)},
}
_BLOCKS = (1, 10, 100, 1_000)
_SIMULATED = (10_000_000, 100_000_000)
_BLOCK = Shape(2, 8, 1_000_000, 100)
_LIMIT, _LONG_LIMIT = 6.0, 30.0  # processor seconds of one run of a library, without and with --full


def run(full: bool) -> Section:
    """Measure steps, exact confirmation included; each to the first of its series."""
    rows = []
    for varied, shapes in _SERIES.items():
        tasks = {str(n): _step(shape) for n, shape in shapes.items()}
        best = minima(tasks, repeats=5 if full else 2)
        ns = {n: nanoseconds(best[str(n)], shape.n_rows, shape.n_columns - _APPLIED) for n, shape in shapes.items()}
        rows += _rows(varied, ns)
    segment = make_segment(_BLOCK)
    rows += _rows("blocks", {n: _in_blocks(scatter([segment], n), _BLOCK.n_rows) for n in _BLOCKS})
    rows += _rows("simulated rows", {n: _in_blocks(_repeated(segment, n), n) for n in _SIMULATED})
    rows += [*_workers(segment), Row("read 1", _reading(segment), _reading(segment), "ns")]
    limit = _LONG_LIMIT if full else _LIMIT
    notes = [f"a library's line ends before the size at which a run is expected to take more than {limit:g} s"]
    for line in lines(full, limit):
        rows += _rows(f"{line.job}: {line.library}, {line.axis}", line.seconds, "s")
        print(*(row.cells()[:2] for row in rows[-len(line.seconds) :]), file=sys.stderr, flush=True)
    notes += sorted(set(missing_peers().values()))
    title = f"Growth: ns per (row, candidate) of a {_CRITERION} step, one thread; processor seconds of jobs"
    return Section(title, "first", rows, notes)


def _rows(varied: str, times: dict[int, float], unit: str = "ns") -> list[Row]:
    first = next(iter(times.values()))
    return [Row(f"{varied} {n}", each, first, unit) for n, each in times.items()]


def _workers(segment: Segment) -> list[Row]:
    """Return the times of a step by threads of this process and by workers, each by processor and by clock."""
    rows, moves = [], additions(_APPLIED, _BLOCK.n_columns)
    for varied, measure in (("threads", with_threads), ("workers", with_workers)):
        times = measure(segment, _CRITERION, moves, _APPLIED)
        for k, clock in enumerate(("", " by the clock")):
            size = _BLOCK.n_rows, _BLOCK.n_columns - _APPLIED
            rows += _rows(varied + clock, {n: nanoseconds(each[k], *size) for n, each in times.items()})
    return rows


def _reading(segment: Segment) -> float:
    """Return the time per code of reading all codes from memory: below it, no step can get with one thread."""
    words = segment.codes.narrow.view(np.uint64)
    return nanoseconds(minima({"read": seconds(lambda: words.max())}, repeats=5)["read"], segment.codes.narrow.size)


def _step(shape: Shape) -> Callable[[], float]:
    ours, batch = engine(make_segment(shape), _CRITERION, _APPLIED), additions(_APPLIED, shape.n_columns)
    return seconds(lambda: ours.score(batch))


def _in_blocks(segments: BlockSegments, n_rows: int) -> float:
    ours = DistributedEngine(segments, NaiveBayes(), CRITERIA[_CRITERION])
    ours.reset(dict.fromkeys(range(_APPLIED), 1.0))
    taken = seconds(partial(ours.score, additions(_APPLIED, _BLOCK.n_columns)))
    return nanoseconds(min(taken() for _ in range(2)), n_rows, _BLOCK.n_columns - _APPLIED)


class _Repeated(MemoryBlocks[Any]):
    """One block that is asked as if it were many."""

    def __init__(self, blocks: Sequence[Any], n_times: int) -> None:
        super().__init__(blocks)
        self._n_times = n_times

    def map(self, task: Callable[..., Any], *args: Any) -> "_Repeated":
        """Return the result of a task for the block."""
        return _Repeated([super().ask(0, task, *args)], self._n_times)

    def reduce(self, task: Callable[..., Any], merge: Callable[[Any, Any], Any], *args: Any) -> Any:
        """Return the merged results of asking many times."""
        return merge_pairs([self.ask(0, task, *args) for _ in range(self._n_times)], merge)


def _repeated(segment: Segment, n_rows: int) -> BlockSegments:
    n_times = n_rows // _BLOCK.n_rows
    mass = tuple(n_times * each for each in segment.mass)
    return BlockSegments(_Repeated([[segment]], n_times), [mass], [segment.tables], segment.n_classes)
