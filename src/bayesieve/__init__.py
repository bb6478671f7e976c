"""Find the few columns that make the probabilities right."""

from importlib.metadata import version

from bayesieve.estimators import (
    BenefitClassifier,
    BoostSelector,
    FilterSelector,
    IndicatorGrid,
    MODLDiscretizer,
    NaiveBayesSelector,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
    load,
)
from bayesieve.evaluation import Learner, compare, evaluate

__all__ = [
    "BenefitClassifier",
    "BoostSelector",
    "FilterSelector",
    "IndicatorGrid",
    "Learner",
    "MODLDiscretizer",
    "NaiveBayesSelector",
    "SelectiveNaiveBayes",
    "VoteClassifier",
    "VoteSelector",
    "__version__",
    "compare",
    "evaluate",
    "load",
]

__version__ = version("bayesieve")
