"""Jobs share nothing: processes serve them better than threads, of which one at a time runs Python's part."""

import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from typing import Any, TypeVar

__all__ = ["run_jobs"]

Name = TypeVar("Name")
Record = TypeVar("Record")

_tasks: list[Callable[[Any], Any]] = []  # of this process: the one that all of its jobs have in common


def run_jobs(task: Callable[[Name], Record], jobs: Sequence[Name], n_processes: int) -> Iterator[Record]:
    """Yield the records of the jobs as they are done; whoever stops asking ends the processes.

    If there are several processes, ``task`` is sent to each of them once, with the data that it holds; each begins
    anew, since a fork of threads that work is not safe.
    """
    if n_processes <= 1:
        yield from map(task, jobs)
        return
    with get_context("spawn").Pool(n_processes, _begin, (task,)) as pool:
        yield from pool.imap_unordered(_do, jobs)


def _begin(task: Callable[[Any], Any]) -> None:
    """Ctrl-C reaches every process of a terminal; the first one ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _tasks[:] = [task]


def _do(job: Any) -> Any:
    return _tasks[0](job)
