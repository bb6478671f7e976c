# SPDX-License-Identifier: BSD-3-Clause
"""Training rows: what is asked of them wherever they are, and rows in memory."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.bins import CodedRows
from bayesieve.data import LabeledRows, RowBlocks, Table
from bayesieve.decisions import read_benefits
from bayesieve.exceptions import ParameterError
from bayesieve.fit.coded_folds import CodedFolds, RowScorer, class_segments, segment_fingerprints
from bayesieve.fit.equal_rows import MemoryKeys, equal_rows, share_of_copies
from bayesieve.fit.learning import LearnedColumns, LearningOptions
from bayesieve.fit.memory_learning import Fold, learn, sampled_rows, scored_weight
from bayesieve.fit.options import Splitter
from bayesieve.models import Model
from bayesieve.search.engine import MemorySegments, Segment

__all__ = ["LearnedFolds", "LearnedTable", "MemoryFolds", "MemoryRows", "TrainingRows"]


@dataclass(frozen=True)
class LearnedFolds:
    """What every fold of some rows learned, and the coded rows on which subsets are scored.

    Attributes
    ----------
    columns : LearnedColumns
        What every fold learned; the last one learned from all rows.
    validation : CodedFolds
        The rows on which subsets are scored.
    training : CodedFolds
        The training rows of each fold, if the search learns from them as it goes; ``validation`` otherwise.
    everything : CodedFolds
        All rows under the last fold, if the search learns as it goes.
    sample : CodedRows
        Rows that measure how columns depend on each other.
    n_scored : float
        Weight of the validation rows, each counted once.
    on_training_rows : bool
        Whether subsets are scored on the rows that they are learned from.
    """

    columns: LearnedColumns
    validation: CodedFolds
    training: CodedFolds
    everything: CodedFolds
    sample: CodedRows
    n_scored: float
    on_training_rows: bool


@dataclass(frozen=True)
class LearnedTable:
    """Bins that were learned from all rows, and the rows coded by them.

    Attributes
    ----------
    columns : LearnedColumns
        The bins, in one fold.
    rows : CodedRows
        The rows, or a sample of them.
    all_rows : RowBlocks of CodedRows, or None
        All rows in blocks, where ``rows`` are a sample.
    equal : int array of shape (n_rows,), or None
        A number for each coded row, the same for equal rows, where these repeat beyond chance.
    numbers : float64 array of shape (n_rows,), or None
        The target of each coded row, where it is a number.
    """

    columns: LearnedColumns
    rows: CodedRows
    all_rows: RowBlocks[CodedRows] | None = None
    equal: NDArray[np.int64] | None = None
    numbers: NDArray[np.float64] | None = None


class TrainingRows(Protocol):
    """Rows with a target and weights: in memory (`MemoryRows`) or in blocks (`BlockedRows`)."""

    @property
    def example(self) -> Any:
        """The user's table, or the same without rows."""
        ...

    @property
    def head(self) -> Table:
        """A table with the names and types of the columns, and some first rows at least."""
        ...

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels, in the order of their numbers."""
        ...

    @property
    def class_numbers(self) -> NDArray[np.intp]:
        """The number of each class, in increasing order of the labels."""
        ...

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        ...

    @property
    def unit(self) -> float:
        """The unit of the weights."""
        ...

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Number of rows of positive weight in each class."""
        ...

    @property
    def class_mass(self) -> NDArray[np.int64]:
        """Weight of each class, in units."""
        ...

    @property
    def in_blocks(self) -> bool:
        """Whether the rows stay where they are, in blocks."""
        ...

    @property
    def has_validation_rows(self) -> bool:
        """Whether validation rows of another table are given."""
        ...

    @property
    def equal(self) -> NDArray[np.int64] | None:
        """A number for each row, the same for equal rows; None if rows do not repeat beyond chance."""
        ...

    def with_equal(self, dropped: Collection[int]) -> "TrainingRows":
        """Return the rows with the number of each kind of equal rows, where they repeat beyond chance.

        Then equal rows share a fold, and all rows count as about as many as there are different ones.
        """
        ...

    def with_benefits(self, matrix: ArrayLike | None, benefits: ArrayLike | None) -> "TrainingRows":
        """Return the rows with the benefits of actions: one matrix for all rows, or one per row."""
        ...

    def renumbered(self, order: NDArray[np.intp]) -> Self:
        """Return the rows with their classes in another order, given as present numbers."""
        ...

    def learn_folds(
        self, how: LearningOptions, splitter: Splitter | None, groups: ArrayLike | None, *, learns_on_path: bool = False
    ) -> LearnedFolds:
        """Divide the rows into folds, learn bins and tables of each fold, and code the validation rows."""
        ...

    def learn_bins(self, how: LearningOptions) -> LearnedColumns:
        """Learn bins from all rows, and code none."""
        ...

    def learn_all(self, how: LearningOptions) -> LearnedTable:
        """Learn bins from all rows, and code them, or a sample."""
        ...

    def fold_of_rows(self, splitter: Splitter | None, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Return the fold of each row, in the order of the coded rows; None without a splitter."""
        ...


@dataclass(frozen=True)
class MemoryRows(LabeledRows):
    """Labeled rows, and where they come from.

    Attributes
    ----------
    validation : LabeledRows or None
        Other rows, on which subsets are scored instead of folds.
    example : data frame or array
        The user's table.
    equal : int array of shape (n_rows,), or None
        A number for each row, the same for equal rows, which are in one fold; None if rows do not repeat beyond chance.
    numbers : float64 array of shape (n_rows,), or None
        The target, where it is a number. The classes are then groups of rows with neighboring numbers.
    """

    validation: LabeledRows | None = None
    example: Any = None
    equal: NDArray[np.int64] | None = None
    numbers: NDArray[np.float64] | None = None

    @property
    def in_blocks(self) -> bool:
        """Whether the rows stay where they are, in blocks: no."""
        return False

    @property
    def has_validation_rows(self) -> bool:
        """Whether validation rows of another table are given."""
        return self.validation is not None

    def with_equal(self, dropped: Collection[int]) -> "MemoryRows":
        """Return the rows with the number of each kind of equal rows, which count less, where they repeat."""
        codes = self.target.codes
        if self.numbers is not None:
            codes = np.unique(self.numbers, return_inverse=True)[1].astype(np.int32)
        keys = MemoryKeys(self.table, codes, self.weights.units > 0)
        if self.has_validation_rows or (equal := equal_rows(keys, dropped)) is None:
            return self
        share = share_of_copies(equal[keys.is_weighted])
        return replace(self, equal=equal, weights=replace(self.weights, unit=self.unit * share))

    def with_benefits(self, matrix: ArrayLike | None, benefits: ArrayLike | None) -> "MemoryRows":
        """Return the rows with the benefits of actions: one matrix for all rows, or one per row."""
        if matrix is not None:
            read = read_benefits(matrix, self.n_classes, name="benefit_matrix")
        elif self.has_validation_rows:
            raise ParameterError("benefits are of training rows only; use cv with folds or a share, not X_val.")
        else:
            read = read_benefits(benefits, self.n_classes, self.n_rows)
        return replace(self, benefits=np.ascontiguousarray(read[..., np.argsort(self.class_numbers)]))

    def renumbered(self, order: NDArray[np.intp]) -> Self:
        """Return the rows with their classes in another order, given as present numbers."""
        validation = self.validation
        if validation is not None:
            validation = replace(validation, target=validation.target.renumbered(order))
        return replace(self, target=self.target.renumbered(order), validation=validation)

    def learn_folds(
        self, how: LearningOptions, splitter: Splitter | None, groups: ArrayLike | None, *, learns_on_path: bool = False
    ) -> LearnedFolds:
        """Divide the rows into folds, learn bins and tables of each fold, and code the validation rows."""
        folds = self._folds(splitter, groups)
        n_scored = scored_weight(self, folds)
        on_training_rows = splitter is None and not self.has_validation_rows
        if not on_training_rows:
            everything = np.arange(self.n_rows)
            folds.append(Fold(everything, everything if learns_on_path else sampled_rows(self.n_rows)))
        training = [Fold(fold.training, fold.training) for fold in folds[:-1]] if learns_on_path else []
        columns = learn(self, [*training, *folds], how)
        segments = [fold.rows for fold in columns.folds if isinstance(fold.rows, Segment)]
        n_training = len(training)
        validation = MemoryFolds(segments[n_training:] if on_training_rows else segments[n_training:-1])
        return LearnedFolds(
            columns,
            validation,
            MemoryFolds(segments[:n_training]) or validation,
            MemoryFolds(segments[-1:]),
            segments[-1],
            n_scored,
            on_training_rows,
        )

    def learn_bins(self, how: LearningOptions) -> LearnedColumns:
        """Learn bins from all rows, and code none."""
        return learn(self, [Fold(np.arange(self.n_rows), np.empty(0, dtype=np.intp))], how)

    def learn_all(self, how: LearningOptions) -> LearnedTable:
        """Learn bins from all rows, and code them."""
        everything = np.arange(self.n_rows)
        columns = learn(self, [Fold(everything, everything)], how)
        (fold,) = columns.folds
        assert fold.rows is not None
        by_class = np.argsort(self.target.codes, kind="stable")
        equal = None if self.equal is None else self.equal[by_class]
        numbers = None if self.numbers is None else self.numbers[by_class]
        return LearnedTable(columns, fold.rows, equal=equal, numbers=numbers)

    def fold_of_rows(self, splitter: Splitter | None, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Return the fold of each row, in the order of the coded rows, by class; None without a splitter."""
        if splitter is None:
            return None
        fold = np.full(self.n_rows, -1, dtype=np.int64)
        for q, each in enumerate(self._split(splitter, groups)):
            rows = np.asarray(each.validation)
            if (fold[rows] >= 0).any():
                raise ParameterError("cv must hold out each row once; this one holds out some rows twice.")
            fold[rows] = q
        if ((fold < 0) & (self.weights.units > 0)).any():
            raise ParameterError("cv must hold out each row once; this one never holds out some rows.")
        return fold[np.argsort(self.target.codes, kind="stable")]

    def _folds(self, splitter: Splitter | None, groups: ArrayLike | None) -> list[Fold]:
        everything = np.arange(self.n_rows)
        if self.validation is not None:
            return [Fold(everything, self.validation)]
        return [Fold(everything, everything)] if splitter is None else list(self._split(splitter, groups))

    def _split(self, splitter: Splitter, groups: ArrayLike | None) -> Iterator[Fold]:
        return splitter.split(self, groups, self.equal if groups is None and splitter.draws else None)


class MemoryFolds(MemorySegments):
    """A segment per fold."""

    __slots__ = ()

    def scorer(self, model: Model, *, joined: bool) -> RowScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        return RowScorer(self, model, joined=joined)

    def fingerprints(self) -> list[str]:
        """Return a fingerprint of all that decides the scores."""
        return segment_fingerprints(self)

    def leave_one_out(self) -> "MemoryFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        rows = self[0]
        tables = [rows.tables.without_own(c) for c in range(rows.n_classes)]
        return MemoryFolds(segment for segment in class_segments(self, tables) if segment.codes.n_rows)

    def in_memory(self, unit: float) -> tuple["MemoryFolds", float]:
        """Return rows that can be held in memory, and the unit of their weights."""
        return self, unit
