"""The target as class indices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data.ordered_values import is_missing
from bayesieve.data.weights import Weights
from bayesieve.exceptions import DataError

__all__ = ["Target", "encode_target", "read_labels", "read_target", "refuse_one_class"]

_CLOSE = 2**16


@dataclass(frozen=True)
class Target:
    """Class labels in increasing order, and each row's index into them."""

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def take(self, rows: NDArray[np.intp]) -> "Target":
        """Return the target of some rows, with the same classes."""
        return Target(self.classes, self.codes[rows])


def read_target(y: ArrayLike | None, n_rows: int, weights: Weights) -> Target:
    """Check the target and determine its classes, of which two must have weight."""
    labels = read_labels(y, n_rows)
    classes, codes = _distinct(labels)
    refuse_one_class(classes, np.bincount(codes, weights.units > 0))
    return Target(classes, codes.astype(np.int32).ravel())


def refuse_one_class(classes: NDArray[Any], weighted: NDArray[Any]) -> None:
    """Raise if fewer than two classes have rows of positive weight; ``weighted`` counts these rows per class."""
    if len(classes) < 2:
        raise DataError(f"The target has one class only ({classes.tolist()[0]!r}); at least two classes are needed.")
    if len(positive := np.flatnonzero(weighted)) < 2:
        raise DataError(
            f"Only the class {classes.tolist()[positive[0]]!r} has rows with a positive sample_weight; at least two "
            "classes are needed."
        )


def _distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return sorted distinct labels and each label's position; integers in a small range need no sort."""
    if labels.dtype.kind in "iu" and len(labels):
        lowest, highest = int(labels.min()), int(labels.max())
        if highest - lowest < _CLOSE and highest < 2**62:
            offsets = labels.astype(np.int64) - lowest
            occurs = np.zeros(highest - lowest + 1, dtype=bool)
            occurs[offsets] = True
            return (np.flatnonzero(occurs) + lowest).astype(labels.dtype), (np.cumsum(occurs) - 1)[offsets]
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
    for kinds in (str, bool | np.bool_, int | np.integer, int | float | np.integer | np.floating):
        if all(isinstance(entry, kinds) for entry in entries):
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
        missing = np.array([is_missing(label) for label in labels.tolist()])
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
            "Unknown label type: the target has continuous values (for instance "
            f"{labels[labels != np.rint(labels)][0]:g}); class labels are expected."
        )
