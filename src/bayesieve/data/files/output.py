# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written completely or not at all; tables as CSV, workbook or Parquet, or as HTML for notebooks."""

import contextlib
import glob
import io
import os
import platform
import re
import secrets
import shutil
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from math import floor, log10
from pathlib import Path
from typing import Any

from bayesieve.data.frames import import_polars
from bayesieve.exceptions import BayesieveError, MissingPackageError, OutputError

__all__ = [
    "CSV",
    "CsvStyle",
    "check_table_path",
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


_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_SIGNED_NUMBER = re.compile(r"[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SUFFIXES = (".csv", ".xlsx", ".parquet", ".pq")
_MOST_LINES = 1_048_576  # of a sheet
_CREATED = datetime(2000, 1, 1)  # of every workbook, so that a file does not depend on the day


@dataclass(frozen=True)
class CsvStyle:
    """The separator of values and the decimal mark of CSV that is written."""

    separator: str = ","
    decimal: str = "."


CSV = CsvStyle()
"""CSV as programs read it."""


def check_table_path(path: Path | None) -> None:
    """Refuse a file to which no table can be written, by its suffix, before any work is done for it."""
    if path is None:
        return
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise OutputError(
            f"A table is written to {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}, got {suffix or 'no suffix'!r}."
        )
    if suffix == ".xlsx":
        _import_xlsxwriter()


def write_table(columns: Mapping[str, Sequence[Any]], path: Path, style: CsvStyle = CSV) -> None:
    """Write columns to a file, completely or not at all."""
    write_atomically(path, table_bytes(columns, path.suffix.lower(), style=style))


def table_bytes(
    columns: Mapping[str, Sequence[Any]], suffix: str = ".csv", *, header: bool = True, style: CsvStyle = CSV
) -> bytes:
    """Return columns as the content of a file; CSV without a header continues earlier rows.

    In CSV, text that a spreadsheet would read as a formula starts with an apostrophe; a workbook has it as text.
    """
    check_table_path(Path(f"table{suffix}"))
    polars = import_polars("Writing tables")
    content = io.BytesIO()
    if suffix == ".csv":
        shown = {inert_text(name): _written(values, style) for name, values in columns.items()}
        polars.DataFrame(shown).write_csv(content, separator=style.separator, include_header=header)
    elif suffix == ".xlsx":
        _write_workbook(polars, columns, content)
    else:
        polars.DataFrame(dict(columns)).write_parquet(content)
    return content.getvalue()


def _written(values: Sequence[Any], style: CsvStyle) -> Sequence[Any]:
    """Return the values of a column of CSV."""
    if style.decimal != "." and any(isinstance(value, float) for value in values):
        return [repr(each).replace(".", style.decimal) if isinstance(each, float) else each for each in values]
    return _inert(values)


def _write_workbook(polars: Any, columns: Mapping[str, Sequence[Any]], content: io.BytesIO) -> None:
    """Write a workbook of one sheet; text is never a formula, and the same table gives the same bytes."""
    xlsxwriter = _import_xlsxwriter()
    frame = polars.DataFrame(dict(columns))
    if len(frame) >= _MOST_LINES:
        raise OutputError(
            f"A sheet has {_MOST_LINES:,} lines at most, and the table has {len(frame):,} rows; use .csv."
        )
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
    book = xlsxwriter.Workbook(content, options)
    book.set_properties({"created": _CREATED})
    formats = {polars.Int64: "0", polars.Float64: "General"}
    frame.write_excel(book, worksheet="table", dtype_formats=formats, autofit=True)
    book.close()


def _import_xlsxwriter() -> Any:
    try:
        import xlsxwriter
    except ModuleNotFoundError as error:
        if error.name != "xlsxwriter":
            raise
        raise MissingPackageError(
            "A workbook needs xlsxwriter, which is missing: pip install 'bayesieve[excel]'."
        ) from None
    return xlsxwriter


def inert_text(text: str) -> str:
    """Return text that a spreadsheet does not compute; a number is none. The report's page has the same rule."""
    return f"'{text}" if _FORMULA.match(text) and not _SIGNED_NUMBER.fullmatch(text) else text


def _inert(values: Sequence[Any]) -> Sequence[Any]:
    if not any(isinstance(value, str) for value in values):
        return values
    return [inert_text(value) if isinstance(value, str) else value for value in values]


_MOST_ROWS = 30
_SMALLEST = 1e-8  # number without an exponent


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
        return f'<td style="text-align: right">{_four_digits(value)}</td>'
    return f"<td>{escape(str(value))}</td>"


def _four_digits(value: float) -> str:
    """Return a number with four digits, without an exponent unless there would be many zeros."""
    text = f"{value:.4g}"
    small = "e-" in text and abs(value) >= _SMALLEST
    return f"{value:.{3 - floor(log10(abs(value)))}f}" if small else text
