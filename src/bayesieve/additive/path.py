# SPDX-License-Identifier: BSD-3-Clause
"""The path over columns: forward by the adaptive member's evidence, each fold on a path of its own.

All fits take a step together: the column (or group) whose Bayes factor given the present fit is largest enters, and
the members go on from where they were. After each step, out-of-fold scores of all members are stacked, so that every
size has a loss that no row's own class had a part in.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive.constants import AT_A_TIME, FEW_GROUPS, MANY_GROUPS, PATIENCE
from bayesieve.additive.fit import CyclicFit
from bayesieve.additive.members import (
    AdditiveFit,
    Effort,
    FittedPairs,
    PairFit,
    fit_member,
    fit_member_stack,
    stack_prior,
    stacked,
)
from bayesieve.additive.pair_data import PairData
from bayesieve.additive.pair_tables import Pair
from bayesieve.additive.rows import AdditiveRows
from bayesieve.additive.sizes import SizeFit, size_fit
from bayesieve.additive.stack import Stack

__all__ = ["ColumnPath", "PathFit", "path_sizes"]


def path_sizes(largest: int, every: int, per_doubling: int) -> list[int]:
    """Return the sizes that are scored: every one up to a number, then so many per doubling, and the largest."""
    sizes = list(range(1, min(largest, every) + 1))
    growth, size = 2.0 ** (1.0 / per_doubling), float(every)
    while (size := size * growth) < largest:
        sizes.append(round(size))
    return sorted({*sizes, largest} - {0})


class PathFit:
    """The members' fits on the columns chosen so far, on all rows or without a fold."""

    def __init__(
        self,
        rows: AdditiveRows,
        fold: int | None,
        groups: Sequence[tuple[int, ...]],
        backend: str,
        data: PairData | None,
        pairs: Sequence[Pair],
    ) -> None:
        self._rows, self._fold, self._groups = rows, fold, groups
        self._data, self._open_pairs = data, list(pairs)
        self.pair_tables: dict[Pair, Floats] = {}
        self.offset = np.zeros((rows.n_rows, rows.loss.n_scores))
        self._tuning = rows.loss.tuning
        self._adaptive = fit_member(self._tuning.adaptive, rows, fold, backend)
        self._tied = [fit_member(member, rows, fold, backend) for member in self._tuning.tied]
        self._effort = Effort.of_rows(rows.n_rows, rows.loss)
        self.rest = [g for g, columns in enumerate(groups) if rows.columns_of(fold).issuperset(columns)]
        self.order: list[int] = []
        self._column_factors: dict[int, float] = {}
        self._pair_factors: dict[Pair, float] = {}
        self._old_pairs: set[Pair] = set()  # pairs whose evidence is that of an earlier step
        self._known: dict[int, float] = {}  # evidence of groups, some of it of earlier steps
        self._due = 0  # the size at which all evidence is computed again

    def best(self) -> tuple[int, float]:
        """Return the group with the largest Bayes factor per column, and its logarithm; -1 if none is left."""
        if not self.rest:
            return -1, -np.inf
        if self._tuning.keeps_evidence and len(self.rest) > FEW_GROUPS and len(self.order) < self._due:
            return self._best_again()
        self._old_pairs = set(self._pair_factors)
        if self._tuning.keeps_evidence or len(self.order) >= self._due:
            self._due = self._tuning.evidence_growth * max(len(self.order), 1)
            self._pair_factors.clear()
        means = self._evidence(self.rest)
        self._known = dict(zip(self.rest, means, strict=True))
        i = int(np.argmax(means))
        return self.rest[i], means[i]

    def _best_again(self) -> tuple[int, float]:
        """Return the same if evidence has only fallen since it was computed: the first need not wait for the others.

        With many columns and classes this takes a tenth of the time. Evidence that has risen is seen when
        all of it is computed again: whenever the number of columns is six times as large.
        """
        fresh: dict[int, float] = {}
        waiting = sorted(self.rest, key=lambda g: -self._known[g])
        while waiting and (not fresh or max(fresh.values()) < self._known[waiting[0]]):
            own, waiting = waiting[:AT_A_TIME], waiting[AT_A_TIME:]
            fresh.update(zip(own, self._evidence(own), strict=True))
        self._known.update(fresh)
        best = max(fresh, key=lambda g: (fresh[g], -g))
        return best, fresh[best]

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

        Evidence of pairs mostly falls: that of earlier steps is computed again where it would decide.
        """
        if self._data is None or not self._open_pairs:
            return factors
        if not self._pair_factors:
            self._renew_pairs(self._open_pairs)
        inside = set(self.order)
        shares = {pair: self._share(pair, inside) for pair in self._open_pairs}
        while True:
            raised = dict(factors)
            for pair, share in shares.items():
                for k in pair:
                    if k in factors and k not in inside:
                        raised[k] = max(raised[k], share)
            top = max(raised.values())
            waiting = sorted(self._old_pairs.intersection(shares), key=lambda pair: (-shares[pair], pair))
            if not waiting or shares[waiting[0]] < top:
                return raised
            self._renew_pairs(waiting[:AT_A_TIME])
            shares.update((pair, self._share(pair, inside)) for pair in waiting[:AT_A_TIME])

    def _share(self, pair: Pair, inside: Set[int]) -> float:
        """Return what a pair adds to the evidence of each of its columns that are new."""
        new = [k for k in pair if k in self._column_factors and k not in inside]
        evidence = max(self._pair_factors[pair], 0.0)
        return (evidence + sum(max(self._column_factors[k], 0.0) for k in new)) / max(len(new), 1)

    def _renew_pairs(self, pairs: Sequence[Pair]) -> None:
        """Compute the evidence of pairs given the present fit."""
        assert self._data is not None
        evidence = self._data.log_bayes_factors(pairs, self._rows.fold(self._fold), self._adaptive.scores)
        self._pair_factors.update(zip(pairs, evidence.tolist(), strict=True))
        self._old_pairs.difference_update(pairs)

    def add(self, group: int) -> None:
        """Let a group enter, and the pairs that it completes."""
        if group < 0:
            return
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
            fit.run(self.order, self._effort.cycles_per_step, self._effort.tolerance)

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


class ColumnPath:
    """Steps along the path, of all fits together."""

    def __init__(
        self,
        rows: AdditiveRows,
        groups: Sequence[tuple[int, ...]],
        map_fits: Callable[..., list[Any]],
        backend: str,
        data: PairData | None = None,
        pairs: Sequence[Pair] = (),
    ) -> None:
        self._rows, self._groups, self._map = rows, groups, map_fits
        folds = (None, *range(rows.n_folds))
        self._fits = [PathFit(rows, fold, groups, backend, data, pairs) for fold in folds]
        self._stack: Stack | None = None
        self._idle = 0

    @property
    def order(self) -> list[int]:
        """The columns in the order in which they entered, on all rows."""
        return self._fits[0].order

    @property
    def ended(self) -> bool:
        """Whether no group is left, or in a wide table none has had evidence for some steps."""
        patience = PATIENCE if len(self._groups) > MANY_GROUPS else len(self._groups)
        return not self._fits[0].rest or self._idle >= patience

    def choose(self) -> tuple[list[int], float]:
        """Return the next group of each fit, and the log Bayes factor of the first."""
        found = self._map(PathFit.best, self._fits)
        return [group for group, _ in found], found[0][1]

    def add(self, groups: Sequence[int], evidence: float) -> None:
        """Let a group enter in each fit."""
        self._idle = 0 if evidence > 0.0 else self._idle + 1
        self._map(lambda each: each[0].add(each[1]), list(zip(self._fits, groups, strict=True)))

    def score(self, stack_of: Callable[[Callable[[], Stack]], Stack]) -> SizeFit:
        """Stack the members' out-of-fold scores, and return the model of the present size.

        ``stack_of`` computes the weights of the members, or has them already.
        """
        rows = self._rows
        self._map(PathFit.follow, self._fits)
        scores = np.concatenate([fit.held_out for fit in self._fits[1:]], axis=1)
        has_pairs = any(fit.pair_tables for fit in self._fits)
        if not has_pairs:
            scores = scores[:-1]
        prior = stack_prior((*rows.loss.tuning.tied, rows.loss.tuning.adaptive), has_pairs)
        self._stack = stack_of(lambda: fit_member_stack(rows, scores, prior, self._stack))
        fit = self._fits[0].combined(self._stack, scores)
        return size_fit(rows, replace(fit, pairs=self._priced(fit)))

    def _priced(self, fit: AdditiveFit) -> tuple[PairFit, ...]:
        """Return the pairs with their gains: the out-of-fold loss without a table, less that of the fit."""
        assert self._stack is not None
        rows, weight, pairs = self._rows, self._stack.weights[-1], []
        losses, total = rows.loss.losses(fit.out_of_fold, rows.target) if fit.pairs else 0.0, rows.weights.sum()
        for pair in fit.pairs:
            own = np.concatenate([each.held_out_of(pair.columns) for each in self._fits[1:]])
            without = rows.loss.losses(fit.out_of_fold - weight * own, rows.target)
            pairs.append(replace(pair, gain=float(((without - losses) * rows.weights).sum() / total)))
        return tuple(pairs)
