# SPDX-License-Identifier: BSD-3-Clause
"""Reports of a fitted classifier: a record per section, from which page, terminal and JSON are made."""

from typing import TYPE_CHECKING

from bayesieve._lazy_names import lazy_names
from bayesieve.report.comparison import Comparison, TrainingRows, compare_models
from bayesieve.report.context import GOALS, ReportContext, training_record
from bayesieve.report.data_check import relevant_findings
from bayesieve.report.drift_page import render_drift
from bayesieve.report.formats import format_counts, format_label, show_time
from bayesieve.report.held_out_predictions import FoldCache, FoldPredictions, HeldOutPredictions
from bayesieve.report.held_out_rows import (
    held_out_context,
    known_amounts,
    predict_held_out,
    predict_outer_folds,
    predict_test_rows,
    probability_model,
    read_numbers,
    tested_rows,
)
from bayesieve.report.page import render_page
from bayesieve.report.summary import Summary, summarize, summary_json
from bayesieve.report.threshold import own_threshold

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
    "Summary",
    "TrainingRows",
    "compare_models",
    "format_counts",
    "format_label",
    "held_out_context",
    "known_amounts",
    "own_threshold",
    "predict_held_out",
    "predict_outer_folds",
    "predict_test_rows",
    "probability_model",
    "read_numbers",
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
