"""Coding rules: each learns the partition of a column from the summary of its training rows."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.coding.groups import Groups
from bayesieve.coding.partition import Partition
from bayesieve.coding.summary import Summary
from bayesieve.exceptions import PooledValuesWarning, warn_caller

__all__ = ["MAX_BINS", "CodingRule", "DistinctValues", "distinct_groups", "warn_of_pools"]


MAX_BINS = 65_535  # with the code for unseen values, as many as 16 bits hold


class CodingRule:
    """Base of the rules that learn bins from distinct values and their weights: implement `learn` or `learn_all`.

    ``needs_weights`` is False if a partition depends only on which values have weight, not on how much. ``blind`` is
    True if all folds share the partition of all rows: it must not depend on the target.
    """

    needs_weights: ClassVar[bool] = True
    blind: ClassVar[bool] = False

    def for_table(self, n_columns: int) -> "CodingRule":
        """Return the rule for a table of `n_columns` columns, if it depends on their number."""
        return self

    def has_single_bin(self, counts: Ints, begins: Ints, unit: float) -> NDArray[np.bool_]:
        """Return which columns certainly have a single bin, given the counts of all columns, stacked.

        This test of a whole batch saves the cost of learning each column, which matters in wide tables.
        """
        return np.zeros(len(begins), dtype=bool)

    def learn(self, summary: Summary) -> Partition:
        """Return the partition of a column; values without weight are ignored."""
        return self.learn_all([summary])[0]

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        return [self.learn(summary) for summary in summaries]


class DistinctValues(CodingRule):
    """Each distinct value is a code."""

    needs_weights = False

    def learn(self, summary: Summary) -> Partition:
        """Return one group per value."""
        return distinct_groups(summary)


def distinct_groups(summary: Summary) -> Groups:
    """Return one group per value that occurs; beyond 65,535 values the rarest share the last group."""
    mass, missing = summary.mass, summary.missing
    occurring = np.flatnonzero(mass).tolist()
    labels = summary.labels.tolist() if isinstance(summary.labels, np.ndarray) else summary.labels
    room = MAX_BINS - missing
    if len(occurring) <= room:
        return Groups(tuple([(labels[i],) for i in occurring]), missing)
    rare = set(np.argsort(-mass[occurring], kind="stable")[room - 1 :].tolist())
    kept = tuple((labels[i],) for place, i in enumerate(occurring) if place not in rare)
    pooled = tuple(labels[i] for place, i in enumerate(occurring) if place in rare)
    return Groups((*kept, pooled), missing)


def warn_of_pools(names: Iterable[str], partitions: Iterable[Partition]) -> None:
    """Warn of columns whose rarest values share a code; not part of learning, which is repeated for each fold."""
    for name, partition in zip(names, partitions, strict=True):
        if partition.n_bins == MAX_BINS and isinstance(partition, Groups) and len(partition.groups[-1]) > 1:
            n_pooled = len(partition.groups[-1])
            n_values = len(partition.groups) - 1 + n_pooled
            warn_caller(
                f"Column {name!r} has {n_values} distinct values and at most {MAX_BINS} are expected; the {n_pooled} "
                "rarest share a code.",
                PooledValuesWarning,
            )
