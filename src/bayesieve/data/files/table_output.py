# SPDX-License-Identifier: BSD-3-Clause
"""Write a table as CSV or Parquet, by the suffix of the file, or as HTML for notebooks."""

import io
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bayesieve.data.files.atomic_file import write_atomically
from bayesieve.data.frames import import_polars
from bayesieve.exceptions import OutputError

__all__ = ["html_table", "inert_text", "table_bytes", "write_table"]

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
