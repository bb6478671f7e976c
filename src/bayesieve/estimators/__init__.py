# SPDX-License-Identifier: BSD-3-Clause
"""The scikit-learn face."""

from bayesieve.estimators.benefit_classifier import BenefitClassifier
from bayesieve.estimators.boost_classifier import BoostClassifier
from bayesieve.estimators.boost_selector import BoostSelector
from bayesieve.estimators.filter_selector import FilterSelector
from bayesieve.estimators.indicator_grid import IndicatorGrid
from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.naive_bayes_selector import NaiveBayesSelector
from bayesieve.estimators.scorecard_classifier import ScorecardClassifier
from bayesieve.estimators.selective_naive_bayes import SelectiveNaiveBayes
from bayesieve.estimators.vote_classifier import VoteClassifier
from bayesieve.estimators.vote_selector import VoteSelector
from bayesieve.estimators.wrapper_selector import WrapperSelector
from bayesieve.model_file.file import load

__all__ = [
    "BenefitClassifier",
    "BoostClassifier",
    "BoostSelector",
    "FilterSelector",
    "IndicatorGrid",
    "MODLDiscretizer",
    "NaiveBayesSelector",
    "ScorecardClassifier",
    "SelectiveNaiveBayes",
    "VoteClassifier",
    "VoteSelector",
    "WrapperSelector",
    "load",
]
