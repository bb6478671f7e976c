"""Elementary parts: as fine as a column can be told apart with few codes, without a look at the target.

Of numbers, a value that holds at least its share of the rows is a part of its own, and the others share what parts are
left by frequency; a part never crosses a heavy value, so that a tail beside a spike keeps its resolution. Of labels,
the most frequent are parts of their own and the rest is pooled. A column of which all but a few rows have one value is
one part: among 100,000 such columns, what sets a handful of rows apart is chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve.coding.bounds import readable_between
from bayesieve.coding.groups import Groups
from bayesieve.coding.intervals import Intervals
from bayesieve.coding.partition import Partition
from bayesieve.coding.rule import CodingRule
from bayesieve.coding.summary import Summary, sum_classes

__all__ = ["FinestBins", "hardly_vary", "slot_cuts", "slot_cuts_numpy"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ONE_PART: Final = tuple(Intervals(np.empty(0), False, joined=joined) for joined in (None, 0))


@dataclass(frozen=True)
class FinestBins(CodingRule):
    """At most so many intervals of numbers, or so many labels apart; missing values are a part of their own.

    Attributes
    ----------
    n_intervals : int
        The most intervals of a column of numbers; half of it, or one for 16 rows, in small tables.
    n_labels : int
        The most labels with a part of their own, each of at least ``least`` rows.
    """

    n_intervals: int = 128
    n_labels: int = 60
    least: float = 2.0
    blind: ClassVar[bool] = True

    def has_single_bin(self, counts: Ints, begins: Ints, unit: float) -> NDArray[np.bool_]:
        """Tell which columns hardly vary."""
        return hardly_vary(sum_classes(counts), unit, begins)

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return a partition of each column; which values occur and how often is all that matters."""
        if not summaries:
            return []
        ends = list(accumulate(len(summary.counts) for summary in summaries))
        mass = sum_classes(np.concatenate([summary.counts for summary in summaries]))
        learnt: dict[int, Partition] = {}
        cut: dict[int, tuple[Floats, Floats]] = {}
        begins = np.array([0, *ends[:-1]])
        rare = hardly_vary(mass, summaries[0].unit, begins).tolist()
        missing = (mass[np.array(ends) - 1] > 0).tolist()
        n_values = np.add.reduceat(mass > 0, begins, dtype=np.int64).tolist()
        for k, (summary, is_rare, end) in enumerate(zip(summaries, rare, ends, strict=True)):
            if is_rare:
                learnt[k] = _ONE_PART[missing[k]]
                continue
            own = mass[end - len(summary.counts) : end]
            n_known = n_values[k] - missing[k]
            if isinstance(summary.labels, np.ndarray) and n_known:
                cut[k] = self._cut(summary.labels, own, n_known, summary.unit)
            else:  # without numbers, an interval would be empty
                learnt[k] = self._groups(summary, own[:-1])
        learnt |= {k: Intervals(bounds, missing[k]) for k, bounds in zip(cut, _bounds(cut), strict=True)}
        return [learnt[k] for k in range(len(summaries))]

    def _cut(self, labels: Floats, mass: Ints, n_known: int, unit: float) -> tuple[Floats, Floats]:
        """Return the values to the left and to the right of each bound, of labels so many of which occur."""
        if n_known == len(labels) <= self.n_intervals // 2:  # as in most columns of a wide table
            return labels[:-1], labels[1:]
        occurs = mass[:-1] > 0
        distinct = labels[occurs]
        room = min(self.n_intervals, max(self.n_intervals // 2, int(int(mass.sum()) * unit / 16.0)))
        cuts = slot_cuts(mass[:-1][occurs], room)
        return distinct[cuts - 1], distinct[cuts]

    def _groups(self, summary: Summary, mass: Ints) -> Groups:
        frequent = np.flatnonzero(mass * summary.unit >= self.least)
        frequent = frequent[np.argsort(-mass[frequent], kind="stable")][: self.n_labels]
        rest = np.setdiff1d(np.flatnonzero(mass), frequent)
        labels = summary.labels
        groups: list[tuple[object, ...]] = [(_plain(labels[i]),) for i in frequent.tolist()]
        if len(rest):
            groups.append(tuple(_plain(labels[i]) for i in rest.tolist()))
        return Groups(tuple(groups), summary.missing)


def hardly_vary(mass: Ints, unit: float, begins: Ints) -> NDArray[np.bool_]:
    """Tell in which columns the rows that differ from most are fewer than log2 N, and than one of 64."""
    total, largest = (reduced * unit for reduced in (np.add.reduceat(mass, begins), np.maximum.reduceat(mass, begins)))
    few = np.minimum(total / 64.0, np.log2(np.maximum(total, 1.0)))
    return np.asarray(total - largest < few)


def _bounds(cut: Mapping[int, tuple[Floats, Floats]]) -> Iterator[Floats]:
    """Return the bounds of each column, found all at once: each call has its cost."""
    sides = zip(*cut.values(), strict=True)
    bounds = readable_between(*map(np.concatenate, sides)) if cut else np.empty(0)
    ends = accumulate(len(left) for left, _ in cut.values())
    return (bounds[end - len(left) : end] for end, (left, _) in zip(ends, cut.values(), strict=True))


def slot_cuts(mass: Ints, n_slots: int) -> NDArray[np.intp]:
    """Return where parts are cut, as numbers of distinct values to the left, given the mass of each."""
    if len(mass) <= n_slots:
        return np.arange(1, len(mass))
    if core is None:
        warn_if_missing()
        return slot_cuts_numpy(mass, n_slots)
    return core.slot_cuts(np.ascontiguousarray(mass), n_slots)


def slot_cuts_numpy(mass: Ints, n_slots: int) -> NDArray[np.intp]:
    """Cut as `slot_cuts` does: its specification, and its fallback without a compiled core."""
    n = len(mass)
    heavy = np.zeros(n, dtype=bool)
    while True:
        rest, left = int(mass[~heavy].sum()), n_slots - int(heavy.sum())
        if left <= 1 or rest == 0:
            break
        new = ~heavy & (mass >= rest / left)
        if not new.any():
            break
        heavy |= new
    left = max(1, n_slots - int(heavy.sum()))
    light = np.where(heavy, 0, mass)
    share, sums = max(1, int(light.sum())) / left, np.cumsum(light)
    # A part ends with a heavy value, before one, or when it has its share.
    edges = np.union1d(np.flatnonzero(heavy), np.flatnonzero(heavy) - 1)
    edges = np.append(edges[edges >= 0], n - 1)
    ends, begin, edge = [], 0, 0
    while True:
        full = int(np.searchsorted(sums - begin, share, side="left"))
        end = min(full, int(edges[edge]))
        if end >= n - 1:
            break
        ends.append(end)
        begin = int(sums[end])
        edge = int(np.searchsorted(edges, end, side="right"))
    return np.array(ends, dtype=np.intp) + 1


def _plain(label: object) -> object:
    """Return a label of an array as a Python number."""
    return label.item() if isinstance(label, np.generic) else label
