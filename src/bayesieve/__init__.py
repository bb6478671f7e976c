"""Find the few columns that make the probabilities right."""

from importlib.metadata import version

from bayesieve.estimators import (
    FilterSelector,
    IndicatorGrid,
    MODLDiscretizer,
    NaiveBayesSelector,
    SelectiveNaiveBayes,
    load,
)
from bayesieve.evaluation import Learner, compare, evaluate

__all__ = [
    "FilterSelector",
    "IndicatorGrid",
    "Learner",
    "MODLDiscretizer",
    "NaiveBayesSelector",
    "SelectiveNaiveBayes",
    "__version__",
    "compare",
    "evaluate",
    "load",
]

__version__ = version("bayesieve")
