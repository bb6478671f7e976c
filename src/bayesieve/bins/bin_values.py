# SPDX-License-Identifier: BSD-3-Clause
"""The values that the bins of numeric columns stand for."""

from collections.abc import Iterator, Sequence

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.bins.binning_rule import ColumnBins
from bayesieve.bins.summary import sum_classes
from bayesieve.data import LabeledColumns

__all__ = ["BinValues", "find_bin_values"]

BinValues = tuple[Floats, tuple[float, float]]

_QUANTILES = np.array([0.01, 0.5, 0.99])
_MOST_LABELS = 1 << 15


def find_bin_values(batch: LabeledColumns, counts: Ints, column_bins: Sequence[ColumnBins]) -> list[BinValues | None]:
    """Return the mean value of each interval of each column, and the values at 1 % and 99 % of the weight.

    Values are relative to their median: large numbers lose fewer digits. Their unit is a power of two near the largest
    distance, so that neither huge nor tiny numbers are lost. Columns of categories have none.

    Parameters
    ----------
    batch : LabeledColumns
        The columns.
    counts : int64 array of shape (n_labels, n_classes)
        The weight of each label of each column in each class, missing values last.
    column_bins : list of ColumnBins
        The bins of each column.
    """
    found: list[BinValues | None] = [None] * len(column_bins)
    ordered = [k for k, column in enumerate(batch.columns) if column.ordered and len(column.labels)]
    mass, begins = sum_classes(counts), batch.offsets.tolist()
    for own in _in_parts(ordered, [len(batch.columns[k].labels) for k in ordered]):
        labels = [np.asarray(batch.columns[k].labels, dtype=np.float64) for k in own]
        of_labels = [mass[begins[k] : begins[k] + len(each)] for k, each in zip(own, labels, strict=True)]
        bins = [column_bins[k].bin_of_label[: len(each)] for k, each in zip(own, labels, strict=True)]
        for k, values in zip(own, _values_of(labels, of_labels, bins), strict=True):
            found[k] = values
    return found


def _in_parts(columns: Sequence[int], sizes: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield some columns at a time, whose labels stay in a near cache: at least one."""
    first, total = 0, 0
    for k, size in enumerate(sizes):
        if k > first and total + size > _MOST_LABELS:
            yield columns[first:k]
            first, total = k, 0
        total += size
    if columns:
        yield columns[first:]


def _values_of(labels_of: Sequence[Floats], mass_of: Sequence[Ints], bins_of: Sequence[Ints]) -> Iterator[BinValues]:
    """Return the values of each column, given its labels, the weight of each and the bin of each."""
    sizes = np.array([len(each) for each in labels_of])
    begins = np.append(0, np.cumsum(sizes)[:-1])
    column_of = np.repeat(np.arange(len(sizes)), sizes)
    labels, mass, bins = np.concatenate(labels_of), np.concatenate(mass_of), np.concatenate(bins_of)
    low, middle, high = _quantiles(labels, mass, begins, begins + sizes - 1)
    n_bins = np.maximum.reduceat(bins, begins) + 1
    first_bins = np.append(0, np.cumsum(n_bins)[:-1])
    places, n_places = bins + first_bins[column_of], int(n_bins.sum())
    distances, unit = _distances(labels, middle, begins, column_of)
    sums = np.bincount(places, weights=mass * distances, minlength=n_places)
    means = sums / np.maximum(np.bincount(places, weights=mass, minlength=n_places), 1e-300)
    ends = (np.ldexp(each * 0.25 - middle * 0.25, -unit) for each in (low, high))
    for each, a, b in zip(np.split(means, first_bins[1:]), *ends, strict=True):
        yield each, (float(a), float(b))


def _distances(labels: Floats, middle: Floats, begins: Ints, column_of: Ints) -> tuple[Floats, Ints]:
    """Return the distances from the median in units of a power of two per column, and its exponent: all are below 1."""
    distances = labels * 0.25 - middle[column_of] * 0.25  # which overflows for no two numbers
    unit = np.frexp(np.maximum.reduceat(np.abs(distances), begins))[1]
    return np.ldexp(distances, -unit[column_of]), unit


def _quantiles(labels: Floats, mass: Ints, begins: Ints, lasts: Ints) -> Floats:
    """Return the values of each column at given shares of its weight, shape (n_shares, n_columns)."""
    sums = np.cumsum(mass)
    before = sums[begins] - mass[begins]
    due = np.ceil(np.multiply.outer(_QUANTILES, (sums[lasts] - before).astype(np.float64))).astype(np.int64)
    places = np.searchsorted(sums, before + due)
    return np.asarray(labels[np.clip(places, begins, lasts)])
