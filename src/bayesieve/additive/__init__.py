# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of all columns, learned beside each other: rows with log-odds, and cyclic updates of score tables."""

from bayesieve.additive.cell_sums import FoldSums, fold_sums, pair_sums
from bayesieve.additive.cross_fit import CrossFit, cross_fit, cross_fit_margins, posterior_means
from bayesieve.additive.pair_rows import PairRows, RowDerivatives, log_likelihood, row_derivatives
from bayesieve.additive.reference import to_fixed
from bayesieve.additive.row_losses import log_losses, softmax
from bayesieve.additive.screen import screen_pairs
from bayesieve.additive.shape_fit import ShapeFit, ShapeState, make_shape_fit
from bayesieve.additive.shape_rows import ShapeRows, gradient_bits

__all__ = [
    "CrossFit",
    "FoldSums",
    "PairRows",
    "RowDerivatives",
    "ShapeFit",
    "ShapeRows",
    "ShapeState",
    "cross_fit",
    "cross_fit_margins",
    "fold_sums",
    "gradient_bits",
    "log_likelihood",
    "log_losses",
    "make_shape_fit",
    "pair_sums",
    "posterior_means",
    "row_derivatives",
    "screen_pairs",
    "softmax",
    "to_fixed",
]
