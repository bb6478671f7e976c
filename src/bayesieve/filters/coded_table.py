# SPDX-License-Identifier: BSD-3-Clause
"""A table as codes and counts: the input of the filters."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import BinLearner, CodeBuilder, CodingRule, LearnedBins, Partition
from bayesieve.data import ColumnBatch, Strata, Table, Target, Weights, add_by_class
from bayesieve.filters.joint_counts import CodedRows
from bayesieve.filters.univariate import ClassTables

__all__ = ["CodedTable", "FilterData", "code_table", "counted_batches", "learned_batches"]


_MOST_COUNTS = 1 << 20  # of a batch: 8 MiB


@dataclass(frozen=True)
class FilterData:
    """A table with its classes and weights, and the number of threads that read it."""

    table: Table
    target: Target
    weights: Weights
    n_threads: int = 1

    @property
    def mass(self) -> Ints:
        """Weight of each class, in units."""
        return add_by_class(self.target.codes, self.weights.units, self.target.n_classes)

    def copy_sample(self, most_rows: int) -> "FilterData":
        """Return a copy of at most this many rows that have weight, evenly spread."""
        rows = _sample(np.flatnonzero(self.weights.units > 0), most_rows)
        return FilterData(self.table.copy_rows(rows), self.target.take(rows), self.weights.take(rows), self.n_threads)


@dataclass(frozen=True)
class CodedTable:
    """The columns of several bins: their positions, partitions, codes of rows sorted by class, and counts by class."""

    columns: Ints
    partitions: list[Partition]
    rows: CodedRows
    tables: ClassTables


def counted_batches(data: FilterData) -> Iterator[tuple[int, ColumnBatch, Ints]]:
    """Read some columns at a time, with the weight of each of their labels in each class."""
    units, n_classes = data.weights.units, data.target.n_classes
    strata = Strata(data.target.codes, n_classes, None if (units == 1).all() else units)
    for first, batch in data.table.batches(data.n_threads, n_labels=_MOST_COUNTS // n_classes):
        yield first, batch, batch.count(strata)


def learned_batches(data: FilterData, rule: CodingRule) -> Iterator[tuple[int, ColumnBatch, LearnedBins]]:
    """Read some columns at a time, and learn their bins."""
    rule = rule.for_table(data.table.n_columns)
    for first, batch, counts in counted_batches(data):
        yield first, batch, BinLearner(batch, rule, data.weights.unit).learn(counts)


def code_table(
    data: FilterData,
    rule: CodingRule,
    kept: Collection[int] = (),
    dropped: Collection[int] = (),
    most_rows: int | None = None,
) -> CodedTable:
    """Code the rows that have weight, sorted by class; a column of a single bin is skipped unless it is in ``kept``.

    With ``most_rows``, at most this many rows, evenly spread, are coded; all are counted.
    """
    classes = data.target.codes
    rows = np.flatnonzero(data.weights.units > 0)
    if most_rows is not None:
        rows = _sample(rows, most_rows)
    rows = rows[np.argsort(classes[rows], kind="stable")].astype(np.int64)
    builder, columns = CodeBuilder(len(rows)), [np.empty(0, dtype=np.int64)]
    partitions: list[Partition] = []
    counts: list[LearnedBins] = []
    wanted = np.isin(np.arange(data.table.n_columns), list(kept))
    unwanted = np.isin(np.arange(data.table.n_columns), list(dropped))
    for first, batch, learned in learned_batches(data, rule):
        here = slice(first, first + len(learned))
        used = np.flatnonzero(~unwanted[here] & ((learned.n_bins > 1) | wanted[here]))
        if len(used):
            bins = learned.take(used)
            builder.add(batch.take(used), rows, bins.bins_of_labels, bins.n_bins)
            columns.append(first + used)
            partitions += bins.partitions
            counts.append(bins)
    coded = CodedRows(builder.build(), classes[rows], data.weights.units[rows], data.target.n_classes)
    tables = ClassTables.of_bins(counts, data.mass, data.weights.unit)
    return CodedTable(np.concatenate(columns), partitions, coded, tables)


def _sample(rows: NDArray[np.intp], most_rows: int) -> NDArray[np.intp]:
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most_rows)).astype(np.int64))]
