# SPDX-License-Identifier: BSD-3-Clause
"""The scikit-learn face; a class is loaded on first use, without those that it does not need."""

from typing import TYPE_CHECKING

# First, at a small depth of nested imports: in Python 3.11, SciPy parses docstrings more slowly at some larger ones.
import sklearn.base  # noqa: F401

from bayesieve._lazy_names import lazy_names

if TYPE_CHECKING:
    from bayesieve.estimators.benefit_classifier import BenefitClassifier as BenefitClassifier
    from bayesieve.estimators.boosting import BoostClassifier as BoostClassifier, BoostSelector as BoostSelector
    from bayesieve.estimators.discretizer import MODLDiscretizer as MODLDiscretizer
    from bayesieve.estimators.filter_selector import FilterSelector as FilterSelector
    from bayesieve.estimators.indicator_grid import IndicatorGrid as IndicatorGrid
    from bayesieve.estimators.naive_bayes_selector import NaiveBayesSelector as NaiveBayesSelector
    from bayesieve.estimators.saving import load as load
    from bayesieve.estimators.scorecard_classifier import ScorecardClassifier as ScorecardClassifier
    from bayesieve.estimators.scorecard_regressor import ScorecardRegressor as ScorecardRegressor
    from bayesieve.estimators.selective_naive_bayes import SelectiveNaiveBayes as SelectiveNaiveBayes
    from bayesieve.estimators.voting import VoteClassifier as VoteClassifier, VoteSelector as VoteSelector
    from bayesieve.estimators.wrapper_selector import WrapperSelector as WrapperSelector

_MODULES = {
    "BenefitClassifier": "benefit_classifier",
    "BoostClassifier": "boosting",
    "BoostSelector": "boosting",
    "FilterSelector": "filter_selector",
    "IndicatorGrid": "indicator_grid",
    "MODLDiscretizer": "discretizer",
    "NaiveBayesSelector": "naive_bayes_selector",
    "ScorecardClassifier": "scorecard_classifier",
    "ScorecardRegressor": "scorecard_regressor",
    "SelectiveNaiveBayes": "selective_naive_bayes",
    "VoteClassifier": "voting",
    "VoteSelector": "voting",
    "WrapperSelector": "wrapper_selector",
    "load": "saving",
}
__all__ = [*_MODULES]
__getattr__, __dir__ = lazy_names(__name__, _MODULES)
