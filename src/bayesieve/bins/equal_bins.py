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
    """About as many rows in each interval; equal values are never separated.

    Of two borders as near, the outer one is taken, in the middle the lower one: the sign of values does not matter.
    """

    def _cuts(self, distinct: Floats, mass: Ints) -> NDArray[np.intp]:
        bins = np.arange(1, self.n_bins)
        cumulative = np.cumsum(mass)
        targets, sums = cumulative[-1] * bins, cumulative * self.n_bins  # integers: ties are found
        right = np.searchsorted(sums, targets, side="left").clip(1, len(distinct) - 1)
        left_gap, right_gap = targets - sums[right - 1], sums[right] - targets
        nearer_left = (left_gap < right_gap) | ((left_gap == right_gap) & (2 * bins <= self.n_bins))
        cuts = np.unique(np.where(nearer_left, right, right + 1))
        return cuts[cuts < len(distinct)]


@dataclass(frozen=True)
class EqualWidth(_EqualIntervals):
    """Intervals of equal width between the smallest and the largest value; empty ones are joined to a neighbor.

    A value on a border belongs to the outer interval, in the middle to the lower one: signs do not matter.
    """

    def _cuts(self, distinct: Floats, mass: Ints) -> NDArray[np.intp]:
        bins = np.arange(1, self.n_bins)
        # No overflow where high - low would, and those of opposite values are opposite.
        targets = distinct[0] * (bins[::-1] / self.n_bins) + distinct[-1] * (bins / self.n_bins)
        below, above = (np.searchsorted(distinct, targets, side=side) for side in ("right", "left"))
        cuts = np.unique(np.where(2 * bins <= self.n_bins, below, above))
        return cuts[(cuts > 0) & (cuts < len(distinct))]
