"""Find the few columns that make the probabilities right."""

from importlib.metadata import version

from bayesieve.estimators import MODLDiscretizer, NaiveBayesSelector, SelectiveNaiveBayes

__all__ = ["MODLDiscretizer", "NaiveBayesSelector", "SelectiveNaiveBayes", "__version__"]

__version__ = version("bayesieve")
