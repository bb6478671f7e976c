"""From exact measures to scores.

A criterion's score is linear in its measures, so the mean over segments is a sum of integers times integer coefficients
over one common denominator: it is rounded once, and equal scores stay equal.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from operator import mul

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria import Criterion, Measure

__all__ = ["Scorer", "Words", "add_words", "integers_of", "pool", "wide"]

Words = NDArray[np.uint64]  # measures of 128 bits: the last axis is (low, high)


class Scorer:
    """Scores of the segments, and their mean."""

    def __init__(self, criterion: Criterion, masses: Sequence[Measure]) -> None:
        lines = [criterion.line(mass, pool(masses)) for mass in masses]
        self._segments = [_common(*line) for line in lines]
        self._denominator = lcm(*(denominator for _, _, denominator in self._segments)) * len(lines)
        # What each measure of each segment, and each constant, counts over the common denominator.
        shares = [self._denominator // (denominator * len(lines)) for _, _, denominator in self._segments]
        self._coefficients = [
            share * slope for share, (slopes, _, _) in zip(shares, self._segments, strict=True) for slope in slopes
        ]
        self._constant = sum(share * c for share, (_, c, _) in zip(shares, self._segments, strict=True))
        self.constant = self._constant / self._denominator
        self.slopes = [[float(slope / len(lines)) for slope in slopes] for slopes, _ in lines]

    def segment_scores(self, measures: Sequence[Measure]) -> tuple[float, ...]:
        """Return the score on each segment."""
        return tuple(
            (sum(map(mul, slopes, measure)) + constant) / denominator
            for (slopes, constant, denominator), measure in zip(self._segments, measures, strict=True)
        )

    def mean(self, measures: Sequence[Measure]) -> float:
        """Return the mean score."""
        return self.mean_of_flat([part for measure in measures for part in measure])

    def mean_of_flat(self, measures: Sequence[int]) -> float:
        """Return the mean score from the measures of all segments in a row."""
        total: int = sum(map(mul, self._coefficients, measures)) + self._constant
        return total / self._denominator


def _common(slopes: Sequence[Fraction], constant: Fraction) -> tuple[list[int], int, int]:
    """Write slopes and constant as integers over one denominator."""
    denominator = lcm(constant.denominator, *(slope.denominator for slope in slopes))
    return [int(slope * denominator) for slope in slopes], int(constant * denominator), denominator


def pool(measures: Sequence[Measure]) -> Measure:
    """Return the measure of all rows, given that of each segment."""
    return tuple(map(sum, zip(*measures, strict=True)))


def integers_of(words: Words) -> list[Measure]:
    """Read 128-bit measures, (low, high) words, of each segment."""
    return [tuple(wide(low, high) for low, high in segment) for segment in words.tolist()]


def add_words(a: Words, b: Words) -> Words:
    """Add integers of 128 bits."""
    low: Words = a[..., 0] + b[..., 0]
    carry = (low < a[..., 0]).astype(np.uint64)
    return np.stack([low, a[..., 1] + b[..., 1] + carry], axis=-1)


def wide(low: int, high: int) -> int:
    """Return an integer of 128 bits."""
    return low + (high << 64)
