# SPDX-License-Identifier: BSD-3-Clause
"""Readers of the NIPS 2003 challenge: numbers, sparse pairs or sparse positions, with labels in another file."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bayesieve.datasets.sample import Sample

__all__ = ["DenseMatrix", "SparseMatrix"]


@dataclass(frozen=True)
class Matrix:
    """Base of both kinds: unnamed columns, counted from 1 as in the challenge, and labels 1 and -1."""

    n_features: int

    target_names = ()

    @property
    def feature_names(self) -> list[str]:
        """Names by position."""
        return [f"x{j}" for j in range(1, self.n_features + 1)]


@dataclass(frozen=True)
class DenseMatrix(Matrix):
    """One row per line, with all numbers."""

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read the matrix, and the labels if there are any."""
        return Sample(_numbers(contents[0]).reshape(-1, self.n_features), _labels(contents[1:]))


@dataclass(frozen=True)
class SparseMatrix(Matrix):
    """One row per line: ``position:value`` pairs if ``valued``, otherwise the positions of the ones; both from 1."""

    valued: bool

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read the matrix, and the labels if there are any."""
        lines = contents[0].removesuffix(b"\n").split(b"\n")  # an empty line is a row of zeros
        ends = np.cumsum([0, *(len(line.split()) for line in lines)])
        numbers = _numbers(contents[0].replace(b":", b" ") if self.valued else contents[0])
        positions, values = (numbers[::2], numbers[1::2]) if self.valued else (numbers, np.ones(len(numbers)))
        shape = (len(lines), self.n_features)
        matrix = sparse.csr_matrix((values, positions.astype(np.int32) - 1, ends), shape=shape)
        matrix.sort_indices()
        return Sample(matrix, _labels(contents[1:]))


def _numbers(content: bytes) -> NDArray[np.float64]:
    return np.array(content.split()).astype(np.float64)


def _labels(contents: Sequence[bytes]) -> NDArray[np.int64] | None:
    return _numbers(contents[0]).astype(np.int64) if contents else None
