# SPDX-License-Identifier: BSD-3-Clause
"""Elementary bins: a fine partition with few codes, which does not depend on the target.

In columns of numbers, a value with at least its share of the rows has a bin of its own, and the others are divided by
frequency into the remaining bins; a bin never crosses a frequent value, so that a tail next to a spike keeps its
resolution. In columns of labels, the most frequent have a bin each and the rest is pooled. A column in which all but a
few rows have the same value has a single bin: among 100,000 such columns, a handful of rows differs by chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.bins.binning_rule import CodingRule, ColumnBins
from bayesieve.bins.partition import Groups, Intervals, Partition, has_order, with_counts, with_levels
from bayesieve.bins.summary import ColumnWeights, LabelWeights, Summary, identifying_below, sum_by_bin, sum_classes
from bayesieve.data import LabeledColumns, Values

__all__ = [
    "BinValues",
    "FinestBins",
    "JoinedBins",
    "between",
    "find_bin_values",
    "hardly_vary",
    "join_finest_bins",
    "readable_between",
    "readable_between_numpy",
    "slot_cuts",
    "slot_cuts_numpy",
]

_CLOSE = 0.1  # share of the gap, on either side of its middle
_DIGITS = 17  # enough to distinguish all floats


def between(left: Floats, right: Floats) -> Floats:
    """Return the midpoints, or the left value if no float lies between."""
    middle = left / 2 + right / 2
    return np.where((middle >= left) & (middle < right), middle, left)


def readable_between(left: Floats, right: Floats) -> Floats:
    """Return the number with the fewest digits near each midpoint."""
    if core is None:
        return readable_between_numpy(left, right)
    low, high = (np.ascontiguousarray(each, dtype=np.float64) for each in (left, right))
    return core.readable_between(low, high)


def readable_between_numpy(left: Floats, right: Floats) -> Floats:
    """Specification of `readable_between`, and its fallback without the compiled core."""
    middles = between(left, right)
    bounds = [_shortest(*each) for each in zip(left.tolist(), right.tolist(), middles.tolist(), strict=True)]
    return np.array(bounds, dtype=np.float64)


def _shortest(left: float, right: float, middle: float) -> float:
    reach = _CLOSE * right - _CLOSE * left  # no overflow where right - left would
    for digits in range(_DIGITS):
        candidate = float(f"{middle:.{digits}e}")
        if abs(candidate - middle) <= reach and left <= candidate < right:
            return candidate
    return middle


_SINGLE_BIN: Final = tuple(Intervals(np.empty(0), False, joined=joined) for joined in (None, 0))


@dataclass(frozen=True)
class FinestBins(CodingRule):
    """At most `n_intervals` intervals of numbers, or `n_labels` single labels; missing values have their own bin.

    Attributes
    ----------
    n_intervals : int
        The maximum number of intervals of a column of numbers; in small tables half of it, or one per 16 rows.
    n_labels : int
        The maximum number of labels with their own bin, each of at least ``least`` rows.
    least : float
        The minimum weight of a label with its own bin.
    listed_from : mapping of str to float
        By column name, the weight from which on a label is listed; of others all are, unless most labels of a column
        occur once: these would identify rows. Labels that are not listed are as those that never occurred.
    """

    n_intervals: int = 128
    n_labels: int = 60
    least: float = 2.0
    listed_from: Mapping[str, float] = field(default_factory=dict)
    blind: ClassVar[bool] = True

    def has_single_bin(self, weights: LabelWeights, unit: float) -> NDArray[np.bool_]:
        """Return which columns hardly vary."""
        return hardly_vary(weights.total, weights.largest, unit)

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return a partition of each column, from the weights of its values alone."""
        if not summaries:
            return []
        learned: dict[int, Partition] = {}
        cut: dict[int, tuple[Floats, Floats]] = {}
        weights = [summary.weighed for summary in summaries]
        total, largest = (np.array(each) for each in zip(*((own.total, own.largest) for own in weights), strict=True))
        rare = hardly_vary(total, largest, summaries[0].unit).tolist()
        missing = [bool(own.of_label[-1] > 0) for own in weights]
        for k, (summary, own, is_rare) in enumerate(zip(summaries, weights, rare, strict=True)):
            if is_rare:
                learned[k] = _single_bin(summary, own.of_label, missing[k])
                continue
            n_present = own.n_values - missing[k]
            if isinstance(summary.labels, np.ndarray) and n_present:
                cut[k] = self._cut(summary.labels, own, n_present, summary.unit)
            else:  # without numbers, an interval would be empty
                learned[k] = self._groups(summary, own.of_label[:-1])
        learned |= {k: Intervals(bounds, missing[k]) for k, bounds in zip(cut, _bounds(cut), strict=True)}
        return [learned[k] for k in range(len(summaries))]

    def _cut(self, labels: Floats, weights: ColumnWeights, n_present: int, unit: float) -> tuple[Floats, Floats]:
        """Return the values to the left and to the right of each bound; `n_present` of the labels occur."""
        if n_present == len(labels) <= self.n_intervals // 2:  # as in most columns of a wide table
            return labels[:-1], labels[1:]
        mass = weights.of_label[:-1]
        occurs = mass > 0 if n_present < len(labels) else slice(None)
        distinct = labels[occurs]
        room = min(self.n_intervals, max(self.n_intervals // 2, int(weights.total * unit / 16.0)))
        cuts = slot_cuts(mass[occurs], room)
        return distinct[cuts - 1], distinct[cuts]

    def _groups(self, summary: Summary, mass: Ints) -> Groups:
        weights = np.asarray(mass * summary.unit, dtype=np.float64)
        own_limit = self.listed_from.get(summary.name)
        listed_from = identifying_below(weights) if own_limit is None else own_limit
        frequent = np.flatnonzero(weights >= max(self.least, listed_from))
        own = summary.counts[frequent]  # which order labels of the same weight, before their names do
        frequent = frequent[np.lexsort((*-own.T, -mass[frequent]))][: self.n_labels]
        remains = mass != 0
        remains[frequent] = False
        rest = np.flatnonzero(remains)
        labels = summary.labels
        groups: list[tuple[object, ...]] = [(_plain(labels[i]),) for i in frequent.tolist()]
        if len(rest):
            groups.append(tuple(_plain(labels[i]) for i in rest.tolist() if weights[i] >= listed_from))
        hides = bool((weights[rest] < listed_from).any())
        return Groups(tuple(groups), summary.missing, other=len(groups) - 1 if hides else None)


def _single_bin(summary: Summary, mass: Ints, missing: bool) -> Partition:
    """Return one bin of all values."""
    if isinstance(summary.labels, np.ndarray):
        return _SINGLE_BIN[missing]
    present = tuple(label for label, weight in zip(summary.labels, mass, strict=False) if weight > 0)
    return Groups((present,), False, joined=0 if missing else None)


def hardly_vary(total: Ints, largest: Ints, unit: float) -> NDArray[np.bool_]:
    """Return in which columns the rows without the most frequent value are fewer than log2 N and than N / 64.

    Given are the weight of all rows and that of the most frequent value, per column.
    """
    all_rows, most = total * unit, largest * unit
    few = np.minimum(all_rows / 64.0, np.log2(np.maximum(all_rows, 1.0)))
    return np.asarray(all_rows - most < few)


def _bounds(cut: Mapping[int, tuple[Floats, Floats]]) -> Iterator[Floats]:
    """Return the bounds of each column, computed in one call."""
    sides = zip(*cut.values(), strict=True)
    bounds = readable_between(*map(np.concatenate, sides)) if cut else np.empty(0)
    ends = accumulate(len(left) for left, _ in cut.values())
    return (bounds[end - len(left) : end] for end, (left, _) in zip(ends, cut.values(), strict=True))


def slot_cuts(mass: Ints, n_slots: int) -> NDArray[np.intp]:
    """Return the cuts, each as the number of distinct values to its left, given the mass of each value."""
    if len(mass) <= n_slots:
        return np.arange(1, len(mass))
    if core is None:
        warn_if_missing()
        return slot_cuts_numpy(mass, n_slots)
    return core.slot_cuts(np.ascontiguousarray(mass), n_slots)


def slot_cuts_numpy(mass: Ints, n_slots: int) -> NDArray[np.intp]:
    """Specification of `slot_cuts`, and its fallback without the compiled core.

    Cuts are counted from both ends, so that values with the opposite sign have the same bins.
    """
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
    share = max(1, int(mass[~heavy].sum())) / max(1, n_slots - int(heavy.sum()))
    # Runs of values that share bins: all between two heavy ones, which are alone.
    edges = np.flatnonzero(heavy)
    firsts, ends = np.append(0, edges + 1), np.append(edges, n)
    cuts = {*edges.tolist(), *(edges + 1).tolist()}
    for first, end in zip(firsts.tolist(), ends.tolist(), strict=True):
        cuts.update(_cuts_from_both_ends(mass, first, end, share))
    return np.array(sorted(cuts - {0, n}), dtype=np.intp)


def _cuts_from_both_ends(mass: Ints, first: int, end: int, share: float) -> Iterator[int]:
    """Yield the cuts of a run of values into bins of at least a share, save for the last one, in the middle."""
    while True:
        left = first + 1 + int(np.searchsorted(np.cumsum(mass[first:end]), share))
        right = end - 1 - int(np.searchsorted(np.cumsum(mass[first:end][::-1]), share))
        if left > right:  # what is left is less than two bins
            return
        yield left
        yield right
        first, end = left, right


def _plain(label: object) -> object:
    """Return a label of an array as a Python number."""
    return label.item() if isinstance(label, np.generic) else label


class JoinedBins(Mapping[str, Partition]):
    """The best way to join the finest bins of each column, found when it is first looked at: few fits are.

    Parameters
    ----------
    finest : mapping of str to (Partition, counts)
        The finest bins of each column, and the weight of the rows per bin and class.
    rule : CodingRule
        How bins are joined.
    n_columns : int
        Number of columns of the table.
    unit : float
        The unit of the weights.
    n_threads : int
        Number of threads.
    """

    def __init__(
        self,
        finest: Mapping[str, tuple[Partition, Ints]],
        rule: CodingRule,
        n_columns: int,
        unit: float,
        n_threads: int,
    ) -> None:
        self._finest, self._rule, self._n_columns = finest, rule, n_columns
        self._unit, self._n_threads = unit, n_threads

    @cached_property
    def _joined(self) -> dict[str, Partition]:
        rule = self._rule.for_table(self._n_columns)
        return join_finest_bins(self._finest, rule, self._unit, self._n_threads)

    def __getitem__(self, name: str) -> Partition:
        return self._joined[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._finest)

    def __len__(self) -> int:
        return len(self._finest)


def join_finest_bins(
    finest: Mapping[str, tuple[Partition, Ints]], rule: CodingRule, unit: float, n_threads: int
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
    return (np.arange(n, dtype=np.float64) if has_order(fine) else tuple(range(n))), with_missing


def _of_values(fine: Partition, coarse: Partition) -> Partition:
    """Return a partition of positions as one of values."""
    if isinstance(fine, Groups) and fine.ordered:
        levels = Values("", (), levels=tuple(range(len(fine.groups))))
        coarse = with_levels(coarse, levels)
    if isinstance(coarse, Intervals) and isinstance(fine, Intervals):
        return replace(coarse, bounds=fine.bounds[np.floor(coarse.bounds).astype(np.intp)], scale=fine.scale)
    if isinstance(coarse, Groups) and isinstance(fine, Groups):
        groups = tuple(tuple(v for i in each for v in fine.groups[i]) for each in coarse.groups)
        if fine.other is None:
            return replace(coarse, groups=groups)
        return replace(
            coarse, groups=groups, other=next(g for g, each in enumerate(coarse.groups) if fine.other in each)
        )
    return coarse


BinValues = tuple[Floats, tuple[float, float]]

_TAIL = 0.01  # share of the weight beyond which values are clipped
_MOST_LABELS = 1 << 15


def find_bin_values(batch: LabeledColumns, counts: Ints, column_bins: Sequence[ColumnBins]) -> list[BinValues | None]:
    """Return the mean value of each interval of each column, and the values at 1 % and 99 % of the weight.

    Values are relative to their median: large numbers lose fewer digits. Their unit is a power of two near the largest
    distance, so that neither huge nor tiny numbers are lost. Columns of categories have none.

    Parameters
    ----------
    batch : LabeledColumns
        The columns.
    counts : int64 array of shape (n_labels, n_classes)
        The weight of each label of each column in each class, missing values last.
    column_bins : list of ColumnBins
        The bins of each column.
    """
    found: list[BinValues | None] = [None] * len(column_bins)
    has_places = [column.ordered or column.levels is not None for column in batch.columns]
    ordered = [k for k, column in enumerate(batch.columns) if has_places[k] and len(column.labels)]
    mass, begins = sum_classes(counts), batch.offsets.tolist()
    for own in _in_parts(ordered, [len(batch.columns[k].labels) for k in ordered]):
        places = [_order_of_labels(batch.columns[k]) for k in own]
        labels = [_numbers(batch.columns[k])[order] for k, order in zip(own, places, strict=True)]
        of_labels = [mass[begins[k] :][order] for k, order in zip(own, places, strict=True)]
        bins = [column_bins[k].bin_of_label[order] for k, order in zip(own, places, strict=True)]
        for k, values in zip(own, _values_of(labels, of_labels, bins), strict=True):
            found[k] = values
    return found


def _numbers(column: Values) -> Floats:
    """Return the labels as numbers: of ordered categories, their places."""
    return column.ranks if column.levels is not None else np.asarray(column.labels, dtype=np.float64)


def _order_of_labels(column: Values) -> slice | NDArray[np.intp]:
    """Return the positions of the labels in increasing order; numbers are in order."""
    return slice(0, len(column.labels)) if column.levels is None else np.argsort(column.ranks)


def _in_parts(columns: Sequence[int], sizes: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield some columns at a time, whose labels stay in a near cache: at least one."""
    first, total = 0, 0
    for k, size in enumerate(sizes):
        if k > first and total + size > _MOST_LABELS:
            yield columns[first:k]
            first, total = k, 0
        total += size
    if columns:
        yield columns[first:]


def _values_of(labels_of: Sequence[Floats], mass_of: Sequence[Ints], bins_of: Sequence[Ints]) -> Iterator[BinValues]:
    """Return the values of each column, given its labels, the weight of each and the bin of each."""
    sizes = np.array([len(each) for each in labels_of])
    begins = np.append(0, np.cumsum(sizes)[:-1])
    column_of = np.repeat(np.arange(len(sizes)), sizes)
    labels, mass, bins = np.concatenate(labels_of), np.concatenate(mass_of), np.concatenate(bins_of)
    (low, high), middle = _quantiles(labels, mass, begins, begins + sizes - 1)
    n_bins = np.maximum.reduceat(bins, begins) + 1
    first_bins = np.append(0, np.cumsum(n_bins)[:-1])
    places, n_places = bins + first_bins[column_of], int(n_bins.sum())
    distances, unit = _distances(labels, middle, begins, column_of)
    moments = mass * distances
    upward = np.bincount(places, weights=moments, minlength=n_places)
    downward = np.bincount(places[::-1], weights=moments[::-1], minlength=n_places)
    sums = upward / 2 + downward / 2  # so that opposite values have opposite sums to the last bit
    means = sums / np.maximum(np.bincount(places, weights=mass, minlength=n_places), 1e-300)
    ends = (np.ldexp(each * 0.25 - middle * 0.25, -unit) for each in (low, high))
    for each, a, b in zip(np.split(means, first_bins[1:]), *ends, strict=True):
        yield each, (float(a), float(b))


def _distances(labels: Floats, middle: Floats, begins: Ints, column_of: Ints) -> tuple[Floats, Ints]:
    """Return the distances from the median in units of a power of two per column, and its exponent: all are below 1."""
    distances = labels * 0.25 - middle[column_of] * 0.25  # which overflows for no two numbers
    unit = np.frexp(np.maximum.reduceat(np.abs(distances), begins))[1]
    return np.ldexp(distances, -unit[column_of]), unit


def _quantiles(labels: Floats, mass: Ints, begins: Ints, lasts: Ints) -> tuple[tuple[Floats, Floats], Floats]:
    """Return the values of each column at the ends of its weight without the tails, and its median.

    They are counted from both ends, so that those of values with the opposite sign are opposite, too.
    """
    sums = np.cumsum(mass)
    before, total = sums[begins] - mass[begins], sums[lasts]
    found: list[tuple[Floats, Floats]] = []
    for share in (_TAIL, 0.5):
        due = np.ceil(share * (total - before)).astype(np.int64)
        low, high = np.searchsorted(sums, before + due), np.searchsorted(sums, total - due, side="right")
        found.append((labels[np.clip(low, begins, lasts)], labels[np.clip(high, begins, lasts)]))
    ends, (left, right) = found
    return ends, left / 2 + right / 2
