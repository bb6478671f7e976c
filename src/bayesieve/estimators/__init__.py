# SPDX-License-Identifier: BSD-3-Clause
"""The scikit-learn face; a class is loaded on first use, without those that it does not need."""

from typing import TYPE_CHECKING

# First, at a small depth of nested imports: in Python 3.11, SciPy parses docstrings more slowly at some larger ones.
import sklearn.base  # noqa: F401

from bayesieve._lazy_names import lazy_names

if TYPE_CHECKING:
    from bayesieve.estimators.benefit_classifier import BenefitClassifier as BenefitClassifier
    from bayesieve.estimators.boost_classifier import BoostClassifier as BoostClassifier
    from bayesieve.estimators.boost_selector import BoostSelector as BoostSelector
    from bayesieve.estimators.filter_selector import FilterSelector as FilterSelector
    from bayesieve.estimators.indicator_grid import IndicatorGrid as IndicatorGrid
    from bayesieve.estimators.modl_discretizer import MODLDiscretizer as MODLDiscretizer
    from bayesieve.estimators.naive_bayes_selector import NaiveBayesSelector as NaiveBayesSelector
    from bayesieve.estimators.saved_estimators import load as load
    from bayesieve.estimators.scorecard_classifier import ScorecardClassifier as ScorecardClassifier
    from bayesieve.estimators.selective_naive_bayes import SelectiveNaiveBayes as SelectiveNaiveBayes
    from bayesieve.estimators.vote_classifier import VoteClassifier as VoteClassifier
    from bayesieve.estimators.vote_selector import VoteSelector as VoteSelector
    from bayesieve.estimators.wrapper_selector import WrapperSelector as WrapperSelector

_MODULES = {
    "BenefitClassifier": "benefit_classifier",
    "BoostClassifier": "boost_classifier",
    "BoostSelector": "boost_selector",
    "FilterSelector": "filter_selector",
    "IndicatorGrid": "indicator_grid",
    "MODLDiscretizer": "modl_discretizer",
    "NaiveBayesSelector": "naive_bayes_selector",
    "ScorecardClassifier": "scorecard_classifier",
    "SelectiveNaiveBayes": "selective_naive_bayes",
    "VoteClassifier": "vote_classifier",
    "VoteSelector": "vote_selector",
    "WrapperSelector": "wrapper_selector",
    "load": "saved_estimators",
}
__all__ = [*_MODULES]
__getattr__, __dir__ = lazy_names(__name__, _MODULES)
