# SPDX-License-Identifier: BSD-3-Clause
"""Forward choice of pairs of columns whose tables are added to an additive model.

A pair is taken if both its log Bayes factor and the gain of its cross-fitted table in log-likelihood exceed the bar

    beta = log((1 - rho) / rho),     rho: share of pairs that interact, by expectation maximization,
                                          at least one pair of all, at most one pair per column

Until a first pair is taken the share is that of one pair of all. Without interactions chance makes several pairs look
alike, which raises the estimated share and lowers the bar for each of them.

The pair of the largest log Bayes factor is tried first, and the others are compared again beside it. All pairs are
screened on 4 × 4 cells; the best ones are compared on 8 × 8. A table holds only what the curves of its two columns
cannot express, and beside it other curves are best: they are corrected before other pairs are compared. Otherwise pairs
of columns that depend on these two would be found in their place.

After the first term, when no pair exceeds the bar, all pairs are screened again beside the terms, and the bar falls if
many weak pairs are left: then the share may be one half, where evidence for a pair is enough. Before the first term it
may not, because on few rows a few unlikely ones show up in many pairs at once. The bar never rises again: the terms,
which are no longer screened, are part of the share.

With more than two classes the gain alone must exceed the bar of the first term, and pairs are tried in the order of
their log Bayes factors until several in a row fail: with a bound of the curvature and a table per class these are low.
For the first term the mean of both must exceed the bar.

Out-of-fold scores come from fits that had seen other folds. Where a fold has more rows of a class by chance, the scores
of all others are higher, and a table that is fitted beside them without this fold takes it back: its gain is too low.
Hence each fold may have scores of its own, of fits that had not seen it (``by_fold``). They get the tables that were
fitted beside them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve._typing import Bools, Floats
from bayesieve.engine.pairs import (
    CrossFit,
    PairRows,
    cross_fit,
    cross_fit_margins,
    log_likelihood,
    pair_sums,
    row_derivatives,
    screen_pairs,
)
from bayesieve.models.pair_tables import joint_factors, log_bayes_factors

__all__ = ["PairChoice", "PairTerm", "find_pairs", "interacting_share", "pair_evidence", "refit_pairs"]

Pair = tuple[int, int]

_CANDIDATES: Final = 200  # pairs that are compared on 8 × 8 cells
_AT_A_TIME: Final = 16  # pairs that are compared again
_PATIENCE: Final = 6  # pairs of more than two classes without enough gain
_LARGEST_SHARE: Final = 0.5  # of pairs that interact: a bar of 0
_CYCLES: Final = 2  # of refitting each table beside the others
_REFIT_STEPS: Final = 2  # Newton steps from the table before
_ROUNDS: Final = 500  # of expectation maximization
_EXTREME: Final = 50.0  # a log Bayes factor beyond is as good as certain


@dataclass(frozen=True)
class PairTerm:
    """A table of two columns.

    Parameters
    ----------
    columns : tuple of two int
        Positions of the columns.
    table : float array of shape (n_a, n_b)
        Log-odds of class 1 per cell, from all rows; 0 in cells without rows.
    out_of_fold : float array of shape (n_rows,)
        What the table that was fitted without a row's fold adds to its log-odds.
    log_bayes_factor : float
        Of the table against none, beside the offset and the terms before it.
    gain : float
        What the out-of-fold table adds to the log-likelihood, in nats, beside the offset and the terms before it.
    """

    columns: Pair
    table: Floats
    out_of_fold: Floats
    log_bayes_factor: float
    gain: float


@dataclass(frozen=True)
class PairChoice:
    """The terms in the order in which they were taken, what their evidence exceeds, and the best pairs of the screen.

    ``bar`` is that at the end of the search; ``evidence`` holds pairs and their log Bayes factors beside the offset
    alone, largest first.
    """

    terms: tuple[PairTerm, ...]
    bar: float
    evidence: tuple[tuple[Pair, float], ...]


def find_pairs(
    rows: PairRows,
    offset: Floats,
    *,
    by_fold: Floats | None = None,
    most: int = 50,
    candidates: Sequence[Pair] | None = None,
    cycles: int = _CYCLES,
    check: Callable[[], None] = lambda: None,
) -> PairChoice:
    """Return the pairs whose tables improve an additive model.

    Parameters
    ----------
    rows : PairRows
        Pair bins, classes, weights and folds.
    offset : float array of shape (n_rows,)
        Log-odds of class 1 by the additive model, out of fold; with more than two classes, here and below, the
        score of each, shape (n_rows, n_classes).
    by_fold : float array of shape (n_folds, n_rows), default=None
        Scores beside which the tables without each fold are fitted; by default the offset. Those of the fold itself
        have no effect.
    most : int, default=50
        Maximum number of pairs.
    candidates : sequence of pairs, default=None
        Pairs to choose from; by default, all pairs of two columns.
    cycles : int, default=2
        How often each table is refitted beside the others at the end.
    check : callable, default=does nothing
        Called often; may raise.
    """
    if rows.n_rows and rows.n_folds < 2:
        raise ValueError("Cross-fitting needs at least two folds.")
    scores = offset[None] if by_fold is None else np.concatenate([by_fold, offset[None]])
    if not np.isfinite(scores).all():
        raise ValueError("The offset must be finite.")
    screened = _screen(rows, offset, check) if candidates is None else None
    pairs = _listed(rows, candidates or ()) if screened is None else screened[0]
    if not pairs:
        return PairChoice((), 0.0, ())
    evidence = pair_evidence(rows, offset, pairs, check=check)
    of_others = np.empty(0) if screened is None else screened[1][_CANDIDATES:]
    factors = np.concatenate([evidence, of_others])
    bar = _bar(factors, 1.0 / (len(rows.n_bins) + 1.0))
    search = _ForwardSearch(rows, scores, (_log_odds_against(1.0 / (len(factors) + 1.0)), bar), check)
    search.run(pairs, evidence, most, is_full=candidates is None)
    order = np.argsort(-evidence, kind="stable")
    top = tuple((pairs[i], float(evidence[i])) for i in order.tolist())
    return PairChoice(search.terms(cycles), search.bar, top)


def refit_pairs(
    rows: PairRows,
    offset: Floats,
    pairs: Sequence[Pair],
    *,
    cycles: int = _CYCLES,
    check: Callable[[], None] = lambda: None,
) -> tuple[PairTerm, ...]:
    """Return tables of given pairs beside an offset, each beside the others, ``cycles`` times in turn."""
    search = _ForwardSearch(rows, offset[None], (-np.inf, -np.inf), check)
    for pair in pairs:
        evidence = pair_evidence(rows, search.log_odds, [pair])
        search.attempt(pair, float(evidence[0]))
    return search.terms(cycles - 1)


def pair_evidence(
    rows: PairRows, offset: Floats, pairs: Sequence[Pair], *, check: Callable[[], None] = lambda: None
) -> Floats:
    """Return the log Bayes factor of a table of each pair against none, beside an offset."""
    by_score = row_derivatives(rows, offset).by_score
    factors, by_shape = np.zeros(len(pairs)), dict[Pair, list[int]]()
    for i, pair in enumerate(pairs):
        by_shape.setdefault(rows.shape(pair), []).append(i)
    for (n_a, n_b), members in by_shape.items():
        for begin in range(0, len(members), _CANDIDATES):
            check()
            batch = members[begin : begin + _CANDIDATES]
            of_scores = []
            for own in by_score:
                sums = pair_sums(rows, own, [pairs[i] for i in batch])[:, :n_a, :n_b].astype(np.float64) * own.unit
                of_scores.append(log_bayes_factors(sums[..., 0], sums[..., 1], rows.n_threads, rows.backend))
            factors[batch] = joint_factors(np.array(of_scores))
    return factors


def interacting_share(log_bayes_factors: Floats, least: float, most: float) -> float:
    """Return the share of pairs that interact, between two bounds.

    The likelihood of the share is concave, so that expectation maximization from the upper bound rises to it or falls
    to its maximum.
    """
    clipped, share = log_bayes_factors.clip(-_EXTREME, _EXTREME), most
    small = exp_nonpositive(-np.abs(clipped))
    odds, against = np.where(clipped < 0.0, small, 1.0), np.where(clipped < 0.0, 1.0, small)
    for _ in range(_ROUNDS):
        weighted = share * odds
        expected = float(np.add.accumulate(weighted / (weighted + (1.0 - share) * against))[-1])
        update = (expected + 0.5) / (len(clipped) + 1.0)
        if update >= most or update <= least or abs(update - share) < 1e-6 * share:
            return min(most, max(least, update))
        share = update
    return share


class _ForwardSearch:
    """Terms so far, and the scores of rows with them: those of each fold, and out of fold (last), which may be all."""

    def __init__(self, rows: PairRows, scores: Floats, bars: tuple[float, float], check: Callable[[], None]) -> None:
        """``bars``: for the first term, and for the others until all pairs are screened again."""
        self._rows, self._bars, self._later_bar, self._check = rows, bars, bars[1], check
        self._scores = scores.astype(np.float64)
        self._log_likelihood = log_likelihood(rows, self.log_odds)
        self._fits: list[CrossFit] = []
        self._figures: list[tuple[float, float]] = []

    @property
    def log_odds(self) -> Floats:
        """Out of fold."""
        return np.asarray(self._scores[-1])

    @property
    def bar(self) -> float:
        """What the next pair must exceed."""
        return self._later_bar if self._fits and self._rows.n_classes == 2 else self._bars[0]

    def run(self, pairs: Sequence[Pair], evidence: Floats, most: int, is_full: bool) -> None:
        """Take pairs until none exceeds the bar, given their evidence beside the offset.

        The bar may fall if they are the best of all pairs (``is_full``): a list may have been chosen by the same rows.
        """
        live, evidence = list(pairs), evidence.copy()
        n_screened, n_failed = 0, 0  # terms at the last screen, pairs in a row without enough gain
        is_old, by_gain = np.zeros(len(live), dtype=bool), self._rows.n_classes > 2
        while live and len(self._fits) < most and not (by_gain and n_failed == _PATIENCE):
            best = int(evidence.argmax())
            if is_old[best]:
                self._renew(live, evidence, is_old)
                continue
            if not (by_gain or evidence[best] > self.bar) and is_old.any():  # before an end, what has risen is seen
                self._renew(live, evidence, is_old, len(live))
                continue
            if is_full and evidence[best] <= self._later_bar and len(self._fits) > n_screened and not by_gain:
                n_screened = len(self._fits)
                self._later_bar = self._bar_beside_terms()
            if not (by_gain or evidence[best] > self.bar):
                break
            pair, factor = live.pop(best), float(evidence[best])
            evidence, is_old = np.delete(evidence, best), np.delete(is_old, best)
            taken = self.attempt(pair, factor)
            n_failed = 0 if taken else n_failed + 1
            if taken:
                is_old[:] = True
                self.correct_curves()

    def _renew(self, live: Sequence[Pair], evidence: Floats, is_old: Bools, n: int = _AT_A_TIME) -> None:
        """Compute the evidence of the best pairs again beside the terms: it mostly falls, so that few are enough."""
        old = np.flatnonzero(is_old)
        first = np.sort(old[np.argsort(-evidence[old], kind="stable")[:n]])
        pairs = [live[i] for i in first.tolist()]
        evidence[first], is_old[first] = pair_evidence(self._rows, self.log_odds, pairs, check=self._check), False

    def _bar_beside_terms(self) -> float:
        """Return the bar by a screen of all pairs. It counts all on 4 × 4 cells: the best of them were selected so."""
        factors = _screen(self._rows, self.log_odds, self._check)[1]
        return min(self._later_bar, _bar(factors, _LARGEST_SHARE))

    def attempt(self, pair: Pair, factor: float) -> bool:
        """Fit the tables of a pair and return whether their gain exceeds the bar; if so, keep them."""
        self._check()
        fit = cross_fit(self._rows, pair, self._scores)
        value = log_likelihood(self._rows, self.log_odds + fit.out_of_fold(self._rows))
        gain = value - self._log_likelihood
        if not gain > self.bar or not self._is_safe_start(factor, gain):
            return False
        self._scores, self._log_likelihood = self._scores + self._added(fit), value
        self._fits.append(fit)
        self._figures.append((factor, gain))
        return True

    def _added(self, fit: CrossFit) -> Floats:
        return fit.added(self._rows, len(self._scores))

    def correct_curves(self) -> None:
        """Let the curves of the last pair's columns change beside its table, if that improves out-of-fold scores.

        What a table leaves in the margins would look like pairs of columns that depend on these two.
        """
        fit = self._fits[-1]
        without = self._scores - self._added(fit)
        margins = cross_fit_margins(self._rows, fit, without)
        if not log_likelihood(self._rows, self.log_odds + margins.out_of_fold(self._rows)) > self._log_likelihood:
            return
        offset = without + self._added(margins)
        self._fits[-1] = cross_fit(self._rows, fit.columns, offset, fit.tables, _REFIT_STEPS)
        self._scores = offset + self._added(self._fits[-1])
        self._log_likelihood = log_likelihood(self._rows, self.log_odds)

    def _is_safe_start(self, factor: float, gain: float) -> bool:
        """Return whether the mean of evidence and gain exceeds the bar: by gain alone chance finds a first pair."""
        return self._rows.n_classes == 2 or bool(self._fits) or 0.5 * (factor + gain) > self.bar

    def terms(self, cycles: int) -> tuple[PairTerm, ...]:
        """Return the terms, after each table has been refitted beside the others several times."""
        for _ in range(cycles if len(self._fits) > 1 else 0):
            for i, fit in enumerate(self._fits):
                self._check()
                others = self._scores - self._added(fit)
                self._fits[i] = cross_fit(self._rows, fit.columns, others, fit.tables, _REFIT_STEPS)
                self._scores = others + self._added(self._fits[i])
        parts = zip(self._fits, self._figures, strict=True)
        return tuple(PairTerm(fit.columns, fit.tables[-1], fit.out_of_fold(self._rows), *own) for fit, own in parts)


def _screen(rows: PairRows, log_odds: Floats, check: Callable[[], None]) -> tuple[list[Pair], Floats]:
    """Return the best pairs on 4 × 4 cells, and the log Bayes factors of all, largest first."""
    columns = np.flatnonzero(rows.n_bins > 1)
    if rows.screened is not None:
        columns = np.intersect1d(columns, rows.screened)
    factors = screen_pairs(rows, log_odds, columns, check)
    left, right = (columns[i] for i in np.triu_indices(len(columns), 1))
    order = np.argsort(-factors, kind="stable")
    best = order[:_CANDIDATES]
    return list(zip(left[best].tolist(), right[best].tolist(), strict=True)), factors[order]


def _listed(rows: PairRows, candidates: Sequence[Pair]) -> list[Pair]:
    return [(int(a), int(b)) for a, b in candidates if a != b and min(rows.shape((a, b))) > 1]


def _bar(log_bayes_factors: Floats, most: float) -> float:
    """Return the log-odds against a pair; ``most`` is the largest share of pairs that interact."""
    least = 1.0 / (len(log_bayes_factors) + 1.0)
    return _log_odds_against(interacting_share(log_bayes_factors, min(least, most), most))


def _log_odds_against(share: float) -> float:
    return float(log_positive(np.array((1.0 - share) / share)))
