# SPDX-License-Identifier: BSD-3-Clause
"""Models: tables per column, and the class scores that they add up to."""

from bayesieve.models.base import Model
from bayesieve.models.boosted_model import BoostedModel
from bayesieve.models.boosters import BOOSTERS, Booster
from bayesieve.models.boosting import Boosting
from bayesieve.models.gradient_sums import BoostingSteps, GradientSums
from bayesieve.models.importance import importances, term_importances
from bayesieve.models.naive_bayes import AveragedBins, NaiveBayes
from bayesieve.models.pair_table import PairTable
from bayesieve.models.scorecard import RANK_SHIFT, Evidence, Scorecard, ScoreTable, Tables
from bayesieve.models.simplify import simplify_scorecard, simplify_table
from bayesieve.models.vote_count import VOTE_ONE
from bayesieve.models.vote_model import VoteModel
from bayesieve.models.vote_rule import VoteRule, read_votes
from bayesieve.models.votes import Votes

__all__ = [
    "BOOSTERS",
    "RANK_SHIFT",
    "VOTE_ONE",
    "AveragedBins",
    "BoostedModel",
    "Booster",
    "Boosting",
    "BoostingSteps",
    "Evidence",
    "GradientSums",
    "Model",
    "NaiveBayes",
    "PairTable",
    "ScoreTable",
    "Scorecard",
    "Tables",
    "VoteModel",
    "VoteRule",
    "Votes",
    "importances",
    "read_votes",
    "simplify_scorecard",
    "simplify_table",
    "term_importances",
]
