# SPDX-License-Identifier: BSD-3-Clause
"""Rows that are divided into folds once more: with few rows, which size is best depends on the folds.

The new folds follow from places of rows in the first ones, which follow from what rows contain or from a seed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.additive.constants import DIVIDED_ROWS, MOST_DIVISIONS, MemberPriors
from bayesieve.additive.members import members_of_path
from bayesieve.additive.pair_data import BinnedRows, PairData
from bayesieve.additive.rows import AdditiveRows, PairRows
from bayesieve.exact import scrambled

__all__ = ["Division", "divide_again", "n_divisions"]


@dataclass(frozen=True, eq=False)
class Division:
    """Rows in the order of the folds of a division, and the same in the bins of pairs.

    ``order`` has the place of each row in the first division.
    """

    rows: AdditiveRows
    pair_data: PairData | None
    order: Ints
    is_first: bool = True

    @classmethod
    def of_all(cls, rows: AdditiveRows, pair_data: PairData | None = None) -> "Division":
        """Return the first division."""
        return cls(rows, pair_data, np.arange(rows.n_rows))

    @property
    def members(self) -> tuple[MemberPriors, ...]:
        """The members of a path: one tied member is enough where losses are all that they are for."""
        first, *others, adaptive = members_of_path(self.rows)
        return (first, *others, adaptive) if self.is_first else (first, adaptive)


def n_divisions(rows: AdditiveRows) -> int:
    """Return how many divisions the size is chosen by: the fewer rows there are, the more.

    The columns of a wide table that take part are those of its folds, so that it has one division.
    """
    if rows.taking_part is not None or rows.n_folds < 2:
        return 1
    return min(MOST_DIVISIONS, 1 + DIVIDED_ROWS // rows.n_rows)


def divide_again(first: Division, n: int, equal: Ints | None = None) -> Iterator[Division]:
    """Yield further divisions, in which rows of each class are dealt to folds as in the first, in other orders.

    Rows of a class with the same number in ``equal`` stay together.
    """
    rows = first.rows
    places = np.arange(rows.n_rows)
    if equal is not None:
        _, begins, kind = np.unique(equal, return_index=True, return_inverse=True)
        places = begins[kind.ravel()]
    for number in range(1, n):
        keys = scrambled(places.astype(np.uint64), np.uint64(number))
        fold = _deal(rows, keys)
        order = np.lexsort((keys, fold))
        data = first.pair_data
        if data is not None:
            coarse = _pairs_in_order(data.rows, order, fold[order])
            data = PairData(coarse, partial(_tables_in_order, data, order, fold[order]))
        ends = np.cumsum(np.bincount(fold, minlength=rows.n_folds)).astype(np.int64)
        yield Division(_in_order(rows, order, ends), data, order, is_first=False)


def _deal(rows: AdditiveRows, keys: NDArray[np.uint64]) -> Ints:
    """Return a new fold of each row, the same for those of a class with equal keys."""
    classes = rows.target if rows.strata is None else rows.strata
    by_class, first = np.lexsort((keys, classes)), 0
    starts = np.searchsorted(classes[by_class], np.unique(classes)).tolist()
    fold = np.empty(rows.n_rows, dtype=np.int64)
    for begin, end in pairwise([*starts, rows.n_rows]):
        own = by_class[begin:end]
        place = np.cumsum(np.append(False, np.diff(keys[own]) != 0))
        fold[own] = (first + place) % rows.n_folds
        first += int(place[-1]) + 1 if rows.loss.tuning.deals_on else 0
    return fold


def _tables_in_order(data: PairData, order: Ints, fold: Ints) -> BinnedRows:
    return BinnedRows(_pairs_in_order(data.fine, order, fold), data.bins)


def _pairs_in_order(rows: PairRows, order: Ints, fold: Ints) -> PairRows:
    return replace(rows, codes=rows.codes[:, order], target=rows.target[order], weights=rows.weights[order], fold=fold)


def _in_order(rows: AdditiveRows, order: Ints, fold_ends: Ints) -> AdditiveRows:
    return replace(
        rows,
        codes=[codes[order] for codes in rows.codes],
        target=rows.target[order],
        weights=rows.weights[order],
        fold_ends=fold_ends,
    )
