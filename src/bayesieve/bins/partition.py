# SPDX-License-Identifier: BSD-3-Clause
"""The partition of a column's values into bins, which gives its codes their meaning.

The codes of a partition with B bins are 0 .. B-1; a separate bin of missing values is the last. Code B means *unseen*:
a value, or a missing value, that does not occur in the training rows. Its weight of evidence is 0.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve.data import Scale, Values, is_number
from bayesieve.exceptions import DataError

__all__ = [
    "Counts",
    "Groups",
    "Intervals",
    "Partition",
    "as_ordered",
    "has_order",
    "in_weights",
    "is_numeric",
    "on_borders",
    "on_days",
    "short_description",
    "with_classes",
    "with_counts",
    "with_levels",
    "with_scale",
]

Counts = NDArray[np.int64] | NDArray[np.float64]

_MOST_SHOWN, _LONGEST_SHOWN = 4, 40  # bins in a short text, and characters of each
_LONGEST_LABEL = 70  # characters of a bin's description at a row
_DAY = 86_400e6  # microseconds
_LARGEST_INTEGER = 2.0**53  # above it, a float is as exact as a weight was


class Partition(Protocol):
    """The bins of one column, and the mapping from values to codes."""

    @property
    def n_bins(self) -> int:
        """Number of bins, the one of missing values included."""
        ...

    @property
    def level(self) -> float | None:
        """The share of the null model's cost that the partition saves; None if the coding rule has no cost."""
        ...

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label of a column, and last the code of a missing value.

        ``bins_of(column)[column.ids]`` are the codes of the rows.
        """
        ...

    def describe(self, code: int) -> str:
        """Return the description of a bin."""
        ...


def with_counts(partition: Any, counts: Counts, unit: float = 1.0) -> Any:
    """Return the partition with the weight of each bin in each class, if it stores counts."""
    return replace(partition, counts=in_weights(counts, unit)) if hasattr(partition, "counts") else partition


def with_classes(partition: Any, class_numbers: NDArray[np.intp]) -> Any:
    """Return the partition with its counts for some other order of the classes, given by their present numbers."""
    counts = getattr(partition, "counts", None)
    return partition if counts is None else replace(partition, counts=counts[:, class_numbers])


def in_weights(counts: Counts, unit: float) -> Counts:
    """Return counts of units as weights: integers if the unit is an integer, and none exceeds 2^53."""
    largest = float(counts.max(initial=0)) * unit
    return counts * np.float64(unit) if unit % 1 or largest > _LARGEST_INTEGER else counts * int(unit)


def with_scale(partition: Any, scale: Scale) -> Any:
    """Return the partition with the scale of its column, so that dates and times are formatted as such."""
    if scale is Scale.numeric or not hasattr(partition, "scale"):
        return partition
    return replace(partition, scale=scale)


def on_days(partition: Any, column: Values) -> Any:
    """Return the partition of a column of plain days with bounds that are days: between two days, the earlier one."""
    labels = column.labels
    if column.scale is not Scale.date or not hasattr(partition, "bounds") or not isinstance(labels, np.ndarray):
        return partition
    return partition if (labels % _DAY).any() else replace(partition, bounds=partition.bounds // _DAY * _DAY)


def on_borders(partition: Any, column: Values) -> Any:
    """Return the partition with its bounds moved to the borders between the ranges that the labels stand for."""
    if column.borders is None or partition.n_bins == 1:
        return partition
    if not hasattr(partition, "bounds"):
        raise DataError(f"Column {column.name!r} has too many distinct numbers for one bin each; set a discretizer.")
    places = np.asarray(column.labels).searchsorted(partition.bounds, side="right") - 1
    return replace(partition, bounds=column.borders[places])


def with_levels(partition: Any, column: Values) -> Any:
    """Return the partition of the places of ordered categories as one of the categories, those without rows too."""
    levels = column.levels or ()
    places = Values(column.name, np.arange(float(len(levels))))
    codes = partition.bins_of(places)[:-1].tolist()
    n_groups = partition.n_bins - partition.missing
    groups: list[list[Any]] = [[] for _ in range(n_groups)]
    for level, code in zip(levels, codes, strict=True):
        if code < n_groups:  # a rule with a bin per value knows no others
            groups[code].append(level)
    return Groups(
        tuple(map(tuple, groups)),
        partition.missing,
        joined=partition.joined,
        ordered=True,
        level=partition.level,
        cost=partition.cost,
    )


def has_order(partition: Any) -> bool:
    """Return whether the values of neighboring bins are neighbors: not those of groups without an order."""
    return partition.ordered if isinstance(partition, Groups) else True


def is_numeric(value: Any) -> bool:
    """Return whether a value is a number or a boolean."""
    return type(value) in (float, int, bool) or is_number(value) or isinstance(value, np.bool_)


@dataclass(frozen=True)
class Intervals:
    """Intervals (-inf, b1], (b1, b2], ..., (bm, inf), then bins of special values, then the bin of missing values.

    Attributes
    ----------
    bounds : float64 array
        The inner bounds, increasing.
    missing : bool
        Whether missing values have a bin of their own.
    joined : int or None
        The interval of missing values if they have no bin of their own; None if the training rows have none.
    special : tuple of float
        Values that have a bin each instead of being in an interval.
    scale : Scale
        The scale of the numbers.
    counts : array of shape (n_bins, n_classes), or None
        Weight of each bin in each class, in the training rows.
    level : float or None
        The share of the null model's cost that the partition saves; None if the coding rule has no cost.
    cost : Cost or None
        Construction, preparation and data cost.
    """

    bounds: NDArray[np.float64]
    missing: bool
    joined: int | None = None
    special: tuple[float, ...] = ()
    scale: Scale = Scale.numeric
    counts: Counts | None = field(default=None, compare=False)
    level: float | None = field(default=None, compare=False)
    cost: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        return _short(self)

    @property
    def n_bins(self) -> int:
        """Number of bins, the one of missing values included."""
        return len(self.bounds) + 1 + len(self.special) + self.missing

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value."""
        if not len(self.bounds) and not self.special and isinstance(column.labels, np.ndarray):
            # The most frequent case in wide tables
            return single_bin(len(column.labels), 1 if self.missing or self.joined is None else self.joined)
        labels, n_bins = as_ordered(column, self.scale), self.n_bins
        unseen = n_bins if self.joined is None else self.joined
        missing = n_bins - 1 if self.missing else unseen
        if core is not None and isinstance(column.labels, np.ndarray) and len(labels) > 4 * len(self.bounds):
            # Many sorted labels: the few bounds are searched among them.
            codes = core.interval_bins(np.ascontiguousarray(labels), np.ascontiguousarray(self.bounds), missing)
        else:
            codes = np.empty(len(labels) + 1, dtype=np.intp)
            codes[:-1] = self.bounds.searchsorted(labels)
            codes[-1] = missing
        for k, value in enumerate(self.special, len(self.bounds) + 1):
            codes[:-1][labels == value] = k
        return codes

    def code_numbers(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the code of each number, NaN is missing: as ``bins_of``, for many different numbers."""
        codes = self.bounds.searchsorted(numbers)
        for k, value in enumerate(self.special, len(self.bounds) + 1):
            codes[numbers == value] = k
        unseen = self.n_bins if self.joined is None else self.joined
        codes[np.isnan(numbers)] = self.n_bins - 1 if self.missing else unseen
        return codes

    def describe(self, code: int) -> str:
        """Return the description of a bin."""
        if code >= self.n_bins:
            return "unseen"
        if self.missing and code == self.n_bins - 1:
            return "missing"
        if code > len(self.bounds):
            return f"= {self.scale.words(self.special[code - len(self.bounds) - 1])}"
        low = f"> {self.scale.words(self.bounds[code - 1])}" if code else ""
        high = f"<= {self.scale.words(self.bounds[code])}" if code < len(self.bounds) else ""
        words = " and ".join(side for side in (low, high) if side) or "any value"
        return f"{words} or missing" if code == self.joined else words


def _short(partition: Any) -> str:
    """Return the bins of a partition in one line, the first ones of many."""
    bins = [partition.describe(code) for code in range(min(partition.n_bins, _MOST_SHOWN))]
    more = ["…"] if partition.n_bins > _MOST_SHOWN else []
    texts = [text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…" for text in bins]
    return f"{type(partition).__name__}({partition.n_bins} bins: {'; '.join([*texts, *more])})"


def short_description(partition: "Partition", code: int, longest: int = _LONGEST_LABEL) -> str:
    """Return the description of a bin, of a group of many values the first ones and their number.

    >>> short_description(Groups((tuple(f"shop {i}" for i in range(1000)), ("web",)), missing=False), 0, 40)
    'shop 0, shop 1, shop 2 and 997 more'
    """
    text = partition.describe(code)
    if len(text) <= longest or not isinstance(partition, Groups) or code >= len(partition.groups):
        return text
    values = partition.words(code)
    lengths = np.cumsum([len(value) + 2 for value in values])
    n_shown = max(1, int(np.searchsorted(lengths, longest - 15)))
    more = f" and {len(values) - n_shown} more" if len(values) > n_shown else ""
    return ", ".join(value[:longest] for value in values[:n_shown]) + more


@lru_cache(maxsize=64)
def single_bin(n_labels: int, missing: int) -> NDArray[np.intp]:
    """Return code 0 for each label, and a code for missing values."""
    codes = np.zeros(n_labels + 1, dtype=np.intp)
    codes[-1] = missing
    codes.flags.writeable = False
    return codes


def as_ordered(column: Values, scale: Scale = Scale.numeric) -> NDArray[np.float64]:
    """Return the labels of a column as numbers, booleans as 0 and 1; refuse text and other scales than in training."""
    if isinstance(column.labels, np.ndarray):
        refuse_other_scale(column, scale)
        return column.labels
    for label in column.labels:
        if scale != Scale.numeric or not is_numeric(label):
            _refuse(column, scale, repr(label))
    return np.array(column.labels, dtype=np.float64)


def _exact_text(value: Any) -> str:
    """Return a label or a number without loss; whole numbers have no decimals."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53
    return str(int(value)) if is_whole else str(value)


def refuse_other_scale(column: Values, scale: Scale) -> None:
    """Raise if numbers stand for something else than in training; a column without values is as good as any."""
    if column.scale != scale and len(column.labels):  # equal as texts, too, which skops stores
        _refuse(column, scale, f"{column.scale.noun}, such as {column.scale.words(float(column.labels[0]))}")


def _refuse(column: Values, scale: Scale, now: str) -> NoReturn:
    noun = Scale(scale).noun
    was = "was numeric" if scale == Scale.numeric else f"had {noun}"
    raise DataError(f"Column {column.name!r} {was} in training and now holds {now}; {noun} are expected.")


@dataclass(frozen=True)
class Groups:
    """Groups of values of an ordered or nominal column, then the bin of missing values.

    Attributes
    ----------
    groups : tuple of tuples
        The values of each group.
    missing : bool
        Whether missing values have a bin of their own.
    joined : int or None
        The group of missing values if they have no bin of their own; None if the training rows have none.
    other : int or None
        The group of values that are not listed, since they do not occur in the training rows or in so few of them that
        they would identify a row; None if these are *unseen*.
    scale : Scale
        The scale of numbers.
    counts, level, cost
        As in `Intervals`.
    ordered : bool
        Whether the values have an order, in which groups and their values are.
    """

    groups: tuple[tuple[Any, ...], ...]
    missing: bool
    joined: int | None = None
    other: int | None = None
    scale: Scale = Scale.numeric
    counts: Counts | None = field(default=None, compare=False)
    level: float | None = field(default=None, compare=False)
    cost: Any = field(default=None, compare=False)
    ordered: bool = False

    def __repr__(self) -> str:
        return _short(self)

    @property
    def n_bins(self) -> int:
        """Number of bins, the one of missing values included."""
        return len(self.groups) + self.missing

    @cached_property
    def _bin_of(self) -> dict[Any, int]:
        return {value: g for g, group in enumerate(self.groups) for value in group}

    @cached_property
    def _n_numbers(self) -> int:
        return sum(map(is_numeric, self._bin_of))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_bin_of", "_n_numbers")}

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value; other values are *unseen*."""
        bin_of = self._bin_of
        labels = column.labels.tolist() if isinstance(column.labels, np.ndarray) else column.labels
        self._refuse_other_types(column)
        unseen = self.n_bins
        new = unseen if self.other is None else self.other
        absent = unseen if self.joined is None else self.joined
        codes = (bin_of.get(label, new) for label in labels)
        return np.array([*codes, unseen - 1 if self.missing else absent], dtype=np.intp)

    def _refuse_other_types(self, column: Values) -> None:
        """Refuse text where training had numbers, numbers where it had labels: another column, not a new value."""
        known, labels = self._bin_of, column.labels
        if not known or not len(labels):
            return
        n_numbers = self._n_numbers
        if n_numbers and column.ordered:
            refuse_other_scale(column, self.scale)
        elif n_numbers == len(known):
            as_ordered(column, self.scale)
        elif not n_numbers and (numbers := [each for each in labels if is_numeric(each)]):
            now = column.scale.noun if column.ordered else repr(numbers[0])
            raise DataError(
                f"Column {column.name!r} had labels such as {next(iter(known))!r} in training and now holds {now}."
            )

    def words(self, code: int) -> list[str]:
        """Return the formatted values of a group."""
        show = _exact_text if self.scale is Scale.numeric else self.scale.words
        return [show(value) for value in self.groups[code]]

    def describe(self, code: int) -> str:
        """Return the description of a bin."""
        if code >= self.n_bins:
            return "unseen"
        if self.missing and code == self.n_bins - 1:
            return "missing"
        words = ", ".join(self.words(code)) or "other"
        return f"{words} or missing" if code == self.joined else words
