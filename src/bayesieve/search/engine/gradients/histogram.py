# SPDX-License-Identifier: BSD-3-Clause
"""Gradient histograms: integers per row, added up per code of each column.

A sum of integers depends on no order and no number of threads. The NumPy twin adds in the plainest way.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins import Codes

__all__ = ["GradientHistogram", "NativeGradientHistogram", "ReferenceGradientHistogram", "make_gradient_histogram"]


class GradientHistogram(Protocol):
    """Adds gradients up by code."""

    def sums(self, columns: Ints, gradients: Ints) -> Ints:
        """Return for each code of some columns, one column after the other, the sum of its rows' gradients.

        ``gradients`` has the shape (n_rows, n_gradients) and the result (n_codes, n_gradients), with *unseen* the last
        code of each column.
        """
        ...


class ReferenceGradientHistogram:
    """The specification of the compiled sums, and their stand-in."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes

    def sums(self, columns: Ints, gradients: Ints) -> Ints:
        """Return the sum of the gradients of each code of some columns."""
        sizes = self._codes.n_bins[columns] + 1
        begins = np.cumsum(sizes) - sizes
        sums = np.zeros((int(sizes.sum()), gradients.shape[1]), dtype=np.int64)
        for begin, j in zip(begins.tolist(), columns.tolist(), strict=True):
            np.add.at(sums, begin + self._codes.column(j).astype(np.intp), gradients)
        return sums


class NativeGradientHistogram:
    """On the compiled core; codes are not copied and must not change."""

    def __init__(self, codes: Codes, n_threads: int = 1) -> None:
        arrays: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, codes.place, codes.n_bins + 1)
        self._core = core.GradientHistogram((*arrays, *codes.sparse.arrays), n_threads)

    def sums(self, columns: Ints, gradients: Ints) -> Ints:
        """Return the sum of the gradients of each code of some columns."""
        return self._core.sums(columns, gradients)


def make_gradient_histogram(codes: Codes, backend: str = "auto", n_threads: int = 1) -> GradientHistogram:
    """Return the sums that a backend names; without the compiled core, the reference."""
    if backend != "reference":
        if core is not None:
            return NativeGradientHistogram(codes, n_threads)
        warn_if_missing()
    return ReferenceGradientHistogram(codes)
