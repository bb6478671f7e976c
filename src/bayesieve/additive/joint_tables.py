# SPDX-License-Identifier: BSD-3-Clause
"""Tables of given pairs that are fitted together: those of all rows, and those without each fold.

A table of all rows is fitted beside what the others add to these rows by their own tables of all rows. Beside their
out-of-fold tables, which know nothing of a row, each of many pairs would explain the same chance once more. The tables
without a fold are fitted beside each other in the same way, so that out-of-fold scores are those of the same method.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import CrossFit, PairRows, cross_fit, log_likelihood
from bayesieve.additive.pair_evidence import pair_evidence
from bayesieve.additive.pair_search import PairTerm

__all__ = ["refit_together"]

_REFIT_STEPS: Final = 2  # Newton steps from the table before


def refit_together(
    rows: PairRows,
    offset: Floats,
    pairs: Sequence[tuple[int, int]],
    *,
    start: Sequence[PairTerm] = (),
    check: Callable[[], None] = lambda: None,
) -> tuple[PairTerm, ...]:
    """Return tables of pairs beside out-of-fold scores: one after the other, then each once more beside all others.

    They begin at zero; or, beside scores that have changed little, where they were (``start``), with the figures that
    they had.
    """
    scores = np.repeat(offset[None], rows.n_folds + 1, axis=0).astype(np.float64)
    fits = [CrossFit(term.columns, term.tables) for term in start]
    figures = [(term.log_bayes_factor, term.gain) for term in start]
    for fit in fits:
        scores += fit.own(rows)
    held_out = np.asarray(offset, dtype=np.float64)
    for pair in () if start else pairs:
        check()
        fits.append(cross_fit(rows, pair, scores))
        scores += fits[-1].own(rows)
        before, held_out = held_out, held_out + fits[-1].out_of_fold(rows)
        gain = log_likelihood(rows, held_out) - log_likelihood(rows, before)
        figures.append((float(pair_evidence(rows, before, [pair])[0]), gain))
    for i, fit in enumerate(fits if len(fits) > 1 or start else ()):
        check()
        scores -= fit.own(rows)
        fits[i] = cross_fit(rows, fit.columns, scores, fit.tables, _REFIT_STEPS)
        scores += fits[i].own(rows)
    parts = zip(fits, figures, strict=True)
    return tuple(PairTerm(fit.columns, fit.tables, fit.out_of_fold(rows), *own) for fit, own in parts)
