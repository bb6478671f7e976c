"""A coding rule learns a partition of each column from the fitting rows."""

import warnings
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.partition import Groups, Partition
from bayesieve.data import Column, NominalColumn, Table, Target, Weights
from bayesieve.exceptions import PooledValuesWarning

__all__ = ["MAX_PARTS", "CodingRule", "DistinctValues", "distinct_groups"]

MAX_PARTS = 65_535  # with the code for unseen values, as many as 16 bits hold


class CodingRule(Protocol):
    """Anything that turns columns, target and weights into partitions."""

    def learn(self, table: Table, target: Target, weights: Weights) -> list[Partition]:
        """Return one partition a column; rows of weight zero count for nothing."""
        ...


class DistinctValues:
    """Each distinct value is a code."""

    def learn(self, table: Table, target: Target, weights: Weights) -> list[Partition]:
        """Return one group a value."""
        return [distinct_groups(column, weights.units) for column in table.columns]


def distinct_groups(column: Column, weights: NDArray[np.int64]) -> Groups:
    """Return the groups of one value each that occur; above 65,535 the rarest share the last group."""
    present = weights > 0
    if isinstance(column, NominalColumn):
        counts = np.bincount(column.ids[present & (column.ids >= 0)], minlength=len(column.labels))
        occurring = np.flatnonzero(counts)
        values, counts = [column.labels[i] for i in occurring], counts[occurring]
        missing = bool((column.ids[present] < 0).any())
    else:
        known = column.values[present & ~np.isnan(column.values)]
        distinct, counts = np.unique(known, return_counts=True)
        values, missing = distinct.tolist(), len(known) < int(present.sum())
    room = MAX_PARTS - missing
    if len(values) <= room:
        return Groups(tuple((value,) for value in values), missing)
    warnings.warn(
        f"Column {column.name!r} has {len(values)} distinct values; the {len(values) - room + 1} rarest share a code.",
        PooledValuesWarning,
        stacklevel=2,
    )
    rare = set(np.argsort(-counts, kind="stable")[room - 1 :].tolist())
    kept = tuple((value,) for i, value in enumerate(values) if i not in rare)
    return Groups((*kept, tuple(values[i] for i in sorted(rare))), missing)
