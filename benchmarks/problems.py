# SPDX-License-Identifier: BSD-3-Clause
"""Problems: coded segments of any shape, and the wrapper problem for peers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.codes import Codes
from bayesieve.data import read_weights
from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import MemoryEngine, Moves, Segment

__all__ = ["Shape", "additions", "engine", "make_segment", "removals", "wrapper_problem", "wrapper_rows"]

IndicatorRows = tuple[NDArray[np.int8], NDArray[np.int64]]

_SLOTS = 4096  # resolution of the distributions of codes


@dataclass(frozen=True)
class Shape:
    """The size of a problem."""

    n_classes: int
    n_codes: int
    n_rows: int
    n_columns: int

    def __str__(self) -> str:
        return f"K={self.n_classes} B={self.n_codes} N={self.n_rows:,} P={self.n_columns:,}"


def make_segment(shape: Shape, *, weighted: bool = False, seed: int = 0) -> Segment:
    """Return a segment whose training rows are its test rows, with random codes given the class.

    Smoothing is the library's own, 1 / (N + 1).
    """
    rng = np.random.default_rng(seed)
    target = rng.integers(0, shape.n_classes, shape.n_rows, dtype=np.int32)
    weights = read_weights(rng.uniform(0.5, 2.0, shape.n_rows) if weighted else None, shape.n_rows)
    codes = _draw_codes(rng, shape, target)
    counts = codes.count(target, weights.units, shape.n_classes)
    mass = np.zeros(shape.n_classes, dtype=np.int64)
    np.add.at(mass, target, weights.units)
    tables = NaiveBayes().learn(counts, codes.offsets, mass, weights.unit)
    return Segment(codes, target, weights.units, shape.n_classes, tables)


def _draw_codes(rng: np.random.Generator, shape: Shape, target: NDArray[np.int32]) -> Codes:
    dtype = np.uint8 if shape.n_codes < 256 else np.uint16
    drawn = np.empty((shape.n_columns, shape.n_rows), dtype=dtype)
    quantiles = (np.arange(_SLOTS) + 0.5) / _SLOTS
    first_slot = target.astype(np.int64) * _SLOTS
    for column in drawn:
        shares = rng.dirichlet(np.full(shape.n_codes, 3.0), shape.n_classes).cumsum(axis=1)
        slots = np.concatenate([np.searchsorted(share, quantiles) for share in shares])
        np.minimum(slots, shape.n_codes - 1, out=slots)
        slots.astype(dtype).take(first_slot + rng.integers(0, _SLOTS, shape.n_rows), out=column)
    n_bins = np.full(shape.n_columns, shape.n_codes, dtype=np.int64)
    places, nothing = np.arange(shape.n_columns), np.empty((0, shape.n_rows))
    if dtype == np.uint8:
        return Codes(drawn, nothing.astype(np.uint16), places, n_bins)
    return Codes(nothing.astype(np.uint8), drawn, places, n_bins)


def engine(segment: Segment, criterion: str, n_applied: int, n_threads: int = 1) -> MemoryEngine:
    """Return a compiled engine with the first columns selected."""
    made = MemoryEngine([segment], NaiveBayes(), CRITERIA[criterion], n_threads)
    made.reset(dict.fromkeys(range(n_applied), 1.0))
    return made


def additions(first: int, last: int) -> Moves:
    """Return a batch of moves that add one column each."""
    return Moves.shift(np.arange(first, last, dtype=np.int32), np.arange(last - first + 1), 0.0, 1.0)


def removals(first: int, last: int) -> Moves:
    """Return a batch of moves that drop one column each."""
    return Moves.shift(np.arange(first, last, dtype=np.int32), np.arange(last - first + 1), 1.0, 0.0)


def wrapper_problem() -> IndicatorRows:
    """Return 6000 rows of 814 binary columns, thresholds of 40 correlated latent scores, and four classes."""
    (X, y), _ = wrapper_rows()
    return X, y


def wrapper_rows() -> tuple[IndicatorRows, IndicatorRows]:
    """Return the 6000 training rows of the wrapper problem and 4000 held-out rows."""
    rng = np.random.default_rng(11)
    n_rows, n_drawn, n_columns, n_latent = 6000, 10000, 814, 40
    mixing = rng.normal(size=(6, n_latent)) * 0.6
    latent = rng.normal(size=(n_drawn, 6)) @ mixing + rng.normal(size=(n_drawn, n_latent))
    latent /= latent.std(axis=0)
    utility = latent[:, :12] @ rng.normal(size=(12, 4)) * 0.8
    target = (utility + rng.gumbel(size=utility.shape)).argmax(axis=1)
    columns = []
    for j in range(n_latent):
        noisy = latent[:, j] + 0.15 * rng.normal(size=n_drawn)
        n_cuts = n_columns // n_latent + (j < n_columns % n_latent)
        columns += [noisy > np.quantile(noisy, share) for share in np.linspace(0.04, 0.96, n_cuts)]
    X = np.column_stack(columns).astype(np.int8)[:, rng.permutation(n_columns)]
    return (X[:n_rows], target[:n_rows]), (X[n_rows:], target[n_rows:])
