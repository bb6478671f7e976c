"""What was asked, found and measured: plain data, and one HTML page of it."""

from bayesieve.report.fold_shelf import FoldShelf
from bayesieve.report.honest_rows import FoldRows, HonestRows, fold_rows
from bayesieve.report.judging import judge, judge_held_out
from bayesieve.report.page import render_page
from bayesieve.report.question import GOALS, Question
from bayesieve.report.report import Report
from bayesieve.report.summary import summarize

__all__ = [
    "GOALS",
    "FoldRows",
    "FoldShelf",
    "HonestRows",
    "Question",
    "Report",
    "fold_rows",
    "judge",
    "judge_held_out",
    "render_page",
    "summarize",
]
