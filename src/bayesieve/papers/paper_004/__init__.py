# SPDX-License-Identifier: BSD-3-Clause
"""Rabenoro, Lacaille, Cottrell and Rossi: search strategies for binary feature selection, table 1.

Simulated series are coded as 814 binary indicators. Naive Bayes is fitted on half A of the training set; the searches
score subsets on half B, and each phase ends with the smallest subset of lowest error there; the scores are those of a
new test set.
"""

from bayesieve.papers.paper_004.experiment import indicators_table
from bayesieve.papers.paper_004.paper_figure import pictures
from bayesieve.papers.paper_004.paper_table import markdown

__all__ = ["indicators_table", "markdown", "pictures"]
