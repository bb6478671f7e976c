"""Atomic writes: at any moment a file is either the old one or the complete new one."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from bayesieve.exceptions import BayesieveError, OutputError

__all__ = ["check_writable", "write_atomically", "write_pieces_atomically"]


def write_atomically(
    path: str | os.PathLike[str], content: bytes, what: str = "The file", error: type[BayesieveError] = OutputError
) -> None:
    """Write a temporary file and rename it; on failure the old file stays, and the error is one sentence."""
    write_pieces_atomically(path, [content], what, error)


def write_pieces_atomically(
    path: str | os.PathLike[str],
    pieces: Iterable[bytes],
    what: str = "The file",
    error: type[BayesieveError] = OutputError,
) -> None:
    """Write a file, whose content is given in pieces, completely or not at all."""
    place = Path(path).expanduser().resolve()
    fresh = place.with_name(f"{place.name}.{os.getpid()}.new")
    try:
        if place.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if not place.parent.is_dir():
            raise FileNotFoundError(2, f"the folder {str(place.parent)!r} does not exist")
        with fresh.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, place)
    except OSError as failure:
        reason = failure.strerror or failure
        raise error(f"{what} {str(path)!r} cannot be written: {reason}.") from None
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise if no file can be written at a path, before any work is done for it."""
    place = Path(path).expanduser().resolve()
    if place.is_dir():
        raise OutputError(f"The file {str(path)!r} cannot be written: it is a folder.")
    write_atomically(place.with_name(f"{place.name}.{os.getpid()}.try"), b"")
    place.with_name(f"{place.name}.{os.getpid()}.try").unlink(missing_ok=True)
