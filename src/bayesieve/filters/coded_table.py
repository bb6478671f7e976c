# SPDX-License-Identifier: BSD-3-Clause
"""A table as codes and counts: the input of the filters."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import BinLearner, CodeBuilder, CodingRule, LearnedBins, Partition
from bayesieve.data import ColumnBatch, LabeledRows, Strata
from bayesieve.filters.joint_counts import CodedColumns
from bayesieve.filters.univariate import ClassTables

__all__ = ["CodedTable", "code_table", "copy_sample", "counted_batches", "learned_batches"]


@dataclass(frozen=True)
class CodedTable:
    """The columns of several bins: their positions, partitions, codes of rows sorted by class, and counts by class."""

    columns: Ints
    partitions: list[Partition]
    rows: CodedColumns
    tables: ClassTables


def counted_batches(rows: LabeledRows, n_threads: int = 1) -> Iterator[tuple[int, ColumnBatch, Ints]]:
    """Read some columns at a time, with the weight of each of their labels in each class."""
    units, n_classes = rows.weights.units, rows.n_classes
    strata = Strata(rows.target.codes, n_classes, None if (units == 1).all() else units)
    for first, batch in rows.batches(n_classes, n_threads):
        yield first, batch, batch.count(strata)


def learned_batches(
    rows: LabeledRows, rule: CodingRule, n_threads: int = 1
) -> Iterator[tuple[int, ColumnBatch, LearnedBins]]:
    """Read some columns at a time, and learn their bins."""
    rule = rule.for_table(rows.table.n_columns)
    for first, batch, counts in counted_batches(rows, n_threads):
        yield first, batch, BinLearner(batch, rule, rows.unit).learn(counts)


def code_table(
    data: LabeledRows,
    rule: CodingRule,
    kept: Collection[int] = (),
    dropped: Collection[int] = (),
    most_rows: int | None = None,
    n_threads: int = 1,
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
    for first, batch, learned in learned_batches(data, rule, n_threads):
        here = slice(first, first + len(learned))
        used = np.flatnonzero(~unwanted[here] & ((learned.n_bins > 1) | wanted[here]))
        if len(used):
            bins = learned.take(used)
            builder.add(batch.take(used), rows, bins.bins_of_labels, bins.n_bins)
            columns.append(first + used)
            partitions += bins.partitions
            counts.append(bins)
    coded = CodedColumns(builder.build(), classes[rows], data.weights.units[rows], data.n_classes)
    tables = ClassTables.of_bins(counts, data.class_mass, data.unit)
    return CodedTable(np.concatenate(columns), partitions, coded, tables)


def copy_sample(data: LabeledRows, most_rows: int) -> LabeledRows:
    """Return a copy of at most this many rows that have weight, evenly spread."""
    rows = _sample(np.flatnonzero(data.weights.units > 0), most_rows)
    return LabeledRows(data.table.copy_rows(rows), data.target.take(rows), data.weights.take(rows))


def _sample(rows: NDArray[np.intp], most_rows: int) -> NDArray[np.intp]:
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most_rows)).astype(np.int64))]
