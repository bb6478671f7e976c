# SPDX-License-Identifier: BSD-3-Clause
"""Thresholds and sides of the indicators of each score, read from the parameters of a grid."""

from collections.abc import Mapping
from numbers import Integral

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins import SIDES, Indicator, threshold_words
from bayesieve.data import Column, Table, resolve_columns
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["make_indicators", "read_sides", "read_thresholds"]


def read_thresholds(given: object, table: Table) -> list[object]:
    """Return the thresholds of each column: a number of quantiles, or levels."""
    if not isinstance(given, Mapping):
        return [given] * table.n_columns
    by_column = {resolve_columns(key, table.names, "thresholds")[0]: value for key, value in given.items()}
    for j, name in enumerate(table.names):
        if j not in by_column:
            raise ParameterError(f"thresholds has no entry for the column {name!r}; give it [] to leave it out.")
    return [by_column[j] for j in range(table.n_columns)]


def read_sides(given: object, table: Table) -> list[str]:
    """Return the side of each column; a mapping need only name those that are not "<="."""
    by_column = given if isinstance(given, Mapping) else dict.fromkeys(table.names, given)
    sides = ["<="] * table.n_columns
    for key, side in by_column.items():
        (j,) = resolve_columns(key, table.names, "sides")
        if side not in SIDES:
            raise ParameterError(f"sides[{table.names[j]!r}] must be '<=' or '>=', got {side!r}.")
        sides[j] = side
    return sides


def make_indicators(score: Column, thresholds: object, side: str) -> list[Indicator]:
    """Return the indicators of one score, by increasing threshold."""
    if not score.ordered:
        raise DataError(f"Column {score.name!r} is not numeric; a score is a number, so that a threshold divides it.")
    numbers = (
        _quantiles(score, int(thresholds)) if isinstance(thresholds, Integral) else _levels(score.name, thresholds)
    )
    levels = numbers.tolist()
    words = threshold_words(levels)
    return [
        Indicator(score.name, side, threshold, f"{score.name} {side} {word}")
        for threshold, word in zip(levels, words, strict=True)
    ]


def _quantiles(score: Column, n: int) -> Floats:
    """Return the values at or below which at least 1/(n+1), 2/(n+1), ... of the present values are, each once.

    Observed values, so that the same indicators result from any increasing function of the score.
    """
    if n < 1:
        raise ParameterError(f"thresholds has {n} quantiles for the column {score.name!r}; give 1 or more.")
    values = score.values[~np.isnan(score.values)]
    if not len(values):
        return np.empty(0)
    if n >= len(values):  # every value is some quantile; n may be any number
        return np.unique(values)
    return np.unique(np.quantile(values, np.arange(1, n + 1) / (n + 1), method="inverted_cdf"))


def _levels(name: str, thresholds: object) -> Floats:
    try:
        levels = np.unique(np.atleast_1d(np.array(thresholds, dtype=np.float64)))
    except (TypeError, ValueError):
        levels = np.array([np.nan])
    if not np.isfinite(levels).all() or np.ndim(np.asarray(thresholds, dtype=object)) > 1:
        raise ParameterError(f"thresholds of the column {name!r} must be finite numbers, got {thresholds!r:.60}.")
    return levels
