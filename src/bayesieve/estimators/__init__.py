"""The scikit-learn face."""

from bayesieve.estimators.naive_bayes_selector import NaiveBayesSelector
from bayesieve.estimators.selective_naive_bayes import SelectiveNaiveBayes

__all__ = ["NaiveBayesSelector", "SelectiveNaiveBayes"]
