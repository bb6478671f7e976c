"""n log n as integers: entropies are differences of sums of it, and sums of integers do not depend on their order.

With N the weight of all rows, N · H(A) = N log N - Σ n log n over the bins of A. Each n log n is rounded once to a
multiple of 2^-shift, so that scores depend neither on the order of rows, columns, codes or threads nor on the machine.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayesieve._native.elementary import log_positive
from bayesieve._typing import Floats, Ints

__all__ = ["FixedLogs"]


_BITS = 48  # of N log N: a sum of 2^15 of them fits an integer, and a nat has some 44 fractional bits


@dataclass(frozen=True)
class FixedLogs:
    """n log n of the weights of bins, in fixed point; ``total`` is the weight of all rows in units."""

    total: int

    @cached_property
    def shift(self) -> int:
        """The number of fractional bits."""
        return _BITS - int(np.frexp(max(1.0, _n_log_n(np.array([float(self.total)]))[0]))[1])

    @property
    def of_total(self) -> int:
        """N log N."""
        return int(self.of(np.array([self.total]))[0])

    def of(self, counts: Ints) -> Ints:
        """Return n log n of each count, 0 for 0."""
        return self._table[counts] if counts.size > self.total else self._fixed(counts)

    @cached_property
    def _table(self) -> Ints:
        """The logarithms of all counts that there can be, for many counts of few rows."""
        return self._fixed(np.arange(self.total + 1))

    def _fixed(self, counts: Ints) -> Ints:
        return np.rint(np.ldexp(_n_log_n(counts.astype(np.float64)), self.shift)).astype(np.int64)

    def sums(self, counts: Ints, begins: Ints) -> Ints:
        """Return the sum of n log n over the rows from each begin to the next; none may be empty."""
        logs = self.of(counts)
        cells = logs if logs.ndim == 1 else logs.sum(axis=1)
        return np.add.reduceat(cells, begins) if len(begins) else np.empty(0, dtype=np.int64)

    def nats(self, sums: Ints) -> Floats:
        """Convert N times an entropy, in fixed point, to nats."""
        return np.ldexp(np.asarray(sums).astype(np.float64), -self.shift) / float(self.total)


def _n_log_n(n: Floats) -> Floats:
    return n * log_positive(np.maximum(n, 1.0))
