# SPDX-License-Identifier: BSD-3-Clause
"""Numbers between borders: counted and coded without sorting them.

Cell k holds the numbers above border k - 1 up to border k; the last cell but one is above all borders, and the last is
that of missing values (NaN). Columns of float32 are read as they are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.bins.partition import Intervals
from bayesieve.data import Strata

__all__ = ["Numbers", "cells_of", "code_cells", "code_cells_numpy", "count_cells", "count_cells_numpy"]

Numbers = NDArray[np.float32] | NDArray[np.float64]


def count_cells(
    numbers: Numbers, borders: Floats, strata: Strata, *, are_labels: bool = False
) -> tuple[Ints, Ints, bool]:
    """Count the rows of each cell.

    Parameters
    ----------
    numbers : float32 or float64 array of shape (n_rows,)
        NaN is missing.
    borders : float64 array
        Finite, increasing.
    strata : Strata
        How the rows are divided, and their weights.
    are_labels : bool
        Whether only numbers that are equal to a border are counted, each with its border.

    Returns
    -------
    counts : int64 array of shape (n_cells, strata.n)
        The weight of each cell in each stratum, missing values last; there are ``len(borders) + 2`` cells, or
        ``len(borders) + 1`` of labels.
    others : int64 array
        The rows that were not counted, as their number is not a label.
    infinite : bool
        Whether a number is infinite.

    Examples
    --------
    >>> strata = Strata(np.zeros(4, dtype=np.int32), 1)
    >>> count_cells(np.array([1.0, 2.0, 2.5, np.nan]), np.array([1.0, 2.0]), strata)[0].ravel()
    array([1, 1, 1, 1])
    >>> count_cells(np.array([1.0, 2.0, 2.5, np.nan]), np.array([1.0, 2.0]), strata, are_labels=True)[1]
    array([2])
    """
    if core is None:
        warn_if_missing()
        return count_cells_numpy(numbers, borders, strata, are_labels=are_labels)
    weights = np.empty(0, dtype=np.int64) if strata.weights is None else strata.weights
    values = _comparable(numbers, borders, are_labels)
    return core.count_cells(values, borders, strata.of_row, weights, strata.n, are_labels)


def _comparable(numbers: Numbers, borders: Floats, are_labels: bool) -> Numbers:
    """Return numbers that are compared with labels exactly: a label may be no float32, if other blocks have float64."""
    with np.errstate(over="ignore"):
        differ = are_labels and numbers.dtype == np.float32 and (borders.astype(np.float32) != borders).any()
    return numbers.astype(np.float64) if differ else numbers


def count_cells_numpy(
    numbers: Numbers, borders: Floats, strata: Strata, *, are_labels: bool = False
) -> tuple[Ints, Ints, bool]:
    """Specification of `count_cells`, and its fallback without the compiled core."""
    values, n = numbers.astype(np.float64), len(borders)
    missing = np.isnan(values)
    cells = borders.searchsorted(values)
    others = np.empty(0, dtype=np.intp)
    if are_labels:
        known = missing | (np.append(borders, np.nan)[np.minimum(cells, n)] == values)
        others = np.flatnonzero(~known)
    cells[missing] = n if are_labels else n + 1
    counts = np.zeros((n + (1 if are_labels else 2), strata.n), dtype=np.int64)
    counted = np.ones(len(values), dtype=bool)
    counted[others] = False
    weights = 1 if strata.weights is None else strata.weights[counted]
    np.add.at(counts, (cells[counted], strata.of_row[counted]), weights)
    return counts, others, bool(np.isinf(values).any())


def cells_of(partition: Intervals) -> tuple[Floats, Ints]:
    """Return borders such that all numbers of a cell have the same code, and the code of each cell."""
    alone = np.array(partition.special, dtype=np.float64)
    borders = np.unique(np.concatenate([partition.bounds, alone, np.nextafter(alone, -np.inf)]))
    # A border belongs to the cell below, so it has the code of that cell.
    return borders, partition.code_numbers(np.concatenate([borders, [np.inf, np.nan]]))


def code_cells(numbers: Numbers, borders: Floats, code_of_cell: Ints, rows: Ints, codes: NDArray[Any]) -> None:
    """Write the code of the cell of each picked row into ``codes``.

    >>> codes = np.empty(2, dtype=np.uint8)
    >>> code_cells(np.array([0.5, 7.0, 1.5]), np.array([1.0, 2.0]), np.array([0, 1, 2, 3]), np.array([2, 0]), codes)
    >>> codes
    array([1, 0], dtype=uint8)
    """
    if core is None:
        code_cells_numpy(numbers, borders, code_of_cell, rows, codes)
    else:
        core.code_cells(numbers, borders, code_of_cell, rows, codes)


def code_cells_numpy(numbers: Numbers, borders: Floats, code_of_cell: Ints, rows: Ints, codes: NDArray[Any]) -> None:
    """Specification of `code_cells`, and its fallback without the compiled core."""
    values = numbers[rows].astype(np.float64)
    codes[:] = code_of_cell[np.where(np.isnan(values), len(borders) + 1, borders.searchsorted(values))]
