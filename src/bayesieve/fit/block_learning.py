# SPDX-License-Identifier: BSD-3-Clause
"""Bins and tables of rows in blocks.

Each block counts the values of its columns, the counts are merged, and from the merged ones every fold learns as it
would from rows in this process.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import CodingRule
from bayesieve.bins.value_counts import MOST_SAMPLED
from bayesieve.data import LabeledColumns, RowBlocks
from bayesieve.data.blocks.block_survey import SurveyedBlocks
from bayesieve.fit.block_counts import ColumnPlan, CountShape, count_planned, plan_columns, strata_of
from bayesieve.fit.block_folds import NumberedRows
from bayesieve.fit.fold_counts import FoldCounts
from bayesieve.fit.learning import ColumnRecord, FoldLearner, LearnedColumns, learn_columns
from bayesieve.models import Model

__all__ = ["BlockFold", "learn_in_blocks"]


_MOST_BYTES: Final = 1 << 29  # that the samples or counts of some columns may take


class BlockFold(NamedTuple):
    """A fold whose training rows are all but those of its number; it scores the latter, or its training rows."""

    number: int
    scores_training_rows: bool


def learn_in_blocks(
    blocks: SurveyedBlocks,
    rows: RowBlocks[NumberedRows],
    targets: RowBlocks[NumberedRows],
    folds: Sequence[BlockFold],
    rule: CodingRule,
    model: Model,
    *,
    n_threads: int = 1,
    required: Collection[int] = (),
    dropped: Collection[int] = (),
    with_values: bool = False,
) -> LearnedColumns:
    """Learn partitions and tables of each fold; the last one learns from all rows."""
    counter = _BlockCounter(blocks.n_classes, 1 + max(fold.number for fold in folds), [fold.number for fold in folds])
    masses = counter.masses(targets)
    learners = [
        FoldLearner(fold.number, blocks.unit, model, mass, n_threads) for fold, mass in zip(folds, masses, strict=True)
    ]
    n_columns = len(blocks.names)
    columns = [j for j in range(n_columns) if j not in dropped]
    shape = CountShape(blocks.n_rows, blocks.n_classes, counter.n_strata)
    batches = _counted_columns(rows, columns, shape, n_threads)
    record = ColumnRecord(n_columns, required, dropped, with_values=with_values)
    return learn_columns(batches, counter, learners, rule.for_table(n_columns), blocks.unit, record)


@dataclass(frozen=True)
class _CountedColumns(LabeledColumns):
    """Columns whose rows were counted elsewhere."""

    counts: Ints

    def take(self, which: NDArray[np.intp]) -> "_CountedColumns":
        """Return some of the columns."""
        begins = self.offsets
        rows = [np.arange(begins[j], begins[j + 1]) for j in which]
        counts = self.counts[np.concatenate([np.empty(0, dtype=np.intp), *rows])]
        return _CountedColumns([self.columns[j] for j in which], self.n_threads, counts)


class _BlockCounter:
    """Counts of each fold, from counts by class and fold number."""

    def __init__(self, n_classes: int, n_numbers: int, left_out: Sequence[int]) -> None:
        self._n_classes, self._n_numbers, self._left_out = n_classes, n_numbers, left_out

    @property
    def n_strata(self) -> int:
        """Number of counts per label."""
        return self._n_classes * self._n_numbers

    def count(self, batch: LabeledColumns) -> FoldCounts:
        """Return the weight of each label in each class, for each fold."""
        assert isinstance(batch, _CountedColumns)
        return self._by_fold(batch.counts)

    def masses(self, targets: RowBlocks[NumberedRows]) -> list[Ints]:
        """Return for each fold the weight of each class."""
        by_fold = self._by_fold(targets.reduce(_masses, np.add, self._n_classes, self.n_strata)[None])
        return [by_fold[f][0] for f in range(len(self._left_out))]

    def _by_fold(self, counts: Ints) -> FoldCounts:
        by_number = counts.reshape(-1, self._n_numbers, self._n_classes)
        return FoldCounts([by_number], [by_number.sum(axis=1)], [(0, number) for number in self._left_out])


def _counted_columns(
    rows: RowBlocks[NumberedRows], columns: Sequence[int], shape: CountShape, n_threads: int
) -> Iterator[tuple[int, _CountedColumns]]:
    """Yield the merged counts of neighboring columns, with the position of the first; as many as memory allows."""
    step = max(1, _MOST_BYTES // (8 * MOST_SAMPLED))
    for begin in range(0, len(columns), step):
        plans = plan_columns(rows, columns[begin : begin + step], shape)
        for some in _batches(plans, shape):
            counted = count_planned(rows, some, shape)
            # Neighboring columns are learned together: what a rule prepares serves all of them.
            positions = list(counted)
            for run in np.split(np.array(positions), np.flatnonzero(np.diff(positions) > 1) + 1):
                values = [counted[j][0] for j in run.tolist()]
                counts = np.concatenate([counted[j][1] for j in run.tolist()])
                yield int(run[0]), _CountedColumns(values, n_threads, counts)


def _batches(plans: Mapping[int, ColumnPlan], shape: CountShape) -> Iterator[dict[int, ColumnPlan]]:
    """Yield some columns at a time, whose counts fit the memory."""
    some: dict[int, ColumnPlan] = {}
    room = _MOST_BYTES
    for j, plan in plans.items():
        need = 8 * shape.n_strata * plan.n_counts
        if some and need > room:
            yield some
            some, room = {}, _MOST_BYTES
        some[j], room = plan, room - need
    if some:
        yield some


def _masses(numbered: NumberedRows, n_classes: int, n_strata: int) -> Ints:
    strata = strata_of(numbered, n_classes, n_strata)
    mass = np.zeros(n_strata, dtype=np.int64)
    np.add.at(mass, strata.of_row, 1 if strata.weights is None else strata.weights)
    return mass
