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
Hence each fold may have scores of its own, of fits that had not seen it. They get the tables that were fitted beside
them. Which pairs are taken, and whether curves are corrected, is decided by all folds together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._typing import Bools, Floats
from bayesieve.additive import CrossFit, PairRows, cross_fit, cross_fit_margins, log_likelihood
from bayesieve.additive.pair_evidence import CANDIDATES, evidence_bar, log_odds_against, pair_evidence, screen_best

__all__ = ["PairChoice", "PairTerm", "find_pairs"]

Pair = tuple[int, int]

_AT_A_TIME: Final = 16  # pairs that are compared again
_PATIENCE: Final = 6  # pairs of more than two classes without enough gain
_LARGEST_SHARE: Final = 0.5  # of pairs that interact: a bar of 0
_REFIT_STEPS: Final = 2  # Newton steps from the table before


@dataclass(frozen=True)
class PairTerm:
    """A table of two columns.

    Parameters
    ----------
    columns : tuple of two int
        Positions of the columns.
    tables : float array of shape (n_folds + 1, n_a, n_b)
        Log-odds of class 1 per cell, without the rows of each fold, and from all rows; 0 in cells without rows.
    out_of_fold : float array of shape (n_rows,)
        What the table that was fitted without a row's fold adds to its log-odds.
    log_bayes_factor : float
        Of the table against none, beside the offset and the terms before it.
    gain : float
        What the out-of-fold table adds to the log-likelihood, in nats, beside the offset and the terms before it.
    """

    columns: Pair
    tables: Floats
    out_of_fold: Floats
    log_bayes_factor: float
    gain: float

    @property
    def table(self) -> Floats:
        """That from all rows."""
        return np.asarray(self.tables[-1])


@dataclass(frozen=True)
class PairChoice:
    """The terms in the order in which they were taken, what their evidence exceeds, and the best pairs of the screen.

    ``bar`` is that at the end of the search; ``evidence`` holds pairs and their log Bayes factors beside the offset
    alone, largest first; ``scores`` are those of the offset, with the terms.
    """

    terms: tuple[PairTerm, ...]
    bar: float
    evidence: tuple[tuple[Pair, float], ...]
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
    offset : float array of shape ([n_folds + 1, ]n_rows)
        Log-odds of class 1 by the additive model, out of fold; with more than two classes, here and below, the
        score of each, another axis. With an axis of folds, the scores beside which the tables without each fold are
        fitted, of which those of the fold itself have no effect, come before them.
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
    evidence = pair_evidence(rows, out_of_fold, pairs, check=check)
    of_others = np.empty(0) if screened is None else screened[1][CANDIDATES:]
    factors = np.concatenate([evidence, of_others])
    bar = evidence_bar(factors, 1.0 / (len(rows.n_bins) + 1.0))
    search = _ForwardSearch(rows, offset, (log_odds_against(1.0 / (len(factors) + 1.0)), bar), check)
    search.run(pairs, evidence, most, is_full=candidates is None)
    order = np.argsort(-evidence, kind="stable")
    top = tuple((pairs[i], float(evidence[i])) for i in order.tolist())
    return PairChoice(search.terms(), search.bar, top, search.scores)


class _ForwardSearch:
    """Terms so far, and the scores of rows with them: those of each fold, and out of fold (last)."""

    def __init__(self, rows: PairRows, offset: Floats, bars: tuple[float, float], check: Callable[[], None]) -> None:
        """``bars``: for the first term, and for the others until all pairs are screened again."""
        self._rows, self._bars, self._later_bar, self._check = rows, bars, bars[1], check
        self._scores = rows.of_tables(offset)
        self._log_likelihood = log_likelihood(rows, self.log_odds)
        self._fits: list[CrossFit] = []
        self._figures: list[tuple[float, float]] = []

    @property
    def scores(self) -> Floats:
        """Those of each fold, and out of fold."""
        return self._scores

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
        factors = screen_best(self._rows, self.log_odds, self._check)[1]
        return min(self._later_bar, evidence_bar(factors, _LARGEST_SHARE))

    def attempt(self, pair: Pair, factor: float) -> bool:
        """Fit the tables of a pair and return whether their gain exceeds the bar; if so, keep them."""
        self._check()
        fit = cross_fit(self._rows, pair, self._scores)
        value = log_likelihood(self._rows, self.log_odds + fit.out_of_fold(self._rows))
        gain = value - self._log_likelihood
        if not gain > self.bar or not self._is_safe_start(factor, gain):
            return False
        self._scores, self._log_likelihood = self._scores + fit.added(self._rows), value
        self._fits.append(fit)
        self._figures.append((factor, gain))
        return True

    def correct_curves(self) -> None:
        """Let the curves of the last pair's columns change beside its table, if that improves out-of-fold scores.

        What a table leaves in the margins would look like pairs of columns that depend on these two.
        """
        fit = self._fits[-1]
        without = self._scores - fit.added(self._rows)
        margins = cross_fit_margins(self._rows, fit, without)
        if not log_likelihood(self._rows, self.log_odds + margins.out_of_fold(self._rows)) > self._log_likelihood:
            return
        offset = without + margins.added(self._rows)
        self._fits[-1] = cross_fit(self._rows, fit.columns, offset, fit.tables, _REFIT_STEPS)
        self._scores = offset + self._fits[-1].added(self._rows)
        self._log_likelihood = log_likelihood(self._rows, self.log_odds)

    def _is_safe_start(self, factor: float, gain: float) -> bool:
        """Return whether the mean of evidence and gain exceeds the bar: by gain alone chance finds a first pair."""
        return self._rows.n_classes == 2 or bool(self._fits) or 0.5 * (factor + gain) > self.bar

    def terms(self) -> tuple[PairTerm, ...]:
        """Return the terms."""
        parts = zip(self._fits, self._figures, strict=True)
        return tuple(PairTerm(fit.columns, fit.tables, fit.out_of_fold(self._rows), *own) for fit, own in parts)


def _listed(rows: PairRows, candidates: Sequence[Pair]) -> list[Pair]:
    return [(int(a), int(b)) for a, b in candidates if a != b and min(rows.shape((a, b))) > 1]
