# SPDX-License-Identifier: BSD-3-Clause
"""Probabilistic model for high precision/recall feature selection: n-of-k votes on the eleven sets of paper 001.

The paper prints no results. Here n runs from 1 ("any", recall) to k ("all", precision), by expected and by log
likelihood: recall and precision of the votes themselves and of naive Bayes on the selected columns, the choice of n
under a recall floor, whether both likelihoods select alike, and whether the eight filters differ.
"""

from bayesieve.papers.paper_003.experiment import vote_tables
from bayesieve.papers.paper_003.paper_figure import pictures
from bayesieve.papers.paper_003.paper_table import markdown

__all__ = ["markdown", "pictures", "vote_tables"]
