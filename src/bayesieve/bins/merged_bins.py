# SPDX-License-Identifier: BSD-3-Clause
"""Partitions with some of their bins merged."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.partition import Groups, Intervals, Partition

__all__ = ["merge_bins", "n_mergeable"]


def n_mergeable(partition: Partition) -> int:
    """Return how many bins can be merged, always the first; bins of special and of missing values are kept."""
    if isinstance(partition, Intervals):
        return len(partition.bounds) + 1
    return len(partition.groups) if isinstance(partition, Groups) else 0


def merge_bins(partition: Partition, blocks: Sequence[Sequence[int]]) -> tuple[Partition, NDArray[np.intp]]:
    """Return the partition whose bins are these blocks of codes, in this order, followed by the bins that are kept.

    Blocks of intervals hold neighbors and are in order. Also returned: the new code of each old one, *unseen* last.
    Counts are added up; level and cost are dropped.
    """
    n_free, n_bins = n_mergeable(partition), partition.n_bins
    new = np.arange(n_bins + 1) + len(blocks) - n_free
    for k, block in enumerate(blocks):
        new[list(block)] = k
    counts = getattr(partition, "counts", None)
    if counts is not None:
        sums = np.zeros((n_bins + len(blocks) - n_free, counts.shape[1]), dtype=counts.dtype)
        np.add.at(sums, new[:-1], counts)
        counts = sums
    if isinstance(partition, Intervals):
        bounds = partition.bounds[[block[-1] for block in blocks[:-1]]]
        joined = None if partition.joined is None else int(new[partition.joined])
        return replace(partition, bounds=bounds, joined=joined, counts=counts, level=None, cost=None), new
    assert isinstance(partition, Groups)
    groups = tuple(tuple(chain.from_iterable(partition.groups[code] for code in block)) for block in blocks)
    joined, other = (None if code is None else int(new[code]) for code in (partition.joined, partition.other))
    return replace(partition, groups=groups, joined=joined, other=other, counts=counts, level=None, cost=None), new
