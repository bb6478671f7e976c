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
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import Partition
from bayesieve.exact import log_positive, to_fixed
from bayesieve.models.scaled_floats import ScaledFloats
from bayesieve.models.scorecard import Evidence, Tables
from bayesieve.models.vote_count import VOTE_ONE, VoteCount, Voter
from bayesieve.models.vote_rule import VoteRule

__all__ = ["Votes"]


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
