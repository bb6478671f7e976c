# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of equal width or equal frequency; each value of a nominal column is a bin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins.binning_rule import CodingRule, distinct_groups
from bayesieve.bins.finest_bins import between
from bayesieve.bins.partition import Intervals, Partition
from bayesieve.bins.summary import Summary

__all__ = ["EqualFrequency", "EqualWidth"]


@dataclass(frozen=True)
class _EqualIntervals(CodingRule):
    n_bins: int = 10

    def learn(self, summary: Summary) -> Partition:
        """Return a partition, which does not depend on the target."""
        mass = summary.mass
        if not isinstance(summary.labels, np.ndarray) or not mass.any():  # without numbers, an interval would be empty
            return distinct_groups(summary)
        distinct, mass = summary.labels[mass > 0], mass[mass > 0]
        cuts = self._cuts(distinct, mass) if len(distinct) > 1 else np.empty(0, dtype=np.intp)
        return Intervals(between(distinct[cuts - 1], distinct[cuts]), summary.missing)

    def _cuts(self, distinct: Floats, mass: Ints) -> NDArray[np.intp]:
        """Return the cuts, each as the number of distinct values to its left."""
        raise NotImplementedError


@dataclass(frozen=True)
class EqualFrequency(_EqualIntervals):
    """About as many rows in each interval; equal values are never separated."""

    def _cuts(self, distinct: Floats, mass: Ints) -> NDArray[np.intp]:
        cumulative = np.cumsum(mass)
        targets = cumulative[-1] * np.arange(1, self.n_bins) / self.n_bins
        right = np.searchsorted(cumulative, targets, side="left").clip(1, len(distinct) - 1)
        # The border nearer to the target; the lower one on ties.
        nearer_left = targets - cumulative[right - 1] <= cumulative[right] - targets
        cuts = np.unique(np.where(nearer_left, right, right + 1))
        return cuts[cuts < len(distinct)]


@dataclass(frozen=True)
class EqualWidth(_EqualIntervals):
    """Intervals of equal width between the smallest and the largest value; empty ones are joined to a neighbor."""

    def _cuts(self, distinct: Floats, mass: Ints) -> NDArray[np.intp]:
        low, high = distinct[0], distinct[-1]
        share = np.arange(1, self.n_bins) / self.n_bins
        targets = low * (1 - share) + high * share  # no overflow where high - low would
        cuts = np.unique(np.searchsorted(distinct, targets, side="right"))
        return cuts[(cuts > 0) & (cuts < len(distinct))]
