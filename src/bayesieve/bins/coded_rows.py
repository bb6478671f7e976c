# SPDX-License-Identifier: BSD-3-Clause
"""Coded rows: the bin of each row in each column, with the rows' classes and weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.codes import Codes

__all__ = ["CodedRows"]


@dataclass(frozen=True)
class CodedRows:
    """Rows of a table whose values are bins.

    Attributes
    ----------
    codes : Codes
        The bin of each column and row.
    target : int32 array of shape (n_rows,)
        The number of the class.
    weights : int64 array of shape (n_rows,)
        Weight of each row, in multiples of a unit.
    n_classes : int
        Number of classes.
    """

    codes: Codes
    target: NDArray[np.int32]
    weights: NDArray[np.int64]
    n_classes: int
