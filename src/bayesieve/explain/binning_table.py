# SPDX-License-Identifier: BSD-3-Clause
"""A column's bins as a table to read."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["binning_columns", "information_value", "weight_of_evidence"]


def binning_columns(partition: Any, classes: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for each bin.

    For each bin: its values, its weight by class and in all, its share of the rows, and for the second of two classes
    (or for each class) its rate and its weight of evidence log (P(bin | class) / P(bin | not class)), where a cell has
    1 / (N + 1) more than was counted; of two classes also the information value, which adds up to that of the column.
    """
    counts: NDArray[Any] = np.asarray(partition.counts)
    mass, total = counts.sum(axis=1), counts.sum()
    columns: dict[str, list[Any]] = {"bin": [partition.describe(code) for code in range(partition.n_bins)]}
    for c, label in enumerate(classes):
        columns[f"count {label}"] = counts[:, c].tolist()
    columns["count"] = mass.tolist()
    columns["share"] = (mass / total).tolist()
    for c, label in list(enumerate(classes))[1 if len(classes) == 2 else 0 :]:
        suffix = "" if len(classes) == 2 else f" {label}"
        rate = np.divide(counts[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"weight of evidence{suffix}"] = weight_of_evidence(counts[:, c], mass - counts[:, c]).tolist()
    if len(classes) == 2:
        columns["information value"] = information_value(counts[:, 1], counts[:, 0]).tolist()
    return columns


def weight_of_evidence(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[np.float64]:
    """Return log (P(bin | class) / P(bin | not class)) of each bin, given the counts of class and not class.

    A bin without rows has a weight of 0.
    """
    extra = 1.0 / (float(inside.sum() + outside.sum()) + 1.0)
    shares = [(cells + extra) / (float(cells.sum()) + extra * len(cells)) for cells in (inside, outside)]
    return np.where(inside + outside > 0, np.log(shares[0] / shares[1]), 0.0)


def information_value(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[np.float64]:
    """Return (P(bin | class) - P(bin | not class)) times the weight of evidence; their sum is that of the column."""
    shares = [np.asarray(cells, dtype=np.float64) / max(float(cells.sum()), 1e-300) for cells in (inside, outside)]
    return np.asarray((shares[0] - shares[1]) * weight_of_evidence(inside, outside))
