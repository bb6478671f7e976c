# SPDX-License-Identifier: BSD-3-Clause
"""Exact arithmetic: sums, exp, log and fixed point with the same bits on every machine.

NumPy and the C library may differ in the last bit between versions and processors. Predictions and tables
must not, so all functions here use only the operations that IEEE 754 defines exactly (add, multiply,
divide, scaling by a power of two), in a fixed order. The compiled core has the same operations in the same order.
exp and log have an absolute error below 2^-50 on the ranges used here. Shares of integers are compared as integers.
"""

from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve._typing import Floats, Ints

__all__ = [
    "FIXED_ONE",
    "exp_nonpositive",
    "fixed_logs",
    "in_nats",
    "log_positive",
    "nearest_fixed",
    "ordered_sum",
    "pool_violators",
    "scrambled",
    "sum_of_classes",
    "to_fixed",
]


# One nat (or one unit of loss) in fixed point: everything that is added over rows or columns is a multiple of 2^-40.
FIXED_ONE: Final = 2**40

_LOG2_E: Final = float.fromhex("0x1.71547652b82fep+0")
# log 2 in two pieces: the high one has 21 trailing zero bits, so that k * _LN2_HIGH is exact.
_LN2_HIGH: Final = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
_SQRT_HALF: Final = float.fromhex("0x1.6a09e667f3bcdp-1")
_LOWEST: Final = -700.0  # exp is taken as 0 below: no subnormal numbers appear

# Horner coefficients, highest order first: 1/13! ... 1/0!, and 1/23, 1/21 ... 1/1 for the inverse hyperbolic tangent.
_EXP_TERMS: Final = tuple(1.0 / f for f in (
    6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1,
))  # fmt: skip
_ATANH_TERMS: Final = tuple(1.0 / n for n in range(23, 0, -2))


@overload
def ordered_sum(x: Floats) -> float: ...
@overload
def ordered_sum(x: Floats, axis: int) -> Floats: ...
def ordered_sum(x: Floats, axis: int | None = None) -> float | Floats:
    """Return the sum of all numbers, or along an axis, added one after the other.

    NumPy's own sum adds pairwise, in an order that depends on the processor.
    """
    sums = np.cumsum(x, axis=axis)
    if axis is None:
        return float(sums[-1]) if sums.size else 0.0
    return sums.take(-1, axis) if sums.shape[axis] else sums.sum(axis)


def exp_nonpositive(x: Floats) -> Floats:
    """Return e^x for x <= 0: x = k log 2 + r, then a Taylor polynomial in r, |r| <= 0.35."""
    clipped = np.maximum(x, _LOWEST)
    k = np.rint(clipped * _LOG2_E)
    r = (clipped - k * _LN2_HIGH) - k * _LN2_LOW
    polynomial = np.full_like(r, _EXP_TERMS[0])
    for term in _EXP_TERMS[1:]:
        polynomial *= r
        polynomial += term
    return np.where(x < _LOWEST, 0.0, np.ldexp(polynomial, k.astype(np.int32)))


def log_positive(x: Floats) -> Floats:
    """Return log x for normal x > 0: x = m 2^e with m in [0.7, 1.42), log m = 2 atanh((m - 1) / (m + 1))."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < _SQRT_HALF
    mantissa = np.where(low, mantissa * 2.0, mantissa)
    e = (exponent - low).astype(np.float64)
    t = (mantissa - 1.0) / (mantissa + 1.0)
    square = t * t
    series = np.full_like(t, _ATANH_TERMS[0])
    for term in _ATANH_TERMS[1:]:
        series *= square
        series += term
    return e * _LN2_HIGH + ((2.0 * t) * series + e * _LN2_LOW)


def to_fixed(x: Floats) -> NDArray[np.int64]:
    """Round to multiples of 2^-40, halves to even."""
    return np.rint(x * float(FIXED_ONE)).astype(np.int64)


def nearest_fixed(x: Floats) -> Floats:
    """Return the nearest multiples of 2^-40, as floats: below 2^12 these add up without rounding, in any order."""
    return np.rint(x * float(FIXED_ONE)) * (1.0 / FIXED_ONE)


def fixed_logs(x: Floats) -> NDArray[np.int64]:
    """Return log x for normal x > 0 in multiples of 2^-40: ``to_fixed(log_positive(x))``, in one pass."""
    if core is None:
        return to_fixed(log_positive(x))
    return core.fixed_logs(np.ascontiguousarray(x).ravel()).reshape(x.shape)


def sum_of_classes(x: Floats) -> Floats:
    """Return the sum over the first axis, smallest numbers first: the order of the classes does not show."""
    ordered = np.sort(x, axis=0)
    total: Floats = ordered[0].copy()
    for each in ordered[1:]:
        total += each
    return total


_GOLDEN: Final = 0x9E3779B97F4A7C15


def scrambled(numbers: NDArray[np.uint64], seed: int | np.uint64 | NDArray[np.uint64] = _GOLDEN) -> NDArray[np.uint64]:
    """Return unrelated numbers for neighboring ones: the finalizer of SplitMix64."""
    z = numbers * np.uint64(_GOLDEN) + np.asarray(seed, dtype=np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(z ^ (z >> np.uint64(31)))


def in_nats(fixed: NDArray[np.int64]) -> Floats:
    """Return multiples of 2^-40 nats as nats."""
    return fixed / float(FIXED_ONE)


def pool_violators(counts: Ints, direction: int, *, equals: bool = False) -> Ints:
    """Return the starts of blocks between which the share of the second of two classes only rises (1) or falls (-1).

    Any partition of such blocks is monotone. Neighbors are pooled while they are in the wrong order; with
    ``equals`` also while their shares are equal. Integers are compared, so that the blocks are exact.
    """
    starts: list[int] = []
    blocks: list[tuple[int, int]] = []
    for start, (first, second) in enumerate(counts.tolist()):
        block = (first, second)
        while blocks and direction * (blocks[-1][1] * block[0] - block[1] * blocks[-1][0]) > (-1 if equals else 0):
            last = blocks.pop()
            block, start = (last[0] + block[0], last[1] + block[1]), starts.pop()
        blocks.append(block)
        starts.append(start)
    return np.array(starts, dtype=np.int64)
