# SPDX-License-Identifier: BSD-3-Clause
"""A step with one and two threads, and with one and two worker processes of Dask, on the same codes."""

import time
from collections.abc import Callable
from typing import Any

import dask

from bayesieve.data.blocks.dask_blocks import DaskBlocks
from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import BlockSegments, DistributedEngine, Moves, Segment, scatter
from benchmarks.problems import engine
from benchmarks.scale import SETTINGS, workers

__all__ = ["Clocks", "with_threads", "with_workers"]

Clocks = tuple[float, float]  # processor seconds of all processes, and seconds on the clock

_COUNTS = (1, 2)
_BLOCKS = 8
_REPEATS = 5


def with_threads(segment: Segment, criterion: str, moves: Moves, n_applied: int) -> dict[int, Clocks]:
    """Return the times of a step by number of threads."""
    times = {}
    for n_threads in _COUNTS:
        ours = engine(segment, criterion, n_applied, n_threads)
        times[n_threads] = _clocks(lambda ours=ours: ours.score(moves), time.process_time)
    return times


def with_workers(segment: Segment, criterion: str, moves: Moves, n_applied: int) -> dict[int, Clocks]:
    """Return the times of a step by number of workers, client and scheduler included."""
    times = {}
    for n_workers in _COUNTS:
        with dask.config.set(SETTINGS), workers(n_workers) as client:
            ours = DistributedEngine(_placed(segment, client), NaiveBayes(), CRITERIA[criterion])
            ours.reset(dict.fromkeys(range(n_applied), 1.0))
            ours.score(moves)  # lays out the rows on the workers

            def processor(client: Any = client) -> float:
                return time.process_time() + sum(client.run(time.process_time).values())

            times[n_workers] = _clocks(lambda ours=ours: ours.score(moves), processor)
    return times


def _placed(segment: Segment, client: Any) -> BlockSegments:
    """Return the rows in blocks on the workers, as many on each."""
    here = scatter([segment], _BLOCKS)
    blocks = client.scatter([here.blocks.ask(k, list) for k in range(_BLOCKS)], direct=True)
    return BlockSegments(DaskBlocks(blocks, client), here.masses, here.tables, here.n_classes)


def _clocks(step: Callable[[], Any], processor: Callable[[], float]) -> Clocks:
    """Return the processor seconds of a step on average, since clocks of other processes tick; the fastest by clock."""
    began, shortest = processor(), float("inf")
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        step()
        shortest = min(shortest, time.perf_counter() - begin)
    return (processor() - began) / _REPEATS, shortest
