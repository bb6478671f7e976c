# SPDX-License-Identifier: BSD-3-Clause
"""Plots of results, in the style of scikit-learn's displays; matplotlib comes with the extra ``[plot]``."""

from bayesieve.displays.bins_display import BinsDisplay
from bayesieve.displays.pair_display import PairDisplay
from bayesieve.displays.profit_curve_display import ProfitCurveDisplay
from bayesieve.displays.reliability_display import ReliabilityDisplay
from bayesieve.displays.row_explanation_display import RowExplanationDisplay
from bayesieve.displays.selection_path_display import SelectionPathDisplay

__all__ = [
    "BinsDisplay",
    "PairDisplay",
    "ProfitCurveDisplay",
    "ReliabilityDisplay",
    "RowExplanationDisplay",
    "SelectionPathDisplay",
]
