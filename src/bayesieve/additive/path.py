# SPDX-License-Identifier: BSD-3-Clause
"""The path over columns: forward by the adaptive member's evidence, each fold on a path of its own.

All fits take a step together: the column (or group) whose Bayes factor given the present fit is largest enters, and
the members go on from where they were. After each step, out-of-fold scores of all members are stacked, so that every
size has a loss that no row's own class had a part in. With few rows, fits without the folds of further divisions of the
rows take part: the losses of sizes are means over divisions.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive.constants import (
    AT_A_TIME,
    FEW_GROUPS,
    MANY_GROUPS,
    PATIENCE,
    SINGLE_STEPS,
    STEP_GROWTH,
)
from bayesieve.additive.divisions import Division
from bayesieve.additive.fit import CyclicFit
from bayesieve.additive.members import (
    AdditiveFit,
    ChainFits,
    Effort,
    FittedPairs,
    PairFit,
    fit_member,
    fit_member_stack,
    fit_members,
    scores_by_others,
    stack_prior,
    stacked,
)
from bayesieve.additive.pair_tables import Pair
from bayesieve.additive.rows import AdditiveRows, gradient_bits
from bayesieve.additive.sizes import SizeFit, size_fit
from bayesieve.additive.stack import Stack

__all__ = ["BestGroups", "ColumnPath", "PathFit", "loss_alone", "path_sizes"]


def path_sizes(largest: int, every: int, per_doubling: int) -> list[int]:
    """Return the sizes that are scored: every one up to a number, then so many per doubling, and the largest."""
    sizes = list(range(1, min(largest, every) + 1))
    growth, size = 2.0 ** (1.0 / per_doubling), float(every)
    while (size := size * growth) < largest:
        sizes.append(round(size))
    return sorted({*sizes, largest} - {0})


StackOf = Callable[[Callable[[], Stack]], Stack]
"""Returns what a function computes, or has it already."""


class BestGroups(NamedTuple):
    """Groups with the largest Bayes factors per column, -1 where fewer are left, and the first one's logarithm.

    ``partner`` is the group with which the first one is worth this much, -1 if it needs none.
    """

    groups: list[int]
    log_bayes_factor: float
    partner: int

    def first(self, n: int) -> list[int]:
        """Return the first groups, of two the partner as the second."""
        return [self.groups[0], self.partner] if n == 2 and self.partner >= 0 else self.groups[:n]


class PathFit:
    """The members' fits on the columns chosen so far, on all rows or without a fold."""

    def __init__(
        self,
        division: Division,
        fold: int | None,
        groups: Sequence[tuple[int, ...]],
        backend: str,
        pairs: Mapping[Pair, float] = MappingProxyType({}),
    ) -> None:
        """``pairs``: those that may enter, and their evidence given all columns."""
        self._rows = rows = division.rows
        self._fold, self._groups = fold, groups
        self._data, self._open_pairs, self._most_evidence = division.pair_data, list(pairs), pairs
        self.pair_tables: dict[Pair, Floats] = {}
        self.offset = np.zeros((rows.n_rows, rows.loss.n_scores))
        self._tuning = rows.loss.tuning
        *self._tied, self._adaptive = (fit_member(member, rows, fold, backend) for member in division.members)
        self._effort = Effort.of_rows(rows.n_rows, rows.loss)
        self.rest = [g for g, columns in enumerate(groups) if rows.columns_of(fold).issuperset(columns)]
        self.order: list[int] = []
        self._column_factors: dict[int, float] = {}
        self._pair_factors: dict[Pair, float] = {}
        self._old_pairs: set[Pair] = set()  # pairs whose evidence is that of an earlier step
        self._known: dict[int, float] = {}  # evidence of groups, some of it of earlier steps
        self._group_of = {k: g for g, columns in enumerate(groups) for k in columns}
        self._partners: dict[int, int] = {}  # groups that are worth their evidence with another new one
        self._room = 0
        self._due = 0  # the size at which all evidence is computed again

    def best(self, n: int, room: int) -> "BestGroups":
        """Return the n groups with the largest Bayes factors per column, where there is room for so many columns."""
        if not self.rest:
            return BestGroups([-1] * n, -np.inf, -1)
        self._partners, self._room = {}, room
        groups, evidence = self._best_of_rest(n)
        partner = self._partners.get(groups[0], -1)
        return BestGroups(groups + [-1] * (n - len(groups)), evidence, partner)

    def _best_of_rest(self, n: int) -> tuple[list[int], float]:
        if self._tuning.keeps_evidence and len(self.rest) > FEW_GROUPS and len(self.order) < self._due:
            return self._best_again(n)
        self._old_pairs = set(self._pair_factors)
        if self._tuning.keeps_evidence or len(self.order) >= self._due:
            self._due = self._tuning.evidence_growth * max(len(self.order), 1)
            self._pair_factors.clear()
        means = self._evidence(self.rest)
        self._known = dict(zip(self.rest, means, strict=True))
        order = np.argsort(-np.array(means), kind="stable")[:n].tolist()
        return [self.rest[i] for i in order], means[order[0]]

    def _best_again(self, n: int) -> tuple[list[int], float]:
        """Return the same if evidence has only fallen since it was computed: the first need not wait for the others.

        With many columns and classes this takes a tenth of the time. Evidence that has risen is seen when
        all of it is computed again: whenever the number of columns is six times as large.
        """
        fresh: dict[int, float] = {}
        waiting = sorted(self.rest, key=lambda g: -self._known[g])
        best: list[int] = []
        while waiting and (len(best) < n or fresh[best[-1]] < self._known[waiting[0]]):
            own, waiting = waiting[:AT_A_TIME], waiting[AT_A_TIME:]
            fresh.update(zip(own, self._evidence(own), strict=True))
            best = sorted(fresh, key=lambda g: (-fresh[g], g))[:n]
        self._known.update(fresh)
        return best, fresh[best[0]]

    def _evidence(self, groups: Sequence[int]) -> list[float]:
        """Return the mean log Bayes factor of the columns of each group."""
        columns = [k for g in groups for k in self._groups[g]]
        found: list[float] = self._adaptive.log_bayes_factors(columns).tolist()
        if not self._open_pairs and len(columns) == len(groups):  # each is a column: a wide table has thousands
            return found
        factors = dict(zip(columns, found, strict=True))
        self._column_factors.update(factors)
        factors = self._with_pairs(factors)
        return [sum(factors[k] for k in self._groups[g]) / len(self._groups[g]) for g in groups]

    def _with_pairs(self, factors: dict[int, float]) -> dict[int, float]:
        """Count for a column also the pairs that it completes; a pair of two new columns counts half for each.

        The latter only where both have room: they are partners, which enter one after the other. Evidence of pairs
        mostly falls: that of earlier steps is computed again where it would decide.
        """
        if self._data is None or not self._open_pairs:
            return factors
        if not self._pair_factors:
            self._renew_pairs(self._open_pairs)
        inside = set(self.order)
        shares = {pair: self._share(pair, inside) for pair in self._open_pairs if self._has_room(pair, inside)}
        while True:
            raised, partners = dict(factors), dict[int, int]()
            for pair, share in shares.items():
                for k, other in (pair, pair[::-1]):
                    if k in factors and k not in inside and share > raised[k]:
                        raised[k], partners[k] = share, -1 if other in inside else other
            top = max(raised.values())
            waiting = sorted(self._old_pairs.intersection(shares), key=lambda pair: (-shares[pair], pair))
            if not waiting or shares[waiting[0]] < top:
                own = {self._group_of[k]: self._group_of[other] for k, other in partners.items() if other >= 0}
                self._partners.update((g, partner) for g, partner in own.items() if partner in self.rest)
                return raised
            self._renew_pairs(waiting[:AT_A_TIME])
            shares.update((pair, self._share(pair, inside)) for pair in waiting[:AT_A_TIME])

    def _has_room(self, pair: Pair, inside: Set[int]) -> bool:
        """Return whether the columns of a pair that are new may enter."""
        return (pair[0] not in inside) + (pair[1] not in inside) <= self._room

    def _share(self, pair: Pair, inside: Set[int]) -> float:
        """Return what each column of a pair that is new is worth with it; 0 if its columns matter more by themselves.

        As long as strong columns are not in, what one adds to the other looks like a pair, too. Hence a pair is worth
        no more than its evidence given all columns.
        """
        evidence = max(min(self._pair_factors[pair], self._most_evidence[pair]), 0.0)
        of_columns, n_new = 0.0, 0
        for k in pair:  # without lists: tables with many pairs are here often
            if k not in inside and k in self._column_factors:
                of_columns += max(self._column_factors[k], 0.0)
                n_new += 1
        if n_new == 2 and evidence <= of_columns:
            return 0.0
        return (evidence + of_columns) / max(n_new, 1)

    def _renew_pairs(self, pairs: Sequence[Pair]) -> None:
        """Compute the evidence of pairs given the present fit."""
        assert self._data is not None
        evidence = self._data.log_bayes_factors(pairs, self._rows.fold(self._fold), self._adaptive.scores)
        self._pair_factors.update(zip(pairs, evidence.tolist(), strict=True))
        self._old_pairs.difference_update(pairs)

    def add(self, groups: Sequence[int]) -> None:
        """Let groups enter, and the pairs that they complete; -1 stands for none."""
        entering = [group for group in groups if group >= 0]
        if not entering:
            return
        for group in entering:
            self.rest.remove(group)
            self.order += self._groups[group]
        self._adaptive.run(self.order, self._effort.cycles_per_step, 0.0)
        inside = set(self.order)
        complete = [pair for pair in self._open_pairs if inside.issuperset(pair)]
        for pair in complete:
            assert self._data is not None
            self._open_pairs.remove(pair)
            self.pair_tables[pair] = self._data.table(pair, self._fold, self._adaptive.scores)
            added = self._data.contribution(pair, self.pair_tables[pair])
            self.offset = self.offset + added
            for fit in (*self._tied, self._adaptive):
                fit.shift(added)
        if complete:
            self._adaptive.run(self.order, 1, 0.0)

    def follow(self) -> None:
        """Take the other members to the present columns."""
        for fit in self._tied:
            fit.run(self.order, 1, self._effort.tolerance)

    @property
    def held_out(self) -> Floats:
        """Scores of the fold's rows by each member without pairs, and by the pairs."""
        offset = self.offset[slice(*self._rows.fold(self._fold))]
        return np.array([*(fit.scores_of_fold(self._fold) - offset for fit in self._members), offset])

    def held_out_of(self, pair: Pair) -> Floats:
        """Scores of the fold's rows by one pair: 0 as long as this fit does not have it."""
        own = slice(*self._rows.fold(self._fold))
        if self._data is None or pair not in self.pair_tables:
            return np.zeros_like(self.offset[own])
        return self._data.contribution(pair, self.pair_tables[pair])[own]

    @property
    def _members(self) -> list[CyclicFit]:
        return [*self._tied, self._adaptive]

    def combined(self, stack: Stack, scores: Floats) -> AdditiveFit:
        """Return the weighted sum of the members, and of the pairs."""
        if len(stack.weights) == len(self._members):
            return stacked(self.order, self._members, stack, scores, None)
        tables = tuple(PairFit(pair, table, np.nan, np.nan) for pair, table in self.pair_tables.items())
        return stacked(self.order, self._members, stack, scores, FittedPairs(tables, self.offset, scores[-1]))


class FoldFits:
    """Fits without each fold of a division, and the weights of their members.

    Pairs are those that are found without each fold of the first division; in others, those of all rows (last).
    """

    def __init__(
        self,
        division: Division,
        groups: Sequence[tuple[int, ...]],
        backend: str,
        pairs: Sequence[Mapping[Pair, float]],
    ) -> None:
        self.rows, self._division = division.rows, division
        self._stack: Stack | None = None
        found = pairs[:-1] if division.is_first else [pairs[-1]] * self.rows.n_folds
        self.fits = [PathFit(division, fold, groups, backend, own) for fold, own in enumerate(found)]

    def stack(self, stack_of: StackOf, has_pairs: bool) -> tuple[Stack, Floats]:
        """Return weights of the members, and of pairs where there are any, and their out-of-fold scores."""
        rows, before = self.rows, self._stack
        scores = np.concatenate([fit.held_out for fit in self.fits], axis=1)
        if not (has_pairs or any(fit.pair_tables for fit in self.fits)):
            scores = scores[:-1]
        prior = self._prior(scores)
        stack = self._stack = stack_of(lambda: fit_member_stack(rows, scores, prior, before))
        return stack, scores

    def judged(self, stack: Stack, scores: Floats) -> Floats:
        """Return out-of-fold scores whose weights follow from the other folds."""
        return scores_by_others(self.rows, scores, self._prior(scores), stack)

    def _prior(self, scores: Floats) -> Floats:
        members = self._division.members
        return stack_prior(members, len(scores) > len(members))

    def losses(self, stack_of: StackOf) -> Floats:
        """Return the out-of-fold loss of each row, in the order of the first division."""
        stack, scores = self.stack(stack_of, has_pairs=False)
        losses = self.rows.loss.losses(stack.scores(scores), self.rows.target)
        return np.asarray(losses[np.argsort(self._division.order)])

    def priced(self, fit: AdditiveFit, weight: float) -> tuple[PairFit, ...]:
        """Return the pairs with their gains: the out-of-fold loss without a table, less that of the fit."""
        rows, pairs = self.rows, []
        losses, total = rows.loss.losses(fit.out_of_fold, rows.target) if fit.pairs else 0.0, rows.weights.sum()
        for pair in fit.pairs:
            own = np.concatenate([each.held_out_of(pair.columns) for each in self.fits])
            without = rows.loss.losses(fit.out_of_fold - weight * own, rows.target)
            pairs.append(replace(pair, gain=float(((without - losses) * rows.weights).sum() / total)))
        return tuple(pairs)


class ColumnPath:
    """Steps along the path, of all fits together: on all rows, and without each fold of each division of them."""

    def __init__(
        self,
        divisions: Sequence[Division],
        groups: Sequence[tuple[int, ...]],
        map_fits: Callable[..., list[Any]],
        backend: str,
        pairs: Sequence[Mapping[Pair, float]] = (),
    ) -> None:
        """``pairs``: those that are found without each fold, and in all rows (last), and their evidence."""
        self._rows, self._groups, self._map = divisions[0].rows, groups, map_fits
        pairs = pairs or [{}] * (self._rows.n_folds + 1)
        self._divisions = [FoldFits(division, groups, backend, pairs) for division in divisions]
        whole = PathFit(divisions[0], None, groups, backend, pairs[-1])
        self._fits = [whole, *(fit for division in self._divisions for fit in division.fits)]
        self._idle = 0

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        return len(self._fits)

    @property
    def order(self) -> list[int]:
        """The columns in the order in which they entered, on all rows."""
        return self._fits[0].order

    @property
    def ended(self) -> bool:
        """Whether no group is left."""
        return not self._fits[0].rest

    @property
    def n_next(self) -> int:
        """How many groups enter together: of a wide table several, once none has had evidence, or many are in."""
        is_short = len(self._groups) <= MANY_GROUPS
        if is_short or (self._idle < PATIENCE and len(self.order) < SINGLE_STEPS):
            return 1
        return max(1, round(STEP_GROWTH * len(self.order)))

    def choose(self, n: int, room: int) -> tuple[list[int], float]:
        """Return the next groups of each fit, fit by fit, and the log Bayes factor of the first.

        They are n, or two where the first one is worth its evidence with a partner alone.
        """
        n_asked = n if room < 2 else max(n, 2)
        found: list[BestGroups] = self._map(lambda fit: fit.best(n_asked, room), self._fits)
        if n == 1 and room > 1 and found[0].partner >= 0:
            n = 2
        return [group for each in found for group in each.first(n)], found[0].log_bayes_factor

    def steps(self, groups: Sequence[int]) -> list[list[int]]:
        """Return the groups of each fit that enter together: many, or one after the other."""
        by_fit = np.reshape(groups, (len(self._fits), -1))
        return [list(groups)] if self.n_next > 1 else by_fit.T.tolist()

    def add(self, groups: Sequence[int], evidence: float) -> None:
        """Let groups enter in each fit, as many in each."""
        self._idle = 0 if evidence > 0.0 else self._idle + 1
        by_fit = np.reshape(groups, (len(self._fits), -1)).tolist()
        self._map(lambda each: each[0].add(each[1]), list(zip(self._fits, by_fit, strict=True)))

    def score(self, stack_of: StackOf) -> SizeFit:
        """Stack the members' out-of-fold scores, and return the model of the present size.

        ``stack_of`` computes the weights of the members, or has them already.
        """
        self._map(PathFit.follow, self._fits)
        whole, (first, *others) = self._fits[0], self._divisions
        stack, scores = first.stack(stack_of, bool(whole.pair_tables))
        fit = whole.combined(stack, scores)
        fit = replace(fit, pairs=first.priced(fit, float(stack.weights[-1])), judged=first.judged(stack, scores))
        return size_fit(self._rows, fit, [own.order for own in first.fits], [each.losses(stack_of) for each in others])


def loss_alone(rows: AdditiveRows, columns: Sequence[int], backend: str) -> float:
    """Return the out-of-fold loss of the final fit of a model of these columns only.

    Their evidence does not forecast a loss: its quadratic likelihood at the class frequencies is far off where effects
    are strong, and would even give negative ones.
    """
    is_counted = len(columns) == 1 and rows.loss.scale is None  # numbers hardly repeat
    own = _counted(rows, columns[0]) if is_counted else rows.of_columns(columns, rows.weights, rows.bits)
    fit = fit_members(ChainFits(own, backend), list(range(len(columns))))
    losses = own.loss.losses(fit.own_scores, own.target)
    return float((losses * own.weights).sum()) / float(own.weights.sum())


def _counted(rows: AdditiveRows, k: int) -> AdditiveRows:
    """Return rows of one column, of which those of a fold that are equal are one row with the sum of their weights."""
    n_bins, n_classes = len(rows.bases[k].gaps), int(rows.target.max()) + 1
    fold = np.repeat(np.arange(rows.n_folds), np.diff(rows.fold_ends, prepend=0))
    cells = (fold * n_classes + rows.target.astype(np.int64)) * n_bins + rows.codes[k]
    n_cells = rows.n_folds * n_classes * n_bins
    mass = np.asarray(np.bincount(cells, weights=rows.weights, minlength=n_cells), dtype=np.float64)
    own = np.flatnonzero(mass)
    bits = gradient_bits(float(mass.sum()), float(mass.max()), rows.loss.largest_derivative)
    return replace(
        rows.of_columns([k], mass[own], bits),
        codes=[(own % n_bins).astype(rows.codes[k].dtype)],
        target=(own // n_bins % n_classes).astype(np.float64),
        fold_ends=np.searchsorted(own, np.arange(1, rows.n_folds + 1) * n_classes * n_bins).astype(np.int64),
    )
