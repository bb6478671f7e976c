"""The scikit-learn face."""

from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.naive_bayes_selector import NaiveBayesSelector
from bayesieve.estimators.selective_naive_bayes import SelectiveNaiveBayes

__all__ = ["MODLDiscretizer", "NaiveBayesSelector", "SelectiveNaiveBayes"]
