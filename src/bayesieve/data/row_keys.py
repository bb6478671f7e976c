# SPDX-License-Identifier: BSD-3-Clause
"""Keys of rows: equal rows have equal keys, whatever holds the table and however it is divided into blocks."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bayesieve.data.column import Column
from bayesieve.data.table import Table
from bayesieve.exact import scrambled

__all__ = ["Keys", "row_keys", "value_keys"]

Keys = NDArray[np.uint64]

_MISSING = np.array([np.nan]).view(np.uint64)[0]


def row_keys(table: Table, columns: Sequence[int]) -> Keys:
    """Return the sum of the keys of some columns in each row; keys of more columns can be added.

    A zero of a column of numbers adds nothing, so that a sparse matrix has the keys of a dense one.
    """
    keys = np.zeros(table.n_rows, dtype=np.uint64)
    if issparse(table.numbers):
        for j in columns:
            own = slice(*table.numbers.indptr[j : j + 2])
            rows = table.numbers.indices[own]
            np.add.at(keys, rows, _of_column(_number_keys(table.numbers.data[own]), j))
        return keys
    for j, numbers in zip(columns, table.column_numbers(columns), strict=True):
        own_keys = _number_keys(numbers[0]) if numbers is not None else _label_keys(table.column(j))
        keys += _of_column(own_keys, j)
    return keys


def value_keys(table: Table, j: int) -> Keys:
    """Return the distinct keys of the values of a column."""
    return np.unique(row_keys(table, [j]))


def _of_column(keys: Keys, j: int) -> Keys:
    seed = scrambled(np.array([j], dtype=np.uint64))
    return np.asarray(scrambled(keys, seed[0]) - scrambled(np.zeros(1, dtype=np.uint64), seed[0]))


def _number_keys(numbers: NDArray[Any]) -> Keys:
    values = numbers.astype(np.float64) + 0.0  # minus zero is zero
    return np.where(np.isnan(values), _MISSING, values.view(np.uint64))


def _label_keys(column: Column) -> Keys:
    if isinstance(column.labels, np.ndarray):
        return _number_keys(column.values)
    keys = [hashlib.blake2b(f"{type(each).__name__} {each}".encode(), digest_size=8).digest() for each in column.labels]
    numbers = np.frombuffer(b"".join(keys), dtype="<u8").astype(np.uint64)
    return np.append(numbers, _MISSING)[column.ids]
