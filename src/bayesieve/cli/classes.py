"""The class of each row as a command is told of it: whether it is one, and which is looked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.cli.bin_table import show_label
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["check_classes", "find_positive", "mixed_labels", "refuse_no_classes"]

_MOST_CLASSES = 100


def check_classes(y: NDArray[Any], target: str, n_folds: int) -> tuple[list[Any], list[int]]:
    """Return the classes and how many rows each has; refuse a target that is no class, or too rare for the folds."""
    try:
        labels, counts = np.unique(y, return_counts=True)
    except TypeError:
        raise mixed_labels(target) from None
    classes, sizes = labels.tolist(), counts.tolist()
    refuse_no_classes(classes, target)
    rarest = int(counts.argmin())
    if sizes[rarest] < n_folds:
        raise DataError(
            f"Of the target {target!r}, {show_label(classes[rarest])!r} has {sizes[rarest]} rows; at least "
            f"{n_folds} are needed, one for each fold of the honest estimate, so join or remove it, or give --folds."
        )
    return classes, sizes


def mixed_labels(target: str) -> DataError:
    """Return what is said of labels that cannot be put in order."""
    return DataError(f"The target {target!r} mixes numbers and text; make it one or the other.")


def refuse_no_classes(classes: Sequence[Any], target: str) -> None:
    """Raise if there is one label only, or so many that they are no classes."""
    if len(classes) == 1:
        raise DataError(f"The target {target!r} is {classes[0]!r} in every row; two classes are needed.")
    if len(classes) > _MOST_CLASSES:
        raise DataError(
            f"The target {target!r} has {len(classes):,} different values; a class with {_MOST_CLASSES} at most was "
            "expected, so name another column as --target."
        )


def find_positive(wanted: str | None, classes: Sequence[Any], counts: Sequence[int]) -> int | None:
    """Return the class that is looked for: the one asked for, or the rarer of two, the second on ties."""
    labels = [show_label(label) for label in classes]
    if wanted is not None:
        if wanted not in labels:
            raise ParameterError(f"--positive is {wanted!r}; the classes are {', '.join(labels[:10])}.")
        return labels.index(wanted)
    return None if len(classes) != 2 else int(counts[0] >= counts[1])
