"""Finished jobs in a file, one line of JSON per job, so that an interrupted run can be resumed."""

import json
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any

from bayesieve.exceptions import DataError

__all__ = ["Journal"]

Record = dict[str, Any]


class Journal:
    """A file of records; a last line that was cut off by an interruption is dropped, and its job runs again.

    Parameters
    ----------
    path : Path or None
        The file, which need not exist; None keeps records in memory only.
    name : callable
        Returns the name of a record's job; raises KeyError or TypeError for what is not a record.
    fits : callable
        Returns whether a record belongs to this setting.
    """

    def __init__(self, path: Path | None, name: Callable[[Record], Hashable], fits: Callable[[Record], bool]) -> None:
        self._path, self._name = path, name
        self._records: dict[Hashable, Record] = {}
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path and path.exists() else []
        if path and lines and not lines[-1].endswith("\n"):
            lines.pop()
            path.write_text("".join(lines), encoding="utf-8")
        for number, line in enumerate(lines, 1):
            try:
                record: Record = json.loads(line)
                job, is_ours = name(record), fits(record)
            except (ValueError, TypeError, KeyError):
                raise DataError(
                    f"Line {number} of {path} is not a record of this evaluation; choose another folder or file."
                ) from None
            if not is_ours:
                raise DataError(f"{path} holds records of other settings; choose another folder or another file.")
            self._records[job] = record

    def __contains__(self, job: Hashable) -> bool:
        return job in self._records

    def add(self, record: Record) -> None:
        """Write one more record."""
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        self._records[self._name(record)] = record

    def records(self, jobs: Iterable[Hashable]) -> list[Record]:
        """Return the records of those jobs that are finished, in order."""
        return [self._records[job] for job in jobs if job in self._records]
