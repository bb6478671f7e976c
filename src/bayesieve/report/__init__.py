# SPDX-License-Identifier: BSD-3-Clause
"""Reports of a fitted classifier: a summary as plain data, and one HTML page that shows it."""

from typing import TYPE_CHECKING

from bayesieve._lazy_names import lazy_names
from bayesieve.report.class_labels import format_counts, format_label
from bayesieve.report.comparison import Comparison, compare_models
from bayesieve.report.data_warnings import relevant_findings
from bayesieve.report.decision import own_threshold
from bayesieve.report.drift_page import render_drift
from bayesieve.report.fold_cache import FoldCache
from bayesieve.report.formats import show_time
from bayesieve.report.held_out_predictions import (
    FoldPredictions,
    HeldOutPredictions,
    predict_fold,
    probability_model,
)
from bayesieve.report.held_out_report import held_out_context, predict_test_rows
from bayesieve.report.outer_predictions import predict_held_out, predict_outer_folds, tested_rows
from bayesieve.report.page import render_page
from bayesieve.report.report_context import GOALS, ReportContext
from bayesieve.report.summary import summarize, summary_json
from bayesieve.report.training_facts import training_record

if TYPE_CHECKING:
    from bayesieve.report.report import Report as Report

__all__ = [
    "GOALS",
    "Comparison",
    "FoldCache",
    "FoldPredictions",
    "HeldOutPredictions",
    "Report",
    "ReportContext",
    "compare_models",
    "format_counts",
    "format_label",
    "held_out_context",
    "own_threshold",
    "predict_fold",
    "predict_held_out",
    "predict_outer_folds",
    "predict_test_rows",
    "probability_model",
    "relevant_findings",
    "render_drift",
    "render_page",
    "show_time",
    "summarize",
    "summary_json",
    "tested_rows",
    "training_record",
]

# With the selectors that have reports, too: the command line needs none of them.
__getattr__, __dir__ = lazy_names(__name__, {"Report": "report"})
