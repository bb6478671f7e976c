# SPDX-License-Identifier: BSD-3-Clause
"""Atomic writes: at any moment a file is either the old one or the complete new one."""

import contextlib
import glob
import os
import platform
import secrets
import shutil
import zlib
from collections.abc import Iterable
from pathlib import Path

from bayesieve.exceptions import BayesieveError, OutputError

__all__ = ["check_writable", "replace_file", "temporary_path", "write_atomically", "write_pieces_atomically"]


def temporary_path(place: Path) -> Path:
    """Return a name beside a file that no one else uses, and remove those that killed processes left."""
    host = f"{zlib.crc32(platform.node().encode()):08x}"
    if os.name == "posix":  # elsewhere signal 0 ends a process
        with contextlib.suppress(OSError):
            _remove_left_over(place, host)
    return place.with_name(f"{place.name}.{host}-{os.getpid()}-{secrets.token_hex(4)}.new")


def _remove_left_over(place: Path, host: str) -> None:
    for path in place.parent.glob(f"{glob.escape(place.name)}.{host}-*-*.new"):
        process = path.name.removesuffix(".new").split("-")[-2]
        if process.isdecimal() and not _is_running(int(process)):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


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
    try:
        _check_place(place)
        replace_file(place, pieces)
    except OSError as failure:
        reason = failure.strerror or failure
        raise error(f"{what} {str(path)!r} cannot be written: {reason}.") from None


def replace_file(place: Path, pieces: Iterable[bytes], *, keep_previous: bool = False) -> None:
    """Write a temporary file that then takes the place of another, which may be kept as ``PLACE.previous``."""
    fresh = temporary_path(place)
    try:
        with fresh.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if keep_previous and place.exists():
            _keep(place)
        os.replace(fresh, place)
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def _keep(place: Path) -> None:
    """Make the file also the previous one; it keeps its own name meanwhile, so that there is a file at any moment."""
    link = temporary_path(place)
    try:
        try:
            os.link(place, link)
        except OSError:  # a file system without links
            shutil.copyfile(place, link)
        os.replace(link, f"{place}.previous")
    finally:
        # Where both names are links to one file already, replace leaves the link.
        link.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise if no file can be written at a path, before any work is done for it."""
    place = Path(path).expanduser().resolve()
    probe = temporary_path(place)
    try:
        _check_place(place)
        probe.touch()
    except OSError as failure:
        raise OutputError(f"The file {str(path)!r} cannot be written: {failure.strerror or failure}.") from None
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)


def _check_place(place: Path) -> None:
    if place.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    if not place.parent.is_dir():
        raise FileNotFoundError(2, f"the folder {str(place.parent)!r} does not exist")
