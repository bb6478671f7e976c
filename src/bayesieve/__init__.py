"""Find the few columns that make the probabilities right."""

from importlib.metadata import version

from bayesieve.data import open_parquet
from bayesieve.displays import (
    BinsDisplay,
    PairDisplay,
    ProfitCurveDisplay,
    ReliabilityDisplay,
    RowExplanationDisplay,
    SelectionPathDisplay,
)
from bayesieve.estimators import (
    BenefitClassifier,
    BoostSelector,
    FilterSelector,
    IndicatorGrid,
    MODLDiscretizer,
    NaiveBayesSelector,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
    WrapperSelector,
    load,
)
from bayesieve.evaluation import Learner, compare, evaluate
from bayesieve.report import Report

__all__ = [
    "BenefitClassifier",
    "BinsDisplay",
    "BoostSelector",
    "FilterSelector",
    "IndicatorGrid",
    "Learner",
    "MODLDiscretizer",
    "NaiveBayesSelector",
    "PairDisplay",
    "ProfitCurveDisplay",
    "ReliabilityDisplay",
    "Report",
    "RowExplanationDisplay",
    "ScorecardClassifier",
    "SelectionPathDisplay",
    "SelectiveNaiveBayes",
    "VoteClassifier",
    "VoteSelector",
    "WrapperSelector",
    "__version__",
    "compare",
    "evaluate",
    "load",
    "open_parquet",
]

__version__ = version("bayesieve")
