# SPDX-License-Identifier: BSD-3-Clause
"""Log Bayes factors of all pairs among some columns, on at most 4 × 4 cells: which ones to look at closely."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve._typing import Floats, Ints
from bayesieve.additive.pair_rows import PairRows, RowDerivatives, row_derivatives
from bayesieve.additive.pair_tables import joint_factors
from bayesieve.additive.screen_algebra import RIDGE, SCREEN_BINS, screen_basis, screen_factors

__all__ = ["screen_pairs", "screen_pairs_reference"]

_BITS: Final = 20  # of a derivative after the point: two sums share a word of 64 bits
_EXACT_BITS: Final = 52  # sums of floats are exact below
_WORK: Final = 2**29  # rows × double columns per call of the core: well below a second
_ROWS: Final = 4096  # at a time in NumPy
_FACTORS: Final = 4096  # pairs at a time in NumPy


def screen_pairs(rows: PairRows, scores: Floats, columns: Ints, check: Callable[[], None]) -> Floats:
    """Return the log Bayes factor of each pair of columns, in the order of ``np.triu_indices(len(columns), 1)``."""
    bits = min(_BITS, _EXACT_BITS - int(rows.integer_weights.sum()).bit_length())
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
    n_bins = rows.n_bins[columns]
    coarse = (
        np.arange(int(n_bins.max(initial=1)))[None, :] * np.minimum(n_bins, SCREEN_BINS)[:, None] // n_bins[:, None]
    )
    maps = np.minimum(coarse, SCREEN_BINS - 1).astype(np.uint8)
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
