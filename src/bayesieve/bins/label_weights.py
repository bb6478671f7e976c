# SPDX-License-Identifier: BSD-3-Clause
"""The weight of each label in all classes together, and per column their sum, the largest, and how many have any."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints

__all__ = ["ColumnWeights", "LabelWeights", "occurring", "sum_classes", "weigh_labels", "weigh_labels_numpy"]


class ColumnWeights(NamedTuple):
    """The labels of one column: the weight of each, their sum, the largest, and the number of labels with weight."""

    of_label: Ints
    total: int
    largest: int
    n_values: int


class LabelWeights(NamedTuple):
    """The labels of several columns, stacked.

    Attributes
    ----------
    of_label : int64 array of shape (n_labels,)
        The weight of each label.
    total, largest, n_values : int64 arrays of shape (n_columns,)
        Of each column, the weight of all labels, that of the heaviest, and the number of labels with weight.
    """

    of_label: Ints
    total: Ints
    largest: Ints
    n_values: Ints

    def split(self, offsets: Ints, which: Sequence[int]) -> list[ColumnWeights]:
        """Return the weights of some columns, given where the labels of each begin."""
        begins, total, largest, n_values = (each.tolist() for each in (offsets, *self[1:]))
        return [
            ColumnWeights(self.of_label[begins[j] : begins[j + 1]], total[j], largest[j], n_values[j]) for j in which
        ]


def weigh_labels(counts: Ints, offsets: Ints) -> LabelWeights:
    """Weigh the labels of columns, given their counts by class and where the labels of each column begin."""
    if core is None:
        warn_if_missing()
        return weigh_labels_numpy(counts, offsets)
    return LabelWeights(*core.weigh_labels(np.ascontiguousarray(counts), offsets))


def weigh_labels_numpy(counts: Ints, offsets: Ints) -> LabelWeights:
    """Specification of `weigh_labels`, and its fallback without the compiled core; no column is without labels."""
    mass, begins = sum_classes(counts), offsets[:-1]
    if not len(begins):
        return LabelWeights(mass, *(np.empty(0, dtype=np.int64) for _ in range(3)))
    return LabelWeights(
        mass,
        np.add.reduceat(mass, begins),
        np.maximum.reduceat(mass, begins),
        np.add.reduceat(mass != 0, begins, dtype=np.int64),
    )


def sum_classes(counts: Ints) -> Ints:
    """Return the sum of each row of counts; adding class by class is faster than row by row."""
    if counts.shape[1] == 1:
        return counts[:, 0].copy()
    sums: Ints = counts[:, 0] + counts[:, 1]
    for c in range(2, counts.shape[1]):
        sums += counts[:, c]
    return sums


def occurring(counts: Ints) -> NDArray[np.bool_]:
    """Return which rows of counts have weight."""
    occurs: NDArray[np.bool_] = counts[:, 0] != 0
    for c in range(1, counts.shape[1]):
        occurs |= counts[:, c] != 0
    return occurs
