# SPDX-License-Identifier: BSD-3-Clause
"""Log Bayes factors of all pairs among some columns, on at most 4 × 4 cells: which ones to look at closely.

Effects of cells are products of contrasts of both columns: the contrasts of a random walk over the bins, or the one
contrast of two halves. The constant and the contrasts of one column alone are eliminated first, nearly free. The
operations are those of native/src/additive/screen_algebra.hpp, in the same order: the same bits on every machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, log2
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve._typing import Floats, Ints
from bayesieve.additive.cell_prior import axis_blocks, joint_factors
from bayesieve.additive.constants import CELL_SCALES
from bayesieve.additive.pair_tables import RowDerivatives, row_derivatives
from bayesieve.additive.rows import PairRows
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = [
    "RIDGE",
    "SCREEN_BINS",
    "ScreenBasis",
    "screen_basis",
    "screen_factors",
    "screen_pairs",
    "screen_pairs_reference",
]

_BITS: Final = 20  # of a derivative after the point: two sums share a word of 64 bits
_EXACT_BITS: Final = 52  # sums of floats are exact below
_WORK: Final = 2**29  # rows × double columns per call of the core: well below a second
_ROWS: Final = 4096  # at a time in NumPy
_FACTORS: Final = 4096  # pairs at a time in NumPy


SCREEN_BINS: Final = 4
RIDGE: Final = 1e-4  # precision of the margins
_CONSTANT_STEP: Final = 2.0**-30  # contrasts are rounded: the cosine is not the same on every machine
_MARGINS: Final = 2 * SCREEN_BINS - 1
_INNER: Final = (SCREEN_BINS - 1) ** 2
# Products of contrasts (i, j) of the two columns: first those of one column alone, then those of both.
_ORDER: Final = tuple(
    [(i, j) for i in range(SCREEN_BINS) for j in range(SCREEN_BINS) if i == 0 or j == 0]
    + [(i, j) for i in range(1, SCREEN_BINS) for j in range(1, SCREEN_BINS)]
)


def screen_pairs(rows: PairRows, scores: Floats, columns: Ints, check: Callable[[], None]) -> Floats:
    """Return the log Bayes factor of each pair of columns, in the order of ``np.triu_indices(len(columns), 1)``."""
    largest = ceil(log2(rows.loss.largest_derivative))
    bits = min(_BITS, _EXACT_BITS - int(rows.integer_weights.sum()).bit_length()) - largest
    if len(columns) < 2:
        return np.empty(0)
    codes, n_bins = screen_codes(rows, columns), np.minimum(rows.n_bins[columns], SCREEN_BINS)
    screen = _screen_native if rows.is_native else screen_pairs_reference
    by_score = row_derivatives(rows, scores, bits).by_score
    return joint_factors(np.array([screen(codes, n_bins, own, check, rows.n_threads) for own in by_score]))


def _screen_native(
    codes: NDArray[np.uint8], n_bins: Ints, derivatives: RowDerivatives, check: Callable[[], None], n_threads: int
) -> Floats:
    basis = screen_basis()
    screen = core.PairScreen(codes, n_bins, basis.contrasts.ravel(), basis.halves.ravel(), basis.squared_scales, RIDGE)
    n_doubles, parts = (len(codes) + 1) // 2, [np.empty(0)]  # the core joins columns in twos
    step = max(1, _WORK // max(1, n_doubles * codes.shape[1]))
    for first in range(0, n_doubles, step):
        check()
        last = min(n_doubles, first + step)
        parts.append(screen.factors(derivatives[:2], derivatives.unit, first, last, n_threads))
    return np.concatenate(parts)


def screen_codes(rows: PairRows, columns: Ints) -> NDArray[np.uint8]:
    """Return at most four bins of some columns."""
    maps = [axis_blocks(rows.axis(j), SCREEN_BINS).astype(np.uint8) for j in columns.tolist()]
    codes = np.empty((len(columns), rows.n_rows), dtype=np.uint8)
    for out, of_bin, j in zip(codes, maps, columns.tolist(), strict=True):
        np.take(of_bin, rows.codes[j], out=out)
    return codes


def screen_pairs_reference(
    codes: NDArray[np.uint8], n_bins: Ints, derivatives: RowDerivatives, check: Callable[[], None], _: int = 1
) -> Floats:
    """Return the same as `screen_pairs`, of codes below 4: its specification."""
    n_columns, n_rows = codes.shape
    width = n_columns * SCREEN_BINS
    sums = np.zeros((2, width, width))
    for begin in range(0, n_rows, _ROWS):
        check()
        part = slice(begin, begin + _ROWS)
        indicators = (codes[:, None, part] == np.arange(SCREEN_BINS, dtype=np.uint8)[:, None]).reshape(width, -1)
        indicators = indicators.astype(np.float64)
        for of_kind, values in zip(sums, (derivatives.gradient, derivatives.curvature), strict=True):
            of_kind += (indicators * values[part]) @ indicators.T  # integers below 2^52: exact
    left, right = np.triu_indices(n_columns, 1)
    cells = sums.reshape(2, n_columns, SCREEN_BINS, n_columns, SCREEN_BINS)
    factors = np.empty(len(left))
    for begin in range(0, len(left), _FACTORS):
        check()
        part = slice(begin, begin + _FACTORS)
        a, b = left[part], right[part]
        of_pairs = np.moveaxis(cells[:, a, :, b, :], 1, -1)  # (n_pairs, 4, 4, 2)
        factors[part] = screen_factors(of_pairs.astype(np.int64), derivatives.unit, n_bins[a], n_bins[b])
    return factors


@dataclass(frozen=True)
class ScreenBasis:
    """Contrasts per number of bins 0 .. 4, and the contrast of two halves in terms of them; zero where there is none.

    ``contrasts`` has the shape (5, 4, 4), bins × contrasts with the constant first; ``halves`` has the shape (5, 3).
    """

    contrasts: Floats
    halves: Floats
    squared_scales: Floats


@cache
def screen_basis() -> ScreenBasis:
    """Return the constants of the screen."""
    contrasts, halves = np.zeros((SCREEN_BINS + 1, SCREEN_BINS, SCREEN_BINS)), np.zeros((SCREEN_BINS + 1, 3))
    for n in range(2, SCREEN_BINS + 1):
        # The random walk, centered: its inverse is the Laplacian of a path, whose eigenvectors are cosines.
        angle = np.pi * np.arange(1, n) / n
        walk = np.cos(np.outer(np.arange(n) + 0.5, angle)) / (2.0 * np.sin(angle / 2.0))
        walk /= np.sqrt((walk**2).sum(axis=1).mean())
        half = np.where(np.arange(n) * 2 // n == 0, -1.0, 1.0)
        half -= half.mean()
        half /= np.sqrt((half**2).mean())
        contrasts[n, :n, 0] = 1.0
        contrasts[n, :n, 1:n] = walk
        halves[n, : n - 1] = (walk.T @ half) / (walk**2).sum(axis=0)
    return ScreenBasis(_rounded(contrasts), _rounded(halves), np.array(CELL_SCALES) ** 2)


def screen_factors(sums: Ints, unit: float, n_a: Ints, n_b: Ints) -> Floats:
    """Return the log Bayes factor of each pair.

    ``sums`` has the shape (n_pairs, 4, 4, 2): derivatives per cell, in multiples of ``unit``; ``n_a`` and ``n_b`` are
    numbers of bins.
    """
    basis, n_pairs = screen_basis(), len(sums)
    gradient, curvature = np.moveaxis(sums * unit, 0, -1).transpose(2, 0, 1, 3)  # (4, 4, n_pairs) each
    of_a, of_b = (np.moveaxis(basis.contrasts[n], 0, -1) for n in (n_a, n_b))  # (bins, contrasts, n_pairs)
    slope = _slopes(gradient, of_a, of_b)
    products = _products(curvature, of_a, of_b)
    low = {}
    for r, (i, j) in enumerate(_ORDER):
        for s, (k, m) in enumerate(_ORDER[: r + 1]):
            low[r, s] = products[_unordered(i, k), _unordered(j, m)]
    for k in range(_MARGINS):
        _eliminate(low, slope, k, low[k, k] + RIDGE)
    inner = {(r, s): low[r + _MARGINS, s + _MARGINS] for r in range(_INNER) for s in range(r + 1)}
    rest = slope[_MARGINS:]
    halves_a, halves_b = basis.halves[n_a].T, basis.halves[n_b].T
    half = [halves_a[i] * halves_b[j] for i in range(SCREEN_BINS - 1) for j in range(SCREEN_BINS - 1)]
    information, half_slope = _of_halves(inner, rest, half, n_pairs)
    factors = []
    for t2 in basis.squared_scales:
        factors.append(_walk_factor(inner, rest, t2, n_pairs))
        d = 1.0 + t2 * information
        factors.append(0.5 * (t2 * (half_slope * half_slope) / d) - 0.5 * log_positive(d))
    return _log_mean(factors)


def _slopes(gradient: Floats, of_a: Floats, of_b: Floats) -> list[Floats]:
    bins = range(SCREEN_BINS)
    rows = [[_dot([of_b[v, j] for v in bins], gradient[u]) for j in bins] for u in bins]
    return [_dot([of_a[u, i] for u in bins], [rows[u][j] for u in bins]) for i, j in _ORDER]


def _products(curvature: Floats, of_a: Floats, of_b: Floats) -> dict[tuple[int, int], Floats]:
    """Return the curvature of products of contrasts, by the unordered pairs of contrasts of both columns."""
    bins, pairs = range(SCREEN_BINS), [(i, k) for i in range(SCREEN_BINS) for k in range(i + 1)]
    result = {}
    for j, m in pairs:
        both = [of_b[v, j] * of_b[v, m] for v in bins]
        rows = [_dot(both, curvature[u]) for u in bins]
        for i, k in pairs:
            result[_unordered(i, k), _unordered(j, m)] = _dot([of_a[u, i] * of_a[u, k] for u in bins], rows)
    return result


def _eliminate(low: dict[tuple[int, int], Floats], slope: list[Floats], k: int, pivot: Floats) -> None:
    """Take unknown k out of the rows below it."""
    n = len(slope)
    for i in range(k + 1, n):
        factor = low[i, k] / pivot
        for j in range(k + 1, i + 1):
            low[i, j] = low[i, j] - factor * low[j, k]
        slope[i] = slope[i] - factor * slope[k]


def _walk_factor(inner: dict[tuple[int, int], Floats], rest: Sequence[Floats], t2: float, n_pairs: int) -> Floats:
    low = {(r, s): t2 * value + (1.0 if r == s else 0.0) for (r, s), value in inner.items()}
    slope, quadratic, determinant = list(rest), np.zeros(n_pairs), np.ones(n_pairs)
    for k in range(_INNER):
        pivot = low[k, k]
        quadratic = quadratic + slope[k] * slope[k] / pivot
        determinant = determinant * pivot
        _eliminate(low, slope, k, pivot)
    return 0.5 * (t2 * quadratic) - 0.5 * log_positive(determinant)


def _of_halves(
    inner: dict[tuple[int, int], Floats], rest: Sequence[Floats], half: Sequence[Floats], n_pairs: int
) -> tuple[Floats, Floats]:
    information, slope = np.zeros(n_pairs), np.zeros(n_pairs)
    for r in range(_INNER):
        total = np.zeros(n_pairs)
        for s in range(_INNER):
            total = total + inner[max(r, s), min(r, s)] * half[s]
        information = information + half[r] * total
        slope = slope + half[r] * rest[r]
    return information, slope


def _log_mean(factors: Sequence[Floats]) -> Floats:
    top = factors[0]
    for factor in factors[1:]:
        top = np.where(factor > top, factor, top)
    total = np.zeros_like(top)
    for factor in factors:
        total = total + exp_nonpositive(factor - top)
    return top + log_positive(total / float(len(factors)))


def _dot(left: Sequence[Floats], right: Sequence[Floats] | Floats) -> Floats:
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total


def _unordered(i: int, j: int) -> int:
    return max(i, j) * (max(i, j) + 1) // 2 + min(i, j)


def _rounded(values: Floats) -> Floats:
    return np.asarray(np.rint(values / _CONSTANT_STEP) * _CONSTANT_STEP)
