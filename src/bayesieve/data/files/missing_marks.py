# SPDX-License-Identifier: BSD-3-Clause
"""Texts that mark a missing value in one column, such as a blood pressure of 0."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals as nw

from bayesieve.data.table import resolve_columns

__all__ = ["blank_marked", "split_marks"]

_NUMBER = re.compile(r"([+-]?\d+)(?:[.,](\d*))?")


def split_marks(texts: Iterable[str]) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the marks of all columns, and those that are written as COLUMN=TEXT, by column."""
    everywhere: list[str] = []
    by_column: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, _, mark = text.rpartition("=")
        if name:
            by_column[name] = (*by_column.get(name, ()), mark)
        else:
            everywhere.append(text)
    return tuple(everywhere), by_column


def blank_marked(frame: Any, marks: Mapping[str, Sequence[str]]) -> Any:
    """Return a frame in which the marked values of some columns are missing; 0 marks 0.0, too."""
    if not marks:
        return frame
    table = nw.from_native(frame)
    resolve_columns(list(marks), table.columns, "missing_in (--na)")
    columns = [
        nw.when(~_matches(name, texts, table.schema[name])).then(nw.col(name)).alias(name)
        for name, texts in marks.items()
    ]
    return table.with_columns(*columns).to_native()


def _matches(name: str, texts: Sequence[str], dtype: Any) -> nw.Expr:
    parts = [_NUMBER.fullmatch(text) for text in texts]
    if dtype.is_numeric():
        return nw.col(name).is_in([float(part[0].replace(",", ".")) for part in parts if part]).fill_null(False)
    values = nw.col(name).cast(nw.String).str.strip_chars()
    numbers = [f"{re.escape(part[1])}([.,]{(part[2] or '').rstrip('0')}0*)" for part in parts if part]
    whole = [f"{number}?" if not (part[2] or "").rstrip("0") else number
             for number, part in zip(numbers, filter(None, parts), strict=True)]  # fmt: skip
    found = values.is_in(list(texts))
    return (found | values.str.contains(f"^({'|'.join(whole)})$") if whole else found).fill_null(False)
