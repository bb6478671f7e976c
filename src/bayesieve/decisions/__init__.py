"""Beliefs become actions."""

from bayesieve.decisions.smoothing import smooth
from bayesieve.decisions.threshold import Threshold, ThresholdWish, find_threshold, read_threshold

__all__ = ["Threshold", "ThresholdWish", "find_threshold", "read_threshold", "smooth"]
