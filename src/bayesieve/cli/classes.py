"""The class of each row as a command is told of it: whether it is one, and which is looked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.cli.bin_table import show_label
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["check_classes", "find_positive"]

_MOST_CLASSES = 100


def check_classes(y: NDArray[Any], target: str, n_folds: int) -> None:
    """Refuse a target that is no class, or of which a fold would have no row."""
    try:
        labels, counts = np.unique(y, return_counts=True)
    except TypeError:
        raise DataError(f"The target {target!r} mixes numbers and text; make it one or the other.") from None
    if len(labels) == 1:
        raise DataError(f"The target {target!r} is {labels.tolist()[0]!r} in every row; two classes are needed.")
    if len(labels) > _MOST_CLASSES:
        raise DataError(
            f"The target {target!r} has {len(labels):,} different values; a class with {_MOST_CLASSES} at most was "
            "expected, so name another column as --target."
        )
    rarest = int(counts.argmin())
    if counts[rarest] < n_folds:
        raise DataError(
            f"Of the target {target!r}, {show_label(labels.tolist()[rarest])!r} has {counts[rarest]} rows; at least "
            f"{n_folds} are needed, one for each fold of the honest estimate, so join or remove it, or give --folds."
        )


def find_positive(wanted: str | None, classes: Sequence[Any], y: NDArray[Any]) -> int | None:
    """Return the class that is looked for: the one asked for, or the rarer of two, the second on ties."""
    labels = [show_label(label) for label in classes]
    if wanted is not None:
        if wanted not in labels:
            raise ParameterError(f"--positive is {wanted!r}; the classes are {', '.join(labels[:10])}.")
        return labels.index(wanted)
    if len(classes) != 2:
        return None
    return 0 if (y == classes[0]).sum() < (y == classes[1]).sum() else 1
