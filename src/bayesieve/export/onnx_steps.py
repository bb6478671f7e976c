# SPDX-License-Identifier: BSD-3-Clause
"""Codes of numbers as steps, and the thresholds of a binary search among them.

Thresholds are doubles, as the numbers of an ONNX model, so that each row gets the bins that it has in Python.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Groups, Intervals

__all__ = ["Steps", "codes_by_position", "n_levels", "number_steps", "thresholds_by_level"]

Steps = tuple[NDArray[np.float64], NDArray[np.intp]]
"""Increasing thresholds, and one code more: of numbers up to each threshold, and of all others, NaN among them."""


def number_steps(partition: Intervals | Groups) -> Steps:
    """Return the codes of a column of numbers as a step function."""
    if isinstance(partition, Intervals):
        bounds, single = partition.bounds.tolist(), list(partition.special)
    else:
        bounds, single = [], [float(value) for group in partition.groups for value in group]
    # A value with a bin of its own is alone in the interval from the double below it.
    cuts = np.unique([*bounds, *single, *np.nextafter(single, -np.inf), np.inf])
    codes = _codes_of(partition, np.append(cuts, np.nan))
    last = np.append(np.flatnonzero(np.diff(codes)), len(codes) - 1)
    return cuts[last[:-1]], codes[last]


def _codes_of(partition: Intervals | Groups, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the code of each number; NaN is a missing value."""
    if isinstance(partition, Intervals):
        return partition.code_numbers(numbers)
    unseen = partition.n_bins
    new = unseen if partition.other is None else partition.other
    absent = unseen if partition.joined is None else partition.joined
    group_of = {float(value): g for g, group in enumerate(partition.groups) for value in group}
    codes = np.array([group_of.get(number, new) for number in numbers.tolist()], dtype=np.intp)
    codes[np.isnan(numbers)] = unseen - 1 if partition.missing else absent
    return codes


def n_levels(cuts: NDArray[np.float64]) -> int:
    """Return the number of comparisons that find the position of a number among thresholds; at least 1."""
    return max(1, len(cuts).bit_length())


def thresholds_by_level(columns: Sequence[NDArray[np.float64]], levels: int) -> list[NDArray[np.float64]]:
    """Return what a binary search compares with, for several columns at once.

    The search begins at position 0. At each level the position is doubled, and 1 is added if the number is at most the
    threshold there. In the end it is the number of thresholds that are not below the number: 0 for NaN.

    Returns
    -------
    thresholds : list of arrays of shape (n_columns, 2^level)
    """
    padded = np.full((len(columns), 2**levels - 1), -np.inf)
    for row, cuts in zip(padded, columns, strict=True):
        row[: len(cuts)] = cuts[::-1]
    return [padded[:, 2 ** (levels - 1 - level) - 1 :: 2 ** (levels - level)] for level in range(levels)]


def codes_by_position(codes: NDArray[np.intp], levels: int) -> NDArray[np.intp]:
    """Return the code of each position that the search can end at."""
    padded = np.full(2**levels, codes[0])
    padded[: len(codes)] = codes[::-1]
    return padded
