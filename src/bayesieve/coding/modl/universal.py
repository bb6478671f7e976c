"""Rissanen's universal code of an integer between 1 and a bound.

    log*(n) = log2 n + log2 log2 n + ...            (the positive terms)
    cost(n | m) = log c(m) + log 2 · log*(n),       c(m) = sum over i = 1..m of 2^-log*(i)

Since 2^-log2(x) = 1/x, the summand is 1 / (i · log2 i · log2 log2 i ...), the derivative of an iterated logarithm: with
L_k the k-th iterate, d L_k / dx = 1 / (log(2)^k · x · L_1 ... L_{k-1}). Beyond 2048 the sum is that integral with
the trapezoidal correction; the remaining error is below 1e-9.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bayesieve._native.elementary import log_positive
from bayesieve._typing import Floats, Ints
from bayesieve.coding.modl.factorial import to_cost

__all__ = ["code_lengths", "log_normalizer", "log_star", "normalizer", "universal_cost"]


_LOG_2: Final = float.fromhex("0x1.62e42fefa39efp-1")
_SUMMED: Final = 2048
_TOWER: Final = 65536.0  # 2^2^2^2: the fifth iterated logarithm is positive above


def log_star(n: ArrayLike) -> tuple[Floats, Floats]:
    """Return log*(n) in bits, and 2^log*(n), for n >= 1."""
    x = np.asarray(n, dtype=np.float64)
    bits, power = np.zeros_like(x), np.ones_like(x)
    active = x > 1.0
    while active.any():
        power = np.where(active, power * x, power)
        x = np.where(active, log_positive(np.where(active, x, 1.0)) / _LOG_2, x)
        bits = np.where(active, bits + x, bits)
        active = active & (x > 1.0)
    return bits, power


def normalizer(bound: int) -> float:
    """Return c(bound)."""
    sums = _partial_sums()
    if bound <= _SUMMED:
        return float(sums[bound - 1])
    low, high = float(_SUMMED), float(bound)
    middle = min(high, _TOWER)
    integral = _iterated(middle, 4) - _iterated(low, 4)
    if high > _TOWER:
        integral = integral + (_iterated(high, 5) - _iterated(_TOWER, 5))
    correction = 0.5 * (1.0 / float(log_star(high)[1]) - 1.0 / float(log_star(low)[1]))
    return (float(sums[-1]) + integral) + correction


def universal_cost(n: ArrayLike, bound: int) -> Ints:
    """Return the cost of the code of n, 1 <= n <= bound."""
    return log_normalizer(bound) + code_lengths(n)


def log_normalizer(bound: int) -> Ints:
    """Return log c(bound) as a cost."""
    return to_cost(log_positive(np.array(normalizer(bound))))


def code_lengths(n: ArrayLike) -> Ints:
    """Return log*(n) as a cost."""
    return to_cost(_LOG_2 * log_star(n)[0])


@cache
def _partial_sums() -> Floats:
    # accumulate adds from left to right; sum would add pairwise.
    sums: Floats = np.add.accumulate(1.0 / log_star(np.arange(1, _SUMMED + 1))[1])
    return sums


def _iterated(x: float, k: int) -> float:
    """Return log(2)^k · L_k(x)."""
    value, factor = np.array(x), 1.0
    for _ in range(k):
        value, factor = log_positive(value) / _LOG_2, factor * _LOG_2
    return factor * float(value)
