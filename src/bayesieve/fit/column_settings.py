# SPDX-License-Identifier: BSD-3-Clause
"""What a user requires of single columns: given as objects or mappings, read and checked, and what training gets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any, Final

from bayesieve.data import resolve_columns
from bayesieve.data.column import is_missing
from bayesieve.exceptions import ParameterError

__all__ = [
    "FIELDS",
    "LISTS",
    "MISSING",
    "NUMBERS",
    "Column",
    "ColumnRule",
    "ColumnsSetting",
    "read_column_settings",
    "read_direction",
]

MISSING: Final = ("learn", "neutral")
"""How missing values count."""
_SIGNS: Final = {"increasing": 1, "decreasing": -1}


@dataclass(frozen=True, kw_only=True)
class Column:
    """What is required of a column of a `ScorecardClassifier`; a field that is None requires nothing.

    Parameters
    ----------
    monotone : {"increasing", "decreasing"}, mapping or None, default=None
        Whether the points may only rise, or only fall, with the value. With more than two classes, a mapping of one
        class to its direction, such as ``{"ill": "increasing"}``: the points of that class less those of any other,
        and so its probability. Such a column is in no pair.
    ordered : sequence or None, default=None
        The values of a column of categories in their order, each once, such as ``["low", "medium", "high"]``. They are
        binned as numbers are, neighbors together, and listed in the model, also those that no row has. Columns whose
        type has an order (ordered categoricals of pandas, enums of polars) need none.
    missing : {"learn", "neutral"} or None, default=None
        Whether missing values have points of their own, or add what the average row has: 0. Where the training rows
        have missing values that are neutral, the column is in no pair. None is the classifier's ``missing``.
    min_rows : int or None, default=None
        Categories in fewer rows, of which a row of weight k is k, are taken together, as new ones are, and are in no
        model, page or file. None is 2 where most categories of a column occur in one row only, which would identify
        rows, and otherwise 1.

    Examples
    --------
    >>> from bayesieve import Column, ScorecardClassifier
    >>> model = ScorecardClassifier(columns={"age": Column(monotone="increasing")})
    >>> model = ScorecardClassifier(columns={"age": {"monotone": "increasing"}})  # the same
    """

    monotone: str | Mapping[Any, str] | None = None
    ordered: Sequence[Any] | None = None
    missing: str | None = None
    min_rows: int | None = None

    def given(self) -> dict[str, Any]:
        """Return the fields that require something."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: value for name, value in values.items() if value is not None}


FIELDS: Final = tuple(each.name for each in fields(Column))
LISTS: Final = frozenset({"ordered"})
"""Fields whose value is a list."""
NUMBERS: Final = frozenset({"min_rows"})
"""Fields whose value is a whole number."""

ColumnsSetting = Mapping[Any, Column | Mapping[str, Any]] | Column | None
"""A mapping of columns to what is required of each, or what is required of all of them."""


@dataclass(frozen=True)
class ColumnRule:
    """What training keeps to in a column.

    Attributes
    ----------
    direction : int
        1 for points that may not fall with the value, -1 for those that may not rise, 0 for any.
    lead : int
        With more than two classes, the class that has the direction.
    missing : {"learn", "neutral"}
        Whether missing values have points of their own, or those of the average row.
    """

    direction: int = 0
    lead: int = 0
    missing: str = MISSING[0]


def read_column_settings(given: object, names: Sequence[str], parameter: str = "columns") -> dict[int, Column]:
    """Return what is required of each column that is named, by its position."""
    if given is None:
        return {}
    if isinstance(given, Column):
        _check(given, parameter)
        return dict.fromkeys(range(len(names)), given)
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"{parameter} must be a mapping of columns to what is required of them, got {given!r:.60}."
        )
    settings: dict[int, Column] = {}
    for key, value in given.items():
        (place,) = resolve_columns([key], names, parameter)
        if place in settings:
            raise ParameterError(f"{parameter} names the column {names[place]!r} twice.")
        settings[place] = _read(value, f"{parameter}[{names[place]!r}]")
    return settings


def _read(value: object, where: str) -> Column:
    if isinstance(value, Mapping):
        if unknown := [name for name in value if name not in FIELDS]:
            fields_of_column = ", ".join(FIELDS)
            raise ParameterError(
                f"{where} has the unknown field {unknown[0]!r:.60}; its fields are {fields_of_column}."
            )
        value = Column(**value)
    if not isinstance(value, Column):
        raise ParameterError(f"{where} must be a Column or a mapping of its fields, got {value!r:.60}.")
    _check(value, where)
    return value


def _check(column: Column, where: str) -> None:
    for name, value in column.given().items():
        _CHECKS[name](value, f"{where}: {name}")


def _check_trend(trend: object, what: str) -> None:
    if not isinstance(trend, Mapping):  # which names classes, that are not known here
        read_direction(trend, what)


def _check_missing(missing: object, what: str) -> None:
    if missing not in MISSING:
        raise ParameterError(f"{what} must be 'learn' or 'neutral', got {missing!r:.60}.")


def _check_order(order: object, what: str) -> None:
    if not isinstance(order, Sequence) or isinstance(order, str | bytes):
        raise ParameterError(f"{what} must list the values in their order, got {order!r:.60}.")
    if any(is_missing(value) for value in order):
        raise ParameterError(f"{what} lists a missing value, which has no place in an order.")
    if len(order) < 2:
        raise ParameterError(f"{what} must list two values at least, got {order!r:.60}.")
    for i, value in enumerate(order):
        if value in order[:i]:
            raise ParameterError(f"{what} lists {value!r:.60} twice.")


def _check_min_rows(number: object, what: str) -> None:
    if not isinstance(number, Integral) or isinstance(number, bool) or number < 1:
        raise ParameterError(f"{what} must be an integer from 1, got {number!r:.60}.")


_CHECKS: Final[Mapping[str, Callable[[Any, str], None]]] = {
    "monotone": _check_trend,
    "ordered": _check_order,
    "missing": _check_missing,
    "min_rows": _check_min_rows,
}
"""What refuses the value of a field, given what it is called in the message."""


def read_direction(trend: object, what: str) -> int:
    """Return 1 for "increasing" and -1 for "decreasing"."""
    if not isinstance(trend, str) or trend not in _SIGNS:
        raise ParameterError(f"{what} must be 'increasing' or 'decreasing', got {trend!r:.60}.")
    return _SIGNS[trend]
