# SPDX-License-Identifier: BSD-3-Clause
"""Findings: what a person should look at before a fit, in a column, among columns, in text and in the target."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, ColumnProfile, Scale, TextSurvey
from bayesieve.data.column import in_order, is_missing
from bayesieve.data.range_labels import order_of_numbered, order_of_ranges

__all__ = [
    "Finding",
    "cut_texts",
    "find_absent_header",
    "find_copies",
    "find_in_profile",
    "find_in_target",
    "find_in_text",
    "find_ranges",
    "find_rounded",
    "find_target_names",
    "quote",
]

_LONGEST = 30  # characters of a quoted value
_MANY_MISSING = 0.5
_FEW_ROWS = 20
_FIRST = 2000  # rows that tell most columns apart
_FEW_NAMES = 3  # columns whose names may be values of them by chance
_RARE = 0.05
_FEW = 30
_MANY = 100
_NEARLY = 0.9
_SHOWN = 3
_DROP = "--drop leaves it out"
_COERCE = "--coerce makes them missing, and --na TEXT or --na COLUMN=TEXT marks a text as missing"


@dataclass(frozen=True)
class Finding:
    """Something in the data that a person should look at.

    Attributes
    ----------
    kind : str
        What it is: "nearly numeric", "numbers as text", "dates as text", "spelling", "empty", "constant", "duplicate",
        "identifier", "leak", "missing", "special value", "infinite", "converted", "rare class", "few rows", "target",
        "copied rows", "rounded", "name", "header", "one fact", "order".
    column : str or None
        Name of the column; None if it concerns whole rows or the target.
    message : str
        What was found, without the name of the column.
    advice : str
        What to do about it on the command line; may be empty.
    cells : tuple of (int, str)
        Some of the cells in question: the row, counted from 1, and the text.
    """

    kind: str
    column: str | None
    message: str
    advice: str = ""
    cells: tuple[tuple[int, str], ...] = ()

    def __str__(self) -> str:
        end = "" if self.message.endswith("?") else "."
        return f"{self.message}{end}" if self.column is None else f"Column {self.column!r}: {self.message}{end}"


def quote(values: Sequence[str]) -> str:
    """Return some values in quotes, separated by commas; long ones are cut, to where they differ."""
    return ", ".join(map(repr, cut_texts(values, _LONGEST)))


def cut_texts(values: Sequence[str], longest: int) -> list[str]:
    """Return texts of at most this many characters and an ellipsis where one was cut, so that they still differ."""
    hidden = len({value[:longest] for value in values}) < len(set(values))
    begin = max(0, _common_length(values) - longest // 2) if hidden else 0
    parts = [value[begin : begin + longest] for value in values]
    return [
        ("…" if begin else "") + part + ("…" if begin + len(part) < len(value) else "")
        for part, value in zip(parts, values, strict=True)
    ]


def _common_length(values: Sequence[str]) -> int:
    """Return how many characters all values begin with together."""
    same = (len(set(characters)) == 1 for characters in zip(*values, strict=False))
    return sum(1 for _ in takewhile(bool, same))


def find_in_profile(profile: ColumnProfile, n_rows: int) -> Iterator[Finding]:
    """Yield what the counts of a column show."""
    n_present = n_rows - profile.n_missing
    if not n_present:
        yield Finding("empty", profile.name, "it has no values")
    elif profile.n_distinct == 1 and not profile.n_missing:
        yield Finding("constant", profile.name, "every row has the same value")
    elif profile.is_identifier:
        yield Finding("identifier", profile.name, "every row has a different value: an identifier?", _DROP)
    elif profile.kind == "category" and profile.n_distinct > max(_FEW_ROWS, n_present // 2):
        message = f"it has {profile.n_distinct:,} different labels in {n_present:,} rows: an identifier, or text?"
        yield Finding("identifier", profile.name, message, _DROP)
    if n_present and profile.n_missing >= _MANY_MISSING * n_rows:
        yield Finding("missing", profile.name, f"{profile.n_missing / n_rows:.0%} of its values are missing")


def find_rounded(columns: Sequence[Column], n_distinct: Mapping[str, int]) -> Iterator[Finding]:
    """Yield columns of integers that float64 does not have, so that different ones are read as the same number."""
    for column in columns:
        n_numbers, n_integers = len(column.labels), n_distinct[column.name]
        if column.ordered and column.scale is Scale.numeric and n_numbers < n_integers:
            numbers = "1 number" if n_numbers == 1 else f"{n_numbers:,} numbers"
            message = f"{n_integers:,} different integers beyond 2^53 are read as {numbers}"
            yield Finding("rounded", column.name, message, f"--categorical {column.name} reads them as text")


def find_ranges(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield columns of categories that are ranges of numbers, or numbered words, with their order."""
    for column in columns:
        if column.ordered or column.levels is not None or len(column.labels) > _MANY:
            continue
        ranges, numbered = order_of_ranges(column.labels), order_of_numbered(column.labels)
        if (order := ranges or numbered) is not None:
            written = ",".join(f'"{label}"' if "," in label else label for label in order)
            kind = "ranges" if ranges else "numbered"
            shown = next((label for label in order[1:] if not label.isdigit()), order[-1])
            message = f"its categories are {kind}, such as {quote([shown])}, and their order is not used"
            option = shlex.quote(f"{column.name}={written}")
            yield Finding("order", column.name, message, f"--ordered {option} bins them in their order")


def find_absent_header(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield that names are values of their columns, as they are if the first row of a file is read as names."""
    names = [column.name for column in columns]
    if names in [[str(j) for j in range(first, first + len(names))] for first in (0, 1)]:  # columns without names
        return
    own = [column.name for column in columns if _is_value(column.name, column)]
    if len(own) >= max(_FEW_NAMES, len(names) / 2):
        message = (
            f"The names of {len(own):,} of {len(names):,} columns, such as {quote(own[:1])} and {quote(own[1:2])}, are "
            "values of these columns: does the file begin with a row instead of the names?"
        )
        yield Finding("header", None, message, "write a line of names above it")


def _is_value(name: str, column: Column) -> bool:
    if not column.ordered:
        return name in column.labels
    try:
        return column.scale is Scale.numeric and float(name) in column.labels
    except ValueError:
        return False


def find_target_names(names: Sequence[str], target: str | None) -> Iterator[Finding]:
    """Yield columns whose name differs from that of the target in case or blanks only."""
    if not isinstance(target, str):
        return
    for name in names:
        if name != target and _folded(name) == _folded(target):
            message = f"its name differs from that of the target, {target!r}, in case or blanks only: is it the target?"
            yield Finding("name", name, message, _DROP)


def _folded(name: str) -> str:
    return "".join(name.casefold().split())


def find_copies(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield columns that are copies of an earlier one, or that differ from it in their labels only.

    Columns whose first rows agree are compared.
    """
    distinct: dict[tuple[bool, bytes, bytes], list[Column]] = {}
    recoded: dict[bytes, list[_Recoded]] = {}
    for column in columns:
        labels = column.labels.tobytes() if isinstance(column.labels, np.ndarray) else repr(column.labels).encode()
        alike = distinct.setdefault((column.ordered, labels, column.ids[:_FIRST].tobytes()), [])
        original = next((each for each in alike if np.array_equal(each.ids, column.ids)), None)
        if original is not None:
            yield Finding("duplicate", column.name, f"it is a copy of {original.name!r}", _DROP)
            continue
        alike.append(column)
        if 1 < len(column.labels) <= len(column.ids) // 10:
            own = _Recoded(column)
            same_start = recoded.setdefault(_by_appearance(column.ids[:_FIRST]).tobytes(), [])
            other = next((each.column for each in same_start if np.array_equal(each.codes, own.codes)), None)
            if other is not None:
                message = f"each of its values stands for one value of {other.name!r}, so one of the two is enough"
                yield Finding("duplicate", column.name, message, _DROP)
            else:
                same_start.append(own)


@dataclass(frozen=True)
class _Recoded:
    column: Column

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        return _by_appearance(self.column.ids)


def _by_appearance(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return codes in the order in which values first appear, so that columns with other labels have the same."""
    places = np.full(ids.max(initial=-1) + 1, len(ids))
    places[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)  # of several rows, the one that comes last in this order stays
    rank = np.empty(len(places), dtype=np.int32)
    rank[np.argsort(places, kind="stable")] = np.arange(len(places), dtype=np.int32)
    coded: NDArray[np.int32] = rank[ids]
    return coded


def find_in_text(name: str, survey: TextSurvey, example: str) -> Iterator[Finding]:
    """Yield what is found in a text column."""
    n_values = survey.n_values
    if not n_values:
        return
    if survey.n_numbers == n_values:
        message = f"its values are {survey.form} as text, such as {quote([example])}; it is read as categories"
        yield Finding("numbers as text", name, message, "--coerce reads them as numbers")
    elif survey.n_numbers >= _NEARLY * n_values:
        (row, cell), *_ = survey.cells
        rest = [value for value in survey.others if value != cell]
        more = f", also {quote(rest[:_SHOWN])}{' and others' if len(rest) > _SHOWN else ''}" if rest else ""
        message = (
            f"{survey.n_numbers:,} of {n_values:,} values are {survey.form}, but row {row} has {quote([cell])}{more}; "
            "it is read as categories"
        )
        yield Finding("nearly numeric", name, message, _COERCE, survey.cells)
    elif survey.n_dates >= _NEARLY * n_values:
        message = (
            f"{survey.n_dates:,} of {n_values:,} values look like dates, such as {quote([example])}, but are text; "
            "it is read as categories"
        )
        advice = "in a text file, write every date as 2020-12-31; in others, store dates"
        yield Finding("dates as text", name, message, advice)
    if survey.spellings:
        message = f"{quote(survey.spellings[:_SHOWN])} differ in case or blanks only and are different categories"
        yield Finding("spelling", name, message)


def find_in_target(y: NDArray[Any]) -> tuple[list[Finding], dict[Any, int]]:
    """Return the findings, and the number of rows per class."""
    entries = Counter(y.tolist())
    labels = in_order([label for label in entries if not is_missing(label)])
    counts = {label: entries[label] for label in labels}
    n_present = sum(counts.values())
    findings = []
    if n_missing := len(y) - n_present:
        findings.append(Finding("target", None, f"The target is missing in {n_missing:,} of {len(y):,} rows"))
    if len(counts) < 2:
        findings.append(Finding("target", None, "The target has fewer than two classes"))
    elif len(counts) > _MANY:
        message = f"The target has {len(counts):,} different values; classes are expected, {_MANY} at most"
        findings.append(Finding("target", None, message))
    else:
        findings += _rare_classes(counts, n_present)
    return findings, counts if len(counts) <= _MANY else {}


def _rare_classes(counts: dict[Any, int], n_rows: int) -> list[Finding]:
    rarest = min(counts, key=lambda label: counts[label])
    n, label = counts[rarest], quote([str(rarest)])
    if n < _FEW:
        return [Finding("few rows", None, f"Class {label} has {n} rows only; its scores will be uncertain")]
    if n < _RARE * n_rows and len(counts) == 2:
        message = (
            f"Class {label} has {n / n_rows:.1%} of the rows, so predicting the other class is right in "
            f"{1 - n / n_rows:.1%} of them; look at the ROC AUC, or at recall and precision, rather than at accuracy"
        )
        return [Finding("rare class", None, message)]
    return []
