# SPDX-License-Identifier: BSD-3-Clause
"""Boullé: an enhanced selective naive Bayes method with optimal discretization, tables 25.1 and 25.2.

The sets of the NIPS 2003 challenge, fitted on the training rows and scored on the validation rows, because the labels
of the paper's test rows were never published; a perceptron on the selected columns; probes. A second table is not in
the paper: the same classifiers, their successors and others on UCI sets.
"""

from bayesieve.papers.paper_002.experiment import classifier_tables
from bayesieve.papers.paper_002.paper_figure import pictures
from bayesieve.papers.paper_002.paper_table import markdown

__all__ = ["classifier_tables", "markdown", "pictures"]
