# SPDX-License-Identifier: BSD-3-Clause
"""Votes: each column votes for the positive class or not, and n of k votes decide (papers 001 and 003, corrected).

A column whose value is in bin b votes with probability p_b = P(y = 1 | b), independently of the others. With V_k
votes of k columns, the class probabilities are

    P(y = 1) = T = P(V_k >= n_k),       P(y = 0) = U = P(V_k < n_k)

The state is the distribution f of the count, with columns in the order in which they were added. One more column of
vote probability p gives

    T = T' + p q,    U = U' + (1 - p) q,    q = f(n - 1),  T' = f(n) + f(n + 1) + ...,  U' = f(0) + ... + f(n - 2)

with the n of the new k: every term is positive, nothing cancels, and 1,000 columns cannot underflow (`ScaledFloats`).
Removing a column builds the state again without it, so that adding and then removing is the identity.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from numbers import Integral, Real
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import Partition
from bayesieve.exact import log_positive, to_fixed
from bayesieve.exceptions import ParameterError
from bayesieve.models.model import Evidence, Tables
from bayesieve.models.scaled_floats import ScaledFloats

__all__ = ["VOTE_ONE", "VoteCount", "VoteRule", "Voter", "Votes", "read_votes"]


@dataclass(frozen=True)
class VoteRule:
    """Of k columns, ``n_k`` votes decide for the positive class: min(n, k), or the share of k, rounded up.

    Either ``n`` or ``share`` is set. A share of one is the rule *all*. ``positive`` is the index of the positive class.
    """

    n: int | None = None
    share: Fraction | None = None
    positive: int = 1

    def needed(self, k: int) -> int:
        """Return n_k."""
        if self.share is not None:
            return ceil(self.share * k)
        assert self.n is not None
        return min(self.n, k)

    @property
    def is_unanimous(self) -> bool:
        """Whether a single vote against decides, so that votes against are counted: the rule *all*."""
        return self.share == 1

    @property
    def counted_class(self) -> int:
        """The index of the class whose votes are counted."""
        return 1 - self.positive if self.is_unanimous else self.positive

    def decisive(self, k: int) -> int:
        """Return how many counted votes decide among k columns."""
        return 1 if self.is_unanimous else self.needed(k)

    def cap(self, n_columns: int) -> int:
        """Return the count beyond which the exact number of votes does not matter."""
        if self.is_unanimous:
            return 1
        return n_columns + 1 if self.n is None else min(self.n, n_columns + 1)


def read_votes(votes: Any) -> VoteRule:
    """Read "any", "all", "majority", a number of votes or a share of them."""
    if isinstance(votes, str) and votes in _NAMED:
        return _NAMED[votes]
    if isinstance(votes, Integral) and not isinstance(votes, bool | np.bool_) and int(votes) >= 1:
        return VoteRule(n=int(votes))
    if isinstance(votes, Real) and not isinstance(votes, Integral | np.bool_) and 0 < float(votes) <= 1:
        return VoteRule(share=Fraction(repr(float(votes))))  # exactly as written
    raise ParameterError(
        "votes must be 'any', 'all', 'majority', a number of votes of 1 or more, or a share above 0 and at most 1.0; "
        f"got {votes!r:.60}."
    )


_NAMED = {"any": VoteRule(n=1), "all": VoteRule(share=Fraction(1)), "majority": VoteRule(share=Fraction(1, 2))}


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


@dataclass(frozen=True)
class Votes:
    """The voting model.

    Attributes
    ----------
    rule : VoteRule
        The number of votes that decides.
    smoothing : float
        Pseudo-count m of the class share in p_b = (n_b1 + m P(1)) / (n_b + m).
    balanced : bool
        Whether p_b is computed as if both classes had the same weight.
    """

    rule: VoteRule
    smoothing: float = 1.0
    balanced: bool = False
    kernel: ClassVar[str] = "votes"
    adds_evidence: ClassVar[bool] = False

    def kernel_arguments(self, n_columns: int) -> Ints:
        """Return whether the first class's votes are counted, the cap, and the decisive count of 0 ... n_columns."""
        rule = self.rule
        decisive = [rule.decisive(k) for k in range(n_columns + 1)]
        return np.array([rule.counted_class == 0, rule.cap(n_columns), *decisive], dtype=np.int64)

    def learn(
        self,
        counts: Ints,
        offsets: Ints,
        mass: Ints,
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return vote probabilities, for and against; *unseen* values vote with the class share."""
        scale = self._class_scale(mass, unit)
        start = self.start(mass, unit)
        against, votes = counts[:, 0] * scale[0], counts[:, 1] * scale[1]
        share = start[1] / float(VOTE_ONE)
        entries = _both(((votes + self.smoothing * share) / (votes + against + self.smoothing)) * float(VOTE_ONE))
        entries[offsets[1:] - 1] = start
        return Tables(start, entries, offsets)

    def start(self, mass: Ints, unit: float) -> Ints:
        """Return the class shares."""
        weight = mass * self._class_scale(mass, unit)
        shares: Ints = _both(np.array([weight[1] / (weight[0] + weight[1]) * float(VOTE_ONE)]))[0]
        return shares

    def _class_scale(self, mass: Ints, unit: float) -> Floats:
        """Return the weight of a unit of each class."""
        if not self.balanced or not mass.all():
            return np.array([unit, unit])
        return float(int(mass.sum()) * unit) / (2.0 * mass.astype(np.float64))

    def idle(self, tables: Tables, counts: Ints, unit: float) -> NDArray[np.bool_]:
        """Return none: uninformative columns already have a single bin."""
        return np.zeros(len(tables.offsets) - 1, dtype=bool)

    def refuse(self, tables: Tables) -> None:
        """Do nothing: any number of columns can vote."""

    def begin(self, start: Ints, n_rows: int) -> VoteCount:
        """Return the state without voters, in which the count is 0."""
        return VoteCount(start, n_rows, ())

    def shift(
        self, state: VoteCount, j: int, table: Ints, codes: NDArray[Any], before: float, after: float
    ) -> VoteCount:
        """Return the state with column j's weight changed; a column keeps its position among the voters."""
        if before != 0.0:
            return state.with_weight(j, after)
        return state if after == 0.0 else state.with_voter(Voter(j, after, table, codes))

    def predictions(self, state: VoteCount) -> Evidence:
        """Return log U and log T as evidence of the classes."""
        k = len(state.voters)
        if k == 0:
            log_shares = to_fixed(log_positive(state.start / float(VOTE_ONE)))
            return Evidence(np.repeat(log_shares[:, None], state.n_rows, axis=1))
        chance, rest = state.voters[-1].chances(self.rule)
        f, n = state.distribution(self.rule, k - 1), self.rule.decisive(k)
        last, length = f.row(n - 1), len(f.m)
        reached = _sum([f.row(j) for j in range(length - 1, n - 1, -1)], last.times(chance))
        missed = _sum([f.row(j) for j in range(n - 1)], last.times(rest))
        pair = [missed.log(), reached.log()]
        return Evidence(np.stack(pair if self.rule.counted_class else pair[::-1]))


def _sum(certain: Sequence[ScaledFloats], last: ScaledFloats) -> ScaledFloats:
    """Return T' + p q: the sum of the certain terms, in order, and the term that the last column decides."""
    if not certain:
        return last
    total = certain[0]
    for term in certain[1:]:
        total = total.plus(term)
    return total.plus(last)


def _both(votes: Floats) -> Ints:
    """Return votes against and for as integers, never 0 or 1 in probability."""
    rounded = np.clip(np.rint(votes).astype(np.int64), 1, VOTE_ONE - 1)
    return np.stack([VOTE_ONE - rounded, rounded], axis=1)
