# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of rows in blocks: of the fold that each row validates, or of a sample.

Rows with the number 0 are validation rows of no fold, those with k of the k-th. Folds without shuffling are
scikit-learn's: the rows of a class are assigned in their order, which each block can do for itself given how many rows
came before. Others are drawn where the search runs, from the classes of all rows: one to four bytes per row come there
and go back. So are those of rows that repeat beyond chance, for which the keys of all rows come there.

A sample comes to this process: evenly spread within each class. A rare class has at least half of an equal share of the
sample, or all of its rows if they are fewer: half a million rows of which one in a thousand is positive would otherwise
have five hundred positive ones. Rows of a class that is thinned more than another have a weight that makes up for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Ints
from bayesieve.data import LabeledRows, RowBlocks, Table, Target, Weights
from bayesieve.data.blocks.block_survey import LabeledBlock, SurveyedBlocks
from bayesieve.data.row_keys import Keys, row_keys, value_keys
from bayesieve.exceptions import ParameterError
from bayesieve.fit.options import Splitter, refuse_more_folds_than_rows

__all__ = [
    "BlockKeys",
    "FoldAssignment",
    "FoldNumbers",
    "NumberedRows",
    "SampleNumbers",
    "assign_folds",
    "fold_shares",
    "number_rows",
    "sample_rows",
    "sample_steps",
]

_MOST_ROWS: Final = 1 << 19  # of a sample
_MOST_CODES: Final = 1 << 28  # bytes


FoldNumbers = NDArray[np.int32]
NumberedRows = tuple[LabeledBlock, FoldNumbers]


@dataclass(frozen=True)
class FoldAssignment:
    """Numbers the rows of one block: the number of each fold, its last row per class, and how many rows came before."""

    of_fold: FoldNumbers
    ends: Ints
    before: Ints

    def numbers(self, rows: LabeledBlock) -> FoldNumbers:
        """Return the fold number of each row."""
        numbers = np.zeros(len(rows.target.codes), dtype=np.int32)
        for c, (ends, before) in enumerate(zip(self.ends, self.before.tolist(), strict=True)):
            own = np.flatnonzero((rows.target.codes == c) & (rows.weights.units > 0))
            numbers[own] = self.of_fold[ends.searchsorted(before + np.arange(len(own)), side="right")]
        return numbers


class RowNumbers(Protocol):
    """Numbers the rows of one block."""

    def numbers(self, rows: LabeledBlock) -> FoldNumbers:
        """Return the number of each row."""
        ...


Assignment = RowNumbers | NDArray[Any] | None


def assign_folds(
    blocks: SurveyedBlocks, splitter: Splitter | None, groups: ArrayLike | None, equal: Ints | None = None
) -> tuple[list[int], Sequence[Assignment]]:
    """Return the numbers of the folds, and what numbers the rows of each block."""
    if groups is not None:
        raise ParameterError("groups need a table in memory; for rows in blocks, set cv to a number of folds or 0.")
    if splitter is None:
        return [], [None] * len(blocks.survey.n_rows)
    equal = equal if splitter.draws else None
    if splitter.n_ordered_folds is not None and equal is None:
        return _in_order(blocks, splitter.n_ordered_folds)
    return _drawn(blocks, splitter, equal)


def _in_order(blocks: SurveyedBlocks, n_folds: int) -> tuple[list[int], list[FoldAssignment]]:
    """Assign rows as scikit-learn's ``StratifiedKFold`` does without shuffling."""
    sizes = np.array(blocks.survey.sizes)
    class_sizes = sizes.sum(axis=0)
    if n_folds > (largest := int(class_sizes.max())):
        refuse_more_folds_than_rows(n_folds, largest, int(class_sizes.sum()))
    shares = fold_shares(class_sizes, np.array(blocks.survey.firsts), n_folds)
    ends = np.cumsum(shares, axis=1)
    before = np.cumsum(sizes, axis=0) - sizes
    learnable = ((class_sizes[:, None] - shares > 0).sum(axis=0) > 1) & (shares.sum(axis=0) > 0)
    if not learnable.any():
        raise ParameterError("No fold of cv has two classes in its training rows; use fewer folds, or 0.")
    numbers = np.arange(1, n_folds + 1, dtype=np.int32)
    of_fold = np.where(learnable, numbers, 0).astype(np.int32)  # a fold that cannot be learned validates no row
    return of_fold[learnable].tolist(), [FoldAssignment(of_fold, ends, each) for each in before]


def fold_shares(class_sizes: Ints, firsts: Ints, n_folds: int) -> Ints:
    """Return how many rows of each class are in each fold, given the first row of each class."""
    order = np.argsort(firsts, kind="stable")
    begins = np.zeros(len(class_sizes), dtype=np.int64)
    begins[order] = np.append(0, np.cumsum(class_sizes[order]))[:-1]
    folds = np.arange(n_folds)
    begin = begins[:, None]
    end = (begins + class_sizes)[:, None]
    shares: Ints = (end - 1 - folds) // n_folds - (begin - 1 - folds) // n_folds
    return shares


def _drawn(blocks: SurveyedBlocks, splitter: Splitter, equal: Ints | None) -> tuple[list[int], list[Assignment]]:
    codes, units = blocks.targets.reduce(_classes, _append)
    table = Table([], len(codes), _no_column)
    rows = LabeledRows(table, Target(blocks.classes, codes), Weights(units, blocks.unit))
    numbers = np.zeros(len(codes), dtype=np.int32)
    n_folds = 0
    for n_folds, fold in enumerate(splitter.split(rows, None, equal), 1):
        left_out = np.ones(len(codes), dtype=bool)
        left_out[fold.training] = False
        scored = np.zeros(len(codes), dtype=bool)
        scored[np.asarray(fold.validation)] = True
        if (numbers[scored] > 0).any() or ((left_out != scored) & (units > 0)).any():
            raise ParameterError("For rows in blocks, folds must validate on disjoint rows and train on all others.")
        numbers[scored] = n_folds
    ends = np.cumsum(blocks.survey.n_rows)
    narrow = numbers.astype(np.uint8 if n_folds < 256 else np.int32)
    return list(range(1, n_folds + 1)), list(np.split(narrow, ends[:-1]))


class BlockKeys:
    """Keys of the rows of all blocks, which come to this process."""

    def __init__(self, blocks: SurveyedBlocks) -> None:
        self._blocks = blocks
        self.n_columns = len(blocks.names)
        codes, units = blocks.targets.reduce(_classes, _append)
        self._codes: NDArray[np.int32] = codes
        self.is_weighted = units > 0

    def keys(self, columns: Sequence[int]) -> Keys:
        """Return the keys of all rows from some columns."""
        keys: Keys = self._blocks.rows.reduce(_keys_of_block, _append_keys, columns)
        return keys

    def class_codes(self) -> NDArray[np.int32]:
        """Return the class of each row."""
        return self._codes

    def n_values(self, j: int) -> int:
        """Return the number of distinct values of a column."""
        return len(self._blocks.rows.reduce(_values_of_block, np.union1d, j))


def _keys_of_block(rows: LabeledBlock, columns: Sequence[int]) -> Keys:
    n_rows = len(rows.target.codes)
    return row_keys(rows.table, columns) if n_rows and rows.table is not None else np.zeros(n_rows, dtype=np.uint64)


def _values_of_block(rows: LabeledBlock, j: int) -> Keys:
    return np.empty(0, dtype=np.uint64) if rows.table is None else value_keys(rows.table, j)


def _append_keys(a: Keys, b: Keys) -> Keys:
    return np.concatenate([a, b])


def _no_column(places: Sequence[int]) -> Any:
    raise IndexError(places)


def _classes(rows: LabeledBlock) -> tuple[NDArray[np.int32], Ints]:
    return rows.target.codes, rows.weights.units


def _append(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _number(pair: tuple[LabeledBlock, Assignment]) -> NumberedRows:
    rows, assignment = pair
    if assignment is None:
        return rows, np.zeros(len(rows.target.codes), dtype=np.int32)
    if isinstance(assignment, np.ndarray):
        return rows, assignment.astype(np.int32)
    return rows, assignment.numbers(rows)


def number_rows(blocks: RowBlocks[LabeledBlock], assignments: Sequence[Assignment]) -> RowBlocks[NumberedRows]:
    """Return the rows of each block, and the number of each row."""
    return blocks.zip(assignments).map(_number)


@dataclass(frozen=True)
class SampleNumbers:
    """Numbers the rows of one block: 1 for every ``steps[c]``-th row of class c, given how many came before."""

    steps: Ints
    before: Ints

    def numbers(self, rows: LabeledBlock) -> FoldNumbers:
        """Return 1 for the rows of the sample, 0 for others."""
        numbers = np.zeros(len(rows.target.codes), dtype=np.int32)
        for c, (step, before) in enumerate(zip(self.steps.tolist(), self.before.tolist(), strict=True)):
            own = np.flatnonzero((rows.target.codes == c) & (rows.weights.units > 0))
            numbers[own[-before % step :: step]] = 1
        return numbers


def sample_steps(class_sizes: Ints, n_columns: int) -> Ints:
    """Return for each class the step from one sampled row to the next, a multiple of the smallest one."""
    most = max(len(class_sizes), min(_MOST_ROWS, _MOST_CODES // max(1, n_columns)))
    n_rows = int(class_sizes.sum())
    n_shares = 2 * len(class_sizes)
    if n_rows <= most:
        return np.ones(len(class_sizes), dtype=np.int64)
    rare = class_sizes * n_shares < most * -(-n_rows // most)
    steps = np.maximum(class_sizes * n_shares // most, 1)
    rest = most - int((-(-class_sizes // steps))[rare].sum())
    steps[~rare] = -(-int(class_sizes[~rare].sum()) // max(1, rest - int((~rare).sum())))
    return np.asarray(-(-steps // steps.min()) * steps.min())


def sample_rows(sizes: Ints, steps: Ints) -> list[SampleNumbers]:
    """Return what numbers the rows of each block; ``sizes`` are rows of each class, shape (n_blocks, n_classes)."""
    return [SampleNumbers(steps, before) for before in np.cumsum(sizes, axis=0) - sizes]
