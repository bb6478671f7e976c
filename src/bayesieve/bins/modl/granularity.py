# SPDX-License-Identifier: BSD-3-Clause
"""Granularities: at granularity g, cuts are borders of about 2^g cells of equal weight."""

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.modl.prior import finest_granularity

__all__ = ["cell_starts", "explored"]


def cell_starts(mass: Ints, unit: float, granularity: int, fixed_first: bool = False) -> Ints:
    """Return where the cells begin, as positions among the values.

    The border of cell q is the border between two values nearest to N (q + 1) / 2^g, the outer one on ties. Cells
    without a value are dropped; with ``fixed_first`` the first value is a cell of its own. The computation uses integer
    units, so that weights are exactly copies.
    """
    cumulative = np.cumsum(mass)
    total = int(cumulative[-1])
    size = 2**granularity
    # With at least as many cells as units, each border between values is the nearest one of some cell.
    if size >= min(total, ceil(total * unit)):
        return np.arange(len(mass))
    q = np.arange(1, size) if size <= 16 * len(mass) else _decisive_cells(cumulative, size)
    # The aim total · q / size, as an integer and a remainder out of size; neither product overflows.
    quotient, rest = total >> granularity, total & (size - 1)
    aim, remainder = quotient * q + ((rest * q) >> granularity), (rest * q) & (size - 1)
    right = np.searchsorted(cumulative, (aim + (remainder > 0)).astype(np.int64))
    gap = 2 * aim + (2 * remainder >> granularity) - cumulative[np.maximum(right - 1, 0)] - cumulative[right]
    beyond_middle = (gap > 0) | ((gap == 0) & ((2 * remainder & (size - 1) > 0) | (q > size // 2)))
    borders = np.where((right == 0) | beyond_middle, right + 1, right)
    return np.unique(np.append([0, 1] if fixed_first else 0, borders[borders < len(mass)]))


def _decisive_cells(cumulative: Ints, size: int) -> NDArray[np.object_]:
    """Return the first and the last cell whose aim lies within each value, as integers of any size.

    Borders do not decrease with q, so that these have all borders.
    """
    last = np.minimum(cumulative.astype(object) * size // int(cumulative[-1]), size - 1)
    first = np.append(1, last[:-1] + 1)
    return np.unique(np.append(last, first)[np.append(first <= last, first <= last)])


def explored(mass: Ints, unit: float, fixed_first: bool) -> Iterator[tuple[int, Ints]]:
    """Yield the granularities to search, with the starts of their cells.

    A granularity is searched if it has at least 1.5 times as many cells as the previous one, and at most 2 / 3 as many
    as there are values. The last is the first whose cells are the values.
    """
    before = 0
    finest = finest_granularity(float(int(mass.sum())) * unit)
    for granularity in range(1, finest + 1):
        starts = cell_starts(mass, unit, granularity, fixed_first)
        last = len(starts) == len(mass) or granularity == finest
        if last or (2 * len(starts) >= 3 * before and 3 * len(starts) <= 2 * len(mass)):
            yield granularity, starts
        before = len(starts)
        if last:
            return
