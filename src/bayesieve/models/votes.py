"""Votes: each column votes for the positive class or not, and n of k votes decide (papers 001 and 003, corrected).

A column whose value falls in part b votes with probability p_b = P(y = 1 | b), independently of the others. With V_k
votes of k columns, the beliefs are

    P(y = 1) = T = P(V_k >= n_k),       P(y = 0) = U = P(V_k < n_k)

The state is the distribution f of the count, columns taken in the order in which they entered. A further column of
vote probability p makes of it

    T = T' + p q,    U = U' + (1 - p) q,    q = f(n - 1),  T' = f(n) + f(n + 1) + ...,  U' = f(0) + ... + f(n - 2)

with the n of the new k: every term is positive, nothing cancels, and 1,000 columns cannot underflow (`Scaled`).
Taking a column away builds the state again without it, so that adding and then removing is the identity.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive, to_fixed
from bayesieve.coding import Partition
from bayesieve.models.base import Tables
from bayesieve.models.evidence import Evidence
from bayesieve.models.scaled import Scaled
from bayesieve.models.vote_rule import VoteRule

__all__ = ["VOTE_ONE", "VoteCount", "Votes"]

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
        votes = weighted_votes(self.table, self.weight)
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


@dataclass(frozen=True)
class Votes:
    """The voting model.

    Attributes
    ----------
    rule : VoteRule
        How many votes decide.
    smoothing : float
        Weight m of the class share in p_b = (n_b1 + m P(1)) / (n_b + m).
    balanced : bool
        Whether p_b is computed as if both classes had the same weight.
    """

    rule: VoteRule
    smoothing: float = 1.0
    balanced: bool = False
    kernel: ClassVar[str] = "votes"

    def kernel_arguments(self, n_columns: int) -> Ints:
        """Return whether refusals are counted, the cap, and the decisive count of 0 ... n_columns columns."""
        rule = self.rule
        decisive = [rule.decisive(k) for k in range(n_columns + 1)]
        return np.array([rule.counts_refusals, rule.cap(n_columns), *decisive], dtype=np.int64)

    def learn(
        self,
        counts: Ints,
        offsets: Ints,
        mass: Ints,
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return vote probabilities, for and against; *unseen* votes as the classes are shared."""
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
        """Tell of none: where one part is best, the partition says so itself."""
        return np.zeros(len(tables.offsets) - 1, dtype=bool)

    def refuse(self, tables: Tables) -> None:
        """Refuse nothing: any number of columns can vote."""

    def begin(self, start: Ints, n_rows: int) -> VoteCount:
        """Return the state in which nobody has spoken: the count is 0."""
        return VoteCount(start, n_rows, ())

    def shift(
        self, state: VoteCount, j: int, table: Ints, codes: NDArray[Any], before: float, after: float
    ) -> VoteCount:
        """Return the state with column j's weight changed; a changed weight keeps its place among the voters."""
        if before != 0.0:
            return state.with_weight(j, after)
        return state if after == 0.0 else state.with_voter(Voter(j, after, table, codes))

    def beliefs(self, state: VoteCount) -> Evidence:
        """Return log U and log T as evidence of the classes."""
        k = len(state.voters)
        if k == 0:
            said = to_fixed(log_positive(state.start / float(VOTE_ONE)))
            return Evidence(np.repeat(said[:, None], state.n_rows, axis=1))
        chance, rest = state.voters[-1].chances(self.rule)
        parts, n = state.parts(self.rule, k - 1), self.rule.decisive(k)
        last, length = parts.row(n - 1), len(parts.m)
        reached = _sum([parts.row(j) for j in range(length - 1, n - 1, -1)], last.times(chance))
        missed = _sum([parts.row(j) for j in range(n - 1)], last.times(rest))
        pair = [missed.log(), reached.log()]
        return Evidence(np.stack(pair[::-1] if self.rule.counts_refusals else pair))


def _sum(sure: Sequence[Scaled], last: Scaled) -> Scaled:
    """Return T' + p q: what is sure, added up in order, and what the last column decides."""
    if not sure:
        return last
    total = sure[0]
    for part in sure[1:]:
        total = total.plus(part)
    return total.plus(last)


def _advance(parts: Scaled, chance: Floats, rest: Floats, cap: int) -> Scaled:
    """Return f after one more column: f(j) (1 - p) + f(j - 1) p; what has reached the cap stays there."""
    open_parts = parts.rows(0, cap)
    stay = open_parts.times(rest).above(parts.rows(cap, None))
    gains = open_parts.times(chance)
    n = len(stay.m)
    return stay.rows(0, 1).above(stay.rows(1, None).plus(gains.rows(0, n - 1))).above(gains.rows(n - 1, None))


def weighted_votes(table: Ints, weight: float) -> Ints:
    """Return the vote of each code: at weight w, the class share plus w times what the code says beyond it."""
    votes: Ints = table[:, 1]
    if weight == 1.0:
        return votes
    moved = votes[-1] + np.rint(weight * (votes - votes[-1])).astype(np.int64)
    kept: Ints = np.clip(moved, 1, VOTE_ONE - 1)
    return kept


def _both(votes: Floats) -> Ints:
    """Return votes against and for, whole and never certain."""
    whole = np.clip(np.rint(votes).astype(np.int64), 1, VOTE_ONE - 1)
    return np.stack([VOTE_ONE - whole, whole], axis=1)
