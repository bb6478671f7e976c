"""What a set of columns believes about a row."""

from bayesieve.models.averaged_bins import AveragedBins
from bayesieve.models.base import Model, Tables
from bayesieve.models.evidence import Evidence
from bayesieve.models.naive_bayes import NaiveBayes, refuse_overflow
from bayesieve.models.scorecard import Card, Scorecard
from bayesieve.models.simplify import simplify_card

__all__ = [
    "AveragedBins",
    "Card",
    "Evidence",
    "Model",
    "NaiveBayes",
    "Scorecard",
    "Tables",
    "refuse_overflow",
    "simplify_card",
]
