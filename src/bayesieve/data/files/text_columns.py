"""Infer the types of text columns from all of their values: numbers, dates and times, or labels.

A column is numeric if every value that is not missing is a number and none has a leading zero: 01234 is a code, not a
number. It is temporal if every value has one of the formats below, in which day and month cannot be confused.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bayesieve.data.frames import import_polars
from bayesieve.data.table import resolve_columns
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["check_types", "override", "type_columns"]

_KINDS = ("numeric", "categorical")
_LEADING_ZERO = r"^[+-]?0[0-9]"

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


def check_types(types: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse overrides of columns that do not exist, or to types that do not."""
    for name, kind in types.items():
        resolve_columns([name], names, "types")
        if kind not in _KINDS:
            raise ParameterError(f"types[{name!r}] must be 'numeric' or 'categorical', got {kind!r}.")


def type_columns(frame: Any, path: Path, missing: Sequence[str], types: Mapping[str, str], decimal: str = ".") -> Any:
    """Type the text columns of a polars frame; blanks around a value are removed."""
    polars = import_polars("Reading CSV")
    check_types(types, frame.columns)
    markers = ["", *missing]
    columns = []
    for series in frame.iter_columns():
        text = series.str.strip_chars()
        text = text.set(text.is_in(markers), None)
        kind = types.get(series.name)
        columns.append(_typed(text, decimal) if kind is None else override(text, kind, path, decimal))
    return polars.DataFrame(columns)


def override(series: Any, kind: str, path: Path, decimal: str = ".") -> Any:
    """Convert a polars column to the type that the user gave."""
    polars = import_polars("Reading tables")
    if kind == "categorical":
        return series.cast(polars.String)
    if series.dtype.is_numeric():
        return series
    text = series.cast(polars.String)
    numbers = _as_numbers(text, decimal)
    if numbers is None:
        floats = _with_points(text, decimal).cast(polars.Float64, strict=False)
        row = int((text.is_not_null() & (floats.is_null() | floats.is_nan())).arg_max() or 0)
        raise DataError(
            f"{path}: the column {series.name!r} is declared numeric, but its row {row + 1} holds {text[row]!r}."
        )
    return numbers


def _typed(text: Any, decimal: str) -> Any:
    if not text.str.contains(_LEADING_ZERO).any():
        numbers = _as_numbers(text, decimal)
        if numbers is not None:
            return numbers
    times = _as_times(text)
    return text if times is None else times


def _as_numbers(text: Any, decimal: str = ".") -> Any:
    """Return integers if all values are, floats if all are numbers, otherwise None."""
    polars = import_polars("Reading CSV")
    n_missing = text.null_count()
    text = _with_points(text, decimal)
    for dtype in (polars.Int64, polars.Float64):
        numbers = text.cast(dtype, strict=False)
        if numbers.null_count() == n_missing and not (dtype == polars.Float64 and numbers.is_nan().any()):
            return numbers
    return None


def _with_points(text: Any, decimal: str) -> Any:
    """Replace decimal commas by points; in a column that has points, a comma may mean something else."""
    if decimal == "." or text.str.contains(".", literal=True).any():
        return text
    return text.str.replace(decimal, ".", literal=True)


def _as_times(text: Any) -> Any:
    polars = import_polars("Reading CSV")
    dtypes = {
        "Date": polars.Date,
        "Datetime": polars.Datetime("us"),
        "UTC": polars.Datetime("us", "UTC"),
        "Time": polars.Time,
    }
    for pattern, kind, form in _FORMS:
        if text.str.contains(pattern).all():  # null where missing, which all() ignores
            times = text.str.strptime(dtypes[kind], form, strict=False)
            if times.null_count() == text.null_count():
                return times
    return None
