# SPDX-License-Identifier: BSD-3-Clause
"""Array types that all packages share."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Floats", "Ints", "Positions"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]
"""Positions of rows, columns or labels in an array."""
