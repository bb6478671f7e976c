# SPDX-License-Identifier: BSD-3-Clause
"""Rows that occur again and again: where that is beyond chance, equal rows share a fold.

A join that doubles rows, or a file that was read twice, leaves a copy of most held-out rows among the training rows,
and scores on noise that look like skill. Rows are equal if all columns and the target are.

Rows of few values repeat by chance. If rows are drawn one by one, from whatever distribution, a row occurs k times in
a number f_k of cases whose expectations are mixtures of Poisson distributions, so that k! f_k is log-convex:

    f_{k-1} f_{k+1} >= k / (k + 1) f_k^2.

Rows repeat beyond chance where some f_k is significantly too large for its neighbors, as in a table whose rows are all
doubled, f_2 = n / 2 and f_1 = f_3 = 0. Columns whose values have fewer combinations than there are rows never count:
their rows must repeat.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from math import log, log2, sqrt
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints, Positions
from bayesieve.data import Table
from bayesieve.data.row_keys import Keys, row_keys, value_keys
from bayesieve.exact import scrambled
from bayesieve.exceptions import RepeatedRowsWarning, warn_caller

__all__ = [
    "KeyedRows",
    "MemoryKeys",
    "equal_rows",
    "equal_rows_of",
    "repeat_beyond_chance",
    "share_of_copies",
    "split_equal_rows",
    "warn_of_copies",
    "with_class",
]

_SIGNIFICANT: Final = 4.0  # standard errors
_MOST_TIMES: Final = 20  # that a row occurs
_LEAST_SHARE: Final = 100  # one copy in so many rows; fewer change no score
_STAGES: Final = (2, 16)  # columns that are compared first: rows of most tables differ in them


class KeyedRows(Protocol):
    """Rows with keys."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        ...

    @property
    def is_weighted(self) -> NDArray[np.bool_]:
        """Which rows have a positive weight."""
        ...

    def keys(self, columns: Sequence[int]) -> Keys:
        """Return the keys of all rows from some columns; those of the classes are not among them."""
        ...

    def class_codes(self) -> NDArray[np.int32]:
        """Return the class of each row."""
        ...

    def n_values(self, j: int) -> int:
        """Return the number of distinct values of a column."""
        ...


class MemoryKeys:
    """Rows of a table in memory."""

    def __init__(self, table: Table, codes: NDArray[np.int32], is_weighted: NDArray[np.bool_]) -> None:
        self._table, self._codes, self.is_weighted = table, codes, is_weighted
        self.n_columns = table.n_columns

    def keys(self, columns: Sequence[int]) -> Keys:
        """Return the keys of all rows from some columns."""
        return row_keys(self._table, columns)

    def class_codes(self) -> NDArray[np.int32]:
        """Return the class of each row."""
        return self._codes

    def n_values(self, j: int) -> int:
        """Return the number of distinct values of a column."""
        return len(value_keys(self._table, j))


def equal_rows(rows: KeyedRows, dropped: Collection[int] = ()) -> Ints | None:
    """Return a number for each row, the same for equal rows; None if rows do not repeat beyond chance."""
    columns = [j for j in range(rows.n_columns) if j not in dropped]
    codes, there = rows.class_codes(), rows.is_weighted
    keys, first = np.zeros(len(codes), dtype=np.uint64), 0
    for end in (*_STAGES, len(columns)):
        if first < (end := min(end, len(columns))):
            keys = keys + rows.keys(columns[first:end])
            times = np.unique(with_class(keys, codes)[there], return_counts=True)[1]
            if not _is_repeated(times):
                return None
            first = end
    if not repeat_beyond_chance(times) or _must_repeat(rows, columns, int(times.sum())):
        return None
    return np.unique(with_class(keys, codes), return_inverse=True)[1].ravel().astype(np.int64)


def share_of_copies(equal: Ints) -> float:
    """Return the weight of a row, a power of two: the rows then count as about as many as there are different ones."""
    times = np.unique(equal, return_counts=True)[1]
    return float(2.0 ** -round(log2(float((times * times).sum()) / float(times.sum()))))


def warn_of_copies(equal: Ints | None) -> None:
    """Warn of rows that repeat beyond chance."""
    if equal is not None:
        n_rows, n_copies = len(equal), len(equal) - len(np.unique(equal))
        warn_caller(
            f"{n_copies:,} of {n_rows:,} rows are copies of another row, which is beyond chance: copies share a fold, "
            "and all rows count as about as many as there are different ones. Remove the copies, or give groups if "
            "rows belong together.",
            RepeatedRowsWarning,
        )


def equal_rows_of(table: Table, labels: NDArray[np.generic], dropped: Collection[int] = ()) -> Ints | None:
    """Return the same of a table and a target."""
    codes = np.unique(labels, return_inverse=True)[1].ravel().astype(np.int32)
    return equal_rows(MemoryKeys(table, codes, np.ones(len(codes), dtype=bool)), dropped)


def with_class(keys: Keys, codes: NDArray[np.int32]) -> Keys:
    """Return keys of rows that are equal in their class, too."""
    return np.asarray(scrambled(keys) + scrambled(codes.astype(np.uint64)))


def _is_repeated(times: Ints) -> bool:
    n_rows = int(times.sum())
    return n_rows - len(times) >= max(2, n_rows // _LEAST_SHARE)


def _must_repeat(rows: KeyedRows, columns: Sequence[int], n_rows: int) -> bool:
    """Return whether the values of the columns have fewer combinations than there are rows."""
    combinations = 1
    for j in columns:
        combinations *= rows.n_values(j)
        if combinations > n_rows:
            return False
    return True


def repeat_beyond_chance(times: Ints) -> bool:
    """Return whether rows repeat beyond chance, given how often each distinct row occurs."""
    cases = np.bincount(np.minimum(times, _MOST_TIMES + 2), minlength=_MOST_TIMES + 3).tolist()
    return any(_excess(k, *cases[k - 1 : k + 2]) > _SIGNIFICANT for k in range(2, _MOST_TIMES + 1))


def _excess(k: int, before: int, own: int, after: int) -> float:
    """Return by how many standard errors the rows that occur k times are too many for their neighbors.

    It is the root of the deviance of three Poisson counts. Their most probable means are before + t, own - 2 t and
    after + t where the product of the outer ones is k / (k + 1) times the square of the inner one.
    """
    share = k / (k + 1)
    lack = share * own * own - before * after
    if lack <= 0.0:
        return 0.0
    linear, square = before + after + 4.0 * share * own, 4.0 * share - 1.0
    t = (linear - sqrt(linear * linear - 4.0 * square * lack)) / (2.0 * square)
    means = (before + t, own - 2.0 * t, after + t)
    terms = [n * log(n / mean) for n, mean in zip((before, own, after), means, strict=True) if n]
    return sqrt(max(2.0 * sum(terms), 0.0))


def split_equal_rows(
    split: Callable[[NDArray[np.generic]], Iterator[tuple[Positions, Positions]]],
    labels: NDArray[np.generic],
    equal: Ints,
) -> Iterator[tuple[Positions, Positions]]:
    """Yield folds of rows, given what divides the labels of one row of each kind."""
    _, first, kind = np.unique(equal, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    of_row = place[kind.ravel()]
    for sides in split(labels[first[order]]):
        training, validation = (np.flatnonzero(np.isin(of_row, side)) for side in sides)
        yield training, validation
