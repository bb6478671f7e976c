# SPDX-License-Identifier: BSD-3-Clause
"""Rows that are spread evenly over a table, at places that follow no period of it: one of each stretch of rows.

The place within a stretch is a hash of the number of the stretch, so it depends neither on blocks nor on the machine.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["are_held_out", "spread_rows"]

_SAMPLE: Final = 1 << 40  # numbers of stretches from here on, so that samples and held-out rows are unrelated


def are_held_out(first: int, n: int, every: int) -> NDArray[np.bool_]:
    """Return which of n rows are held out: one of each ``every`` rows.

    >>> [int(row) for row in np.flatnonzero(are_held_out(0, 30, 10))]
    [5, 10, 29]
    """
    held_out = np.zeros(n, dtype=bool)
    held_out[_places(first, n, every, 0)] = True
    return held_out


def spread_rows(first: int, n: int, every: int) -> NDArray[np.int64]:
    """Return rows of a sample among n rows, given the number of the first: one of each ``every`` rows of the table.

    >>> spread_rows(0, 30, 10), spread_rows(20, 10, 10)
    (array([ 2, 12, 26]), array([6]))
    """
    return _places(first, n, every, _SAMPLE)


def _places(first: int, n: int, every: int, salt: int) -> NDArray[np.int64]:
    stretches = np.arange(first // every, (first + n - 1) // every + 1, dtype=np.uint64)
    places = (stretches * np.uint64(every) + _mixed(stretches + np.uint64(salt)) % np.uint64(every)).astype(np.int64)
    inside: NDArray[np.int64] = places[(places >= first) & (places < first + n)] - first
    return inside


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return unrelated numbers for neighboring ones: the finalizer of SplitMix64."""
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
