# SPDX-License-Identifier: BSD-3-Clause
"""A probabilistic model for high recall feature selection: figures 2, 3 and 4.

Eleven data sets, twelve selectors, three classifiers, every size up to 50 columns, ten folds. The paper prints its
results as pictures without numbers; its claims about them are checked. One table is not in the paper: the voting model
as a classifier with a minimum recall.
"""

from bayesieve.papers.paper_001.experiment import recall_tables
from bayesieve.papers.paper_001.paper_figure import pictures
from bayesieve.papers.paper_001.paper_table import markdown

__all__ = ["markdown", "pictures", "recall_tables"]
