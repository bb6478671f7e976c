# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, in this process or several, and the journal of finished ones, which a repeated run skips."""

import signal
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, TypeVar

from bayesieve.data import FinishedWork
from bayesieve.exceptions import DataError

__all__ = ["Journal", "run_jobs", "run_remaining"]


Record = dict[str, Any]


class Journal:
    """Records of jobs, in memory and in a file.

    A last line that was cut off by an interruption is dropped, and its job runs again; any other line that is not as it
    was written is refused.

    Parameters
    ----------
    path : Path or None
        The file, which need not exist; None keeps records in memory only.
    name : callable
        Returns the name of a record's job; raises KeyError, TypeError or ValueError for what is not a record.
    fits : callable
        Returns whether a record belongs to this setting.
    """

    def __init__(self, path: Path | None, name: Callable[[Record], Hashable], fits: Callable[[Record], bool]) -> None:
        self._name, self._fits = name, fits
        self._records: dict[Hashable, Record] = {}
        self._file = None if path is None else FinishedWork(path, "journal")
        if self._file is not None:
            self._load(self._file)

    def __contains__(self, job: Hashable) -> bool:
        return job in self._records

    def open(self) -> None:
        """Make the file ready for more records; raise if it cannot be written."""
        if self._file is not None:
            self._file.open()

    def add(self, record: Record) -> None:
        """Write one more record, to the disk itself."""
        if self._file is not None:
            self._file.add(record)
        self._records[self._name(record)] = record

    def records(self, jobs: Iterable[Hashable]) -> list[Record]:
        """Return the records of those jobs that are finished, in order."""
        return [self._records[job] for job in jobs if job in self._records]

    def _load(self, file: FinishedWork) -> None:
        for number, record in enumerate(file.documents(), 1):
            where = f"Line {number} of {file.path} is not a record of this evaluation"
            if record is None:
                raise DataError(f"{where}, or was edited; choose another folder or file, or delete that line.")
            try:
                job, is_ours = self._name(record), self._fits(record)
                self._records[job] = record
            except (ValueError, TypeError, KeyError, IndexError):
                raise DataError(f"{where}; choose another folder or file.") from None
            if not is_ours:
                raise DataError(f"{file.path} holds records of other settings; choose another folder or another file.")


Name = TypeVar("Name")
Result = TypeVar("Result")

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
