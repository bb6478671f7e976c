# SPDX-License-Identifier: BSD-3-Clause
"""The population stability index (PSI) of the bins of a column, and how large it is by chance.

    PSI  =  sum over bins (q - p) log(q / p)

for the shares p of the training rows and q of the new rows, with half a row added to every bin. If both are samples of
one population, PSI / (1 / n_train + 1 / n_new) has about a chi-squared distribution with one degree of freedom less
than bins (Yurdakul, 2018): a small file has a large index by chance alone. The bins of a model's column are merged to
about ten, so that the index is not mostly noise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import Groups, Intervals
from bayesieve.models import Scorecard, ScoreTable

__all__ = ["DriftBins", "column_bins", "drift_level", "psi", "psi_by_chance", "unseen_by_chance"]

_MODERATE, _LARGE = 0.1, 0.25
_BEYOND = 0.01  # of the samples
_HALF = 0.5
_DEVIATIONS = 2.326348  # beyond these are a hundredth of normal variables


def psi(then: Floats, now: Floats) -> float:
    """Return the index of two vectors of counts; bins that are empty in both do not count."""
    filled = (then > 0) | (now > 0)
    p, q = (counts[filled] + _HALF for counts in (then, now))
    p, q = p / p.sum(), q / q.sum()
    return float(((q - p) * np.log(q / p)).sum())


def psi_by_chance(then: Floats, now: Floats, n_columns: int = 1) -> float:
    """Return the index that only one of a hundred samples of the same population exceeds, in any of the columns."""
    from scipy.special import gammaincinv

    n_bins = int(((then > 0) | (now > 0)).sum())
    if n_bins < 2 or not then.sum() or not now.sum():
        return 0.0
    quantile = 2 * gammaincinv((n_bins - 1) / 2, 1.0 - _BEYOND / max(n_columns, 1))  # of chi-squared
    return float(quantile * (1 / then.sum() + 1 / now.sum()))


def unseen_by_chance(n_categories: int, n_then: float, n_now: float) -> float:
    """Return how many new rows may have an unseen category by chance, given the categories of the training rows.

    The share of rows with a category that n rows do not have is about that of rows whose category occurs once among
    them (Good, 1953). These are at most as many as there are categories.
    """
    expected = n_now * min(n_categories / n_then, 1.0)
    return expected + _DEVIATIONS * sqrt(expected * (1.0 + n_now / n_then))


def drift_level(index: float, by_chance: float) -> str:
    """Return "stable" for what chance explains, and beyond it the usual words: small below 0.1, large from 0.25 on."""
    if index <= by_chance:
        return "stable"
    if index < _MODERATE:
        return "small"
    return "moderate" if index < _LARGE else "large"


_BINS = 10
_SMALL = 0.01  # of the training rows: rarer groups of categories are merged


@dataclass(frozen=True)
class DriftBins:
    """Bins of a column, and the number of training rows in each.

    Attributes
    ----------
    partition : Partition
        Maps values to codes.
    group : int array of shape (n_codes + 1,)
        The bin of each code; the last code, of unseen values, has a bin of its own.
    labels : tuple of str
        Descriptions of the bins.
    counts : float array
        Training rows per bin, 0 for unseen values.
    """

    partition: Any
    group: NDArray[np.intp]
    labels: tuple[str, ...]
    counts: Floats


def column_bins(card: Scorecard, others: Iterable[ScoreTable] = ()) -> dict[str, DriftBins]:
    """Return the bins of each column that a model reads: those of its own table, or of a pair where it has more.

    ``others`` are further tables, whose columns follow where it does not have them.
    """
    bins = {table.name: _merged(table.partition, table.bin_mass) for table in card.tables}
    for pair in card.pairs:
        for axis, name in enumerate(pair.names):
            of_pair = _merged(pair.partitions[axis], pair.cell_mass.sum(axis=1 - axis))
            if name not in bins or len(of_pair.labels) > len(bins[name].labels):
                bins[name] = of_pair
    return bins | {
        each.name: _merged(each.partition, each.bin_mass)
        for each in others
        if each.name not in bins and each.counts is not None
    }


def _merged(partition: Any, mass: NDArray[Any]) -> DriftBins:
    mass = np.asarray(mass, dtype=np.float64)
    if isinstance(partition, Intervals):
        group, labels = _merge_intervals(partition, mass)
    elif isinstance(partition, Groups):
        group, labels = _merge_groups(partition, mass)
    else:
        group, labels = list(range(len(mass))), [partition.describe(code) for code in range(len(mass))]
    places = np.array([*group, len(labels)], dtype=np.intp)
    counts = np.bincount(places[:-1], mass, len(labels) + 1).astype(np.float64)
    return DriftBins(partition, places, (*labels, "unseen"), counts)


def _merge_intervals(partition: Intervals, mass: Floats) -> tuple[list[int], list[str]]:
    """Merge neighboring intervals until each has a tenth of the rows; special and missing values stay apart."""
    n_intervals, total = len(partition.bounds) + 1, mass.sum()
    group: list[int] = []
    kept: list[int] = []
    inside = 0.0
    for code in range(n_intervals):
        group.append(len(kept))
        inside += mass[code]
        rest = mass[code + 1 : n_intervals].sum()
        if code < n_intervals - 1 and inside >= total / _BINS and rest >= total / _BINS / 2:
            kept.append(code)
            inside = 0.0
    n_merged, n_others = len(kept) + 1, len(mass) - n_intervals
    joined = None if partition.joined is None else group[partition.joined]
    merged = replace(partition, bounds=partition.bounds[kept], joined=joined, counts=None)
    group += [n_merged + k for k in range(n_others)]
    return group, [merged.describe(code) for code in range(n_merged + n_others)]


def _merge_groups(partition: Groups, mass: Floats) -> tuple[list[int], list[str]]:
    """Keep the largest groups of categories; merge the others."""
    order = np.argsort(-mass, kind="stable").tolist()
    kept = [code for k, code in enumerate(order) if k < _BINS and mass[code] >= _SMALL * mass.sum()]
    if len(mass) <= _BINS or len(kept) == len(mass):
        kept = list(range(len(mass)))
    place = {code: k for k, code in enumerate(sorted(kept))}
    labels = [partition.describe(code) for code in sorted(kept)]
    if len(kept) < len(mass):
        labels.append("other groups")
    return [place.get(code, len(kept)) for code in range(len(mass))], labels
