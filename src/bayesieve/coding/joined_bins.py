"""Finest bins joined in the best way, for display."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.coding.modl.rule import MODL
from bayesieve.coding.partition import Groups, Intervals, Partition, with_counts
from bayesieve.coding.rule import Summary, sum_by_bin
from bayesieve.data import Values

__all__ = ["JoinedBins", "join_finest_bins"]


class JoinedBins(Mapping[str, Partition]):
    """The best way to join the finest bins of each column, found when it is first looked at: few fits are.

    Parameters
    ----------
    finest : mapping of str to (Partition, counts)
        The finest bins of each column, and the weight of the rows per bin and class.
    rule : MODL
        How bins are joined.
    unit : float
        The unit of the weights.
    n_threads : int
        Number of threads.
    """

    def __init__(self, finest: Mapping[str, tuple[Partition, Ints]], rule: MODL, unit: float, n_threads: int) -> None:
        self._finest, self._rule, self._unit, self._n_threads = finest, rule, unit, n_threads

    @cached_property
    def _joined(self) -> dict[str, Partition]:
        return join_finest_bins(self._finest, self._rule, self._unit, self._n_threads)

    def __getitem__(self, name: str) -> Partition:
        return self._joined[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._finest)

    def __len__(self) -> int:
        return len(self._finest)


def join_finest_bins(
    finest: Mapping[str, tuple[Partition, Ints]], rule: MODL, unit: float, n_threads: int
) -> dict[str, Partition]:
    """Return the best way to join the finest bins of some columns, given these bins and their counts.

    The positions of the bins take the place of values.
    """
    summaries = [Summary(name, *_as_values(fine, counts), unit) for name, (fine, counts) in finest.items()]
    joined = rule.learn_all(summaries, n_threads)
    shown: dict[str, Partition] = {}
    for (name, (fine, _)), summary, coarse in zip(finest.items(), summaries, joined, strict=True):
        places = coarse.bins_of(Values(name, summary.labels))
        counts = sum_by_bin(places, summary.counts, coarse.n_bins + 1)[:-1]
        shown[name] = with_counts(_of_values(fine, coarse), counts, unit)
    return shown


def _as_values(fine: Partition, counts: Ints) -> tuple[NDArray[np.float64] | tuple[int, ...], Ints]:
    """Return the positions of the bins as labels, and counts with those of missing values last."""
    missing = bool(getattr(fine, "missing", False))
    n = len(counts) - missing
    with_missing = counts if missing else np.append(counts, np.zeros_like(counts[:1]), axis=0)
    return (tuple(range(n)) if isinstance(fine, Groups) else np.arange(n, dtype=np.float64)), with_missing


def _of_values(fine: Partition, coarse: Partition) -> Partition:
    """Return a partition of positions as one of values."""
    if isinstance(coarse, Intervals) and isinstance(fine, Intervals):
        return replace(coarse, bounds=fine.bounds[np.floor(coarse.bounds).astype(np.intp)], scale=fine.scale)
    if isinstance(coarse, Groups) and isinstance(fine, Groups):
        return replace(coarse, groups=tuple(tuple(v for i in each for v in fine.groups[i]) for each in coarse.groups))
    return coarse
