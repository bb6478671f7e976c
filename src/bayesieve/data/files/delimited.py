# SPDX-License-Identifier: BSD-3-Clause
"""Delimited text (CSV): the separator is detected in the header, and lines are checked before polars reads them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bayesieve.data.files.missing_marks import blank_marked
from bayesieve.data.files.plain_text import decode
from bayesieve.data.files.text_columns import TextRules, type_columns
from bayesieve.data.frames import import_polars
from bayesieve.exceptions import DataError

__all__ = ["parse_delimited"]

_SEPARATORS = ",;\t|"


def parse_delimited(content: bytes, path: Path, rules: TextRules, separator: str | None = None) -> Any:
    """Return a polars frame of typed columns; without a separator, the header shows which it is."""
    polars = import_polars("Reading CSV")
    text = decode(content, path)
    if not text.strip():
        raise DataError(f"{path} is empty; a header line and at least one row were expected.")
    if separator is not None and separator not in text:
        raise DataError(
            f"{path} does not contain the separator {separator!r}; without it, the header shows which it is."
        )
    separator = separator or _find_separator(text)
    names = _header(text, separator, path)
    if not rules.decimal_is_given and separator == ";":  # as spreadsheets write where the comma is the decimal mark
        rules = replace(rules, decimal=",")
    rows, separator = _rows(text, separator, len(names), path)
    if not rows:
        raise DataError(f"{path} has a header of {len(names)} columns but no rows.")
    frame = polars.read_csv(
        io.BytesIO(rows.encode()), separator=separator, has_header=False, infer_schema_length=0, new_columns=names
    )
    return type_columns(blank_marked(frame, rules.missing_in), path, rules)


def _find_separator(text: str) -> str:
    """Return the separator that occurs most often in the header, outside quotes; the first listed on ties."""
    quoted, counts = False, dict.fromkeys(_SEPARATORS, 0)
    for mark in re.finditer(r'[",;\t|\n]', text.lstrip("\n")):
        if mark[0] == '"':
            quoted = not quoted
        elif not quoted and mark[0] == "\n":
            break
        elif not quoted:
            counts[mark[0]] += 1
    return max(_SEPARATORS, key=counts.__getitem__)


def _header(text: str, separator: str, path: Path) -> list[str]:
    _, record = next(_records(text, separator, path))
    names = [name.strip() for name in record]
    for position, name in enumerate(names, 1):
        if not name:
            raise DataError(
                f"{path}: column {position} of {len(names)} has no name in the header; name it or remove it "
                "(pandas writes its index without a name, unless index=False)."
            )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"{path}: the header names the column {repeated[0]!r} more than once; names must be unique "
            "(does the file begin with a header?)."
        )
    return names


def _rows(text: str, separator: str, n_columns: int, path: Path) -> tuple[str, str]:
    """Return lines that are unambiguous, and their separator.

    Most files are so already. The others, with quotes, blank lines or a fault, are read by the csv module, which counts
    lines, and written again with every value quoted.
    """
    if _is_plain(text, separator, n_columns):
        return text.partition("\n")[2], separator
    rows = io.StringIO(newline="")
    writer = csv.writer(rows, quoting=csv.QUOTE_ALL, lineterminator="\n")
    records = _records(text, separator, path)
    next(records)
    last_line = text.rstrip("\n").count("\n") + 1
    for line, record in records:
        if len(record) != n_columns:
            cut = "; the file seems truncated" if line == last_line and len(record) < n_columns else ""
            raise DataError(
                f"{path}: line {line} has {len(record)} values where the header names {n_columns} columns{cut}."
            )
        writer.writerow(record)
    return rows.getvalue(), ","


def _is_plain(text: str, separator: str, n_columns: int) -> bool:
    """Return whether every line is a record without quotes that has as many values as the header."""
    n_separators = n_columns - 1
    return '"' not in text and all(
        line.count(separator) == n_separators and line != "\n" for line in io.StringIO(text, newline="\n")
    )


def _records(text: str, separator: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line where each record begins, and its values; blank lines are skipped."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{path}: {_fault(str(error), line)}.") from None
        if len(record) > 1 or (record and record[0].strip()):
            yield line, record


def _fault(message: str, line: int) -> str:
    if "unexpected end" in message:
        return f"a quoted value that begins in line {line} does not end; the file is truncated or a quote is missing"
    if "field limit" in message:
        limit = csv.field_size_limit()
        return f"a value that begins in line {line} has more than {limit:,} characters; a closing quote seems missing"
    if "expected after" in message:
        return f"line {line} has text after a closing quote; a quote inside a quoted value is written twice"
    return f"line {line} cannot be read ({message})"
