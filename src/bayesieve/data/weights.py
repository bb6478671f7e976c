"""Row weights as integers, so that sums over rows do not depend on their order."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.exceptions import DataError

__all__ = ["Weights", "add_by_class", "check_weights", "read_weights", "unit_shift", "weigh"]

_MAX_BITS = 31


@dataclass(frozen=True)
class Weights:
    """Row weights ``units * unit``; ``unit`` is a power of two.

    Integers below 2^31 are kept exactly, so a weight of k equals k copies of the row. Other weights are rounded to 31
    bits of the largest, and a positive weight never becomes zero.
    """

    units: NDArray[np.int64]
    unit: float

    @property
    def total(self) -> float:
        """Sum of the weights: the N of every formula."""
        return float(int(self.units.sum()) * self.unit)

    def take(self, rows: NDArray[np.intp]) -> "Weights":
        """Return the weights of some rows, in the same unit."""
        return Weights(self.units[rows], self.unit)


def read_weights(sample_weight: ArrayLike | None, n_rows: int) -> Weights:
    """Check weights and round them once; with ``None`` each weight is 1."""
    if sample_weight is None:
        return Weights(np.ones(n_rows, dtype=np.int64), 1.0)
    weights = check_weights(sample_weight, n_rows)
    if not weights.any():
        raise DataError("sample_weight is zero for every row; at least one weight must be positive.")
    return weigh(weights, unit_shift(float(weights.max()), bool((weights == np.rint(weights)).all())))


def add_by_class(classes: NDArray[np.int32], units: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Return the weight of each class, given the class and the weight of each row."""
    mass = np.zeros(n_classes, dtype=np.int64)
    np.add.at(mass, classes, units)
    return mass


def unit_shift(largest: float, are_integers: bool) -> int:
    """Return how many bits weights keep after the binary point, given the largest and whether all are integers."""
    if are_integers and largest < 2**_MAX_BITS:
        return 0
    _, exponent = np.frexp(largest)
    return min(_MAX_BITS - int(exponent), 1022)  # the unit itself must not underflow


def weigh(weights: NDArray[np.float64], shift: int) -> Weights:
    """Return weights in units of 2^-shift."""
    units = np.rint(np.ldexp(weights, shift)).astype(np.int64)
    return Weights(np.where((weights > 0) & (units == 0), 1, units), float(np.ldexp(1.0, -shift)))


def check_weights(sample_weight: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Return weights as floats; refuse wrong shapes and negative, missing or infinite values."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight must hold numbers, got values that are not ({error}).") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    with np.errstate(over="ignore"):
        total = weights.sum()
    faults = {
        f"has shape {weights.shape} and the table has {n_rows} rows; one weight per row is expected": weights.shape
        != (n_rows,),
        "has missing or infinite values; every weight must be a finite number": not np.isfinite(weights).all(),
        "has negative values; every weight must be at least 0": (weights < 0).any(),
        "adds up to more than the largest float; divide it by a constant": np.isinf(total),
    }
    for fault, present in faults.items():
        if present:
            raise DataError(f"sample_weight {fault}.")
    return weights
