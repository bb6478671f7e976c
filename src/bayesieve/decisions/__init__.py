# SPDX-License-Identifier: BSD-3-Clause
"""From probabilities to decisions: calibration, thresholds, benefits and profits."""

from bayesieve.decisions.benefits import (
    Profit,
    ProfitCurve,
    best_actions,
    expected_benefits,
    mailing_benefits,
    profit_curve,
    read_benefits,
    realized_benefits,
    total_profit,
)
from bayesieve.decisions.calibration import CALIBRATIONS, Calibration, calibrate, smooth
from bayesieve.decisions.reliability import BrierSplit, Reliability, brier_split, reliability
from bayesieve.decisions.threshold import Threshold, ThresholdRule, find_threshold, read_threshold

__all__ = [
    "CALIBRATIONS",
    "BrierSplit",
    "Calibration",
    "Profit",
    "ProfitCurve",
    "Reliability",
    "Threshold",
    "ThresholdRule",
    "best_actions",
    "brier_split",
    "calibrate",
    "expected_benefits",
    "find_threshold",
    "mailing_benefits",
    "profit_curve",
    "read_benefits",
    "read_threshold",
    "realized_benefits",
    "reliability",
    "smooth",
    "total_profit",
]
