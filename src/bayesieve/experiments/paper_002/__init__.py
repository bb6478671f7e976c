"""Boullé: an enhanced selective naive Bayes method with optimal discretization, tables 25.1 and 25.2.

The sets of the NIPS 2003 challenge, learnt from the training rows and judged on the validation rows, because the test
labels that the paper's figures rest on were never published; a perceptron on the selected columns; probes. And a
second table, of which the paper knows nothing: the same classifiers, their successors and others on UCI sets.
"""

from bayesieve.experiments.paper_002.experiment import classifier_tables

__all__ = ["classifier_tables"]
