# SPDX-License-Identifier: BSD-3-Clause
"""Many weak pairs, taken together: one decision about how many, after those with evidence of their own.

Where dozens of pairs matter a little, the gain of each alone looks like chance, and that of all of them does not. Pairs
are ordered by the size of their tables after one step, sum of H T^2 over cells and classes. Each judged fold has an
order of its own, from the other rows and beside scores of its own; its tables are fitted to the other rows, each beside
those before it. The number with the largest gain on the judged folds is taken if this gain
exceeds three standard errors, otherwise none. Half of the tables is judged: where a table is the effect plus as much
noise, it gains nothing and half of it does. In the model the weight of all tables is estimated.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import fsum
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import PairRows, cross_fit, pair_sums, row_derivatives
from bayesieve.additive.pair_evidence import screen_best
from bayesieve.additive.pair_rows import row_losses
from bayesieve.additive.pair_tables import posterior_tables

__all__ = ["find_batch", "table_sizes"]

Pair = tuple[int, int]

_FIRST: Final = 4  # the smallest number that is tried; each is twice the one before
_STEPS: Final = 2  # Newton steps of a table
_SHARE: Final = 0.5  # of the tables that is judged
_ERRORS: Final = 3.0  # standard errors that a gain must exceed


def find_batch(
    rows: PairRows, scores: Floats, taken: Sequence[Pair], most: int, check: Callable[[], None] = lambda: None
) -> list[Pair]:
    """Return further pairs, at most a given number.

    Parameters
    ----------
    rows : PairRows
        Bins, classes, weights and judged folds.
    scores : float array of shape (n_folds + 1, n_rows[, n_classes])
        Scores with the pairs that are taken: those beside which tables without each fold are fitted, and out of fold.
    taken : sequence of pairs
        Those that the scores include.
    most : int
        Maximum number of further pairs.
    check : callable, default=does nothing
        Called often; may raise.
    """
    if most < 1:
        return []
    numbers = [*(_FIRST << k for k in range(most.bit_length()) if _FIRST << k < most), most]
    before = row_losses(rows, scores[-1])
    after = np.tile(before, (len(numbers), 1))
    for q in range(rows.n_folds):
        judged, others = rows.fold == q, replace(rows, weights=np.where(rows.fold == q, 0.0, rows.weights))
        pairs = _largest(others, scores[q], taken, most, check)
        held_out = _added(rows, q, scores[q], pairs, numbers, check)
        for own, added in zip(after, held_out, strict=True):
            own[judged] = row_losses(rows, scores[-1] + _SHARE * added)[judged]
    gains = [_gain(rows, before - own) for own in after]
    best = max(range(len(numbers)), key=lambda i: gains[i][0])
    gain, error = gains[best]
    if not gain > _ERRORS * error:
        return []
    return _largest(rows, scores[-1], taken, numbers[best], check)


def table_sizes(rows: PairRows, scores: Floats, pairs: Sequence[Pair]) -> Floats:
    """Return the size of each pair's tables after one step from zero beside scores: sum of H T^2."""
    by_score, by_shape = row_derivatives(rows, scores).by_score, dict[Pair, list[int]]()
    sizes = np.zeros(len(pairs))
    for i, pair in enumerate(pairs):
        by_shape.setdefault(rows.shape(pair), []).append(i)
    for (n_a, n_b), members in by_shape.items():
        for own in by_score:
            sums = pair_sums(rows, own, [pairs[i] for i in members])[:, :n_a, :n_b].astype(np.float64) * own.unit
            gradients, curvatures = sums[..., 0], sums[..., 1]
            tables = posterior_tables(gradients, curvatures, rows.n_threads, rows.backend, rows.prior)[1]
            cells = (curvatures * tables * tables).reshape(len(members), -1)
            sizes[members] += np.add.accumulate(cells, axis=1)[:, -1]
    return sizes


def _largest(rows: PairRows, scores: Floats, taken: Sequence[Pair], most: int, check: Callable[[], None]) -> list[Pair]:
    """Return the pairs of the largest tables among those of the screen."""
    pairs = [pair for pair in screen_best(rows, scores, check)[0] if pair not in taken]
    check()
    order = np.argsort(-table_sizes(rows, scores, pairs), kind="stable")[:most]
    return [pairs[i] for i in order.tolist()]


def _added(
    rows: PairRows, fold: int, scores: Floats, pairs: Sequence[Pair], numbers: Sequence[int], check: Callable[[], None]
) -> list[Floats]:
    """Return what the first tables, fitted without a fold, add to all rows, for each of several numbers of them."""
    outside = replace(rows, fold=(rows.fold != fold).astype(np.int64))  # a first table leaves out fold 0
    total, totals = np.zeros_like(scores), []
    for i, pair in enumerate(pairs):
        check()
        start = np.zeros((1, *rows.shape(pair), *rows.score_shape))
        total = total + cross_fit(outside, pair, scores + total, start, _STEPS).own(rows)[0]
        if i + 1 in numbers:
            totals.append(total)
    return totals + [total] * (len(numbers) - len(totals))  # there may be fewer pairs


def _gain(rows: PairRows, saved: Floats) -> tuple[float, float]:
    """Return what rows save in all, in nats, and its standard error; a row of weight k is k rows."""
    nats, weights = saved.astype(np.float64) * rows.loss_unit, rows.weights
    gain, total = fsum(nats.tolist()), fsum(weights.tolist())
    squares = np.divide(nats * nats, weights, out=np.zeros_like(nats), where=weights > 0.0)
    return gain, max(0.0, fsum(squares.tolist()) - gain * gain / total) ** 0.5
