# SPDX-License-Identifier: BSD-3-Clause
"""Data checked before a fit, and a model watched after it: findings per column, and drift of new rows."""

from bayesieve.quality.data_check import ColumnCheck, DataCheck, check_data
from bayesieve.quality.drift_result import BinDrift, ColumnDrift, Drift, MetricDrift, ScoreDrift
from bayesieve.quality.findings import Finding, cut_texts
from bayesieve.quality.leaks import leaks_target
from bayesieve.quality.row_drift import drift, shown_classes
from bayesieve.quality.same_rows import find_shared_rows

__all__ = [
    "BinDrift",
    "ColumnCheck",
    "ColumnDrift",
    "DataCheck",
    "Drift",
    "Finding",
    "MetricDrift",
    "ScoreDrift",
    "check_data",
    "cut_texts",
    "drift",
    "find_shared_rows",
    "leaks_target",
    "shown_classes",
]
