"""A coding rule learns a partition of each column from the fitting rows."""

import warnings
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.partition import Groups, Partition
from bayesieve.data import Column, NominalColumn, Table, Target, Weights
from bayesieve.exceptions import PooledValuesWarning

__all__ = ["MAX_PARTS", "CodingRule", "DistinctValues", "distinct_groups", "warn_of_pools"]

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
    known = present & (column.ids >= 0 if isinstance(column, NominalColumn) else ~np.isnan(column.values))
    missing = bool((present & ~known).any())
    if isinstance(column, NominalColumn):
        occurring, inverse = np.unique(column.ids[known], return_inverse=True)
        values = [column.labels[i] for i in occurring]
    else:
        distinct, inverse = np.unique(column.values[known], return_inverse=True)
        values = distinct.tolist()
    room = MAX_PARTS - missing
    if len(values) <= room:
        return Groups(tuple((value,) for value in values), missing)
    mass = np.zeros(len(values), dtype=np.int64)
    np.add.at(mass, inverse, weights[known])
    rare = set(np.argsort(-mass, kind="stable")[room - 1 :].tolist())
    kept = tuple((value,) for i, value in enumerate(values) if i not in rare)
    return Groups((*kept, tuple(values[i] for i in sorted(rare))), missing)


def warn_of_pools(names: Iterable[str], partitions: Iterable[Partition]) -> None:
    """Warn of the columns whose rarest values share a code; apart from learning, which is repeated for each fold."""
    for name, partition in zip(names, partitions, strict=True):
        if partition.n_parts == MAX_PARTS and isinstance(partition, Groups) and len(partition.groups[-1]) > 1:
            n_pooled = len(partition.groups[-1])
            n_values = len(partition.groups) - 1 + n_pooled
            warnings.warn(
                f"Column {name!r} has {n_values} distinct values; the {n_pooled} rarest share a code.",
                PooledValuesWarning,
                stacklevel=6,
            )
