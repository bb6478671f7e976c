# SPDX-License-Identifier: BSD-3-Clause
"""Records of finished jobs, by job, so that an interrupted run can be resumed."""

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any

from bayesieve.data import FinishedWork
from bayesieve.exceptions import DataError

__all__ = ["Journal"]

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
