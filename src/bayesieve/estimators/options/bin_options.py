"""What a user wants of the bins of single columns, read into a coding rule."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesieve.coding import MODL, CodingRule, Edited
from bayesieve.data import Table, resolve_columns
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["read_rule"]

_SIGNS = {"increasing": 1, "decreasing": -1}


def read_rule(estimator: Any, table: Table, n_classes: int) -> CodingRule:
    """Return the rule that a discretizer's parameters describe.

    Parameters
    ----------
    estimator : MODLDiscretizer
        Its parameters are read.
    table : Table
        The training table, with the columns whose values have no order as nominal ones.
    n_classes : int
        Number of classes.
    """
    trends = _by_name(estimator.monotone, table, "monotone")
    if trends and n_classes != 2:
        raise ParameterError(f"monotone needs a target of two classes; this one has {n_classes}.")
    monotone = {name: _sign(name, trend) for name, trend in trends.items()}
    rule = MODL(estimator.prior, estimator.missing, estimator.max_bins, float(estimator.min_bin_size), monotone)
    given = _by_name(estimator.special_values, table, "special_values")
    special = {name: _special(name, values) for name, values in given.items()}
    splits = estimator.user_splits or {}
    splits = {table.names[_place(key, table, "user_splits")]: wanted for key, wanted in splits.items()}
    return Edited(rule, splits, special) if splits or special else rule


def _by_name(given: Any, table: Table, parameter: str) -> dict[str, Any]:
    """Return what a parameter says of each numeric column; one that is no mapping speaks of all of them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return {table.names[j]: given for j in range(table.n_columns) if table.is_ordered(j)}
    said = {}
    for key, wish in given.items():
        place = _place(key, table, parameter)
        if not table.is_ordered(place):
            raise DataError(f"{parameter} names the column {table.names[place]!r}, which is not numeric.")
        said[table.names[place]] = wish
    return said


def _place(key: Any, table: Table, parameter: str) -> int:
    return resolve_columns(key, table.names, parameter)[0]


def _sign(name: str, trend: Any) -> int:
    if not isinstance(trend, str) or trend not in _SIGNS:
        raise ParameterError(f"monotone[{name!r}] must be 'increasing' or 'decreasing', got {trend!r}.")
    return _SIGNS[trend]


def _special(name: str, values: Any) -> tuple[float, ...]:
    try:
        numbers = np.unique(np.asarray(values, dtype=np.float64))  # each once, in order
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise ParameterError(f"special_values[{name!r}] must be finite numbers, got {values!r:.60}.")
    return tuple(numbers.tolist())
