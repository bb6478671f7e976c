# SPDX-License-Identifier: BSD-3-Clause
"""Names for what scikit-learn leaves untyped."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Array",
    "ColumnsLike",
    "Constraints",
    "CrossValidator",
    "Frame",
    "Label",
    "Parameters",
    "RandomState",
    "Splitting",
    "TableLike",
    "Tags",
    "TargetLike",
    "ThresholdLike",
    "Transformer",
]

TableLike = Any
"""A data frame, an array, a sparse matrix, a Dask collection or a `ParquetFrame`."""

TargetLike = Any
"""Class labels: an array, a series, a Dask collection or a column of a `ParquetFrame`."""

Frame = Any
"""A data frame of the library of the training table."""

Array = NDArray[Any]
"""An array whose type depends on the labels or values of the user."""

Label = Any
"""A class label."""

ColumnsLike = Any
"""Columns by name or position, a mask, a callable, or None."""

CrossValidator = Any
"""A number of folds, a share, a splitter or pairs of positions."""

ThresholdLike = Any
"""A rule for thresholds, by name, number or pair."""

RandomState = Any
"""A seed, a RandomState or None."""

Tags = Any
"""scikit-learn's tags of an estimator."""

Parameters = Mapping[str, Any]
"""Constructor parameters by name."""

Constraints = dict[str, list[Any] | str]
"""Constraints of constructor parameters, as scikit-learn checks them."""


class Transformer(Protocol):
    """What a transformer of single columns can do."""

    def fit(self, X: TableLike, y: ArrayLike | None = None) -> "Transformer":
        """Learn from a column."""
        ...

    def transform(self, X: TableLike) -> Any:
        """Return the outputs of a column."""
        ...


class Splitting(Protocol):
    """What a splitter of scikit-learn can do."""

    def split(
        self, X: TableLike, y: Array, groups: Array | None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield pairs of positions."""
        ...
