# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a pandas data frame, numbers of one type read together: one column at a time, pandas takes longer."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column import EncodedValues

__all__ = ["Reader", "TypedValues", "read_pandas"]

TypedValues = tuple[NDArray[Any] | EncodedValues, bool]
"""The values of a column, and whether they are nominal."""

Reader = Callable[[int, int], NDArray[Any] | list[TypedValues]]
"""Returns the columns from the first to before the last: an array (n_rows, n_columns) if all are numbers of one type,
or the values of each column."""

_CATEGORY = "category"


def read_pandas(
    frame: Any, dtypes: Sequence[Any], read_one: Callable[[int], TypedValues], first: int, end: int
) -> NDArray[Any] | list[TypedValues]:
    """Read adjacent columns; ``read_one`` reads a column that is neither numbers nor categories."""
    columns: list[TypedValues] = []
    for dtype, run in groupby(range(first, end), lambda j: _common_type(dtypes[j])):
        places = list(run)
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            numbers = frame.iloc[:, places[0] : places[-1] + 1].to_numpy()
            if len(places) == end - first:
                return np.asarray(numbers)
            columns += [(column, False) for column in numbers.T]
        elif dtype == _CATEGORY:
            series = frame.iloc[:, places[0] : places[-1] + 1].items()  # faster than one after the other
            columns += [(_categories(each.array), True) for _, each in series]
        else:
            columns += [read_one(j) for j in places]
    return columns


def _common_type(dtype: Any) -> Any:
    """Return one type for categorical columns, whatever their categories."""
    return _CATEGORY if getattr(dtype, "name", None) == _CATEGORY else dtype


def _categories(values: Any) -> EncodedValues:
    return EncodedValues(values.categories.tolist(), np.asarray(values.codes))
