# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, in this process or several; those that a journal has already are skipped."""

import signal
from collections.abc import Callable, Hashable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from bayesieve.evaluation.journal import Journal

__all__ = ["run_jobs", "run_remaining"]

Name = TypeVar("Name")
Result = TypeVar("Result")
Record = dict[str, Any]

_tasks: list[Callable[[Any], Any]] = []  # one per process: the task of all its jobs


def run_remaining(
    task: Callable[[Any], Record],
    jobs: Sequence[Hashable],
    journal: Journal,
    n_processes: int,
    on_record: Callable[[Record], None] = lambda record: None,
) -> bool:
    """Run the jobs that are not in the journal, and return whether all were finished; Ctrl-C keeps finished ones."""
    remaining = [job for job in jobs if job not in journal]
    if remaining:
        journal.open()  # now: a file that cannot be written must not end a long job
    try:
        for record in run_jobs(task, remaining, min(n_processes, len(remaining))):
            journal.add(record)
            on_record(record)
    except KeyboardInterrupt:
        return False
    return True


def run_jobs(task: Callable[[Name], Result], jobs: Sequence[Name], n_processes: int) -> Iterator[Result]:
    """Yield the results of the jobs as they finish; the processes end with the iteration.

    If there are several processes, ``task`` is sent to each of them once, with the data that it holds. They are
    spawned, since a fork of running threads is not safe. Threads would not help: most of a job holds Python's lock.
    """
    if n_processes <= 1:
        yield from map(task, jobs)
        return
    context = get_context("spawn")
    failed = context.Event()
    with context.Pool(n_processes, _initialize, (task, failed)) as pool:
        try:
            yield from pool.imap_unordered(_run, jobs)
        except Exception:
            # A process that is ended while it sends a result holds the lock of all results for ever: running jobs
            # are finished, the others are not begun.
            failed.set()
            pool.close()
            pool.join()
            raise


def _initialize(task: Callable[[Any], Any], failed: Event) -> None:
    """Ignore Ctrl-C, which reaches every process of a terminal: the first one ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def run(job: Any) -> Any:
        return None if failed.is_set() else task(job)

    _tasks[:] = [run]


def _run(job: Any) -> Any:
    return _tasks[0](job)
