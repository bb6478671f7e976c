# SPDX-License-Identifier: BSD-3-Clause
"""Distinct values of a column in the training rows, and sums of their weights: by label, by bin, over classes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints

__all__ = [
    "ColumnWeights",
    "LabelWeights",
    "Summary",
    "identifying_below",
    "occurring",
    "sum_by_bin",
    "sum_by_bin_numpy",
    "sum_by_bins",
    "sum_by_bins_numpy",
    "sum_classes",
    "weigh_labels",
    "weigh_labels_numpy",
]


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


_TWICE: Final = 2.0  # rows


def identifying_below(weights: Floats) -> float:
    """Return the weight below which labels of a column are not listed: 2 where most of them occur once, otherwise 0.

    Such labels, as names and numbers of persons, would identify rows.
    """
    once, occurring = np.count_nonzero((weights > 0) & (weights < _TWICE)), np.count_nonzero(weights)
    return _TWICE if once > 1 and 2 * once > occurring else 0.0


@dataclass(frozen=True)
class Summary:
    """Distinct values of a column in the training rows.

    Attributes
    ----------
    name : str
        The column's name.
    labels : float64 array, or tuple
        Distinct values in increasing order, numbers as an array. Some may have no weight.
    counts : int64 array of shape (len(labels) + 1, n_classes)
        Weight of each value in each class, in units; missing values last.
    unit : float
        The unit of the weights.
    known_weights : ColumnWeights, default=None
        The weight of each value in all classes, where that is known; computed from the counts otherwise.
    """

    name: str
    labels: NDArray[np.float64] | tuple[Any, ...]
    counts: Ints
    unit: float
    known_weights: ColumnWeights | None = field(default=None, compare=False)

    @property
    def mass(self) -> Ints:
        """Weight of each value without missing values."""
        return self.weights[:-1]

    @property
    def weights(self) -> Ints:
        """Weight of each value, missing values last."""
        return self.weighed.of_label

    @cached_property
    def weighed(self) -> ColumnWeights:
        """The weight of each value, missing values last, and their summary."""
        if self.known_weights is not None:
            return self.known_weights
        offsets = np.array([0, len(self.counts)])
        return weigh_labels(self.counts, offsets).split(offsets, [0])[0]

    @property
    def missing(self) -> bool:
        """Whether missing values have weight."""
        return bool(self.counts[-1].any())


def sum_by_bin(bin_of_label: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Add up the counts of the labels of each bin."""
    if core is None:
        warn_if_missing()
        return sum_by_bin_numpy(bin_of_label, counts, n_codes)
    return core.add_by_bin(bin_of_label, np.ascontiguousarray(counts), n_codes)


def sum_by_bins(bins_of_labels: Sequence[NDArray[np.intp]], counts: Ints, offsets: Ints) -> Ints:
    """Add up the counts of the labels of each bin of each column; the bins of a column begin at its offset."""
    if core is None:
        warn_if_missing()
        return sum_by_bins_numpy(bins_of_labels, counts, offsets)
    return core.add_by_bins(list(bins_of_labels), np.ascontiguousarray(counts), offsets)


def sum_by_bins_numpy(bins_of_labels: Sequence[NDArray[np.intp]], counts: Ints, offsets: Ints) -> Ints:
    """Specification of `sum_by_bins`, and its fallback without the compiled core."""
    places = np.concatenate([bins + first for bins, first in zip(bins_of_labels, offsets.tolist(), strict=False)])
    return sum_by_bin_numpy(places, counts, int(offsets[-1]))


def sum_by_bin_numpy(bin_of_label: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Specification of `sum_by_bin`, and its fallback without the compiled core."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, bin_of_label, counts)
    return sums
