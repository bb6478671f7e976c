"""A probabilistic model for high recall feature selection: figures 2, 3 and 4.

Eleven data sets, twelve selectors, three classifiers, every size up to 50 columns, ten folds. The paper prints its
results as pictures without numbers; what it says about them is checked. And a table of which the paper knows nothing:
the voting model as a classifier that keeps a promise of recall.
"""

from bayesieve.experiments.paper_001.experiment import recall_tables

__all__ = ["recall_tables"]
