"""How all rows pull, by the code that they have in each column: the one loop over rows that boosting needs.

Pulls are integers, so that a sum depends on no order and no number of threads. The NumPy twin adds in the plainest way.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve.coding import Codes

__all__ = ["MemoryPullSums", "PullSums", "ReferencePullSums", "make_pull_sums"]

Ints = NDArray[np.int64]


class PullSums(Protocol):
    """Adds pulls up by code."""

    def sums(self, columns: Ints, pulls: Ints) -> Ints:
        """Return for each code of some columns, one column after the other, the sum of its rows' pulls.

        ``pulls`` has the shape (n_rows, n_pulls) and the result (n_codes, n_pulls), with *unseen* the last code of each
        column.
        """
        ...


class ReferencePullSums:
    """The specification of the compiled sums, and their stand-in."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes

    def sums(self, columns: Ints, pulls: Ints) -> Ints:
        """Return the sum of the pulls of each code of some columns."""
        sizes = self._codes.n_parts[columns] + 1
        begins = np.cumsum(sizes) - sizes
        sums = np.zeros((int(sizes.sum()), pulls.shape[1]), dtype=np.int64)
        for begin, j in zip(begins.tolist(), columns.tolist(), strict=True):
            np.add.at(sums, begin + self._codes.column(j).astype(np.intp), pulls)
        return sums


class MemoryPullSums:
    """On the compiled core; codes are not copied and must not change."""

    def __init__(self, codes: Codes, n_threads: int = 1) -> None:
        arrays: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, codes.place, codes.n_parts + 1)
        self._core = core.GradientHistogram((*arrays, *codes.sparse.arrays), n_threads)

    def sums(self, columns: Ints, pulls: Ints) -> Ints:
        """Return the sum of the pulls of each code of some columns."""
        return self._core.sums(columns, pulls)


def make_pull_sums(codes: Codes, backend: str = "auto", n_threads: int = 1) -> PullSums:
    """Return the sums that a backend names; without the compiled core, the reference."""
    if backend != "reference":
        if core is not None:
            return MemoryPullSums(codes, n_threads)
        warn_if_missing()
    return ReferencePullSums(codes)
