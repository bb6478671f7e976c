"""Univariate scores, each a formula on the contingency tables of columns and class.

In nats, with I the mutual information and H the entropy. All are 0 for a column that is independent of the class,
except the conditional entropy, which is H(class).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.filters.class_tables import ClassTables

__all__ = ["FORMULAS", "chi_square", "conditional_entropy", "gain_ratio", "mutual_information", "symmetric_uncertainty"]


def mutual_information(tables: ClassTables) -> Floats:
    """Return I(X; Y) = H(X) + H(Y) - H(X, Y)."""
    return tables.logs.nats(tables.information)


def conditional_entropy(tables: ClassTables) -> Floats:
    """Return H(Y | X) = H(Y) - I(X; Y): smaller is better."""
    return tables.logs.nats(tables.logs.of_total - tables.classes - tables.information)


def gain_ratio(tables: ClassTables) -> Floats:
    """Return I(X; Y) / H(X), 0 if H(X) is 0."""
    return _ratio(tables.information, tables.logs.of_total - tables.bins)


def symmetric_uncertainty(tables: ClassTables) -> Floats:
    """Return 2 I(X; Y) / (H(X) + H(Y)), 0 if either entropy is 0."""
    return _ratio(2 * tables.information, 2 * tables.logs.of_total - tables.bins - tables.classes)


def chi_square(tables: ClassTables) -> Floats:
    """Return Pearson's Σ (n - e)² / e over the cells, where e is the expected count under independence."""
    mass = tables.counts.sum(axis=1)
    total = float(tables.mass.sum())
    expected = mass[:, None].astype(np.float64) * tables.mass / total
    gaps = tables.counts - expected
    terms = np.divide(gaps * gaps, expected, out=np.zeros_like(expected), where=expected > 0)
    # Sums of integers do not depend on their order; the sum is at most N · classes.
    shift = 60 - int(np.frexp(total * len(tables.mass))[1])
    cells = np.rint(np.ldexp(terms, shift)).astype(np.int64).sum(axis=1)
    sums = np.add.reduceat(cells, tables.offsets[:-1]) if tables.n_columns else np.empty(0, dtype=np.int64)
    return np.ldexp(sums.astype(np.float64), -shift) * tables.unit


FORMULAS: dict[str, Callable[[ClassTables], Floats]] = {
    "mutual_info": mutual_information,
    "conditional_entropy": conditional_entropy,
    "gain_ratio": gain_ratio,
    "symmetric_uncertainty": symmetric_uncertainty,
    "chi2": chi_square,
}


def _ratio(numerator: NDArray[np.int64], total: NDArray[np.int64]) -> Floats:
    return np.divide(numerator, total, out=np.zeros(len(numerator)), where=(total > 0) & (numerator > 0))
