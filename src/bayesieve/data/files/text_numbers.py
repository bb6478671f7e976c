# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of delimited text without quotes, read in one pass over its bytes.

Most columns are such. A column with any other value is left to `text_columns`, which takes a closer look; what is read
here has the types and values that it would have there.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve.data.files.text_columns import TextRules
from bayesieve.data.frames import import_polars

__all__ = ["TextNumbers", "read_numbers", "read_numbers_python"]

WHOLE, REAL, OTHER = range(3)
_LONGEST, _MOST_DIGITS = 64, 18  # bytes of a number; digits of an integer and of what needs no long arithmetic
_WHOLE = re.compile(rb"-?[1-9][0-9]{0,17}|0")
_DIGITS = re.compile(rb"-?[0-9]+")
_REAL = r"-?(?:(?:0|[1-9][0-9]*)(?:{0}[0-9]+)?|{0}[0-9]+)(?:[eE][+-]?[0-9]+)?"

Arrays = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]


@dataclass(frozen=True)
class TextNumbers:
    """Columns of numbers.

    Attributes
    ----------
    columns : dict of int to polars.Series
        Those whose values are all numbers or missing, by position.
    others : list of int
        Positions of the other columns.
    """

    columns: dict[int, Any]
    others: list[int]


def read_numbers(
    content: bytes, begin: int, names: Sequence[str], separator: str, rules: TextRules, skipped: Collection[str]
) -> TextNumbers | None:
    """Read the columns of numbers; None if some line has another number of values than the header, or is blank.

    Parameters
    ----------
    content : bytes
        UTF-8 without quotes, whose lines end in a line feed.
    begin : int
        Where the first line after the header begins.
    names : sequence of str
        Names of the columns.
    separator : str
        The character between values.
    rules : TextRules
        Marks of missing values, and the decimal mark.
    skipped : collection of str
        Columns that need a closer look, whatever their values.
    """
    signs, marks = separator.encode() + rules.decimal.encode(), [mark.encode() for mark in rules.missing]
    is_apart = separator not in "0123456789+-.eE" and separator != rules.decimal
    can_read = core is not None and len(signs) == 2 and is_apart
    left_out = np.array([not can_read or name in skipped for name in names], dtype=np.uint8)
    read = core.read_numbers if core is not None and can_read else read_numbers_python
    arrays = read(content, begin, left_out, signs, marks)
    if arrays is None:
        return None
    kinds, n_missing, values, missing = arrays
    columns = {}
    for j in np.flatnonzero(kinds != OTHER).tolist():
        columns[j] = _series(names[j], kinds[j] == REAL, values[j], missing[j] if n_missing[j] else None)
    return TextNumbers(columns, np.flatnonzero(kinds == OTHER).tolist())


def _series(name: str, is_real: bool, values: NDArray[np.int64], missing: NDArray[np.uint8] | None) -> Any:
    polars = import_polars("Reading CSV")
    if is_real:
        return polars.Series(name, values.view(np.float64), nan_to_null=missing is not None)
    series = polars.Series(name, values)
    return series if missing is None else series.set(polars.Series(missing.view(np.bool_)), None)


def read_numbers_python(
    content: bytes, begin: int, skipped: NDArray[np.uint8], signs: bytes, marks: Sequence[bytes]
) -> Arrays | None:
    """Read as ``core.read_numbers`` does: its specification; without a compiled core, lines are only checked.

    Returns kinds, numbers of missing values, values of 8 bytes and missing cells of the columns; floats are NaN and
    integers 0 where they are missing. Columns of the kind ``OTHER`` have undefined values. Blanks around a value have
    no meaning. A number has no leading zeros and no plus, an integer has at most 18 digits and is not -0.
    """
    separator, decimal = signs[:-1], signs[-1:]
    lines = content[begin:].removesuffix(b"\n").split(b"\n") if len(content) > begin else []
    if any(not line or line.count(separator) != len(skipped) - 1 for line in lines):
        return None
    kinds = np.full(len(skipped), OTHER, dtype=np.uint8)
    n_missing, shape = np.zeros(len(skipped), dtype=np.int64), (len(skipped), len(lines))
    values, missing = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.uint8)
    if skipped.all():
        return kinds, n_missing, values, missing
    real = re.compile(_REAL.format(re.escape(decimal.decode())).encode())
    for j, cells in enumerate(zip(*(line.split(separator) for line in lines), strict=True)):
        texts = [cell.strip(b" ") for cell in cells]
        present = [text for text in texts if text and text not in marks]
        if skipped[j] or any(not _is_number(text, real, decimal) for text in present):
            continue
        kinds[j] = WHOLE if all(_WHOLE.fullmatch(text) for text in present) else REAL
        missing[j] = [not text or text in marks for text in texts]
        n_missing[j] = missing[j].sum()
        held = values[j] if kinds[j] == WHOLE else values[j].view(np.float64)
        held[missing[j] == 1] = 0 if kinds[j] == WHOLE else np.nan
        held[missing[j] == 0] = [(int if kinds[j] == WHOLE else float)(text.replace(decimal, b".")) for text in present]
    return kinds, n_missing, values, missing


def _is_number(text: bytes, real: re.Pattern[bytes], decimal: bytes) -> bool:
    if _DIGITS.fullmatch(text):
        return _WHOLE.fullmatch(text) is not None
    if len(text) > _LONGEST or not real.fullmatch(text):
        return False
    digits = text.lstrip(b"-").replace(decimal, b"")
    if digits.isdigit() and len(digits) <= _MOST_DIGITS and int(digits) <= 2**53:
        return True
    value = float(text.replace(decimal, b"."))  # compilers differ in what is too small or too large
    return bool(np.isfinite(value)) and value != 0.0
