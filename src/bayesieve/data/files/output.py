# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written completely or not at all; tables as CSV or Parquet, or as HTML for notebooks."""

import contextlib
import glob
import io
import os
import platform
import secrets
import shutil
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bayesieve.data.frames import import_polars
from bayesieve.exceptions import BayesieveError, OutputError

__all__ = [
    "check_writable",
    "html_table",
    "inert_text",
    "replace_file",
    "table_bytes",
    "temporary_path",
    "write_atomically",
    "write_pieces_atomically",
    "write_table",
]


def temporary_path(place: Path) -> Path:
    """Return a name in the folder of a file that no one else uses, and remove those that killed processes left."""
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


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WRITERS = {".csv": "write_csv", ".parquet": "write_parquet", ".pq": "write_parquet"}


def write_table(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns to a file, completely or not at all."""
    write_atomically(path, table_bytes(columns, path.suffix.lower()))


def table_bytes(columns: Mapping[str, Sequence[Any]], suffix: str = ".csv", *, header: bool = True) -> bytes:
    """Return columns as the content of a file; CSV without a header continues earlier rows.

    In CSV, text that a spreadsheet would read as a formula starts with an apostrophe.
    """
    if suffix not in _WRITERS:
        raise OutputError(f"A table is written to .csv, .parquet or .pq, got {suffix or 'no suffix'!r}.")
    polars = import_polars("Writing tables")
    content = io.BytesIO()
    options = {} if header else {"include_header": False}
    shown = {inert_text(name): _inert(values) for name, values in columns.items()} if suffix == ".csv" else columns
    getattr(polars.DataFrame(dict(shown)), _WRITERS[suffix])(content, **options)
    return content.getvalue()


def inert_text(text: str) -> str:
    """Return text that a spreadsheet does not compute; a number is none."""
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def _inert(values: Sequence[Any]) -> Sequence[Any]:
    if not any(isinstance(value, str) for value in values):
        return values
    return [inert_text(value) if isinstance(value, str) else value for value in values]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text[0] in "+-"


_MOST_ROWS = 30


def html_table(caption: str, columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as a table with a caption; of more than 30 rows, the first ones and how many are left."""
    rows = list(zip(*columns.values(), strict=True))
    head = "".join(f"<th>{escape(str(name))}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_MOST_ROWS])
    left = len(rows) - _MOST_ROWS
    more = f'<tr><td colspan="{len(columns)}">… and {left} more</td></tr>' if left > 0 else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"
    )


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4g}</td>'
    return f"<td>{escape(str(value))}</td>"
