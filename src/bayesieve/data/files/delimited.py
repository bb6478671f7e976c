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

from bayesieve.data.files.plain_text import decode
from bayesieve.data.files.text_columns import TextRules, blank_marked, check_types, type_columns
from bayesieve.data.frames import import_polars
from bayesieve.data.table import resolve_columns
from bayesieve.exceptions import DataError

__all__ = ["parse_delimited"]

_SEPARATORS = ",;\t|"


def parse_delimited(content: bytes, path: Path, rules: TextRules, separator: str | None = None) -> Any:
    """Return a polars frame of typed columns; without a separator, the header shows which it is."""
    first = _first_line(content)
    text = first or decode(content, path)
    if not text or text.isspace():
        raise DataError(f"{path} is empty; a header line and at least one row were expected.")
    if separator is not None and separator not in text and not (first and separator.encode() in content):
        raise DataError(
            f"{path} does not contain the separator {separator!r}; without it, the header shows which it is."
        )
    separator = separator or _find_separator(text)
    names = _header(text, separator, path)
    if not rules.decimal_is_given and separator == ";":  # as spreadsheets write where the comma is the decimal mark
        rules = replace(rules, decimal=",")
    check_types(rules.types, names)
    resolve_columns(list(rules.missing_in), names, "missing_in (--na)")
    rows = None if '"' in text else _plain_rows(content if first else text.encode(), len(names), separator)
    if rows is None:
        rows, separator = _quoted(decode(content, path) if first else text, separator, len(names), path).encode(), ","
    if not rows:
        raise DataError(f"{path} has a header of {len(names)} columns but no rows.")
    frame = import_polars("Reading CSV").read_csv(
        rows, separator=separator, has_header=False, new_columns=names, infer_schema_length=0
    )
    return type_columns(blank_marked(frame, rules.missing_in), path, rules)


def _first_line(content: bytes) -> str:
    """Return the first line of a file that needs no decoding and has no quotes; otherwise nothing.

    The text of a large file is a second copy of it, which takes longer to make than to read.
    """
    if not content.isascii() or any(mark in content for mark in (b'"', b"\r", b"\0")):
        return ""
    line = content[: content.find(b"\n") + 1 or len(content)].decode()
    return "" if line.isspace() else line


def _plain_rows(content: bytes, n_columns: int, separator: str) -> bytes | None:
    """Return the lines after the header; None if some line is blank or has another number of values.

    polars would fill such lines without a word. The content has no quotes.
    """
    begin = content.find(b"\n") + 1 or len(content)
    mark, rows = separator.encode(), content[begin:]
    if content[:begin].isspace() or len(mark) > 1:  # the header is in another line, or polars has no such separator
        return None
    if b"\n\n" in content or content.startswith(b"\n"):
        return None
    others = bytes(set(range(256)) - {*mark, *b"\n"})
    marks = content.removesuffix(b"\n").translate(None, others) + b"\n"
    return rows if marks == (mark * (n_columns - 1) + b"\n") * (len(marks) // n_columns) else None


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


def _quoted(text: str, separator: str, n_columns: int, path: Path) -> str:
    """Return the rows with commas and with every value quoted, so that they are unambiguous.

    Files with quotes, blank lines or a fault are read by the csv module, which counts lines.
    """
    rows = io.StringIO(newline="")
    writer = csv.writer(rows, quoting=csv.QUOTE_ALL, lineterminator="\n")
    records = _records(text, separator, path)
    next(records)
    last_line = text.rstrip("\n").count("\n") + 1
    for line, record in records:
        if len(record) != n_columns:
            cut = "; the file seems truncated" if line == last_line and len(record) < n_columns else ""
            raise DataError(
                f"{path}: line {line} has {_counted(len(record), 'value')} where the header names "
                f"{_counted(n_columns, 'column')}{cut}."
            )
        writer.writerow(record)
    return rows.getvalue()


def _records(text: str, separator: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line where each record begins, and its values; blank lines are skipped."""
    reader = csv.reader(_lines(text), delimiter=separator, skipinitialspace=True, strict=True)
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


def _lines(text: str) -> Iterator[str]:
    begin = 0
    while end := text.find("\n", begin) + 1:
        yield text[begin:end]
        begin = end
    if begin < len(text):
        yield text[begin:]


def _fault(message: str, line: int) -> str:
    if "unexpected end" in message:
        return f"a quoted value that begins in line {line} does not end; the file is truncated or a quote is missing"
    if "field limit" in message:
        limit = csv.field_size_limit()
        return f"a value that begins in line {line} has more than {limit:,} characters; a closing quote seems missing"
    if "expected after" in message:
        return f"line {line} has text after a closing quote; a quote inside a quoted value is written twice"
    return f"line {line} cannot be read ({message})"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
