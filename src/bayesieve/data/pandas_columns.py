# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a pandas data frame, numbers of one type read together: one column at a time, pandas takes longer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column import FEW_TEXTS, EncodedValues, encode_entries

__all__ = ["PandasColumns", "Reader", "TypedValues", "as_index", "encode_categories", "encode_text"]

TypedValues = tuple[NDArray[Any] | EncodedValues, bool]
"""The values of a column, and whether they are nominal."""

Reader = Callable[[Sequence[int]], NDArray[Any] | list[TypedValues]]
"""Returns the columns at some positions: an array (n_rows, n_columns) if all are numbers of one type, or the values of
each column."""

_TEXT = ("str", "string")  # names of the types of text without a library of its own
_MANY = 256  # categories of which few rows have few


@dataclass(frozen=True)
class PandasColumns:
    """Reads some columns of a frame.

    Attributes
    ----------
    frame : pandas data frame
        The table.
    keys : sequence of hashable
        The names of its columns, as pandas has them; each occurs once.
    dtypes : sequence
        Their types.
    read_one : callable
        Reads a column that is neither numbers nor categories nor text.
    """

    frame: Any
    keys: Sequence[Any]
    dtypes: Sequence[Any]
    read_one: Callable[[Any], TypedValues]

    def __call__(self, places: Sequence[int]) -> NDArray[Any] | list[TypedValues]:
        """Return an array if all columns are numbers of one type, or the values of each column."""
        columns: dict[int, TypedValues] = {}
        numbers: dict[np.dtype[Any], list[int]] = {}
        for j in places:
            dtype = self.dtypes[j]
            if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
                numbers.setdefault(dtype, []).append(j)
            elif dtype.name == "category":
                columns[j] = encode_categories(self._series(j).array), True
            elif dtype.name in _TEXT:
                columns[j] = encode_text(self._series(j)), True
            else:
                columns[j] = self.read_one(self._series(j))
        for own in numbers.values():
            array = np.asarray(self.frame.iloc[:, as_index(own)].to_numpy())
            if len(numbers) == 1 and not columns:
                return array
            columns.update((j, (column, False)) for j, column in zip(own, array.T, strict=True))
        return [columns[j] for j in places]

    def _series(self, j: int) -> Any:
        key = self.keys[j]  # by a name, pandas takes a third of the time
        return self.frame[key] if isinstance(key, str) else self.frame.iloc[:, j]


def as_index(places: Sequence[int]) -> slice | list[int]:
    """Return positions as an index of an array or data frame, adjacent ones as a slice, which copies nothing."""
    adjacent = len(places) > 0 and all(j == k for k, j in enumerate(places, places[0]))
    return slice(places[0], places[-1] + 1) if adjacent else list(places)


def encode_text(series: Any) -> EncodedValues:
    """Encode a column of text."""
    if len(series) <= FEW_TEXTS:
        return encode_entries(series.tolist())
    codes, entries = series.factorize()
    return EncodedValues(entries.tolist(), np.asarray(codes))


def encode_categories(values: Any) -> EncodedValues:
    """Encode an array of categories; of many, those that occur in the rows."""
    categories, codes = values.categories, np.asarray(values.codes)
    if len(categories) > _MANY + len(codes):
        used = np.unique(codes[codes >= 0])
        return EncodedValues(categories[used].tolist(), np.where(codes < 0, -1, np.searchsorted(used, codes)))
    return EncodedValues(categories.tolist(), codes)
