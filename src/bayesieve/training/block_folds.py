"""Which rows of which block are scored by which fold, told by small numbers.

Part 0 of the rows is left out by no fold, part k by the k-th. Folds without shuffling are scikit-learn's: the rows of a
class are dealt out in their order, which each block can do for itself if it knows how many came before. Others are
drawn where the search runs, from the classes of all rows: one to four bytes a row come there and go back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import RowBlocks, Table, Target, Weights
from bayesieve.estimators.options.folds import refuse_more_folds_than_rows, split
from bayesieve.exceptions import ParameterError
from bayesieve.training.block_rows import BlockedRows, BlockRows
from bayesieve.training.memory_rows import MemoryRows

__all__ = ["Dealing", "deal_rows", "with_parts"]

Ints = NDArray[np.int64]
Parts = NDArray[np.int32]


@dataclass(frozen=True)
class Dealing:
    """What deals the rows of one block: for each class the ends of its parts, and how many rows came before."""

    ends: Ints
    before: Ints

    def parts(self, rows: BlockRows) -> Parts:
        """Return the part of each row."""
        parts = np.zeros(len(rows.target.codes), dtype=np.int32)
        for c, (ends, before) in enumerate(zip(self.ends, self.before.tolist(), strict=True)):
            own = np.flatnonzero((rows.target.codes == c) & (rows.weights.units > 0))
            parts[own] = 1 + ends.searchsorted(before + np.arange(len(own)), side="right")
        return parts


def deal_rows(sample: BlockedRows, cv: Any, groups: Any, random_state: Any) -> tuple[list[int], Sequence[Any]]:
    """Return the parts that folds score, and for each block what tells the parts of its rows: a `Dealing`, or parts."""
    n_blocks = len(sample.survey.n_rows)
    if groups is not None:
        raise ParameterError("groups are for rows in this process; for rows in blocks give validation folds or None.")
    if isinstance(cv, tuple):
        raise ParameterError("cv=(X, y) is for rows in this process; for rows in blocks give folds, a share or None.")
    if cv is None:
        return [], [None] * n_blocks
    if isinstance(cv, Integral) and random_state is None:
        refuse_more_folds_than_rows(int(cv), sample.class_sizes)
        return _in_turn(sample, int(cv))
    return _drawn(sample, cv, random_state)


def _in_turn(sample: BlockedRows, n_folds: int) -> tuple[list[int], list[Dealing]]:
    """Deal as scikit-learn's StratifiedKFold does without shuffling."""
    sizes = np.array(sample.survey.sizes)
    # Classes stand in the order of their first rows; the rows, sorted by class, go to the folds in turn.
    order = np.argsort(sample.survey.firsts, kind="stable")
    whole = sizes.sum(axis=0)
    begins = np.zeros(len(whole), dtype=np.int64)
    begins[order] = np.append(0, np.cumsum(whole[order]))[:-1]
    folds = np.arange(n_folds)
    shares = np.array(
        [(a + n - 1 - folds) // n_folds - (a - 1 - folds) // n_folds for a, n in zip(begins, whole, strict=True)]
    )
    ends = np.cumsum(shares, axis=1)
    before = np.cumsum(sizes, axis=0) - sizes
    learnable = ((whole[:, None] - shares > 0).sum(axis=0) > 1) & (shares.sum(axis=0) > 0)
    if not learnable.any():
        raise ParameterError("validation gives no fold with two classes to learn from; use fewer folds, or None.")
    return (np.flatnonzero(learnable) + 1).tolist(), [Dealing(ends, each) for each in before]


def _drawn(sample: BlockedRows, cv: Any, random_state: Any) -> tuple[list[int], list[Any]]:
    codes, units = sample.targets.reduce(_classes, _append)
    table = Table([], len(codes), _no_column)
    whole = MemoryRows(table, Target(sample.classes, codes), Weights(units, sample.unit))
    parts, n_folds = np.zeros(len(codes), dtype=np.int32), 0
    for n_folds, fold in enumerate(split(whole, cv, None, random_state), 1):
        left_out = np.ones(len(codes), dtype=bool)
        left_out[fold.fitting] = False
        scored = np.zeros(len(codes), dtype=bool)
        scored[np.asarray(fold.scored)] = True
        if (parts[scored] > 0).any() or ((left_out != scored) & (units > 0)).any():
            raise ParameterError(
                "For rows in blocks, folds of validation must score different rows and learn from all others."
            )
        parts[scored] = n_folds
    ends = np.cumsum(sample.survey.n_rows)
    narrow = parts.astype(np.uint8 if n_folds < 256 else np.int32)
    return list(range(1, n_folds + 1)), np.split(narrow, ends[:-1])


def _no_column(j: int) -> Any:
    raise IndexError(j)


def _classes(rows: BlockRows) -> tuple[NDArray[np.int32], Ints]:
    return rows.target.codes, rows.weights.units


def _append(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _parts_of(pair: tuple[BlockRows, Any]) -> tuple[BlockRows, Parts]:
    """Return a block's rows, and the part of each."""
    rows, told = pair
    if told is None:
        return rows, np.zeros(len(rows.target.codes), dtype=np.int32)
    return rows, told.parts(rows) if isinstance(told, Dealing) else np.asarray(told, dtype=np.int32)


def with_parts(blocks: RowBlocks[BlockRows], told: Sequence[Any]) -> RowBlocks[tuple[BlockRows, Parts]]:
    """Return the rows of each block, and the part of each row."""
    return blocks.zip(told).map(_parts_of)
