"""Finished seeds in a file, one line of JSON each, so that an interrupted table goes on where it was."""

import json
from pathlib import Path
from typing import Any

from bayesieve.exceptions import DataError
from bayesieve.experiments.paper_004.methods import METHODS

__all__ = ["Journal"]


class Journal:
    """A file of records; a last line that was cut off by an interruption is written again."""

    def __init__(self, path: Path, n_series: int) -> None:
        self._path = path
        self._records: dict[int, dict[str, Any]] = {}
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith("\n"):
            lines.pop()
            path.write_text("".join(lines), encoding="utf-8")
        for number, line in enumerate(lines, 1):
            record = _read(line, path, number)
            if record["n_series"] != n_series or list(record["rows"]) != [method.key for method in METHODS]:
                raise DataError(f"{path} holds seeds of another setting; give another folder.")
            self._records[record["seed"]] = record

    def __contains__(self, seed: int) -> bool:
        return seed in self._records

    def add(self, record: dict[str, Any]) -> None:
        """Write one more seed."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        self._records[record["seed"]] = record

    def records(self, seeds: range) -> list[dict[str, Any]]:
        """Return the finished ones of some seeds, in order."""
        return [self._records[seed] for seed in seeds if seed in self._records]


def _read(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(line)
        record["seed"], record["n_series"], record["rows"]
    except (ValueError, TypeError, KeyError):
        raise DataError(f"Line {number} of {path} is no record of a seed; give another folder.") from None
    return record
