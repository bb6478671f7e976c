# SPDX-License-Identifier: BSD-3-Clause
"""Infer the types of text columns from all of their values: numbers, dates and times, or labels.

A column is numeric if every value that is not missing is a number and none has a leading zero: 01234 is a code, not a
number. Numbers may be written with a percent sign, a currency or thousands separators. A column is temporal if every
value has one of the formats below, and some value shows which of two numbers is the month. Some texts mark a missing
value, in all columns or in one, such as a blood pressure of 0.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw

from bayesieve.data.frames import import_polars
from bayesieve.data.number_text import DECIMAL_COMMA, best_form, common_form, convert, without_marks
from bayesieve.data.table import resolve_columns
from bayesieve.exceptions import DataError, DecimalGuessWarning, ParameterError, warn_caller

__all__ = ["TextRules", "blank_marked", "check_types", "override", "read_times", "split_marks", "type_columns"]

_KINDS = ("numeric", "categorical")
_FEW = 100  # rows
_NEARLY = 0.9  # of the values that are not missing
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_LEADING_ZERO = r"^\s*[+-]?0[0-9]"

_DAY = r"^\d{4}-\d{1,2}-\d{1,2}"
_CLOCK = r"\d{1,2}:\d{2}"
# The pattern that every value must match, the polars type, and its format.
_FORMS = (
    (_DAY + "$", "Date", "%Y-%m-%d"),
    (r"^\d{4}/\d{1,2}/\d{1,2}$", "Date", "%Y/%m/%d"),
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", "Date", "%d.%m.%Y"),
    (_DAY + f" {_CLOCK}$", "Datetime", "%Y-%m-%d %H:%M"),
    (_DAY + f"T{_CLOCK}$", "Datetime", "%Y-%m-%dT%H:%M"),
    (_DAY + f" {_CLOCK}:", "Datetime", "%Y-%m-%d %H:%M:%S%.f"),
    (_DAY + f"T{_CLOCK}:", "Datetime", "%Y-%m-%dT%H:%M:%S%.f"),
    (_DAY + f" {_CLOCK}:", "UTC", "%Y-%m-%d %H:%M:%S%.f%#z"),
    (_DAY + f"T{_CLOCK}:", "UTC", "%Y-%m-%dT%H:%M:%S%.f%#z"),
    (f"^{_CLOCK}$", "Time", "%H:%M"),
    (f"^{_CLOCK}:", "Time", "%H:%M:%S%.f"),
)
_SHORT_DAY = r"^\d{1,2}%s\d{1,2}%s\d{4}"
_ORDERS = ("%d/%m/%Y", "%m/%d/%Y")
# Day and month in either order: a pattern, the polars type, and the formats of both orders.
_EITHER_ORDER = tuple(
    (_SHORT_DAY % (mark, mark) + pattern, kind, [order.replace("/", mark) + clock for order in _ORDERS])
    for mark in "/-"
    for pattern, kind, clock in (
        ("$", "Date", ""),
        (f" {_CLOCK}$", "Datetime", " %H:%M"),
        (f" {_CLOCK}:", "Datetime", " %H:%M:%S%.f"),
    )
)


@dataclass
class TextRules:
    """How text becomes values.

    Attributes
    ----------
    missing : sequence of str
        Texts that mark a missing value, besides empty text.
    missing_in : mapping of str to sequence of str
        Texts that mark a missing value in one column, by its name.
    types : mapping of str to {"numeric", "categorical"}
        Types by column name, which override those inferred.
    coerce : bool
        Whether nearly numeric columns become numeric: cells that are not numbers become missing values.
    decimal : {".", ","}
        The decimal mark.
    decimal_is_given : bool
        Whether the mark is known; otherwise points in a column are decimal marks even where commas may be.
    conversions : dict of str to str
        What was converted, by column name: filled by `type_columns`.
    """

    missing: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    coerce: bool = False
    decimal: str = "."
    decimal_is_given: bool = False
    conversions: dict[str, str] = field(default_factory=dict)
    missing_in: Mapping[str, Sequence[str]] = field(default_factory=dict)


def check_types(types: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse overrides of columns that do not exist, or to types that do not."""
    for name, kind in types.items():
        resolve_columns([name], names, "types")
        if kind not in _KINDS:
            raise ParameterError(f"types[{name!r}] must be 'numeric' or 'categorical', got {kind!r}.")


def type_columns(frame: Any, path: Path, rules: TextRules) -> Any:
    """Type the text columns of a polars frame; blanks around a value are removed."""
    polars = import_polars("Reading tables")
    check_types(rules.types, frame.columns)
    markers = ["", *rules.missing]
    columns = []
    for series in frame.iter_columns():
        kind = rules.types.get(series.name)
        is_open = series.dtype == polars.String and kind is None
        if is_open and (numbers := _plain_numbers(series, rules)) is not None:
            columns.append(numbers)
        elif series.dtype == polars.String:
            text = series.str.strip_chars()
            text = text.set(text.is_in(markers), None)
            columns.append(_typed(text, rules) if kind is None else override(text, kind, path, rules))
            if rules.decimal == "," and not rules.decimal_is_given and columns[-1].dtype.is_numeric():
                _warn_of_commas(text, columns[-1])
        else:
            columns.append(series if kind is None else override(series, kind, path, rules))
    return polars.DataFrame(columns)


def read_times(series: Any) -> Any:
    """Return the dates and times of a text column, if all of its values are such; otherwise the column."""
    text = series.str.strip_chars()
    times = _as_times(text, TextRules()) if text.null_count() < len(text) else None
    return series if times is None else times


def _warn_of_commas(text: Any, numbers: Any) -> None:
    """Warn of numbers that a reader of another country takes for thousands."""
    with_commas = text.str.contains(",", literal=True).fill_null(False)
    written = text.filter(with_commas)
    if len(written) and written.str.contains(_THOUSANDS).all():
        warn_caller(
            f"Every comma of the column {text.name!r} stands before three digits, as in {written[0]}, which is read as "
            f"{numbers.filter(with_commas)[0]:.10g}; if they separate thousands, set decimal='.' (--decimal .).",
            DecimalGuessWarning,
        )


def _plain_numbers(series: Any, rules: TextRules) -> Any:
    """Return the numbers of a column whose other values are all missing; None if it needs a closer look.

    Most columns are such. Only values that are not numbers are compared with blanks and markers.
    """
    polars = import_polars("Reading tables")
    markers = ["", *rules.missing]
    marked_numbers = polars.Series(markers).cast(polars.Float64, strict=False).fill_nan(None)
    if rules.decimal != "." or marked_numbers.is_not_null().any():
        return None
    for dtype in (polars.Int64, polars.Float64):
        for some in (series.head(_FEW), series):  # the first rows decide for most columns
            numbers = some.cast(dtype, strict=False)
            if not some.filter(numbers.is_null()).drop_nulls().str.strip_chars().is_in(markers).all():
                break
        else:
            is_odd = dtype == polars.Float64 and numbers.is_nan().any()
            return None if is_odd or series.str.contains(_LEADING_ZERO).any() else numbers
    return None


def override(series: Any, kind: str, path: Path, rules: TextRules) -> Any:
    """Convert a polars column to the type that the user gave."""
    polars = import_polars("Reading tables")
    if kind == "categorical" and series.dtype == polars.Duration:
        raise DataError(f"{path}: the column {series.name!r} must be categorical, but it holds durations.")
    if kind == "categorical":
        return series.cast(polars.String)
    if series.dtype.is_numeric():
        return series
    text = series.cast(polars.String)
    numbers = _as_numbers(text, rules)
    if numbers is None:
        numbers = _as_written(text, rules)
    if numbers is None and rules.coerce:
        numbers = _coerced(text, rules, 0.0)
    if numbers is None:
        floats = _with_points(text, rules).cast(polars.Float64, strict=False)
        row = int((text.is_not_null() & (floats.is_null() | floats.is_nan())).arg_max() or 0)
        raise DataError(
            f"{path}: the column {series.name!r} must be numeric, but its row {row + 1} holds {text[row]!r}; "
            "coerce (--coerce) makes such cells missing."
        )
    return numbers


def _typed(text: Any, rules: TextRules) -> Any:
    """Return numbers or times if all values are, otherwise the text; distinct values show that it is text."""
    if not rules.coerce:  # which depends on shares of rows
        distinct = text.unique(maintain_order=True)
        if 2 * len(distinct) < len(text) and _converted(distinct, rules) is distinct:
            return text
    return _converted(text, rules)


def _converted(text: Any, rules: TextRules) -> Any:
    if not text.str.contains(_LEADING_ZERO).any():
        numbers = _as_numbers(text, rules)
        if numbers is not None:
            return numbers
    for read in (_as_times, _as_written, _as_either_order):
        values = read(text, rules)
        if values is not None:
            return values
    values = _coerced(text, rules, _NEARLY) if rules.coerce else None
    return text if values is None else values


def _as_numbers(text: Any, rules: TextRules) -> Any:
    """Return integers if all values are, floats if all are numbers, otherwise None."""
    polars = import_polars("Reading tables")
    n_missing = text.null_count()
    text = _with_points(text, rules)
    for dtype in (polars.Int64, polars.Float64):
        numbers = text.cast(dtype, strict=False)
        if numbers.null_count() == n_missing and not (dtype == polars.Float64 and numbers.is_nan().any()):
            return numbers
    return None


def _with_points(text: Any, rules: TextRules) -> Any:
    """Replace decimal commas by points; in a column that has points, a comma may mean something else."""
    if rules.decimal == ".":
        return text
    if not text.str.contains(".", literal=True).any():
        return text.str.replace(",", ".", literal=True)
    if rules.decimal_is_given and text.str.contains(DECIMAL_COMMA.pattern).all():  # null where missing
        return without_marks(nw.from_native(text, series_only=True), DECIMAL_COMMA).to_native()
    return text


def _as_written(text: Any, rules: TextRules) -> Any:
    """Return the numbers of a column whose values all have one form, such as percentages; otherwise None."""
    present = nw.from_native(text.drop_nulls(), series_only=True)
    form = common_form(present, rules.decimal)
    if form is None:
        return None
    example = str(present[0])
    numbers = convert(nw.from_native(text, series_only=True), form).to_native()
    rules.conversions[text.name] = f"{form.name}: {example} is read as {numbers.drop_nulls()[0]:.10g}"
    return numbers


def _coerced(text: Any, rules: TextRules, share: float) -> Any:
    """Return a column of numbers without the cells that are none; None if fewer than a share of the cells are."""
    present = nw.from_native(text.drop_nulls(), series_only=True)
    found = best_form(present, rules.decimal)
    if found is None or found[1].sum() < share * len(present):
        return None
    form, matches = found
    whole = nw.from_native(text, series_only=True)
    others = present.filter(~matches)
    if len(others):
        shown = ", ".join(repr(value) for value in others.unique(maintain_order=True).to_list()[:3])
        cells = "1 other cell" if len(others) == 1 else f"{len(others):,} other cells"
        rules.conversions[text.name] = f"{form.name}; {cells} became missing: {shown}"
    else:
        rules.conversions[text.name] = f"{form.name}, read as numbers"
    numbers = text.set(~whole.str.contains(form.pattern).fill_null(False).to_native(), None)
    return convert(nw.from_native(numbers, series_only=True), form).to_native()


def _as_times(text: Any, _: TextRules) -> Any:
    first = text.drop_nulls().head(1).to_list()  # it tells most columns
    for pattern, kind, form in _FORMS:
        # null where missing, which all() ignores
        if all(re.search(pattern, each) for each in first) and text.str.contains(pattern).all():
            times = _parse_times(text, kind, form)
            if times is not None:
                return times
    return None


def _as_either_order(text: Any, rules: TextRules) -> Any:
    """Return dates whose day and month have either order, if only one order fits all values."""
    first = text.drop_nulls().head(1).to_list()
    for pattern, kind, forms in _EITHER_ORDER:
        if first and re.search(pattern, first[0]) and text.str.contains(pattern).all():
            fitting = [times for form in forms if (times := _parse_times(text, kind, form)) is not None]
            if len(fitting) == 1 or (len(fitting) == 2 and fitting[0].equals(fitting[1])):
                rules.conversions[text.name] = f"dates: {first[0]} is read as {fitting[0].drop_nulls()[0]}"
                return fitting[0]
    return None


def _parse_times(text: Any, kind: str, form: str) -> Any:
    polars = import_polars("Reading tables")
    dtypes = {
        "Date": polars.Date,
        "Datetime": polars.Datetime("us"),
        "UTC": polars.Datetime("us", "UTC"),
        "Time": polars.Time,
    }
    times = text.str.strptime(dtypes[kind], form, strict=False)
    return times if times.null_count() == text.null_count() else None


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
        own = nw.col(name).cast(nw.Float64)  # polars does not compare integers with floats
        return own.is_in([float(part[0].replace(",", ".")) for part in parts if part]).fill_null(False)
    values = nw.col(name).cast(nw.String).str.strip_chars()
    numbers = [f"{re.escape(part[1])}([.,]{(part[2] or '').rstrip('0')}0*)" for part in parts if part]
    whole = [f"{number}?" if not (part[2] or "").rstrip("0") else number
             for number, part in zip(numbers, filter(None, parts), strict=True)]  # fmt: skip
    found = values.is_in(list(texts))
    return (found | values.str.contains(f"^({'|'.join(whole)})$") if whole else found).fill_null(False)
