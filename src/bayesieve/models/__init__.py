# SPDX-License-Identifier: BSD-3-Clause
"""Models: tables per column, and the class scores that they add up to."""

from bayesieve.models.boosters import BOOSTERS, Booster, BoostingSteps, GradientSums
from bayesieve.models.boosting import BoostedModel, Boosting
from bayesieve.models.model import RANK_SHIFT, Evidence, Model, Tables
from bayesieve.models.naive_bayes import AveragedBins, NaiveBayes
from bayesieve.models.scorecard import PairTable, Scorecard, ScoreTable, importances, term_importances
from bayesieve.models.simplify import simplify_scorecard, simplify_table
from bayesieve.models.vote_model import VoteModel
from bayesieve.models.votes import VOTE_ONE, VoteRule, Votes, read_votes

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
