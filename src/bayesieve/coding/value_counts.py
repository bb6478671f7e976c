# SPDX-License-Identifier: BSD-3-Clause
"""The distinct values of a column with their weights, summarized per block of rows and merged.

Few values are counted exactly. For more, a t-digest of Apache DataSketches estimates the quantiles, and a second pass
counts the rows between these. The digest is deterministic, so that the same blocks give the same bins. No cell holds
more than about 2 / 4096 of the rows, except that a value of at least one row in 256 has a cell of its own.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.coding.finest_bins import readable_between
from bayesieve.data import Column, DenseBatch, Scale, Strata
from bayesieve.data.column import in_order, refuse_infinite
from bayesieve.exceptions import DataError

__all__ = ["MOST_VALUES", "CountedValues", "Grid", "SketchedValues", "count_values", "merge_values"]

Labels = Floats | tuple[Any, ...]

MOST_VALUES: Final = 1 << 15  # numbers that are counted exactly
_MOST_LABELS: Final = 1 << 20
_PROBED: Final = 1 << 17  # rows that decide whether a block has more values
_CELLS: Final = 4096
_STRIDE: Final = 8  # the digest gets every eighth of the sorted values
_HEAVY: Final = 256
_COMPRESSION: Final = 1000


@dataclass(frozen=True)
class CountedValues:
    """Distinct values in order, and the weight of each in each stratum, missing values last."""

    name: str
    labels: Labels
    counts: Ints
    scale: Scale = Scale.numeric

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers."""
        return isinstance(self.labels, np.ndarray)


@dataclass(frozen=True)
class SketchedValues:
    """A digest of the numbers of a column, their range, and the frequent values."""

    name: str
    digest: bytes
    lowest: float
    highest: float
    heavy: Floats
    scale: Scale = Scale.numeric


Values = CountedValues | SketchedValues


@dataclass(frozen=True)
class Grid:
    """Cells of numbers: each has a label and borders to its neighbors; a border belongs to the cell below."""

    name: str
    labels: Floats
    borders: Floats
    scale: Scale = Scale.numeric

    @classmethod
    def of(cls, values: SketchedValues) -> "Grid":
        """Return cells of about equal weight, and cells of single frequent values."""
        quantiles = _sketch(values.digest).get_quantile
        inner = [quantiles((i + 0.5) / _CELLS) for i in range(_CELLS)]
        labels = np.unique(np.concatenate([inner, [values.lowest, values.highest], values.heavy]) + 0.0)
        borders = readable_between(labels[:-1], labels[1:])
        alone = np.isin(labels, values.heavy)
        borders = np.where(alone[:-1], labels[:-1], borders)
        borders = np.where(alone[1:] & ~alone[:-1], np.nextafter(labels[1:], -np.inf), borders)
        return cls(values.name, labels, borders, values.scale)

    def count(self, numbers: Floats, strata: Strata) -> CountedValues:
        """Count the numbers of some rows by cell."""
        n_cells = len(self.labels)
        counts = np.zeros((n_cells + 1, strata.n), dtype=np.int64)
        present = ~np.isnan(numbers)
        if strata.weights is None:
            # Sorting is faster than looking up each number.
            for s in range(strata.n):
                members = strata.of_row == s
                inside = np.sort(numbers[members & present])
                ends = np.append(inside.searchsorted(self.borders, side="right"), len(inside))
                counts[:-1, s] = np.diff(ends, prepend=0)
                counts[-1, s] = np.count_nonzero(members) - len(inside)
        else:
            cells = np.where(present, self.borders.searchsorted(numbers), n_cells)
            np.add.at(counts, (cells, strata.of_row), strata.weights)
        return CountedValues(self.name, self.labels, counts, self.scale)


def count_values(name: str, numbers: tuple[Floats, Scale] | None, column: Any, strata: Strata) -> Values:
    """Summarize a column of a block: ``numbers`` with their scale, or ``column()``, its distinct values."""
    if numbers is not None and _has_many(numbers[0]):
        return _digest(name, *numbers)
    read: Column = column()
    if not read.ordered and len(read.labels) > _MOST_LABELS:
        raise _too_many(name)
    return CountedValues(name, read.labels, DenseBatch.of([read]).count(strata), read.scale)


def _has_many(numbers: Floats) -> bool:
    few = numbers[:_PROBED]
    return len(few) > MOST_VALUES and len(np.unique(few[~np.isnan(few)])) > MOST_VALUES


def merge_values(a: Values, b: Values) -> Values:
    """Merge the summaries of two blocks of rows."""
    if isinstance(a, CountedValues) and isinstance(b, CountedValues):
        return _merge_counted(a, b)
    for one, other in ((a, b), (b, a)):
        if isinstance(other, CountedValues) and not len(other.labels):
            return one
    for each in (a, b):
        if isinstance(each, CountedValues) and not each.ordered:
            raise _mixed(a.name)
    if a.scale is not b.scale:
        raise _mixed(a.name)
    return _merge_sketched(_sketched(a), _sketched(b))


def _merge_counted(a: CountedValues, b: CountedValues) -> Values:
    if len(a.labels) and len(b.labels) and (a.ordered != b.ordered or a.scale is not b.scale):
        raise _mixed(a.name)
    kind = a if len(a.labels) else b
    if isinstance(kind.labels, np.ndarray):
        labels: Labels = np.union1d(np.asarray(a.labels, dtype=np.float64), np.asarray(b.labels, dtype=np.float64))
        places = [np.searchsorted(labels, np.asarray(each.labels, dtype=np.float64)) for each in (a, b)]
    else:
        both = {*a.labels, *b.labels}
        labels = in_order(both)
        place = {label: i for i, label in enumerate(labels)}
        places = [np.array([place[label] for label in each.labels], dtype=np.intp) for each in (a, b)]
        if len(labels) > _MOST_LABELS:
            raise _too_many(a.name)
    counts = np.zeros((len(labels) + 1, a.counts.shape[1]), dtype=np.int64)
    for each, own in zip((a, b), places, strict=True):
        counts[own] += each.counts[:-1]
        counts[-1] += each.counts[-1]
    merged = CountedValues(a.name, labels, counts, kind.scale)
    return _sketched(merged) if merged.ordered and len(labels) > MOST_VALUES else merged


def _sketched(values: Values) -> SketchedValues:
    if isinstance(values, SketchedValues):
        return values
    labels = np.asarray(values.labels, dtype=np.float64)
    mass = values.counts[:-1].sum(axis=1)
    return _digest(values.name, np.repeat(labels, np.maximum(1, mass)), values.scale)


def _digest(name: str, numbers: Floats, scale: Scale) -> SketchedValues:
    inside = np.sort(numbers[~np.isnan(numbers)]) + 0.0
    refuse_infinite(name, inside)
    sketch = _sketch()
    sketch.update(inside[min(_STRIDE // 2, len(inside) - 1) :: _STRIDE].copy())
    apart = max(1, len(inside) // _HEAVY)
    heavy = np.unique(inside[apart:][inside[apart:] == inside[:-apart]])
    return SketchedValues(name, sketch.serialize(), float(inside[0]), float(inside[-1]), heavy, scale)


def _merge_sketched(a: SketchedValues, b: SketchedValues) -> SketchedValues:
    sketch = _sketch(a.digest)
    sketch.merge(_sketch(b.digest))
    return SketchedValues(
        a.name,
        sketch.serialize(),
        min(a.lowest, b.lowest),
        max(a.highest, b.highest),
        np.union1d(a.heavy, b.heavy),
        a.scale,
    )


def _sketch(digest: bytes | None = None) -> Any:
    try:
        from datasketches import tdigest_double
    except ModuleNotFoundError:
        raise DataError(
            f"A column has more than {MOST_VALUES} distinct numbers, whose quantiles need the package "
            "datasketches: pip install 'bayesieve[dask]'."
        ) from None
    return tdigest_double(_COMPRESSION) if digest is None else tdigest_double.deserialize(digest)


def _mixed(name: str) -> DataError:
    return DataError(
        f"Column {name!r} holds different kinds of values (numbers, dates, labels) in different blocks of rows; "
        "one type in all of them is expected."
    )


def _too_many(name: str) -> DataError:
    return DataError(
        f"Column {name!r} has more than {_MOST_LABELS} distinct labels; it looks like an identifier, so leave it out."
    )
