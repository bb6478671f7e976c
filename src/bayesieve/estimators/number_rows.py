# SPDX-License-Identifier: BSD-3-Clause
"""Training rows whose target is a number, which are dealt to folds by groups of neighboring numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

from bayesieve._typing import Floats, Ints
from bayesieve.data import Target, read_table, read_weights, refuse_blocks
from bayesieve.estimators._types import TableLike, TargetLike
from bayesieve.estimators.rows import check_header, warn_of_small_weights
from bayesieve.exceptions import DataError, warn_caller
from bayesieve.fit.rows import MemoryRows

__all__ = ["read_number_rows", "read_numbers"]

_N_GROUPS = 8
"""Of neighboring numbers, with about the same weight each."""


def read_number_rows(
    estimator: BaseEstimator, X: TableLike, y: TargetLike, sample_weight: ArrayLike | None
) -> MemoryRows:
    """Read training rows in this process; the estimator keeps names and number of the columns."""
    refuse_blocks(X, type(estimator).__name__)
    table = read_table(X)
    check_header(estimator, X, table, reset=True)
    weights = read_weights(sample_weight, table.n_rows)
    numbers = read_numbers(y, table.n_rows)
    n_weighted = int(np.count_nonzero(weights.units))
    if n_weighted < 2:
        raise DataError(
            f"The table has {n_weighted} sample(s) of positive weight; two rows at least are needed, so that one can "
            "be held out."
        )
    groups = Target(np.arange(_N_GROUPS), _groups(numbers, weights.units))
    rows = MemoryRows(table, groups, weights, example=X, numbers=numbers)
    warn_of_small_weights(float(rows.class_mass.sum()) * rows.unit, int(rows.class_sizes.sum()))
    return rows


def read_numbers(y: TargetLike | None, n_rows: int) -> Floats:
    """Check a target of numbers."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: one number per row is expected.")
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        message = "A column-vector y was passed when a 1d array was expected; its one column is taken."
        warn_caller(message, DataConversionWarning)
        given = given[:, 0]
    if given.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of shape {given.shape} instead.")
    if len(given) != n_rows:
        raise DataError(f"The target has {len(given)} rows and the table has {n_rows}: inconsistent lengths.")
    numbers = _as_floats(given)
    if (missing := np.isnan(numbers)).any():
        raise DataError(f"Input y contains NaN: {int(missing.sum())} of {n_rows} rows of the target are missing.")
    if np.isinf(numbers).any():
        raise DataError("Input y contains infinity: the target must hold finite numbers.")
    return numbers


def _as_floats(given: NDArray[np.generic]) -> Floats:
    refusal = f"a target of numbers is expected, and this one holds {given.dtype.name}"
    if given.dtype.kind in "biuf":
        return given.astype(np.float64)
    if given.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {refusal}.")
    if given.dtype.kind == "O":
        entries = given.tolist()
        if all(isinstance(each, int | float | np.number | np.bool_) or each is None for each in entries):
            return np.array([np.nan if each is None else float(each) for each in entries])
        refusal = "a target of numbers is expected, and this one holds other things"
    raise DataError(f"Unknown label type: {refusal}; use a ScorecardClassifier for classes.")


def _groups(numbers: Floats, units: Ints) -> NDArray[np.int32]:
    """Return the group of each row: a number has that of the middle of its weight; of one number alone, rows alternate.

    A weight of k is that of k rows.
    """
    distinct, place = np.unique(numbers, return_inverse=True)
    if len(distinct) == 1:
        return np.arange(len(numbers), dtype=np.int32) % _N_GROUPS
    mass = np.zeros(len(distinct))
    np.add.at(mass, place, units.astype(np.float64))
    middle = np.cumsum(mass) - 0.5 * mass
    group = np.minimum(np.floor(_N_GROUPS * middle / mass.sum()), _N_GROUPS - 1)
    return np.asarray(group.astype(np.int32)[place])
