"""Honest scores: rows that are scored took no part in anything."""

from bayesieve.evaluation.outer import OuterEstimate, OuterFit, outer_estimate, outer_fits, score_probabilities

__all__ = ["OuterEstimate", "OuterFit", "outer_estimate", "outer_fits", "score_probabilities"]
