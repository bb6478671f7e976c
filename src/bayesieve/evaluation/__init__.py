"""Honest scores: rows that are scored took no part in anything."""

from bayesieve.evaluation.compare import Comparison, compare
from bayesieve.evaluation.evaluate import evaluate
from bayesieve.evaluation.learner import Learner
from bayesieve.evaluation.outer import OuterEstimate, outer_estimate
from bayesieve.evaluation.result import Evaluation

__all__ = ["Comparison", "Evaluation", "Learner", "OuterEstimate", "compare", "evaluate", "outer_estimate"]
