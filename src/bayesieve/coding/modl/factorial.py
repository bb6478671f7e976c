"""Log-factorials of real numbers, and the fixed point in which costs are compared.

A cost is an integer, a multiple of 2^-28 nats. Sums of integers depend neither on their order nor on the machine, so a
search takes the same steps everywhere. log(10^9 !) fits 63 bits in these units, hence the largest total weight, 2^30.

Weights need not be integers: every formula uses x! = Gamma(x + 1), which is the factorial of an integer x, so that a
weight of k is the same as k copies of a row.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bayesieve._native.elementary import log_positive
from bayesieve._typing import Floats, Ints

__all__ = ["COST_ONE", "LARGEST_TOTAL", "TOLERANCE", "log_factorial", "log_factorial_cost", "to_cost", "to_nats"]


COST_ONE: Final = 2**28
TOLERANCE: Final = 268  # 1e-6 nats: costs that are closer count as equal
LARGEST_TOTAL: Final = 2**30

_SERIES_START: Final = 16.0  # from here on Stirling's series has converged, with an error below 1e-16
_HALF_LOG_TWO_PI: Final = float.fromhex("0x1.d67f1c864beb5p-1")
# Horner coefficients in 1/x^2 of log x! - ((x + 1/2) log x - x + log(2 pi) / 2), times x; highest order first.
_SERIES: Final = (-691.0 / 360360.0, 1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0)


def log_factorial(x: ArrayLike) -> Floats:
    """Return log x! = log Gamma(x + 1) for x >= 0, with the same bits on every machine.

    Small x are shifted: x! = (x + k)! / ((x + 1) ... (x + k)); for an integer x the product is exact, 16! < 2^53.
    """
    shifted = np.asarray(x, dtype=np.float64)
    product = np.ones_like(shifted)
    while (small := shifted < _SERIES_START).any():
        shifted = np.where(small, shifted + 1.0, shifted)
        product = np.where(small, product * shifted, product)
    inverse = 1.0 / shifted
    square = inverse * inverse
    series = np.full_like(shifted, _SERIES[0])
    for term in _SERIES[1:]:
        series = series * square + term
    stirling = ((shifted + 0.5) * log_positive(shifted) - shifted) + (_HALF_LOG_TWO_PI + series * inverse)
    return stirling - log_positive(product)


def to_cost(nats: ArrayLike) -> Ints:
    """Round nats to the fixed point of costs, halves to even."""
    return np.rint(np.asarray(nats, dtype=np.float64) * float(COST_ONE)).astype(np.int64)


def to_nats(cost: int) -> float:
    """Return a cost in nats."""
    return cost / COST_ONE


def log_factorial_cost(x: ArrayLike) -> Ints:
    """Return log x! as a cost."""
    return to_cost(log_factorial(x))
