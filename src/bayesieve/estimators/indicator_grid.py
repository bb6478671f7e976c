# SPDX-License-Identifier: BSD-3-Clause
"""Scores become binary indicators."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.bins import SIDES, Indicator, IndicatorMerger, threshold_words
from bayesieve.data import Column, Table, read_table, resolve_columns
from bayesieve.estimators._sklearn import (
    DocumentationMixin,
    Interval,
    StrOptions,
    check_feature_names_in,
    validated_fit,
)
from bayesieve.estimators._types import ColumnsLike, Constraints, TableLike, Tags
from bayesieve.estimators.rows import check_header, open_new_rows
from bayesieve.exceptions import DataError, NoIndicatorWarning, ParameterError, warn_caller

__all__ = ["IndicatorGrid"]


class IndicatorGrid(TransformerMixin, DocumentationMixin, BaseEstimator):
    """Compare each score with several thresholds.

    It is often known which scores matter, and seldom from which value on. A grid of thresholds turns each score into
    several binary columns; feature selection among them finds the thresholds, and the result is interpretable.

    Parameters
    ----------
    thresholds : int, array of numbers, or mapping, default=9
        The levels that each score is compared with; an int is a number of quantiles, which are observed values; a
        mapping gives either for each column's name (or position), ``[]`` to leave one out.
    sides : {"<=", ">="} or mapping, default="<="
        On which side of a threshold an indicator is 1, the threshold included; a mapping gives it for some columns'
        names, and the others are "<=".
    merge : bool, default=True
        Leave out indicators that are constant on the training rows, and keep the first of those that are equal in each
        of them.

    Attributes
    ----------
    thresholds_ : dict
        For each column's name its thresholds, increasing, before any merging.
    merged_ : dict
        ``"duplicates"``: for each indicator that stands for others their names; ``"constant"``: for each constant one
        its value. Both are empty with ``merge=False``.

    Notes
    -----
    The indicator of a missing score is 0 on either side: a score that could not be computed raises no alarm. Whether
    scores are missing, where that is informative, should be a column of its own.

    See Also
    --------
    NaiveBayesSelector : Selects among the indicators.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesieve import IndicatorGrid
    >>> scores = pd.DataFrame({"u_test[w=50]": [0.001, 0.2, 0.04, 0.7], "shift": [3.0, 0.1, 2.0, 0.2]})
    >>> grid = IndicatorGrid({"u_test[w=50]": [0.005, 0.1], "shift": [1.0]}, sides={"shift": ">="}).fit(scores)
    >>> grid.get_feature_names_out().tolist()
    ['u_test[w=50] <= 0.005', 'u_test[w=50] <= 0.1']
    >>> grid.merged_["duplicates"]
    {'u_test[w=50] <= 0.1': ['shift >= 1']}
    >>> grid.transform(scores).tolist()
    [[1, 1], [0, 0], [0, 1], [0, 0]]
    >>> grid.kept_thresholds([False, True])
    {'u_test[w=50]': [0.1]}
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "thresholds": [Interval(Integral, 1, None, closed="left"), "array-like", Mapping],
        "sides": [StrOptions(set(SIDES)), Mapping],
        "merge": ["boolean"],
    }

    def __init__(
        self,
        thresholds: int | ArrayLike | Mapping[ColumnsLike, int | ArrayLike] = 9,
        *,
        sides: str | Mapping[ColumnsLike, str] = "<=",
        merge: bool = True,
    ) -> None:
        self.thresholds = thresholds
        self.sides = sides
        self.merge = merge

    @validated_fit
    def fit(self, X: TableLike, y: object = None) -> Self:
        """Choose the thresholds, and find indicators that are equal.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            One score per column: numbers, which may be missing.
        y : None
            Not used.

        Returns
        -------
        self : IndicatorGrid
            The fitted grid.
        """
        table = read_table(X)
        check_header(self, X, table, reset=True)
        given = _read_thresholds(self.thresholds, table)
        sides = _read_sides(self.sides, table)
        merger = IndicatorMerger()
        grid: list[Indicator] = []
        thresholds: dict[str, list[float]] = {}
        for score, levels, side in zip(table, given, sides, strict=True):
            indicators = _make_indicators(score, levels, side)
            thresholds[score.name] = [indicator.threshold for indicator in indicators]
            grid += merger.distinct(score, indicators) if self.merge else indicators
        if not grid:
            warn_caller("Every indicator is constant on the training rows; none is left.", NoIndicatorWarning)
        self.column_names_ = table.names
        self.thresholds_ = thresholds
        self.merged_ = {"duplicates": merger.duplicates, "constant": merger.constant}
        self._indicators = grid
        return self

    def transform(self, X: TableLike) -> NDArray[np.uint8]:
        """Return the indicators of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The scores.

        Returns
        -------
        indicators : uint8 array of shape (n_samples, n_indicators)
            0 or 1; 0 where the score is missing.
        """
        table = open_new_rows(self, X)
        by_column: dict[str, list[int]] = {}
        for place, indicator in enumerate(self._indicators):
            by_column.setdefault(indicator.column, []).append(place)
        out = np.empty((table.n_rows, len(self._indicators)), dtype=np.uint8)
        for j, name in enumerate(table.names):
            if places := by_column.get(name):
                score = table.column(j)
                for place in places:
                    out[:, place] = self._indicators[place].holds(score)
        return out

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the condition of each indicator.

        Parameters
        ----------
        input_features : None or array of str
            Must be the names of the training columns, if given.

        Returns
        -------
        names : object array of shape (n_indicators,)
            Such as ``"u_test[w=50] <= 0.005"``.
        """
        check_is_fitted(self)
        check_feature_names_in(self, input_features)
        return np.array([indicator.name for indicator in self._indicators], dtype=object)

    def kept_thresholds(self, selection: ColumnsLike) -> dict[str, list[float]]:
        """Return which thresholds of which score a selection among the indicators kept.

        Parameters
        ----------
        selection : names, positions or mask
            Of the indicators, such as ``selector.get_feature_names_out()`` or ``selector.support_``.

        Returns
        -------
        thresholds : dict
            For each score that has any its thresholds, increasing. One that was merged into another is not named.
        """
        check_is_fitted(self)
        kept: dict[str, list[float]] = {}
        names = [indicator.name for indicator in self._indicators]
        for place in resolve_columns(selection, names, "selection"):
            indicator = self._indicators[place]
            kept.setdefault(indicator.column, []).append(indicator.threshold)
        return kept

    def __sklearn_tags__(self) -> Tags:
        """Accept missing values and sparse tables; indicators are 0 and 1 whatever the scores are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _read_thresholds(given: object, table: Table) -> list[object]:
    """Return the thresholds of each column: a number of quantiles, or levels."""
    if not isinstance(given, Mapping):
        return [given] * table.n_columns
    by_column = {resolve_columns(key, table.names, "thresholds")[0]: value for key, value in given.items()}
    for j, name in enumerate(table.names):
        if j not in by_column:
            raise ParameterError(f"thresholds has no entry for the column {name!r}; give it [] to leave it out.")
    return [by_column[j] for j in range(table.n_columns)]


def _read_sides(given: object, table: Table) -> list[str]:
    """Return the side of each column; a mapping need only name those that are not "<="."""
    by_column = given if isinstance(given, Mapping) else dict.fromkeys(table.names, given)
    sides = ["<="] * table.n_columns
    for key, side in by_column.items():
        (j,) = resolve_columns(key, table.names, "sides")
        if side not in SIDES:
            raise ParameterError(f"sides[{table.names[j]!r}] must be '<=' or '>=', got {side!r}.")
        sides[j] = side
    return sides


def _make_indicators(score: Column, thresholds: object, side: str) -> list[Indicator]:
    """Return the indicators of one score, by increasing threshold."""
    if not score.ordered:
        raise DataError(f"Column {score.name!r} is not numeric; a score is a number, so that a threshold divides it.")
    numbers = (
        _quantiles(score, int(thresholds)) if isinstance(thresholds, Integral) else _levels(score.name, thresholds)
    )
    levels = numbers.tolist()
    words = threshold_words(levels)
    return [
        Indicator(score.name, side, threshold, f"{score.name} {side} {word}", score.scale)
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
