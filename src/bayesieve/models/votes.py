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
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True)
class VoteCount:
    """Who has spoken, in order, and the distribution of the count of each row.

    Attributes
    ----------
    start : int64 array of shape (2,)
        The class shares, the belief while nobody has spoken.
    voters : tuple of Voter
        In the order in which they entered.
    parts : list of Scaled
        f(0), f(1) ... of each row; the last one is that of the cap or more, if there are so many voters.
    reached, missed : Scaled
        The probability that the count is decisive, and that it is not.
    """

    start: Ints
    voters: tuple[Voter, ...]
    parts: list[Scaled] = field(repr=False)
    reached: Scaled | None = field(default=None, repr=False)
    missed: Scaled | None = field(default=None, repr=False)


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
        return _both(np.array([weight[1] / (weight[0] + weight[1]) * float(VOTE_ONE)]))[0]

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
        return VoteCount(start, (), [Scaled.of(np.ones(n_rows))])

    def shift(
        self, state: VoteCount, j: int, table: Ints, codes: NDArray[Any], before: float, after: float
    ) -> VoteCount:
        """Return the state with column j's weight changed; a changed weight keeps its place among the voters."""
        voter = Voter(j, after, table, codes)
        if before == 0.0:
            return self._add(state, voter) if after != 0.0 else state
        changed = tuple(voter if each.column == j else each for each in state.voters)
        rebuilt = self.begin(state.start, len(state.parts[0].m))
        for each in changed:
            if each.weight != 0.0:
                rebuilt = self._add(rebuilt, each)
        return rebuilt

    def beliefs(self, state: VoteCount) -> Evidence:
        """Return log U and log T as evidence of the classes."""
        if state.reached is None or state.missed is None:
            said = to_fixed(log_positive(state.start / float(VOTE_ONE)))
            return Evidence(np.repeat(said[:, None], len(state.parts[0].m), axis=1))
        pair = [state.missed.log(), state.reached.log()]
        return Evidence(np.stack(pair[::-1] if self.rule.counts_refusals else pair))

    def _add(self, state: VoteCount, voter: Voter) -> VoteCount:
        """Let one more column speak."""
        for_one = weighted_votes(voter.table, voter.weight)[voter.codes]
        counted = VOTE_ONE - for_one if self.rule.counts_refusals else for_one
        chance, rest = counted / float(VOTE_ONE), (VOTE_ONE - counted) / float(VOTE_ONE)
        k = len(state.voters) + 1
        last, above, below = self.at_stake(state.parts, k)
        reached, missed = last.times(chance), last.times(rest)
        return replace(
            state,
            voters=(*state.voters, voter),
            parts=self._advance(state.parts, chance, rest, k),
            reached=reached if above is None else above.plus(reached),
            missed=missed if below is None else below.plus(missed),
        )

    def at_stake(self, parts: Sequence[Scaled], k: int) -> tuple[Scaled, Scaled | None, Scaled | None]:
        """Return q, T' and U' for the k-th column; None where no count contributes."""
        n = self.rule.decisive(k)
        above = below = None
        for part in parts[:n - 1]:
            below = part if below is None else below.plus(part)
        for part in parts[: n - 1 : -1]:
            above = part if above is None else above.plus(part)
        return parts[n - 1], above, below

    def _advance(self, parts: Sequence[Scaled], chance: Floats, rest: Floats, k: int) -> list[Scaled]:
        """Return f after the k-th column: f(j) (1 - p) + f(j - 1) p; what has reached the cap stays there."""
        cap = self.rule.cap(k)
        grown = [part.times(rest) if j < cap else part for j, part in enumerate(parts)]
        gains = [part.times(chance) for part in parts[:cap]]
        for j, gain in enumerate(gains, 1):
            if j < len(grown):
                grown[j] = grown[j].plus(gain)
            else:
                grown.append(gain)
        return grown


def weighted_votes(table: Ints, weight: float) -> Ints:
    """Return the vote of each code: at weight w, the class share plus w times what the code says beyond it."""
    votes: Ints = table[:, 1]
    if weight == 1.0:
        return votes
    moved = votes[-1] + np.rint(weight * (votes - votes[-1])).astype(np.int64)
    return np.clip(moved, 1, VOTE_ONE - 1)


def _both(votes: Floats) -> Ints:
    """Return votes against and for, whole and never certain."""
    whole = np.clip(np.rint(votes).astype(np.int64), 1, VOTE_ONE - 1)
    return np.stack([VOTE_ONE - whole, whole], axis=1)
