# SPDX-License-Identifier: BSD-3-Clause
"""Filters rank columns without a classifier: univariate scores are functions, a subset method is an engine."""

from bayesieve.filters.cfs import CorrelationSelection, select_by_correlation
from bayesieve.filters.coded_table import CodedTable, code_table, copy_sample
from bayesieve.filters.column_scores import (
    COLUMN_SCORES,
    ColumnScore,
    chi2,
    conditional_entropy,
    gain_ratio,
    modl_level,
    mutual_info,
    pearson,
    relieff,
    symmetric_uncertainty,
)
from bayesieve.filters.greedy_filters import SUBSET_FORMULAS, SubsetEngine
from bayesieve.filters.joint_counts import CodedColumns
from bayesieve.filters.univariate import ClassTables

__all__ = [
    "COLUMN_SCORES",
    "SUBSET_FORMULAS",
    "ClassTables",
    "CodedColumns",
    "CodedTable",
    "ColumnScore",
    "CorrelationSelection",
    "SubsetEngine",
    "chi2",
    "code_table",
    "conditional_entropy",
    "copy_sample",
    "gain_ratio",
    "modl_level",
    "mutual_info",
    "pearson",
    "relieff",
    "select_by_correlation",
    "symmetric_uncertainty",
]
