# SPDX-License-Identifier: BSD-3-Clause
"""Training rows whose target is a number, which are dealt to folds by groups of neighboring numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

from bayesieve._typing import Floats, Ints
from bayesieve.data import Target, Weights, read_table, read_weights, refuse_blocks
from bayesieve.estimators._types import TableLike, TargetLike
from bayesieve.estimators.rows import check_header, warn_of_small_weights
from bayesieve.exceptions import DataError, warn_caller
from bayesieve.fit.rows import MemoryRows

__all__ = ["Kind", "read_exposure", "read_number_rows", "read_numbers"]

_N_GROUPS = 8
"""Of neighboring numbers, with about the same weight each."""


@dataclass(frozen=True)
class Kind:
    """What numbers are allowed, and how exposures weigh.

    Attributes
    ----------
    name : str
        The name of the loss.
    power : float or None
        By which the variance grows with the mean; None where the mean is a sum, and has no exposure.
    """

    name: str
    power: float | None

    def refuse(self, numbers: Floats) -> None:
        """Refuse numbers that the loss does not have."""
        if self.power is None:
            return
        if (numbers < 0.0).any():
            raise DataError(f"The target has {numbers.min():g}; loss={self.name!r} is for numbers of 0 or more.")
        if self.power == 2.0 and (numbers == 0.0).any():
            n = int((numbers == 0.0).sum())
            raise DataError(f"The target is 0 in {n:,} rows; loss='gamma' is for numbers above 0, use loss='tweedie'.")
        if not numbers.any():
            raise DataError(f"The target is 0 in every row, of which loss={self.name!r} has no mean.")


def read_number_rows(
    estimator: BaseEstimator,
    X: TableLike,
    y: TargetLike,
    sample_weight: ArrayLike | None,
    kind: Kind,
    exposure: Floats | None = None,
) -> tuple[MemoryRows, float]:
    """Read training rows in this process, and return the mean exposure, too; the estimator keeps the columns' names.

    Of rows with an exposure, the target is a rate, and the weight is that of the deviance of rates.
    """
    refuse_blocks(X, type(estimator).__name__)
    table = read_table(X)
    check_header(estimator, X, table, reset=True)
    weights = read_weights(sample_weight, table.n_rows)
    numbers = read_numbers(y, table.n_rows)
    kind.refuse(numbers[weights.units > 0])
    mean_exposure = 1.0
    if exposure is not None:
        assert kind.power is not None
        numbers, weights, mean_exposure = _rates(numbers, weights, exposure, 2.0 - kind.power)
    n_weighted = int(np.count_nonzero(weights.units))
    if n_weighted < 2:
        raise DataError(
            f"The table has {n_weighted} sample(s) of positive weight; two rows at least are needed, so that one can "
            "be held out."
        )
    groups = Target(np.arange(_N_GROUPS), _groups(numbers, weights.units))
    rows = MemoryRows(table, groups, weights, example=X, numbers=numbers)
    warn_of_small_weights(float(rows.class_mass.sum()) * rows.unit, int(rows.class_sizes.sum()))
    return rows, mean_exposure


def _rates(numbers: Floats, weights: Weights, exposure: Floats, power: float) -> tuple[Floats, Weights, float]:
    """Return rates, weights whose sum stays what it was, and the mean exposure; without exposure, the weight is 0."""
    empty = exposure == 0.0
    if (empty & (numbers != 0.0)).any():
        row = int(np.argmax(empty & (numbers != 0.0))) + 1
        raise DataError(f"Row {row} has an exposure of 0 and a target that is not 0.")
    if empty.any():
        warn_caller(f"{int(empty.sum()):,} rows have an exposure of 0, and are left out.", UserWarning)
    own = np.where(empty, 0.0, weights.units * weights.unit)
    if not own.any():
        raise DataError("The exposure is 0 in every row of positive weight.")
    grown = np.where(empty, 0.0, np.where(empty, 1.0, exposure) ** power)
    mean = fsum((own * grown).tolist()) / fsum(own.tolist())
    rates = numbers / np.where(empty, 1.0, exposure)
    return rates, read_weights(own * (grown / mean), len(numbers)), mean ** (1.0 / power) if power else 1.0


def read_exposure(exposure: ArrayLike, n_rows: int) -> Floats:
    """Check exposures."""
    values = _as_floats(np.asarray(exposure), "exposure")
    if values.shape != (n_rows,):
        raise DataError(f"exposure has shape {values.shape}; one number per row is expected, {n_rows} in all.")
    if not np.isfinite(values).all() or (values < 0.0).any():
        raise DataError("exposure must hold finite numbers of 0 or more.")
    return values


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


def _as_floats(given: NDArray[np.generic], what: str = "target") -> Floats:
    refusal = f"a {what} of numbers is expected, and this one holds {given.dtype.name}"
    if given.dtype.kind in "biuf":
        return given.astype(np.float64)
    if given.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {refusal}.")
    if given.dtype.kind == "O":
        entries = given.tolist()
        if all(isinstance(each, int | float | np.number | np.bool_) or each is None for each in entries):
            return np.array([np.nan if each is None else float(each) for each in entries])
        refusal = f"a {what} of numbers is expected, and this one holds other things"
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
