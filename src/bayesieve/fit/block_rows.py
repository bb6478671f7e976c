# SPDX-License-Identifier: BSD-3-Clause
"""Training rows in blocks, of Dask or on disk: each block codes its own rows, and keeps them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Ints
from bayesieve.bins import CodedRows, Codes, Intervals, Partition
from bayesieve.bins.cells import cells_of, code_cells
from bayesieve.data import RowBlocks, Table
from bayesieve.data.blocks.block_survey import LabeledBlock, SurveyedBlocks
from bayesieve.exceptions import ParameterError
from bayesieve.fit.block_folds import (
    BlockKeys,
    FoldNumbers,
    NumberedRows,
    SampleNumbers,
    assign_folds,
    number_rows,
    sample_rows,
    sample_steps,
)
from bayesieve.fit.block_learning import BlockSplit, learn_in_blocks
from bayesieve.fit.coded_folds import (
    RowScorer,
    class_segments,
    distinct_rows,
    merge_scored,
    segment_fingerprints,
)
from bayesieve.fit.equal_rows import equal_rows, share_of_copies
from bayesieve.fit.learning import FoldBins, LearnedColumns, LearningOptions, with_tables
from bayesieve.fit.memory_learning import sampled_rows
from bayesieve.fit.options import Splitter
from bayesieve.fit.rows import LearnedFolds, LearnedTable, MemoryFolds
from bayesieve.models import Model
from bayesieve.models.model import HeldOutScores
from bayesieve.search import WeightedSubset
from bayesieve.search.engine import BlockSegments, Segment, join_segments

__all__ = ["BlockFolds", "BlockedRows"]

Rows = NDArray[np.intp]

_MOST_SAMPLED: Final = 1 << 19  # rows
_MOST_CODES: Final = 1 << 28  # bytes


@dataclass(frozen=True)
class BlockedRows(SurveyedBlocks):
    """Labeled rows that stay where they are; ``equal`` has a number for each row, as that of `MemoryRows`."""

    equal: NDArray[np.int64] | None = None

    def with_equal(self, dropped: Collection[int]) -> "BlockedRows":
        """Return the rows with the number of each kind of equal rows, which count less, where they repeat."""
        keys = BlockKeys(self)
        if (equal := equal_rows(keys, dropped)) is None:
            return self
        unit = self.unit * share_of_copies(equal[keys.is_weighted])
        rows, targets = self.rows.map(_scaled, unit), self.targets.map(_scaled, unit)
        return replace(self, rows=rows, targets=targets, unit=unit, equal=equal)

    @property
    def in_blocks(self) -> bool:
        """Whether the rows stay where they are: yes."""
        return True

    @property
    def has_validation_rows(self) -> bool:
        """Whether validation rows of another table are given: never."""
        return False

    def with_benefits(self, matrix: ArrayLike | None, benefits: ArrayLike | None) -> "BlockedRows":
        """Refuse benefits."""
        raise ParameterError("criterion='benefit' needs a table in memory; for rows in blocks, use 'log_loss'.")

    def fold_of_rows(self, splitter: Splitter | None, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Refuse folds that are given: those of a scorecard are drawn from the sample that it is learned from."""
        if splitter is not None or groups is not None:
            raise ParameterError(
                "For rows in blocks, a ScorecardClassifier draws its own folds: set cv to 'auto' or a number, leave "
                "random_state at None, and use no groups."
            )
        return None

    def learn_folds(
        self, how: LearningOptions, splitter: Splitter | None, groups: ArrayLike | None, *, learns_on_path: bool = False
    ) -> LearnedFolds:
        """Divide the rows into folds, learn bins and tables of each fold, and let each block code its rows."""
        numbers, assignments = assign_folds(self, splitter, groups, self.equal)
        training = [BlockSplit(k, scores_training_rows=True) for k in numbers] if learns_on_path else []
        scored = [BlockSplit(k, scores_training_rows=False) for k in numbers]
        folds = [*training, *scored, BlockSplit(0, scores_training_rows=True)]
        rows = number_rows(self.rows, assignments)
        columns = learn_in_blocks(self, rows, number_rows(self.targets, assignments), folds, how)
        # All rows under the last fold are coded only where they are scored; otherwise a sample is enough.
        codes_last = learns_on_path or not numbers
        coded = _code_blocks(rows, folds if codes_last else folds[:-1], columns, self.n_rows, self.n_classes)
        n_training = len(training)
        n_classes = self.n_classes
        which = list(range(n_training, n_training + len(scored))) or [0]
        validation = _block_folds(coded, columns, which, n_classes)
        last = [len(folds) - 1]
        return LearnedFolds(
            columns,
            validation,
            _block_folds(coded, columns, range(n_training), n_classes) if training else validation,
            _block_folds(coded, columns, last, n_classes) if learns_on_path and numbers else validation,
            coded.reduce(_sample_of, join_segments),
            sum(sum(mass) for mass in validation.masses) * self.unit,
            on_training_rows=not numbers,
        )

    def learn_bins(self, how: LearningOptions) -> LearnedColumns:
        """Learn bins from all rows, and code none."""
        nowhere: list[None] = [None] * len(self.survey.n_rows)
        rows, targets = (number_rows(each, nowhere) for each in (self.rows, self.targets))
        return learn_in_blocks(self, rows, targets, [BlockSplit(0, scores_training_rows=True)], how)

    def learn_all(self, how: LearningOptions) -> LearnedTable:
        """Learn bins from all rows, and code a sample of them in this process: all, if they are few.

        Of a sample, each block codes and keeps all its rows, too, for the final tables.
        """
        columns = self.learn_bins(how)
        steps = sample_steps(self.class_sizes, len(columns.columns))
        numbers = sample_rows(np.array(self.survey.sizes), steps)
        sampled = number_rows(self.rows, numbers)
        all_rows = None
        if int(steps.max()) == 1:
            rows = _code_sample(sampled, columns, self.n_classes)
        else:
            rows, all_rows = _code_all(sampled, columns, self.n_classes)
        factors = steps // steps.min()
        equal = None if self.equal is None else self._equal_sampled(self.equal, numbers)
        return LearnedTable(columns, replace(rows, weights=rows.weights * factors[rows.target]), all_rows, equal)

    def _equal_sampled(self, equal: Ints, numbers: Sequence[SampleNumbers]) -> Ints:
        """Return the numbers of equal rows of a sample, in order of class."""
        is_sampled, codes = number_rows(self.targets, numbers).reduce(_numbers_of, _append_numbers)
        which = np.flatnonzero(is_sampled)
        return np.asarray(equal[which[np.argsort(codes[which], kind="stable")]])


@dataclass(frozen=True)
class _CodedBlock:
    """What a block keeps: its share of each fold's validation rows, and a few rows sampled from all."""

    segments: list[Segment]
    sample: Segment


def _code_blocks(
    rows: RowBlocks[NumberedRows], folds: Sequence[BlockSplit], columns: LearnedColumns, n_rows: int, n_classes: int
) -> RowBlocks[_CodedBlock]:
    """Code the rows that some folds score, by what they learned, and a sample by what the last one learned."""
    coded = list(zip(folds, columns.folds, strict=False))
    return rows.map(_code_block, coded, columns.folds[-1], columns.columns, sampled_rows(n_rows), n_classes).keep()


def _code_sample(rows: RowBlocks[NumberedRows], columns: LearnedColumns, n_classes: int) -> CodedRows:
    """Code the rows with a number above 0 by what all rows learned; they come to this process, in order of class."""
    return _in_order_of_class(rows.reduce(_code_numbered, join_segments, columns.folds[-1], columns.columns, n_classes))


def _code_all(
    rows: RowBlocks[NumberedRows], columns: LearnedColumns, n_classes: int
) -> tuple[CodedRows, RowBlocks[CodedRows]]:
    """Code all rows that have a weight by what all rows learned; those with a number above 0 come here, too."""
    coded = rows.map(_code_weighted, columns.folds[-1], columns.columns, n_classes).keep()
    return _in_order_of_class(coded.reduce(_sampled, join_segments)), coded.map(_every_row)


def _numbers_of(numbered: NumberedRows) -> tuple[FoldNumbers, NDArray[np.int32]]:
    return numbered[1], numbered[0].target.codes


def _append_numbers(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _scaled(rows: LabeledBlock, unit: float) -> LabeledBlock:
    return replace(rows, weights=replace(rows.weights, unit=unit))


def _in_order_of_class(coded: CodedRows) -> CodedRows:
    return _taken(coded, np.argsort(coded.target, kind="stable"))


def _taken(coded: CodedRows, which: Rows) -> CodedRows:
    """Return some of the rows."""
    codes = replace(coded.codes, narrow=coded.codes.narrow[:, which], wide=coded.codes.wide[:, which])
    return replace(coded, codes=codes, target=coded.target[which], weights=coded.weights[which])


def _code_numbered(numbered: NumberedRows, last: FoldBins, columns: Ints, n_classes: int) -> CodedRows:
    rows, numbers = numbered
    which = np.flatnonzero(numbers)
    (codes,) = _code([(last.partitions, which)], rows.table, columns)
    coded: CodedRows = _coded_rows(codes, rows, which, last, n_classes)
    return coded


def _code_weighted(
    numbered: NumberedRows, last: FoldBins, columns: Ints, n_classes: int
) -> tuple[CodedRows, NDArray[np.bool_]]:
    """Return the coded rows that have a weight, and which of them have a number."""
    rows, numbers = numbered
    which = np.flatnonzero(rows.weights.units > 0)
    (codes,) = _code([(last.partitions, which)], rows.table, columns)
    return _coded_rows(codes, rows, which, last, n_classes), numbers[which] > 0


def _sampled(block: tuple[CodedRows, NDArray[np.bool_]]) -> CodedRows:
    return _taken(block[0], np.flatnonzero(block[1]))


def _every_row(block: tuple[CodedRows, NDArray[np.bool_]]) -> CodedRows:
    return block[0]


def _code_block(
    numbered: NumberedRows,
    folds: Sequence[tuple[BlockSplit, FoldBins]],
    last: FoldBins,
    columns: Ints,
    sample: Rows,
    n_classes: int,
) -> _CodedBlock:
    rows, numbers = numbered
    scored = [_scored_rows(rows, numbers, fold) for fold, _ in folds]
    own = sample[(sample >= rows.first) & (sample < rows.first + len(numbers))] - rows.first
    by_fold = [(learned.partitions, which) for (_, learned), which in zip(folds, scored, strict=True)]
    *codes_by_fold, sample_codes = _code([*by_fold, (last.partitions, own)], rows.table, columns)
    segments = [
        _coded_rows(codes, rows, which, learned, n_classes)
        for codes, which, (_, learned) in zip(codes_by_fold, scored, folds, strict=True)
    ]
    return _CodedBlock(segments, _coded_rows(sample_codes, rows, own, last, n_classes))


def _scored_rows(rows: LabeledBlock, numbers: FoldNumbers, fold: BlockSplit) -> Rows:
    """Return the rows that a fold scores, in the order of the classes, as the engine requires."""
    inside = numbers != fold.number if fold.number and fold.scores_training_rows else numbers == fold.number
    which = np.arange(len(numbers)) if not fold.number else np.flatnonzero(inside)
    return which[np.argsort(rows.target.codes[which], kind="stable")]


def _coded_rows(codes: Codes, rows: LabeledBlock, which: Rows, learned: FoldBins, n_classes: int) -> Any:
    """Return coded rows of a block; a `Segment`, if there are tables."""
    coded = CodedRows(codes, rows.target.codes[which], rows.weights.units[which], n_classes)
    return with_tables(coded, learned.tables)


def _code(by_fold: Sequence[tuple[Sequence[Partition], Rows]], table: Table | None, columns: Ints) -> list[Codes]:
    """Return for each fold the codes of its rows under its partitions; each column is read once."""
    made = [Codes.empty([partition.n_bins for partition in partitions], len(which)) for partitions, which in by_fold]
    found = [] if table is None else table.column_numbers(columns.tolist())
    for k, numbers in enumerate(found):
        assert table is not None
        column = None
        for codes, (partitions, which) in zip(made, by_fold, strict=True):
            partition = partitions[k]
            if numbers is not None and isinstance(partition, Intervals):
                code_cells(numbers[0], *cells_of(partition), which, codes.column(k))
                continue
            column = table.column(int(columns[k])) if column is None else column
            codes.column(k)[:] = partition.bins_of(column)[column.ids[which]]
    return made


class BlockScorer:
    """Scores rows in blocks: rows with the same class and scores count as one, with their weight."""

    def __init__(self, blocks: RowBlocks[Sequence[Segment]], model: Model, *, joined: bool) -> None:
        self._blocks = blocks
        self._model = model
        self._joined = joined

    def score(self, subset: WeightedSubset) -> list[HeldOutScores]:
        """Return scores, classes and weights of the rows."""
        return self._blocks.reduce(_score_block, merge_scored, self._model, subset, self._joined)


def _score_block(
    segments: Sequence[Segment], model: Model, subset: WeightedSubset, joined: bool
) -> list[HeldOutScores]:
    return [distinct_rows(rows) for rows in RowScorer(segments, model, joined=joined).score(subset)]


@dataclass(frozen=True)
class BlockFolds(BlockSegments):
    """A segment per fold, in blocks of rows."""

    def scorer(self, model: Model, *, joined: bool) -> BlockScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        return BlockScorer(self.blocks, model, joined=joined)

    def fingerprints(self) -> list[str]:
        """Return a fingerprint per block of all that decides the scores."""
        return self.blocks.reduce(segment_fingerprints, add)

    def leave_one_out(self) -> "BlockFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        classes = range(self.n_classes)
        tables = [self.tables[0].without_own(c) for c in classes]
        mass = self.masses[0]
        masses = [tuple(mass[c] if c == own else 0 for c in classes) for own in classes]
        return BlockFolds(self.blocks.map(class_segments, tables), masses, tables, self.n_classes)

    def in_memory(self, unit: float) -> "tuple[BlockFolds | MemoryFolds, float]":
        """Return rows that can be held in memory, and the unit of their weights.

        Without the memory for all rows, an evenly spread sample stands for them, and each row for those in between.
        """
        if self.blocks.holds:
            return self, unit
        n_rows = self.blocks.reduce(_n_rows, add)
        most = max(1, min(_MOST_SAMPLED, _MOST_CODES // max(1, self.n_columns)))
        step = -(-n_rows // most)
        return MemoryFolds(each for each in self.sampled(step) if each.codes.n_rows), unit * step


def _n_rows(segments: Sequence[Segment]) -> int:
    return sum(segment.codes.n_rows for segment in segments)


def _block_folds(
    coded: RowBlocks[_CodedBlock], columns: LearnedColumns, which: Sequence[int], n_classes: int
) -> BlockFolds:
    """Return the coded rows of some folds."""
    blocks = coded.map(_segments_of, which)
    masses = [tuple(each.tolist()) for each in blocks.reduce(_segment_masses, _add_masses)]
    tables = [learned for f in which if (learned := columns.folds[f].tables) is not None]
    return BlockFolds(blocks, masses, tables, n_classes)


def _segments_of(block: _CodedBlock, which: Sequence[int]) -> list[Segment]:
    return [block.segments[f] for f in which]


def _segment_masses(segments: Sequence[Segment]) -> list[Ints]:
    return [np.array(segment.mass, dtype=np.int64) for segment in segments]


def _add_masses(a: list[Ints], b: list[Ints]) -> list[Ints]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _sample_of(block: _CodedBlock) -> Segment:
    return block.sample
