# SPDX-License-Identifier: BSD-3-Clause
"""The distribution of the number of votes per row."""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.models.scaled_floats import ScaledFloats
from bayesieve.models.vote_rule import VoteRule

__all__ = ["VOTE_ONE", "VoteCount", "Voter"]


# Probability 1: the probabilities of tables are multiples of 2^-50, so that p and 1 - p are exact, and never 0.
VOTE_ONE: Final = 2**50


@dataclass(frozen=True)
class Voter:
    """A voting column: its position, its weight, the votes of its codes and the code of each row."""

    column: int
    weight: float
    table: Ints
    codes: NDArray[Any]

    def chances(self, rule: VoteRule) -> tuple[Floats, Floats]:
        """Return the probability that the vote of each row is counted, and that it is not."""
        votes = _weighted(self.table, self.weight)
        counted = votes if rule.counted_class else VOTE_ONE - votes
        return (counted / float(VOTE_ONE))[self.codes], ((VOTE_ONE - counted) / float(VOTE_ONE))[self.codes]


class VoteCount:
    """The voting columns, in order, and the distribution of the number of votes of each row, computed lazily.

    Attributes
    ----------
    start : int64 array of shape (2,)
        The class shares, which are the probabilities without any voter.
    n_rows : int
        Number of rows.
    voters : tuple of Voter
        In the order in which they were added.
    """

    def __init__(self, start: Ints, n_rows: int, voters: tuple[Voter, ...], earlier: "VoteCount | None" = None) -> None:
        self.start = start
        self.n_rows = n_rows
        self.voters = voters
        self._earlier = earlier  # a state of fewer voters, the first of these
        self._distribution: ScaledFloats | None = None

    def with_voter(self, voter: Voter) -> "VoteCount":
        """Return the state with one more voter."""
        return VoteCount(self.start, self.n_rows, (*self.voters, voter), self if self._is_computed else self._earlier)

    def with_weight(self, j: int, weight: float) -> "VoteCount":
        """Return the state with another weight of column j, or without it."""
        changed = (replace(each, weight=weight) if each.column == j else each for each in self.voters)
        return VoteCount(self.start, self.n_rows, tuple(each for each in changed if each.weight != 0.0))

    def distribution(self, rule: VoteRule, k: int) -> ScaledFloats:
        """Return f(0), f(1) ... of each row after k voters; the last entry is for the cap or more."""
        if k == len(self.voters) and self._distribution is not None:
            return self._distribution
        earlier = self._earlier
        if earlier is not None and len(earlier.voters) <= k:
            first, distribution = len(earlier.voters), earlier.distribution(rule, len(earlier.voters))
        else:
            first, distribution = 0, ScaledFloats.of(np.ones((1, self.n_rows)))
        for i, voter in enumerate(self.voters[first:k], first + 1):
            distribution = _advance(distribution, *voter.chances(rule), rule.cap(i))
        if k == len(self.voters):
            self._distribution, self._earlier = distribution, None
        return distribution

    @property
    def _is_computed(self) -> bool:
        return self._distribution is not None or not self.voters


def _advance(distribution: ScaledFloats, chance: Floats, rest: Floats, cap: int) -> ScaledFloats:
    """Return f after one more column: f(j) (1 - p) + f(j - 1) p; the entry of the cap only grows."""
    below_cap = distribution.rows(0, cap)
    stay = below_cap.times(rest).above(distribution.rows(cap, None))
    gains = below_cap.times(chance)
    n = len(stay.m)
    return stay.rows(0, 1).above(stay.rows(1, None).plus(gains.rows(0, n - 1))).above(gains.rows(n - 1, None))


def _weighted(table: Ints, weight: float) -> Ints:
    """Return the vote of each code: the class share plus w times the difference of the code from it."""
    votes: Ints = table[:, 1]
    if weight == 1.0:
        return votes
    moved = votes[-1] + np.rint(weight * (votes - votes[-1])).astype(np.int64)
    clipped: Ints = np.clip(moved, 1, VOTE_ONE - 1)
    return clipped
