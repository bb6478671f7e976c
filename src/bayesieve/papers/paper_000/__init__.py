# SPDX-License-Identifier: BSD-3-Clause
"""Gidófalvi and Zadrozny: feature selection for class probability estimation, table 3 and figure 1.

Whom to send a letter of $0.68: naive Bayes on selected columns predicts who will answer, a linear regression on past
gifts predicts the amount. Data: KDD Cup 1998 if its files are present, and simulated campaigns, whose profits are
expectations under the true probabilities and amounts.
"""

from bayesieve.papers.paper_000.experiment import mailing_table
from bayesieve.papers.paper_000.paper_figure import pictures
from bayesieve.papers.paper_000.paper_table import markdown

__all__ = ["mailing_table", "markdown", "pictures"]
