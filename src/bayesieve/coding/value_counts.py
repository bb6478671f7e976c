"""The distinct values of a column with their weights, summarised block by block and merged.

Values are counted exactly as long as they are few. Beyond, a t-digest of Apache DataSketches tells where the quantiles
are, and a second look at the rows counts them between these. A digest does what it does in a fixed way, so that the
same blocks give the same bins. No cell holds more than about twice its share of 1 / 4096 of the rows, but for a value
that one row in 256 has: that one has a cell of its own.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.bounds import readable_between
from bayesieve.data import Column, DenseBatch, Scale, Strata
from bayesieve.data.column import in_order, refuse_infinite
from bayesieve.exceptions import DataError

__all__ = ["MOST_VALUES", "CountedValues", "Grid", "SketchedValues", "count_values", "merge_values"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = Floats | tuple[Any, ...]

MOST_VALUES: Final = 1 << 15  # numbers that are counted one by one
_MOST_LABELS: Final = 1 << 20
_LOOK: Final = 1 << 17  # rows that show whether a block has more
_CELLS: Final = 4096
_STRIDE: Final = 8  # of the values in order, those that a digest is given
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
    """A digest of the numbers of a column, its range, and the values that many rows have."""

    name: str
    digest: bytes
    lowest: float
    highest: float
    heavy: Floats
    scale: Scale = Scale.numeric


Values = CountedValues | SketchedValues


@dataclass(frozen=True)
class Grid:
    """Cells of numbers: each has a label, and borders to its neighbours; a border belongs to the cell below."""

    name: str
    labels: Floats
    borders: Floats
    scale: Scale = Scale.numeric

    @classmethod
    def of(cls, values: SketchedValues) -> "Grid":
        """Return cells of about equal weight, those of frequent values apart."""
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
        known = ~np.isnan(numbers)
        if strata.weights is None:
            # To sort is faster than to look up each number.
            for s in range(strata.n):
                members = strata.of_row == s
                inside = np.sort(numbers[members & known])
                ends = np.append(inside.searchsorted(self.borders, side="right"), len(inside))
                counts[:-1, s] = np.diff(ends, prepend=0)
                counts[-1, s] = np.count_nonzero(members) - len(inside)
        else:
            cells = np.where(known, self.borders.searchsorted(numbers), n_cells)
            np.add.at(counts, (cells, strata.of_row), strata.weights)
        return CountedValues(self.name, self.labels, counts, self.scale)


def count_values(name: str, numbers: tuple[Floats, Scale] | None, column: Any, strata: Strata) -> Values:
    """Summarise a column of a block: ``numbers`` and what they stand for, or ``column()``, its distinct values."""
    if numbers is not None and _has_many(numbers[0]):
        return _digest(name, *numbers)
    read: Column = column()
    if not read.ordered and len(read.labels) > _MOST_LABELS:
        raise _too_many(name)
    return CountedValues(name, read.labels, DenseBatch.of([read]).count(strata), read.scale)


def _has_many(numbers: Floats) -> bool:
    few = numbers[:_LOOK]
    return len(few) > MOST_VALUES and len(np.unique(few[~np.isnan(few)])) > MOST_VALUES


def merge_values(a: Values, b: Values) -> Values:
    """Return the summary of the rows of both."""
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


def _sketch(written: bytes | None = None) -> Any:
    try:
        from datasketches import tdigest_double
    except ModuleNotFoundError:
        raise DataError(
            f"A column has more than {MOST_VALUES} different numbers, whose quantiles are found by the package "
            "datasketches: pip install 'bayesieve[dask]'."
        ) from None
    return tdigest_double(_COMPRESSION) if written is None else tdigest_double.deserialize(written)


def _mixed(name: str) -> DataError:
    return DataError(
        f"Column {name!r} holds values of one kind in some blocks of rows and of another in others (numbers, dates, "
        "labels); give it one type in all of them."
    )


def _too_many(name: str) -> DataError:
    return DataError(
        f"Column {name!r} has more than {_MOST_LABELS} different labels; that looks like an identifier: leave it out."
    )
