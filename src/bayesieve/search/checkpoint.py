# SPDX-License-Identifier: BSD-3-Clause
"""The journal of a search, on disk.

A checkpoint holds every answer given so far. A crash leaves the old one or the new one. The one before is kept, too,
with ``.previous`` added to its name.
"""

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import FinishedWork
from bayesieve.data.document import Entry, is_sealed, parse_strictly
from bayesieve.exceptions import CheckpointError, ModelFileError
from bayesieve.search.answers import Answer, read_answer

__all__ = ["Checkpoint", "fingerprint"]

_FORMAT = "bayesieve checkpoint"
_VERSION = 2
_SECONDS_BETWEEN_WRITES = 1.0


def fingerprint(parts: Iterable[str | NDArray[Any]]) -> str:
    """Return a digest of texts and arrays."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            digest.update(part.encode())
        else:
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


class Checkpoint:
    """Answers in order; those read from a file are replayed before new ones are recorded.

    Parameters
    ----------
    place : path
        A file, or a folder (an existing one, or a name that ends in a separator).
    mark : str
        Fingerprint of data and parameters.
    """

    def __init__(self, place: str | os.PathLike[str], mark: str = "") -> None:
        path = _file(place, mark)
        self._file = FinishedWork(path, "checkpoint", CheckpointError, CheckpointError)
        self._mark = mark
        self._answers: list[Answer] = []
        self._cursor = 0
        self._written = time.monotonic()
        _make_folder(path.parent)  # now: a name that cannot be written must not end a long search
        if path.exists():
            self._load(path)

    @property
    def exhausted(self) -> bool:
        """Whether every stored answer has been replayed."""
        return self._cursor == len(self._answers)

    def replay(self) -> Answer | None:
        """Return the next stored answer, None when there are no more."""
        if self.exhausted:
            return None
        self._cursor += 1
        return self._answers[self._cursor - 1]

    def record(self, answer: Answer) -> None:
        """Store a new answer; write them all if the last time was a second ago."""
        self._answers.append(answer)
        self._cursor += 1
        if time.monotonic() - self._written >= _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Write everything; the file is the old one or the new one at any moment."""
        if not self.exhausted:
            return
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "fingerprint": self._mark,
            "answers": [answer.plain for answer in self._answers],
        }
        self._file.replace(content, keep_previous=True)
        self._written = time.monotonic()

    def _load(self, path: Path) -> None:
        spare = Path(f"{path}.previous")
        hint = f"the previous one is {str(spare)!r}" if spare.exists() else "delete it to start again"
        try:
            content = parse_strictly(self._file.content().decode(), finite=False)
        except (ValueError, RecursionError):
            raise CheckpointError(f"The checkpoint {str(path)!r} is truncated or damaged; {hint}.") from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise CheckpointError(f"The file {str(path)!r} is not a checkpoint; give another name.")
        if content.get("version") != _VERSION:
            version = f"{content.get('version')!r:.60}"
            raise CheckpointError(f"The checkpoint {str(path)!r} has version {version}; this release reads {_VERSION}.")
        if not is_sealed(content, finite=False):
            raise CheckpointError(f"The checkpoint {str(path)!r} was edited: its checksum does not match; {hint}.")
        if content.get("fingerprint") != self._mark:
            raise CheckpointError(
                f"The checkpoint {str(path)!r} belongs to other data or parameters; give another file, or a folder."
            )
        try:
            fields = Entry(content, "the document").fields("checksum", "format", "version", "fingerprint", "answers")
            self._answers = [read_answer(entry) for entry in fields["answers"].items()]
        except ModelFileError as error:
            raise CheckpointError(f"The checkpoint {str(path)!r} is damaged: {str(error)[:-1]}; {hint}.") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CheckpointError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None


def _file(place: str | os.PathLike[str], mark: str) -> Path:
    path = Path(place)
    if path.is_dir() or str(place).endswith(("/", os.sep)):
        return path / f"{mark[:16]}.json"
    return path
