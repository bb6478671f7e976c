# SPDX-License-Identifier: BSD-3-Clause
"""The values that the bins of numeric columns stand for."""

from collections.abc import Sequence

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.coding import ColumnBins
from bayesieve.data import LabeledColumns

__all__ = ["BinValues", "find_bin_values"]

BinValues = tuple[Floats, tuple[float, float]]

_QUANTILES = np.array([0.01, 0.5, 0.99])


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
    own = [k for k, column in enumerate(batch.columns) if column.ordered and len(column.labels)]
    if not own:
        return found
    sizes = np.array([len(batch.columns[k].labels) for k in own])
    begins = np.append(0, np.cumsum(sizes)[:-1])
    column_of = np.repeat(np.arange(len(own)), sizes)
    labels = np.concatenate([np.asarray(batch.columns[k].labels, dtype=np.float64) for k in own])
    mass = counts.sum(axis=1)[batch.offsets[own][column_of] + np.arange(len(labels)) - begins[column_of]]
    low, middle, high = _quantiles(labels, mass, begins, begins + sizes - 1)
    bins = np.concatenate([column_bins[k].bin_of_label[:size] for k, size in zip(own, sizes.tolist(), strict=True)])
    n_bins = np.maximum.reduceat(bins, begins) + 1
    first_bins = np.append(0, np.cumsum(n_bins)[:-1])
    places, n_places = bins + first_bins[column_of], int(n_bins.sum())
    distances, unit = _distances(labels, middle, begins, column_of)
    sums = np.bincount(places, weights=mass * distances, minlength=n_places)
    means = sums / np.maximum(np.bincount(places, weights=mass, minlength=n_places), 1e-300)
    ends = (np.ldexp(each * 0.25 - middle * 0.25, -unit) for each in (low, high))
    for k, each, a, b in zip(own, np.split(means, first_bins[1:]), *ends, strict=True):
        found[k] = each, (float(a), float(b))
    return found


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
