"""What a set of columns believes about a row."""

from bayesieve.models.base import Model, Tables
from bayesieve.models.evidence import Evidence
from bayesieve.models.naive_bayes import NaiveBayes

__all__ = ["Evidence", "Model", "NaiveBayes", "Tables"]
