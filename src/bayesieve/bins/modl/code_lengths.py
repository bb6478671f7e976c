# SPDX-License-Identifier: BSD-3-Clause
"""Code lengths of integers and of groupings, and the fixed point in which costs are compared.

A cost is an integer, a multiple of 2^-28 nats. Sums of integers depend neither on their order nor on the machine, so a
search takes the same steps everywhere. log(10^9 !) fits 63 bits in these units, hence the largest total weight, 2^30.

Weights need not be integers: every formula uses x! = Gamma(x + 1), which is the factorial of an integer x, so that a
weight of k is the same as k copies of a row.

Rissanen's universal code of an integer between 1 and a bound:

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

from bayesieve._typing import Floats, Ints
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum

__all__ = [
    "COST_ONE",
    "LARGEST_TOTAL",
    "TOLERANCE",
    "code_lengths",
    "log_bell",
    "log_bells",
    "log_factorial",
    "log_factorial_cost",
    "log_normalizer",
    "log_star",
    "normalizer",
    "to_cost",
    "to_nats",
    "universal_cost",
]

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


_CONVERGED: Final = 20  # 1/20! is below the rounding error of 1/e


def log_bell(n_values: int, n_groups: int) -> float:
    """Return log B(n, k), where B counts the ways to put n values into at most k groups.

    B(n, k) = sum over i = 1..k of i^n / i! · e_{k-i}, with e_r = sum over j = 0..r of (-1)^j / j!, which tends to 1/e.
    It is the sum of the Stirling numbers of the second kind, S(n, j) = sum over i of (-1)^(j-i) i^n / (i! (j-i)!).
    No term is negative, so nothing cancels; the sum is taken relative to its largest power.
    """
    return _log_sum(_log_powers(n_values, n_groups))


def log_bells(n_values: int, n_groups: int) -> Floats:
    """Return log B(n, 1) to log B(n, k)."""
    powers = _log_powers(n_values, n_groups)
    return np.array([_log_sum(powers[:k]) for k in range(1, n_groups + 1)])


def _log_powers(n_values: int, n_groups: int) -> Floats:
    """Return log(i^n / i!) of i = 1..k."""
    i = np.arange(1, n_groups + 1)
    return float(n_values) * log_positive(i.astype(np.float64)) - log_factorial(i)


def _log_sum(powers: Floats) -> float:
    largest = powers.max()
    weights = _inverse_e()[np.minimum(np.arange(len(powers))[::-1], _CONVERGED)]
    total = ordered_sum(exp_nonpositive(powers - largest) * weights)
    return float(largest + log_positive(np.array(total)))


@cache
def _inverse_e() -> Floats:
    terms, factorial = [1.0], 1.0
    for j in range(1, _CONVERGED + 1):
        factorial = factorial * -float(j)
        terms.append(1.0 / factorial)
    sums: Floats = np.add.accumulate(np.array(terms))
    return sums
