# SPDX-License-Identifier: BSD-3-Clause
"""Columns that tell the target almost perfectly, which a column known before the target rarely does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column
from bayesieve.estimators import MODLDiscretizer

__all__ = ["find_leaks", "leaks_target"]

_FEW_ROWS = 20
_FIRST = 8192  # rows that tell most columns
_NEARLY = 0.999
_MOST_BINS = 50


def leaks_target(counts: Any) -> bool:
    """Return whether nearly all rows of each bin of a column have one class, given the rows per bin and class."""
    counts = np.asarray(counts, dtype=np.float64)
    total, common = counts.sum(), counts.sum(axis=0).max()
    if total < _FEW_ROWS or common >= total:
        return False
    wrong, wrong_before = total - counts.max(axis=1).sum(), total - common
    return bool(wrong <= (1.0 - _NEARLY) * total and wrong <= 0.01 * wrong_before)


def find_leaks(columns: Sequence[Column], target: NDArray[np.int32], n_classes: int) -> list[str]:
    """Return the names of columns whose optimal bins leak the target.

    Optimal bins are learned only of columns that could: those with nearly one class per value, of which ordered ones
    change their class a few times only.
    """
    names = []
    for column in columns:
        if not _may_leak(column, target, n_classes):
            continue
        labels = np.array([*column.labels, None], dtype=object)
        binned = MODLDiscretizer().fit((column.values if column.ordered else labels[column.ids])[:, None], target)
        partitions: list[Any] = list(binned.partitions_.values())
        if any(leaks_target(each.counts) for each in partitions):
            names.append(column.name)
    return names


def _may_leak(column: Column, target: NDArray[np.int32], n_classes: int) -> bool:
    most = (1.0 - _NEARLY) * len(target)
    # More rows have at least as many that are not of the most frequent class of their value.
    if len(target) > 2 * _FIRST and _wrong(_class_counts(column, target, n_classes, _FIRST)) > most:
        return False
    filled = _class_counts(column, target, n_classes, len(target))
    if len(filled) < 2 or _wrong(filled) > most:
        return False
    if not column.ordered:
        return len(filled) <= len(target) // 2
    changes = int(np.count_nonzero(np.diff(filled.argmax(axis=1))))
    return changes <= 2 * most + _MOST_BINS


def _class_counts(column: Column, target: NDArray[np.int32], n_classes: int, n_rows: int) -> NDArray[np.int64]:
    """Return the rows per class among the first rows, for each value that occurs there, *missing* last."""
    n_values = len(column.labels) + 1
    cells = column.ids[:n_rows].astype(np.int64) * n_classes + target[:n_rows]
    counts = np.bincount(cells, minlength=n_values * n_classes).reshape(n_values, n_classes)
    filled: NDArray[np.int64] = counts[counts.sum(axis=1) > 0]
    return filled


def _wrong(counts: NDArray[np.int64]) -> int:
    return int(counts.sum() - counts.max(axis=1, initial=0).sum())
