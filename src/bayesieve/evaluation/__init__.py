"""Honest scores: rows that are scored took no part in anything."""

from bayesieve.evaluation.outer import OuterEstimate, outer_estimate

__all__ = ["OuterEstimate", "outer_estimate"]
