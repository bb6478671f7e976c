# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of a `MODLDiscretizer`, read into a coding rule."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from bayesieve.bins import MODL, CodingRule, Edited
from bayesieve.data import Table, resolve_columns
from bayesieve.estimators._types import ColumnsLike
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["read_class_trends", "read_rule", "read_trends"]

_SIGNS = {"increasing": 1, "decreasing": -1}


class BinParameters(Protocol):
    """The parameters of a `MODLDiscretizer` that describe its bins."""

    prior: str
    missing: str
    max_bins: int | None
    min_bin_size: float
    user_splits: Mapping[ColumnsLike, Sequence[object]] | None
    special_values: Mapping[ColumnsLike, ArrayLike] | ArrayLike | None
    monotone: Mapping[ColumnsLike, str] | str | None


def read_rule(estimator: BinParameters, table: Table, n_classes: int) -> CodingRule:
    """Return the rule that a discretizer's parameters describe.

    Parameters
    ----------
    estimator : BinParameters
        Its parameters are read.
    table : Table
        The training table, with the columns whose values have no order as nominal ones.
    n_classes : int
        Number of classes.
    """
    trends = read_trends(estimator.monotone, table, n_classes)
    monotone = {table.names[j]: sign for j, sign in trends.items()}
    rule = MODL(estimator.prior, estimator.missing, estimator.max_bins, float(estimator.min_bin_size), monotone)
    given = _by_name(estimator.special_values, table, "special_values")
    special = {name: _special(name, values) for name, values in given.items()}
    user_splits = (estimator.user_splits or {}).items()
    splits = {table.names[_place(key, table, "user_splits")]: split for key, split in user_splits}
    return Edited(rule, splits, special) if splits or special else rule


def read_trends(monotone: Mapping[ColumnsLike, Any] | str | None, table: Table, n_classes: int) -> dict[int, int]:
    """Return the direction, 1 or -1, of each numeric column that has one, by its position."""
    trends = _by_name(monotone, table, "monotone")
    if trends and n_classes != 2:
        raise ParameterError(f"monotone needs a target of two classes; this one has {n_classes}.")
    position = {name: j for j, name in enumerate(table.names)}
    return {position[name]: _sign(name, trend) for name, trend in trends.items()}


def read_class_trends(
    monotone: Mapping[ColumnsLike, Any] | str | None, table: Table, classes: Sequence[object]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the direction of each numeric column that has one, and the class that it is for, by position."""
    signs, leads = {}, {}
    position = {name: j for j, name in enumerate(table.names)}
    for name, trend in _by_name(monotone, table, "monotone").items():
        if not isinstance(trend, Mapping) or len(trend) != 1:
            raise ParameterError(
                f"monotone[{name!r}] must name one class and its direction, such as {{{classes[0]!r}: 'increasing'}}, "
                f"because this target has {len(classes)} classes, got {trend!r:.60}."
            )
        [(label, direction)] = trend.items()
        if label not in classes:
            raise ParameterError(f"monotone[{name!r}] names the class {label!r:.60}, which this target does not have.")
        signs[position[name]], leads[position[name]] = _sign(name, direction), list(classes).index(label)
    return signs, leads


def _by_name(given: object, table: Table, parameter: str) -> dict[str, object]:
    """Return the value of a parameter for each numeric column; one that is not a mapping holds for all of them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return {table.names[j]: given for j in range(table.n_columns) if table.is_ordered(j)}
    by_name = {}
    for key, value in given.items():
        place = _place(key, table, parameter)
        if not table.is_ordered(place):
            raise DataError(f"{parameter} names the column {table.names[place]!r}, which is not numeric.")
        by_name[table.names[place]] = value
    return by_name


def _place(key: ColumnsLike, table: Table, parameter: str) -> int:
    return resolve_columns(key, table.names, parameter)[0]


def _sign(name: str, trend: object) -> int:
    if not isinstance(trend, str) or trend not in _SIGNS:
        raise ParameterError(f"monotone[{name!r}] must be 'increasing' or 'decreasing', got {trend!r}.")
    return _SIGNS[trend]


def _special(name: str, values: object) -> tuple[float, ...]:
    try:
        numbers = np.unique(np.array(values, dtype=np.float64))  # each once, in order
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise ParameterError(f"special_values[{name!r}] must be finite numbers, got {values!r:.60}.")
    return tuple(numbers.tolist())
