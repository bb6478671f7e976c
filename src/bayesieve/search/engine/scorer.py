# SPDX-License-Identifier: BSD-3-Clause
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

from bayesieve._typing import Floats
from bayesieve.search.criteria import Criterion, Measure

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
        # Measures that count the same are added up before they are multiplied.
        self._distinct = list(dict.fromkeys(self._coefficients))
        self._alike = [np.flatnonzero([c == each for each in self._coefficients]) for c in self._distinct]
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
        return self._mean(self._coefficients, [part for measure in measures for part in measure])

    def means(self, words: Words) -> Floats:
        """Return the mean score of each of several moves, given 128-bit measures (n, n_segments, n_measures, 2)."""
        words = words.reshape(len(words), -1, 2)
        low = words[:, :, 0]
        high = words[:, :, 1]
        if high.any() or int(low.max(initial=0)) >= 2**63 // max(1, low.shape[1]):
            pairs = zip(low.tolist(), high.tolist(), strict=True)
            coefficients = self._coefficients
            sums = [tuple(map(wide, *pair)) for pair in pairs]
        else:  # in 64 bits
            coefficients = self._distinct
            alike = [low] if len(coefficients) == 1 else [low[:, which] for which in self._alike]
            sums = [*zip(*(each.sum(axis=1).tolist() for each in alike), strict=True)]
        # Contenders are often ties: each sum is turned into a score once.
        scores = {each: self._mean(coefficients, each) for each in set(sums)}
        return np.array([scores[each] for each in sums], dtype=np.float64)

    def _mean(self, coefficients: Sequence[int], measures: Sequence[int]) -> float:
        total: int = sum(map(mul, coefficients, measures)) + self._constant
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
