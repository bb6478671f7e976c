# SPDX-License-Identifier: BSD-3-Clause
"""The two problems that filters are compared on: W2, columns of five codes, and W3, continuous columns."""

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Codes
from bayesieve.filters import CodedColumns

__all__ = ["coded_rows", "discrete_problem", "relief_problem"]


def discrete_problem(n_rows: int = 10_000, n_columns: int = 1000) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return 20 signals with two noisy copies each among noise, and two classes."""
    rng = np.random.default_rng(22)
    y = (rng.random(n_rows) < 0.4).astype(np.int64)
    X = rng.integers(0, 5, size=(n_rows, n_columns))
    for s in range(20):
        tilt = rng.dirichlet(np.full(5, 3.0))
        pick = rng.random(n_rows) < (0.15 + 0.02 * s) * y
        X[:, s] = np.where(pick, rng.choice(5, size=n_rows, p=tilt), X[:, s])
        for c in (1, 2):
            X[:, s + 20 * c] = np.where(rng.random(n_rows) < 0.8, X[:, s], X[:, s + 20 * c])
    return X, y


def relief_problem() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return 2,000 rows of 500 numbers, with eight additive signals and one interaction of two."""
    rng = np.random.default_rng(33)
    X = rng.normal(size=(2000, 500))
    score = X[:, :8] @ np.linspace(0.5, 1.0, 8) + 2.5 * np.sign(X[:, 8] * X[:, 9])
    return X, (score + rng.logistic(size=2000) > 0).astype(np.int64)


def coded_rows(X: NDArray[np.int64], y: NDArray[np.int64]) -> CodedColumns:
    """Return codes below five in the layout of the filters: by column, one byte per code, rows sorted by class."""
    order = np.argsort(y, kind="stable")
    narrow = np.ascontiguousarray(X[order].T.astype(np.uint8))
    n_columns, n_rows = narrow.shape
    wide = np.empty((0, n_rows), dtype=np.uint16)
    codes = Codes(narrow, wide, np.arange(n_columns), np.full(n_columns, 5, dtype=np.int64))
    return CodedColumns(codes, y[order].astype(np.int32), np.ones(n_rows, dtype=np.int64), 2)
