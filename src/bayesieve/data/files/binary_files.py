# SPDX-License-Identifier: BSD-3-Clause
"""Tables that polars reads: Parquet, Feather (Arrow IPC), JSON lines and spreadsheets."""

import io
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from bayesieve.data.files.text_columns import TextRules, blank_marked, check_types, override, read_times, type_columns
from bayesieve.data.frames import import_polars, without_panic_traces
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["BINARY", "parse_binary"]

_PARQUET_MARK = b"PAR1"
_DAYS_ZERO = (date(1899, 12, 30), date(1899, 12, 31), date(1904, 1, 1))
"""Of files by LibreOffice, by Excel, and by Excel with the years of the Macintosh."""


@dataclass(frozen=True)
class _Format:
    """A file format: its name, the bytes with which a file begins, and what reads it."""

    name: str
    mark: bytes
    read: Callable[[Any, bytes, str | int | None], Any]  # polars, the content, a sheet
    types_text: bool = False  # whether the types of text columns are inferred from their values
    has_times: bool = True  # whether dates and times have types of their own, so that text is text


def _read_excel(polars: Any, content: bytes, sheet: str | int | None) -> Any:
    try:
        from fastexcel import read_excel
    except ModuleNotFoundError:
        raise DataError("A spreadsheet needs fastexcel, which is missing: pip install 'bayesieve[excel]'.") from None
    logging.getLogger("fastexcel").addHandler(logging.NullHandler())  # it warns of empty columns
    name = _sheet_name(read_excel(content).sheet_names, sheet)
    frame = polars.read_excel(io.BytesIO(content), sheet_name=name, engine="calamine", infer_schema_length=None)
    return frame.with_columns(series.dt.time() for series in frame.iter_columns() if _are_times_of_day(polars, series))


def _are_times_of_day(polars: Any, series: Any) -> bool:
    """Return whether all values of a column are on the day zero of spreadsheets: such cells have a time and no day."""
    return series.dtype == polars.Datetime and bool(series.dt.date().is_in(list(_DAYS_ZERO)).all())


def _sheet_name(names: list[str], sheet: str | int | None) -> str:
    """Return the name of a sheet that is given by its name or number; the first by default."""
    if sheet is None or sheet in names:
        return names[0] if sheet is None else str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    shown = ", ".join(f"{name!r} ({number})" for number, name in enumerate(names[:8], 1))
    raise ParameterError(f"There is no sheet {sheet!r}; the sheets are {shown}{' and more' if len(names) > 8 else ''}.")


_PARQUET = _Format("Parquet", _PARQUET_MARK, lambda polars, content, _: polars.read_parquet(content))
_FEATHER = _Format("Feather", b"ARROW1", lambda polars, content, _: polars.read_ipc(io.BytesIO(content)))
_LINES = _Format(
    "JSON lines",
    b"{",
    lambda polars, content, _: polars.read_ndjson(content, infer_schema_length=None),
    has_times=False,
)
_EXCEL = _Format("a spreadsheet", b"", _read_excel, types_text=True)
_ZIPPED = _Format("a spreadsheet", b"PK\x03\x04", _read_excel, types_text=True)

BINARY = {
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
    ".feather": _FEATHER,
    ".arrow": _FEATHER,
    ".ipc": _FEATHER,
    ".jsonl": _LINES,
    ".ndjson": _LINES,
    ".xlsx": _ZIPPED,
    ".ods": _ZIPPED,
    ".xls": _EXCEL,
    ".xlsb": _EXCEL,
}
"""The formats by the suffix of their files."""


def parse_binary(content: bytes, path: Path, suffix: str, rules: TextRules, sheet: str | int | None = None) -> Any:
    """Return a polars frame of typed columns; of a spreadsheet, those of one sheet."""
    format_ = BINARY[suffix]
    polars = import_polars(f"Reading {format_.name}")
    _check_marks(content, path, format_)
    try:
        with without_panic_traces():
            frame = format_.read(polars, content, sheet)
    except (DataError, ParameterError):
        raise
    except (Exception, polars.exceptions.PanicException) as error:  # damaged files cause errors of many types
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be read as {format_.name} ({reason}); the file seems damaged.") from None
    if not len(frame):
        raise DataError(f"{path} has {len(frame.columns)} columns but no rows.")
    for name, dtype in frame.schema.items():
        if dtype.is_nested():
            raise DataError(f"{path}: each value of the column {name!r} is a list or a record; plain values expected.")
    frame = blank_marked(frame, rules.missing_in)
    if format_.types_text:
        return type_columns(frame, path, rules)
    return _with_types(frame, path, rules, format_)


def _with_types(frame: Any, path: Path, rules: TextRules, format_: _Format) -> Any:
    """Return a frame whose text stays text, but for columns of given types, times without a type, and coercion."""
    check_types(rules.types, frame.columns)
    frame = frame.with_columns(override(frame[name], kind, path, rules) for name, kind in rules.types.items())
    polars = import_polars(f"Reading {format_.name}")
    texts = [name for name in frame.columns if name not in rules.types and frame[name].dtype == polars.String]
    if not format_.has_times:
        frame = frame.with_columns(read_times(frame[name]) for name in texts)
    if not rules.coerce:
        return frame
    own_marks = replace(rules, missing=(), types={})
    return frame.with_columns(type_columns(frame.select(texts), path, own_marks))


def _check_marks(content: bytes, path: Path, format_: _Format) -> None:
    if format_ is _PARQUET:
        if not content.startswith(_PARQUET_MARK):
            raise DataError(f"{path} is not a Parquet file: it does not begin with PAR1.")
        if not content.endswith(_PARQUET_MARK):
            raise DataError(f"{path} does not end with Parquet's mark PAR1; the file seems truncated.")
    elif not content.lstrip().startswith(format_.mark):
        raise DataError(f"{path} does not begin as {format_.name} does; is its suffix right?")
    elif format_ is _LINES and not content.rstrip().endswith(b"}"):
        raise DataError(f"{path} does not end with a closing brace; the file seems truncated.")
