# SPDX-License-Identifier: BSD-3-Clause
"""Filters rank columns without a classifier: univariate scores are functions, a subset method is an engine."""

from bayesieve.filters.cfs import CorrelationSelection, select_by_correlation
from bayesieve.filters.coded_table import CodedTable, FilterData, code_table
from bayesieve.filters.column_scores import COLUMN_SCORES, ColumnScore
from bayesieve.filters.functions import (
    chi2,
    conditional_entropy,
    gain_ratio,
    modl_level,
    mutual_info,
    pearson,
    relieff,
    symmetric_uncertainty,
)
from bayesieve.filters.joint_counts import CodedRows
from bayesieve.filters.subset_engine import SubsetEngine
from bayesieve.filters.subset_formulas import SUBSET_FORMULAS
from bayesieve.filters.univariate import ClassTables

__all__ = [
    "COLUMN_SCORES",
    "SUBSET_FORMULAS",
    "ClassTables",
    "CodedRows",
    "CodedTable",
    "ColumnScore",
    "CorrelationSelection",
    "FilterData",
    "SubsetEngine",
    "chi2",
    "code_table",
    "conditional_entropy",
    "gain_ratio",
    "modl_level",
    "mutual_info",
    "pearson",
    "relieff",
    "select_by_correlation",
    "symmetric_uncertainty",
]
