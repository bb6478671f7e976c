# SPDX-License-Identifier: BSD-3-Clause
"""Sums over rows that tables of pairs of columns need."""

from bayesieve.engine.pairs.cell_sums import FoldSums, fold_sums, pair_sums
from bayesieve.engine.pairs.cross_fit import CrossFit, cross_fit, cross_fit_margins, posterior_means
from bayesieve.engine.pairs.pair_rows import PairRows, RowDerivatives, log_likelihood, row_derivatives
from bayesieve.engine.pairs.screen import screen_pairs

__all__ = [
    "CrossFit",
    "FoldSums",
    "PairRows",
    "RowDerivatives",
    "cross_fit",
    "cross_fit_margins",
    "fold_sums",
    "log_likelihood",
    "pair_sums",
    "posterior_means",
    "row_derivatives",
    "screen_pairs",
]
