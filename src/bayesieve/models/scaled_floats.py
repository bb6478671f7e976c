# SPDX-License-Identifier: BSD-3-Clause
"""Positive numbers far below the range of float64: products of a thousand probabilities.

A number is m 2^(500 e). It is rescaled to m >= 2^-500 after each product, so that no product of m with a
probability of at least 2^-50 is subnormal; if the e of two numbers differ by two or more, the smaller one does not
change their sum. Only operations that IEEE 754 defines exactly are used, in the same order as in the compiled core.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exact import log_positive, to_fixed

__all__ = ["ScaledFloats"]


_STEP: Final = 500
_UP: Final = 2.0**_STEP
_DOWN: Final = 2.0**-_STEP
_LOG_STEP: Final = int(to_fixed(_STEP * log_positive(np.array([2.0])))[0])


@dataclass(frozen=True)
class ScaledFloats:
    """Numbers m 2^(500 e), of any one shape."""

    m: Floats
    e: NDArray[np.int64]

    @classmethod
    def of(cls, x: Floats) -> "ScaledFloats":
        """Return scaled numbers from floats of at least 2^-500."""
        return cls(x, np.zeros(x.shape, dtype=np.int64))

    def row(self, j: int) -> "ScaledFloats":
        """Return one row of a matrix."""
        return ScaledFloats(self.m[j], self.e[j])

    def rows(self, first: int, end: int | None) -> "ScaledFloats":
        """Return some rows of a matrix."""
        return ScaledFloats(self.m[first:end], self.e[first:end])

    def above(self, other: "ScaledFloats") -> "ScaledFloats":
        """Stack two matrices, the other below."""
        return ScaledFloats(np.concatenate([self.m, other.m]), np.concatenate([self.e, other.e]))

    def times(self, factor: Floats) -> "ScaledFloats":
        """Return the product with ordinary numbers between 2^-50 and 1."""
        product = self.m * factor
        low = product < _DOWN
        return ScaledFloats(np.where(low, product * _UP, product), self.e - low)

    def plus(self, other: "ScaledFloats") -> "ScaledFloats":
        """Return the sum."""
        e = np.maximum(self.e, other.e)
        return ScaledFloats(self.m * _shift(self.e - e) + other.m * _shift(other.e - e), e)

    def log(self) -> NDArray[np.int64]:
        """Return the logarithm in multiples of 2^-40."""
        return to_fixed(log_positive(self.m)) + self.e * _LOG_STEP


def _shift(e: NDArray[np.int64]) -> Floats:
    return np.where(e == 0, 1.0, np.where(e == -1, _DOWN, 0.0))
