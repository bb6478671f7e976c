# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, in this process or several, and the journal of finished ones, which a repeated run skips."""

import json
import os
import signal
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, TypeVar

from bayesieve.data.document import is_sealed, parse_strictly, seal
from bayesieve.exceptions import DataError, OutputError

__all__ = ["Journal", "run_jobs", "run_remaining"]


Record = dict[str, Any]


class Journal:
    """A file of records, each with a checksum.

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
        self._path, self._name, self._fits = path, name, fits
        self._records: dict[Hashable, Record] = {}
        self._n_bytes = 0  # up to the end of the last complete record
        self._is_closed = True  # the last line ends in a line feed
        self._is_open = False
        if path is not None:
            self._load(_read(path))

    def __contains__(self, job: Hashable) -> bool:
        return job in self._records

    def open(self) -> None:
        """Cut off what follows the last complete record, so that others can be added; raise if the file forbids it."""
        if self._path is None or self._is_open:
            return
        try:
            # No byte of a finished job is written again: an interruption at this point loses nothing.
            with self._path.open("ab") as file:
                file.truncate(self._n_bytes)
                file.write(b"" if self._is_closed else b"\n")  # after the cut: "ab" writes at the end
        except OSError as error:
            raise self._not_written(error) from None
        self._is_open = True

    def add(self, record: Record) -> None:
        """Write one more record, to the disk itself."""
        self.open()
        if self._path is not None:
            # The checksum is of what is read again: JSON has no tuples, and its keys are strings.
            sealed = seal(json.loads(json.dumps(record)), finite=False)
            try:
                with self._path.open("ab") as file:
                    file.write(json.dumps(sealed).encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise self._not_written(error) from None
        self._records[self._name(record)] = record

    def records(self, jobs: Iterable[Hashable]) -> list[Record]:
        """Return the records of those jobs that are finished, in order."""
        return [self._records[job] for job in jobs if job in self._records]

    def _load(self, content: bytes) -> None:
        *lines, rest = content.split(b"\n")
        for number, line in enumerate(lines, 1):
            record = _parse(line)
            if record is None:
                raise DataError(
                    f"Line {number} of {self._path} is not a record of this evaluation, or was edited; choose another "
                    "folder or file, or delete that line."
                )
            self._accept(record, number)
        self._n_bytes = len(content) - len(rest)
        if (record := _parse(rest)) is not None:  # only its line feed is missing
            self._accept(record, len(lines) + 1)
            self._n_bytes, self._is_closed = len(content), False

    def _accept(self, record: Record, number: int) -> None:
        try:
            job, is_ours = self._name(record), self._fits(record)
            self._records[job] = record
        except (ValueError, TypeError, KeyError, IndexError):
            raise DataError(
                f"Line {number} of {self._path} is not a record of this evaluation; choose another folder or file."
            ) from None
        if not is_ours:
            raise DataError(f"{self._path} holds records of other settings; choose another folder or another file.")

    def _not_written(self, error: OSError) -> OutputError:
        return OutputError(f"The journal {str(self._path)!r} cannot be written: {error.strerror or error}.")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise DataError(f"The journal {str(path)!r} cannot be read: {error.strerror or error}.") from None


def _parse(line: bytes) -> Record | None:
    """Return the record of a line, None if it is not as it was written."""
    try:
        record = parse_strictly(line.decode(), finite=False)
    except (ValueError, RecursionError):
        return None
    if not is_sealed(record, finite=False):
        return None
    del record["checksum"]
    return dict(record)


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
