"""How many votes the rows have: who has spoken, and the distribution of the count."""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.models.scaled import Scaled
from bayesieve.models.vote_rule import VoteRule

__all__ = ["VOTE_ONE", "VoteCount", "Voter"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A certain vote: probabilities of tables are multiples of 2^-50, so that p and 1 - p are exact, and never 0.
VOTE_ONE: Final = 2**50


@dataclass(frozen=True)
class Voter:
    """A column that has spoken: its number, its weight, and what each code and each row says."""

    column: int
    weight: float
    table: Ints
    codes: NDArray[Any]

    def chances(self, rule: VoteRule) -> tuple[Floats, Floats]:
        """Return the probability that each row is counted, and that it is not."""
        votes = _weighted(self.table, self.weight)
        counted = VOTE_ONE - votes if rule.counts_refusals else votes
        return (counted / float(VOTE_ONE))[self.codes], ((VOTE_ONE - counted) / float(VOTE_ONE))[self.codes]


class VoteCount:
    """Who has spoken, in order, and the distribution of the count of each row, made when it is asked for.

    Attributes
    ----------
    start : int64 array of shape (2,)
        The class shares, the belief while nobody has spoken.
    n_rows : int
        Number of rows.
    voters : tuple of Voter
        In the order in which they entered.
    """

    def __init__(self, start: Ints, n_rows: int, voters: tuple[Voter, ...], earlier: "VoteCount | None" = None) -> None:
        self.start = start
        self.n_rows = n_rows
        self.voters = voters
        self._earlier = earlier  # a state of fewer voters, the first of these
        self._parts: Scaled | None = None

    def with_voter(self, voter: Voter) -> "VoteCount":
        """Return the state in which one more column has spoken."""
        return VoteCount(self.start, self.n_rows, (*self.voters, voter), self if self._known else self._earlier)

    def with_weight(self, j: int, weight: float) -> "VoteCount":
        """Return the state in which column j has another weight, or none."""
        changed = (replace(each, weight=weight) if each.column == j else each for each in self.voters)
        return VoteCount(self.start, self.n_rows, tuple(each for each in changed if each.weight != 0.0))

    def parts(self, rule: VoteRule, k: int) -> Scaled:
        """Return f(0), f(1) ... of each row after k voters; the last one is that of the cap or more."""
        if k == len(self.voters) and self._parts is not None:
            return self._parts
        earlier = self._earlier
        if earlier is not None and len(earlier.voters) <= k:
            first, parts = len(earlier.voters), earlier.parts(rule, len(earlier.voters))
        else:
            first, parts = 0, Scaled.of(np.ones((1, self.n_rows)))
        for i, voter in enumerate(self.voters[first:k], first + 1):
            parts = _advance(parts, *voter.chances(rule), rule.cap(i))
        if k == len(self.voters):
            self._parts, self._earlier = parts, None
        return parts

    @property
    def _known(self) -> bool:
        return self._parts is not None or not self.voters


def _advance(parts: Scaled, chance: Floats, rest: Floats, cap: int) -> Scaled:
    """Return f after one more column: f(j) (1 - p) + f(j - 1) p; what has reached the cap stays there."""
    open_parts = parts.rows(0, cap)
    stay = open_parts.times(rest).above(parts.rows(cap, None))
    gains = open_parts.times(chance)
    n = len(stay.m)
    return stay.rows(0, 1).above(stay.rows(1, None).plus(gains.rows(0, n - 1))).above(gains.rows(n - 1, None))


def _weighted(table: Ints, weight: float) -> Ints:
    """Return the vote of each code: at weight w, the class share plus w times what the code says beyond it."""
    votes: Ints = table[:, 1]
    if weight == 1.0:
        return votes
    moved = votes[-1] + np.rint(weight * (votes - votes[-1])).astype(np.int64)
    kept: Ints = np.clip(moved, 1, VOTE_ONE - 1)
    return kept
