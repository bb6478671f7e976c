# SPDX-License-Identifier: BSD-3-Clause
"""The classes of the target: checks, and which one is the positive class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import format_label

__all__ = ["check_class_labels", "count_classes", "find_positive", "mixed_labels_error"]

_MOST_CLASSES = 100


def count_classes(y: NDArray[Any], target: str, n_folds: int) -> tuple[list[Any], list[int]]:
    """Return the classes and their numbers of rows; refuse a target without classes, or with too rare a class."""
    try:
        labels, counts = np.unique(y, return_counts=True)
    except TypeError:
        raise mixed_labels_error(target) from None
    classes, sizes = labels.tolist(), counts.tolist()
    check_class_labels(classes, target)
    rarest = int(counts.argmin())
    if sizes[rarest] < n_folds:
        raise DataError(
            f"Class {format_label(classes[rarest])!r} of the target {target!r} has too few rows ({sizes[rarest]}); at "
            f"least {n_folds} are needed, one per outer fold, so merge or remove this class, or reduce --cv."
        )
    return classes, sizes


def mixed_labels_error(target: str) -> DataError:
    """Return the error for labels that cannot be sorted."""
    return DataError(f"The target {target!r} mixes numbers and text; make it one or the other.")


def check_class_labels(classes: Sequence[Any], target: str) -> None:
    """Refuse a target with a single class, or with too many values to be classes."""
    if len(classes) == 1:
        raise DataError(f"The target {target!r} is {classes[0]!r} in every row; at least two classes are needed.")
    if len(classes) > _MOST_CLASSES:
        raise DataError(
            f"The target {target!r} has {len(classes):,} different values; at most {_MOST_CLASSES} classes are "
            "supported, so name another column as --target."
        )


def find_positive(label: str | None, classes: Sequence[Any], counts: Sequence[int]) -> int | None:
    """Return the index of the positive class: the given one, or the less frequent of two, the second on ties."""
    labels = [format_label(each) for each in classes]
    if label is not None:
        if label not in labels:
            raise ParameterError(f"--positive is {label!r}; the classes are {', '.join(labels[:10])}.")
        return labels.index(label)
    return None if len(classes) != 2 else int(counts[0] >= counts[1])
