# SPDX-License-Identifier: BSD-3-Clause
"""Forward choice of pairs of columns whose tables are added to an additive model.

A pair is taken if both its log Bayes factor and the gain of its cross-fitted table in log-likelihood exceed the bar

    beta = log((1 - rho) / rho),     rho: share of pairs that interact, by expectation maximization,
                                          at least one pair of all, at most one pair per column

Until a first pair is taken the share is that of one pair of all. Without interactions chance makes several pairs look
alike, which raises the estimated share and lowers the bar for each of them.

The pair of the largest log Bayes factor is tried first, and the others are compared again. All pairs are
screened on 4 × 4 cells; the best ones are compared on 8 × 8. A table holds only what the curves of its two columns
cannot express, and then other curves are best: they are corrected before other pairs are compared. Otherwise pairs
of columns that depend on these two would be found in their place.

After the first term, when no pair exceeds the bar, all pairs are screened again given the terms, and the bar falls if
many weak pairs are left: then the share may be one half, where evidence for a pair is enough. Before the first term it
may not, because on few rows a few unlikely ones show up in many pairs at once. The bar never rises again: the terms,
which are no longer screened, are part of the share.

With more than two classes the gain alone must exceed the bar of the first term, and pairs are tried in the order of
their log Bayes factors until several in a row fail: with a bound of the curvature and a table per class these are low.
For the first term the mean of both must exceed the bar.

Out-of-fold scores come from fits that had seen other folds. Where a fold has more rows of a class by chance, the scores
of all others are higher, and a table that is fitted given them without this fold takes it back: its gain is too low.
Hence each fold may have scores of its own, of fits that had not seen it. They get the tables that were fitted given
them. Which pairs are taken, and whether curves are corrected, is decided by all folds together.

Where dozens of weak pairs matter a little, the gain of each alone looks like chance, and that of all of them does not:
one decision is made about how many are taken, after those with evidence of their own. They are ordered by the size of
their tables after one step, sum of H T^2 over cells and scores. Each judged fold has an order of its own, from the
other rows and given scores of its own; its tables are fitted to the other rows, each given those before it. The number
with the largest gain on the judged folds is taken if this gain exceeds three standard errors, otherwise none. Half of
the tables is judged: where a table is the effect plus as much noise, it gains nothing and half of it does. In the model
the weight of all tables is estimated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from bayesieve._typing import Bools, Floats
from bayesieve.additive.cell_prior import posterior_tables, weak_prior
from bayesieve.additive.constants import (
    LARGEST_PAIR_SHARE,
    PAIR_CANDIDATES,
    PAIR_PATIENCE,
    PAIR_REFIT_STEPS,
    PAIRS_AT_A_TIME,
    WEAK_ERRORS,
    WEAK_FIRST,
    WEAK_SHARE,
    WEAK_STEPS,
)
from bayesieve.additive.pair_screen import screen_pairs
from bayesieve.additive.pair_tables import (
    CrossFit,
    Pair,
    PairTerm,
    cross_fit,
    cross_fit_margins,
    equal_shapes,
    log_likelihood,
    pair_log_bayes_factors,
    row_derivatives,
    row_losses,
    sums_in_nats,
)
from bayesieve.additive.rows import PairRows
from bayesieve.exact import log_positive, ordered_sum
from bayesieve.search.effect_share import effect_share

__all__ = [
    "PairChoice",
    "evidence_bar",
    "find_pairs",
    "find_weak_pairs",
    "log_odds_against",
    "screen_best",
    "table_sizes",
]


@dataclass(frozen=True)
class PairChoice:
    """The terms in the order in which they were taken, what their evidence exceeds, and the best pairs of the screen.

    ``bar`` is that at the end of the search; ``log_bayes_factors`` holds pairs with theirs given the offset alone,
    largest first; ``scores`` are those of the offset, with the terms.
    """

    terms: tuple[PairTerm, ...]
    bar: float
    log_bayes_factors: tuple[tuple[Pair, float], ...]
    scores: Floats


def find_pairs(
    rows: PairRows,
    offset: Floats,
    *,
    most: int = 50,
    candidates: Sequence[Pair] | None = None,
    check: Callable[[], None] = lambda: None,
) -> PairChoice:
    """Return the pairs whose tables improve an additive model.

    Parameters
    ----------
    rows : PairRows
        Pair bins, classes, weights and folds.
    offset : float array of shape ([n_folds + 1, ]n_rows, n_scores)
        Scores by the additive model, out of fold. With an axis of folds, the scores given which the tables without each
        fold are fitted, of which those of the fold itself have no effect, come before them.
    most : int, default=50
        Maximum number of pairs.
    candidates : sequence of pairs, default=None
        Pairs to choose from; by default, all pairs of two columns.
    check : callable, default=does nothing
        Called often; may raise.
    """
    if rows.n_rows and rows.n_folds < 2:
        raise ValueError("Cross-fitting needs at least two folds.")
    if not np.isfinite(offset).all():
        raise ValueError("The offset must be finite.")
    out_of_fold = rows.by_table(offset)[-1]
    screened = screen_best(rows, out_of_fold, check) if candidates is None else None
    pairs = _listed(rows, candidates or ()) if screened is None else screened[0]
    if not pairs:
        return PairChoice((), 0.0, (), rows.of_tables(offset))
    factors = pair_log_bayes_factors(rows, out_of_fold, pairs, check=check)
    of_others = np.empty(0) if screened is None else screened[1][PAIR_CANDIDATES:]
    every = np.concatenate([factors, of_others])
    bar = evidence_bar(every, 1.0 / (len(rows.n_bins) + 1.0))
    search = _ForwardSearch(rows, offset, (log_odds_against(1.0 / (len(every) + 1.0)), bar), check)
    search.run(pairs, factors, most, is_full=candidates is None)
    order = np.argsort(-factors, kind="stable")
    top = tuple((pairs[i], float(factors[i])) for i in order.tolist())
    return PairChoice(search.terms(), search.bar, top, search.scores)


class _ForwardSearch:
    """Terms so far, and the scores of rows with them: those of each fold, and out of fold (last)."""

    def __init__(self, rows: PairRows, offset: Floats, bars: tuple[float, float], check: Callable[[], None]) -> None:
        """``bars``: for the first term, and for the others until all pairs are screened again."""
        self._rows, self._bars, self._later_bar, self._check = rows, bars, bars[1], check
        self._scores = rows.of_tables(offset)
        self._log_likelihood = log_likelihood(rows, self.out_of_fold)
        self._fits: list[CrossFit] = []
        self._figures: list[tuple[float, float]] = []

    @property
    def scores(self) -> Floats:
        """Scores of each fold, and out of fold."""
        return self._scores

    @property
    def out_of_fold(self) -> Floats:
        """Scores out of fold."""
        return np.asarray(self._scores[-1])

    @property
    def bar(self) -> float:
        """What the next pair must exceed."""
        return self._later_bar if self._fits and not self._rows.loss.tuning.gains_decide else self._bars[0]

    def run(self, pairs: Sequence[Pair], factors: Floats, most: int, is_full: bool) -> None:
        """Take pairs until none exceeds the bar, given their log Bayes factors.

        The bar may fall if they are the best of all pairs (``is_full``): a list may have been chosen by the same rows.
        """
        live, factors = list(pairs), factors.copy()
        n_screened, n_failed = 0, 0  # terms at the last screen, pairs in a row without enough gain
        is_old, by_gain = np.zeros(len(live), dtype=bool), self._rows.loss.tuning.gains_decide
        while live and len(self._fits) < most and not (by_gain and n_failed == PAIR_PATIENCE):
            best = int(factors.argmax())
            if is_old[best]:
                self._renew(live, factors, is_old)
                continue
            if not (by_gain or factors[best] > self.bar) and is_old.any():  # before an end, what has risen is seen
                self._renew(live, factors, is_old, len(live))
                continue
            if is_full and factors[best] <= self._later_bar and len(self._fits) > n_screened and not by_gain:
                n_screened = len(self._fits)
                self._later_bar = self._bar_given_terms()
            if not (by_gain or factors[best] > self.bar):
                break
            pair, factor = live.pop(best), float(factors[best])
            factors, is_old = np.delete(factors, best), np.delete(is_old, best)
            taken = self.attempt(pair, factor)
            n_failed = 0 if taken else n_failed + 1
            if taken:
                is_old[:] = True
                self.correct_curves()

    def _renew(self, live: Sequence[Pair], factors: Floats, is_old: Bools, n: int = PAIRS_AT_A_TIME) -> None:
        """Compute the evidence of the best pairs again given the terms: it mostly falls, so that few are enough."""
        old = np.flatnonzero(is_old)
        first = np.sort(old[np.argsort(-factors[old], kind="stable")[:n]])
        pairs = [live[i] for i in first.tolist()]
        factors[first], is_old[first] = (
            pair_log_bayes_factors(self._rows, self.out_of_fold, pairs, check=self._check),
            False,
        )

    def _bar_given_terms(self) -> float:
        """Return the bar by a screen of all pairs. It counts all on 4 × 4 cells: the best of them were selected so."""
        factors = screen_best(self._rows, self.out_of_fold, self._check)[1]
        return min(self._later_bar, evidence_bar(factors, LARGEST_PAIR_SHARE))

    def attempt(self, pair: Pair, factor: float) -> bool:
        """Fit the tables of a pair and return whether their gain exceeds the bar; if so, keep them."""
        self._check()
        fit = cross_fit(self._rows, pair, self._scores)
        value = log_likelihood(self._rows, self.out_of_fold + fit.out_of_fold(self._rows))
        gain = value - self._log_likelihood
        if not gain > self.bar or not self._is_safe_start(factor, gain):
            return False
        self._scores, self._log_likelihood = self._scores + fit.added(self._rows), value
        self._fits.append(fit)
        self._figures.append((factor, gain))
        return True

    def correct_curves(self) -> None:
        """Let the curves of the last pair's columns change given its table, if that improves out-of-fold scores.

        What a table leaves in the margins would look like pairs of columns that depend on these two.
        """
        fit = self._fits[-1]
        without = self._scores - fit.added(self._rows)
        margins = cross_fit_margins(self._rows, fit, without)
        if not log_likelihood(self._rows, self.out_of_fold + margins.out_of_fold(self._rows)) > self._log_likelihood:
            return
        offset = without + margins.added(self._rows)
        self._fits[-1] = cross_fit(self._rows, fit.columns, offset, fit.tables, PAIR_REFIT_STEPS)
        self._scores = offset + self._fits[-1].added(self._rows)
        self._log_likelihood = log_likelihood(self._rows, self.out_of_fold)

    def _is_safe_start(self, factor: float, gain: float) -> bool:
        """Return whether the mean of evidence and gain exceeds the bar: by gain alone chance finds a first pair."""
        return not self._rows.loss.tuning.gains_decide or bool(self._fits) or 0.5 * (factor + gain) > self.bar

    def terms(self) -> tuple[PairTerm, ...]:
        """Return the terms."""
        parts = zip(self._fits, self._figures, strict=True)
        return tuple(PairTerm(fit.columns, fit.tables, fit.out_of_fold(self._rows), *own) for fit, own in parts)


def _listed(rows: PairRows, candidates: Sequence[Pair]) -> list[Pair]:
    return [(int(a), int(b)) for a, b in candidates if a != b and min(rows.shape((a, b))) > 1]


def screen_best(rows: PairRows, scores: Floats, check: Callable[[], None]) -> tuple[list[Pair], Floats]:
    """Return the best pairs on 4 × 4 cells, and the log Bayes factors of all, largest first."""
    columns = np.flatnonzero(rows.n_bins > 1)
    if rows.screened is not None:
        columns = np.intersect1d(columns, rows.screened)
    factors = screen_pairs(rows, scores, columns, check)
    left, right = (columns[i] for i in np.triu_indices(len(columns), 1))
    order = np.argsort(-factors, kind="stable")
    best = order[:PAIR_CANDIDATES]
    return list(zip(left[best].tolist(), right[best].tolist(), strict=True)), factors[order]


def evidence_bar(log_bayes_factors: Floats, most: float) -> float:
    """Return the log-odds against a pair; ``most`` is the largest share of pairs that interact."""
    least = min(1.0 / (len(log_bayes_factors) + 1.0), most)
    # From the upper bound, expectation maximization rises to it or falls to the maximum.
    share = effect_share(log_bayes_factors, most, (least, most), n_rounds=500, tolerance=1e-6)
    return log_odds_against(share)


def log_odds_against(share: float) -> float:
    """Return the log-odds against a pair, given the share of pairs that interact."""
    return float(log_positive(np.array((1.0 - share) / share)))


def find_weak_pairs(
    rows: PairRows, scores: Floats, taken: Sequence[Pair], most: int, check: Callable[[], None] = lambda: None
) -> list[list[Pair]]:
    """Return further pairs, at most a given number: those that are found without each fold, and in all rows (last).

    Parameters
    ----------
    rows : PairRows
        Bins, classes, weights and judged folds.
    scores : float array of shape (n_folds + 1, n_rows, n_scores)
        Scores with the pairs that are taken: those given which tables without each fold are fitted, and out of fold.
    taken : sequence of pairs
        Those that the scores include.
    most : int
        Maximum number of further pairs.
    check : callable, default=does nothing
        Called often; may raise.
    """
    nothing: list[list[Pair]] = [[] for _ in range(rows.n_folds + 1)]
    if most < 1:
        return nothing
    numbers = [*(WEAK_FIRST << k for k in range(most.bit_length()) if WEAK_FIRST << k < most), most]
    before, of_folds = row_losses(rows, scores[-1]), []
    after = np.tile(before, (len(numbers), 1))
    for q in range(rows.n_folds):
        judged, others = rows.fold == q, replace(rows, weights=np.where(rows.fold == q, 0.0, rows.weights))
        of_folds.append(_largest(others, scores[q], taken, most, check))
        held_out = _added(rows, q, scores[q], of_folds[q], numbers, check)
        for own, added in zip(after, held_out, strict=True):
            own[judged] = row_losses(rows, scores[-1] + WEAK_SHARE * added)[judged]
    gains = [_gain(rows, before - own) for own in after]
    best = max(range(len(numbers)), key=lambda i: gains[i][0])
    gain, error = gains[best]
    if not gain > WEAK_ERRORS * error:
        return nothing
    n = numbers[best]
    return [*(own[:n] for own in of_folds), _largest(rows, scores[-1], taken, n, check)]


def table_sizes(rows: PairRows, scores: Floats, pairs: Sequence[Pair]) -> Floats:
    """Return the size of each pair's tables after one step from zero given scores: sum of H T^2."""
    by_score, sizes = row_derivatives(rows, scores).by_score, np.zeros(len(pairs))
    prior = weak_prior(rows.loss.tuning)
    for batch in equal_shapes(rows, pairs):
        design = rows.design(pairs[batch[0]], prior)
        for own in by_score:
            gradients, curvatures = sums_in_nats(rows, own, [pairs[i] for i in batch])
            tables = posterior_tables(design, gradients, curvatures, rows.n_threads, rows.backend)[1]
            sizes[batch] += ordered_sum((curvatures * tables * tables).reshape(len(batch), -1), 1)
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
    outside, total, totals = rows.without(fold), np.zeros_like(scores), []
    prior = weak_prior(rows.loss.tuning)
    for i, pair in enumerate(pairs):
        check()
        start = np.zeros((1, *rows.shape(pair), rows.loss.n_scores))
        total = total + cross_fit(outside, pair, scores + total, start, WEAK_STEPS, prior).own(rows)[0]
        if i + 1 in numbers:
            totals.append(total)
    return totals + [total] * (len(numbers) - len(totals))  # there may be fewer pairs


def _gain(rows: PairRows, saved: Floats) -> tuple[float, float]:
    """Return what rows save in all, in nats, and its standard error; a row of weight k is k rows."""
    nats, weights = saved.astype(np.float64) * rows.loss_unit, rows.weights
    gain, total = fsum(nats.tolist()), fsum(weights.tolist())
    squares = np.divide(nats * nats, weights, out=np.zeros_like(nats), where=weights > 0.0)
    return gain, max(0.0, fsum(squares.tolist()) - gain * gain / total) ** 0.5
