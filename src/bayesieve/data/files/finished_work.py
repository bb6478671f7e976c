# SPDX-License-Identifier: BSD-3-Clause
"""Finished work on disk, so that a run that was interrupted goes on instead of starting again."""

import json
import os
from pathlib import Path
from typing import Any

from bayesieve.data.document import canonical, is_sealed, parse_strictly, seal
from bayesieve.data.files.output import replace_file
from bayesieve.exceptions import BayesieveError, DataError, OutputError

__all__ = ["FinishedWork"]

Document = dict[str, Any]


class FinishedWork:
    """A file of JSON documents with checksums, one per line.

    A document is added at the end, or takes the place of the one before. An interruption at any moment leaves what was
    stored; a last line that was cut off is dropped, and its work is done again.

    Parameters
    ----------
    path : Path
        The file, which need not exist.
    kind : str
        What it is, for messages.
    read_error, write_error : types of exceptions
        What is raised if the file cannot be read or written.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        read_error: type[BayesieveError] = DataError,
        write_error: type[BayesieveError] = OutputError,
    ) -> None:
        self.path, self._kind = path, kind
        self._read_error, self._write_error = read_error, write_error
        self._n_bytes = 0  # up to the end of the last complete document
        self._is_closed = True  # the last line ends in a line feed
        self._is_open = False

    def content(self) -> bytes:
        """Return the bytes of the file, none if it does not exist."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise self._error(self._read_error, "read", error) from None

    def documents(self) -> list[Document | None]:
        """Return the document of each line without its checksum, None for a line that is not as it was written."""
        content = self.content()
        *lines, rest = content.split(b"\n")
        documents = [_parse(line) for line in lines]
        self._n_bytes = len(content) - len(rest)
        if (last := _parse(rest)) is not None:  # only its line feed is missing
            documents.append(last)
            self._n_bytes, self._is_closed = len(content), False
        return documents

    def open(self) -> None:
        """Cut off what follows the last complete document, so that others can be added; raise if that is forbidden."""
        if self._is_open:
            return
        try:
            # No byte of finished work is written again: an interruption at this point loses nothing.
            with self.path.open("ab") as file:
                file.truncate(self._n_bytes)
                file.write(b"" if self._is_closed else b"\n")  # after the cut: "ab" writes at the end
        except OSError as error:
            raise self._error(self._write_error, "written", error) from None
        self._is_open = True

    def add(self, document: Document) -> None:
        """Write one more document, to the disk itself; `documents` was called before."""
        self.open()
        # The checksum is of what is read again: JSON has no tuples, and its keys are strings.
        sealed = seal(json.loads(json.dumps(document)), finite=False)
        try:
            with self.path.open("ab") as file:
                file.write(json.dumps(sealed).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._error(self._write_error, "written", error) from None

    def replace(self, document: Document, *, keep_previous: bool = False) -> None:
        """Write a document in the place of all others; the previous file is kept under the name ``PATH.previous``."""
        try:
            replace_file(
                self.path, [canonical(seal(document, finite=False), finite=False)], keep_previous=keep_previous
            )
        except OSError as error:
            raise self._error(self._write_error, "written", error) from None

    def _error(self, kind: type[BayesieveError], verb: str, error: OSError) -> BayesieveError:
        return kind(f"The {self._kind} {str(self.path)!r} cannot be {verb}: {error.strerror or error}.")


def _parse(line: bytes) -> Document | None:
    """Return the document of a line, None if it is not as it was written."""
    try:
        document = parse_strictly(line.decode(), finite=False)
    except (ValueError, RecursionError):
        return None
    if not is_sealed(document, finite=False):
        return None
    del document["checksum"]
    return dict(document)
