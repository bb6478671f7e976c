# SPDX-License-Identifier: BSD-3-Clause
"""A table with its target, as class indices, and its weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data.column import is_missing
from bayesieve.data.column_batch import ColumnBatch
from bayesieve.data.table import Table
from bayesieve.exceptions import DataError, ManyClassesWarning, warn_caller

__all__ = [
    "LabeledRows",
    "Target",
    "Weights",
    "add_by_class",
    "are_many_numbers",
    "check_classes",
    "check_weights",
    "encode_target",
    "read_labels",
    "read_target",
    "read_weights",
    "unit_shift",
    "weigh",
]

_MAX_BITS = 31
_MOST_WHOLE_CLASSES = 20  # more whole numbers may be amounts or counts
_MOST_COUNTS = 1 << 20  # of a batch: 8 MiB


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


_CLOSE = 2**16


@dataclass(frozen=True)
class Target:
    """Class labels, in increasing order unless they are renumbered, and each row's index into them."""

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def take(self, rows: NDArray[np.intp]) -> "Target":
        """Return the target of some rows, with the same classes."""
        return Target(self.classes, self.codes[rows])

    def renumbered(self, order: NDArray[np.intp]) -> "Target":
        """Return the same with the classes in another order, given as present numbers."""
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        return Target(self.classes[order], number[self.codes])


def read_target(y: ArrayLike | None, n_rows: int, weights: Weights) -> Target:
    """Check the target and determine its classes, of which two must have weight."""
    labels = read_labels(y, n_rows)
    classes, codes = _distinct(labels)
    positive = weights.units > 0
    check_classes(classes, np.bincount(codes if positive.all() else codes[positive], minlength=len(classes)))
    return Target(classes, codes.astype(np.int32).ravel())


def check_classes(classes: NDArray[Any], weighted: NDArray[Any]) -> None:
    """Raise if fewer than two classes have rows of positive weight, and warn of whole numbers that may be no classes.

    ``weighted`` counts these rows per class.
    """
    if are_many_numbers(classes):
        warn_caller(
            f"The target has {len(classes):,} different whole numbers, which may be amounts or counts; each of them is "
            "a class.",
            ManyClassesWarning,
        )
    if len(classes) < 2:
        raise DataError(f"The target has one class only ({classes.tolist()[0]!r}); at least two classes are needed.")
    if len(positive := np.flatnonzero(weighted)) < 2:
        raise DataError(
            f"Only the class {classes.tolist()[positive[0]]!r} has rows with a positive sample_weight; at least two "
            "classes are needed."
        )


def are_many_numbers(classes: NDArray[Any]) -> bool:
    """Return whether distinct labels are numbers, and more than classes usually are."""
    return classes.dtype.kind in "iuf" and len(classes) > _MOST_WHOLE_CLASSES


def _distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return sorted distinct labels and each label's position; integers in a small range need no sort."""
    if labels.dtype.kind in "iu" and len(labels):
        lowest, highest = int(labels.min()), int(labels.max())
        if highest - lowest < _CLOSE and highest < 2**62:
            offsets = labels.astype(np.int64, copy=False) - lowest if lowest else labels.astype(np.int64, copy=False)
            occurs = np.bincount(offsets) > 0
            codes = offsets if occurs.all() else (np.cumsum(occurs) - 1)[offsets]
            return (np.flatnonzero(occurs) + lowest).astype(labels.dtype), codes
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.ravel()


def encode_target(y: ArrayLike, n_rows: int, classes: NDArray[Any]) -> Target:
    """Encode labels by the classes of the training target."""
    labels = read_labels(y, n_rows)
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    unknown = classes[codes] != labels
    if unknown.any():
        raise DataError(
            f"The validation target has the class {labels[unknown][0]!r}, which the training target does not have."
        )
    return Target(classes, codes.astype(np.int32))


def read_labels(y: ArrayLike | None, n_rows: int) -> NDArray[Any]:
    """Check labels; objects of one type are converted to NumPy's type."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: one class label per row is expected.")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if len(labels) != n_rows:
        raise DataError(f"The target has {len(labels)} rows and the table has {n_rows}: inconsistent lengths.")
    _refuse_missing(labels)
    if labels.dtype.kind == "O":
        labels = _plain(labels)
    if labels.dtype.kind == "f":
        _refuse_continuous(labels)
    return labels


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Convert objects of one type to NumPy's type, so that classes do not depend on how they were stored."""
    entries = labels.tolist()
    types = set(map(type, entries))
    for kinds in (str, bool | np.bool_, int | np.integer, int | float | np.integer | np.floating):
        if all(issubclass(each, kinds) for each in types):
            return np.array(entries)
    try:
        np.unique(labels)
    except TypeError:
        raise DataError("The target mixes labels of different types; use strings or numbers, not both.") from None
    return labels


def _refuse_missing(labels: NDArray[Any]) -> None:
    kind = labels.dtype.kind
    if kind == "f":
        missing = np.isnan(labels)
        if np.isinf(labels).any():
            raise DataError("Input y contains infinity: the target must hold class labels.")
    elif kind in "mM":
        missing = np.isnat(labels)
    elif kind == "O":
        entries = labels.tolist()
        if all(issubclass(each, str | int) for each in set(map(type, entries))):  # which cannot be missing
            return
        missing = np.array([is_missing(label) for label in entries])
    else:
        return
    if missing.any():
        raise DataError(
            f"Input y contains NaN: {int(missing.sum())} of {len(labels)} rows of the target are missing; "
            "drop those rows or give them a class."
        )


def _refuse_continuous(labels: NDArray[np.float64]) -> None:
    if (labels != np.rint(labels)).any():
        raise DataError(
            "Unknown label type: the target has numbers that are not whole (for instance "
            f"{labels[labels != np.rint(labels)][0]:g}); classes are expected, and ScorecardRegressor is for numbers."
        )


@dataclass(frozen=True)
class LabeledRows:
    """A table, its target and its weights; the benefits of actions, where a criterion needs them."""

    table: Table
    target: Target
    weights: Weights
    benefits: NDArray[np.float64] | None = None

    @property
    def head(self) -> Table:
        """A table with the names and types of the columns."""
        return self.table

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.table.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels, in the order of their numbers."""
        return self.target.classes

    @property
    def class_numbers(self) -> NDArray[np.intp]:
        """The number of each class, in increasing order of the labels."""
        return np.argsort(self.classes, kind="stable")

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.target.n_classes

    @property
    def unit(self) -> float:
        """The unit of the weights."""
        return self.weights.unit

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Number of rows of positive weight in each class."""
        return np.bincount(self.target.codes[self.weights.units > 0], minlength=self.n_classes)

    @property
    def class_mass(self) -> NDArray[np.int64]:
        """Weight of each class, in units."""
        return add_by_class(self.target.codes, self.weights.units, self.n_classes)

    def batches(self, n_strata: int, n_threads: int = 1) -> Iterator[tuple[int, ColumnBatch]]:
        """Read some columns at a time, so few that the counts of their labels in each stratum fit in 8 MiB."""
        return self.table.batches(n_threads, n_labels=_MOST_COUNTS // n_strata)
