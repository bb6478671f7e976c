"""The number of ways to put values into groups."""

from functools import cache
from typing import Final

import numpy as np

from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve._typing import Floats
from bayesieve.coding.modl.factorial import log_factorial

__all__ = ["log_bell"]


_CONVERGED: Final = 20  # 1/20! is below the rounding error of 1/e


def log_bell(n_values: int, n_groups: int) -> float:
    """Return log B(n, k), where B counts the ways to put n values into at most k groups.

    B(n, k) = sum over i = 1..k of i^n / i! · e_{k-i}, with e_r = sum over j = 0..r of (-1)^j / j!, which tends to 1/e.
    It is the sum of the Stirling numbers of the second kind, S(n, j) = sum over i of (-1)^(j-i) i^n / (i! (j-i)!).
    No term is negative, so nothing cancels; the sum is taken relative to its largest power.
    """
    i = np.arange(1, n_groups + 1)
    exponents = float(n_values) * log_positive(i.astype(np.float64)) - log_factorial(i)
    largest = exponents.max()
    weights = _inverse_e()[np.minimum(n_groups - i, _CONVERGED)]
    # accumulate adds from left to right; sum would add pairwise.
    total = np.add.accumulate(exp_nonpositive(exponents - largest) * weights)[-1]
    return float(largest + log_positive(total))


@cache
def _inverse_e() -> Floats:
    terms, factorial = [1.0], 1.0
    for j in range(1, _CONVERGED + 1):
        factorial = factorial * -float(j)
        terms.append(1.0 / factorial)
    sums: Floats = np.add.accumulate(np.array(terms))
    return sums
