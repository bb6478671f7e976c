"""Find the few columns that make the probabilities right."""

from importlib.metadata import version

from bayesieve.estimators import (
    BoostSelector,
    FilterSelector,
    IndicatorGrid,
    MODLDiscretizer,
    NaiveBayesSelector,
    SelectiveNaiveBayes,
    load,
)

__all__ = [
    "BoostSelector",
    "FilterSelector",
    "IndicatorGrid",
    "MODLDiscretizer",
    "NaiveBayesSelector",
    "SelectiveNaiveBayes",
    "__version__",
    "load",
]

__version__ = version("bayesieve")
