# SPDX-License-Identifier: BSD-3-Clause
"""Plots of results, in the style of scikit-learn's displays; matplotlib comes with the extra ``[plot]``."""

from bayesieve.explain.displays.bins_display import BinsDisplay, PairDisplay
from bayesieve.explain.displays.profit_curve_display import ProfitCurveDisplay
from bayesieve.explain.displays.reliability_display import ReliabilityDisplay
from bayesieve.explain.displays.row_explanation_display import RowExplanationDisplay
from bayesieve.explain.displays.selection_path_display import SelectionPathDisplay

__all__ = [
    "BinsDisplay",
    "PairDisplay",
    "ProfitCurveDisplay",
    "ReliabilityDisplay",
    "RowExplanationDisplay",
    "SelectionPathDisplay",
]
