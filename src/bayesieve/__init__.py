"""Find the few columns that make the probabilities right."""

from importlib.metadata import version

from bayesieve.estimators import (
    BenefitClassifier,
    FilterSelector,
    IndicatorGrid,
    MODLDiscretizer,
    NaiveBayesSelector,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
    load,
)

__all__ = [
    "BenefitClassifier",
    "FilterSelector",
    "IndicatorGrid",
    "MODLDiscretizer",
    "NaiveBayesSelector",
    "SelectiveNaiveBayes",
    "VoteClassifier",
    "VoteSelector",
    "__version__",
    "load",
]

__version__ = version("bayesieve")
