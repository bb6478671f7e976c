# SPDX-License-Identifier: BSD-3-Clause
"""The members that are stacked, fits of the same columns under different priors, and their weighted sum.

*Tied* members have one prior variance for all columns; they serve small and redundant tables. One of them has a line
and a square with each walk. The *adaptive* member learns which of several variances, a line, or no effect, each
column has; it serves many rows, columns of noise and linear effects. With a score per class it decides so for each
class of a column.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.cell_prior import TablePrior
from bayesieve.additive.constants import DECIMALS, LEAST_MOVE, MANY_ROWS, MOST_CYCLES, MemberPriors
from bayesieve.additive.fit import CyclicFit, FitState, start_fit
from bayesieve.additive.loss import Loss
from bayesieve.additive.pair_data import JudgedScores, PairData
from bayesieve.additive.pair_tables import JointTables, Pair
from bayesieve.additive.priors import ShapePriors
from bayesieve.additive.rows import AdditiveRows
from bayesieve.additive.stack import Stack, StackPrior, fit_stack
from bayesieve.exact import nearest_fixed

__all__ = [
    "AdditiveFit",
    "ChainFits",
    "Effort",
    "FittedPairs",
    "PairFit",
    "fit_judged_scores",
    "fit_member",
    "fit_member_stack",
    "fit_members",
    "in_parallel",
    "members_at_end",
    "members_of_path",
    "priors_of",
    "scores_by_others",
    "stack_prior",
    "stacked",
]


@dataclass(frozen=True)
class PairFit:
    """The table of a pair: scores per cell, its log Bayes factor, its out-of-fold gain per row, and its prior."""

    columns: Pair
    table: Floats
    log_bayes_factor: float
    gain: float
    prior: TablePrior | None = None


@dataclass(frozen=True)
class AdditiveFit:
    """Stacked members of some columns, and tables of pairs.

    Attributes
    ----------
    columns : tuple of int
        Columns of the rows.
    intercept : array of shape (n_scores,)
        Scores without any column.
    tables : list of arrays of shape (n_bins, n_scores)
        Scores per bin of each of the columns.
    out_of_fold : array of shape (n_rows, n_scores)
        Scores of each row by fits without its fold.
    columns_out_of_fold : array of shape (n_rows, n_scores)
        The same without pairs.
    pairs : tuple of PairFit
        Tables of pairs of the columns.
    offset : array of shape (n_rows, n_scores)
        What the pairs add to each row.
    stack : Stack or None
        The weights of members.
    judged : array of shape (n_rows, n_scores), or None
        Out-of-fold scores whose weights of members follow from the rows of the other folds; None: as ``out_of_fold``.
    states : tuple of FitState
        Where the members ended, of a fit of all of them.
    """

    columns: tuple[int, ...]
    intercept: Floats
    tables: list[Floats]
    out_of_fold: Floats
    columns_out_of_fold: Floats
    pairs: tuple[PairFit, ...]
    offset: Floats
    stack: Stack | None = None
    judged: Floats | None = None
    states: tuple[FitState, ...] = ()

    @property
    def own_scores(self) -> Floats:
        """Scores of each row by which the fit may be judged: its class had no part in them."""
        return self.out_of_fold if self.judged is None else self.judged

    def in_order(self, columns: Sequence[int]) -> "AdditiveFit":
        """Return the same with the columns in another order."""
        tables = dict(zip(self.columns, self.tables, strict=True))
        return replace(self, columns=tuple(columns), tables=[tables[k] for k in columns])


@dataclass(frozen=True)
class FittedPairs:
    """Tables of pairs, and what they add to each row: by tables from all rows, and without its fold."""

    tables: tuple[PairFit, ...]
    fitted: Floats
    out_of_fold: Floats

    @classmethod
    def of_tables(cls, joint: JointTables, offset: Floats, data: PairData) -> "FittedPairs":
        """Return tables that were fitted together given out-of-fold scores."""
        rows, total = data.rows, float(data.rows.weights.sum())
        by_pair, pairs = joint.out_of_fold(data.fine), joint.pairs[-1]
        nothing = np.zeros((rows.n_rows, rows.loss.n_scores))
        figures = data.figures(offset, pairs, [by_pair.get(pair, nothing) for pair in pairs])
        parts = zip(pairs, joint.tables[-1], figures, strict=True)
        tables = tuple(
            PairFit(pair, table, factor, gain / total, joint.priors[pair]) for pair, table, (factor, gain) in parts
        )
        fitted, held_out = nothing.copy(), nothing.copy()
        for pair, table in zip(pairs, joint.tables[-1], strict=True):
            fitted += data.contribution(pair, table)
        for added in by_pair.values():
            held_out += added
        return cls(tables, fitted, nearest_fixed(held_out))

    def of_fold(self, rows: AdditiveRows, fold: int | None) -> Floats:
        """Return what they add: by tables from all rows, but to held-out rows by tables without them."""
        if fold is None:
            return self.fitted
        begin, end = rows.fold(fold)
        return np.concatenate([self.fitted[:begin], self.out_of_fold[begin:end], self.fitted[end:]])


@dataclass(frozen=True)
class Effort:
    """When a fit ends: after some cycles, or when tables move less than a tolerance; and cycles per new column."""

    most_cycles: int
    tolerance: float
    cycles_per_step: int

    @classmethod
    def of_rows(cls, n_rows: int, loss: Loss) -> "Effort":
        """Return what is enough: with many rows less is, and with many scores moves are summed over all of them."""
        is_many, n = n_rows > MANY_ROWS, loss.n_contrasts
        if is_many:
            return cls(MOST_CYCLES[1], LEAST_MOVE[1] * (n + 1), 1)
        tolerance = max(LEAST_MOVE[0], loss.tuning.tolerance_per_row * n_rows) * n
        return cls(MOST_CYCLES[0], tolerance, loss.tuning.cycles_per_step)


def fit_member(
    member: MemberPriors, rows: AdditiveRows, fold: int | None, backend: str, start: CyclicFit | None = None
) -> CyclicFit:
    """Return a fit of a member from zero, or from where another is."""
    return start_fit(rows, priors_of(member), fold, no_effect=member.no_effect, backend=backend, start=start)


def priors_of(member: MemberPriors) -> ShapePriors:
    """Return the priors of a member's tables."""
    return ShapePriors(member.walks, member.lines, member.categories, member.curve)


def members_at_end(loss: Loss) -> tuple[MemberPriors, ...]:
    """Return the members of the final fit, in the order of their scores."""
    return tuple(member for chain in loss.tuning.chains for member in chain)


def members_of_path(rows: AdditiveRows) -> tuple[MemberPriors, ...]:
    """Return the members of fits on the path, in the order of their scores; with many rows one tied one is enough."""
    tuning = rows.loss.tuning
    return (*(tuning.tied[:1] if rows.n_rows > MANY_ROWS else tuning.tied), tuning.adaptive)


Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(function: Callable[[Item], Result], items: Sequence[Item], n_threads: int) -> list[Result]:
    """Apply a function, which releases the interpreter's lock, to items on several threads."""
    if n_threads == 1 or len(items) < 2:
        return [function(item) for item in items]
    try:
        with ThreadPoolExecutor(min(n_threads, len(items))) as pool:
            return list(pool.map(function, items))
    except RuntimeError as error:  # the process may have no more threads
        if "start new thread" not in str(error):
            raise
        return [function(item) for item in items]


@dataclass(frozen=True)
class MemberFit:
    """Intercept and tables of a member, the scores of rows that it did not learn from, and where it ended."""

    intercept: Floats
    tables: list[Floats]
    held_out: Floats
    state: FitState


@dataclass(frozen=True)
class ChainFits:
    """Fits of members of which each begins where the one before ended."""

    rows: AdditiveRows
    backend: str = "auto"
    check: Callable[[], None] = lambda: None
    pairs: FittedPairs | None = None

    def run(self, chain: Sequence[MemberPriors], fold: int | None, columns: Sequence[int]) -> Iterator[CyclicFit]:
        """Yield the fit of each member of some columns, on all rows or without a fold, given the pairs."""
        rows, fitted, order = self.rows, None, list[int]()
        effort = Effort.of_rows(rows.n_rows, rows.loss)
        for member in chain:
            fitted = fit_member(member, rows, fold, self.backend, fitted)
            if rows.offset is not None:
                fitted.shift(rows.offset)
            if self.pairs is not None:
                fitted.shift(self.pairs.of_fold(rows, fold))
            self.check()
            order = order or _by_evidence(fitted, columns)
            fitted.run(order, effort.most_cycles, effort.tolerance, self.check)
            yield fitted


def fit_members(
    chains: ChainFits, columns: Sequence[int], fold_columns: Sequence[Sequence[int]] = (), n_threads: int = 1
) -> AdditiveFit:
    """Fit all members on all rows and without each fold, given tables of pairs, and stack them.

    Fits without a fold have the columns that its training rows chose, ``fold_columns``. Without these they have the
    same columns or, where these are all that may take part, those that its training rows allow.
    """
    rows, pairs, final = chains.rows, chains.pairs, chains.rows.loss.tuning.chains
    everything = rows.columns_of(None) == set(columns)
    of_folds = fold_columns or [sorted(rows.columns_of(q) if everything else columns) for q in range(rows.n_folds)]
    jobs = [(chain, fold) for chain in final for fold in (None, *range(rows.n_folds))]

    def fit(job: tuple[tuple[MemberPriors, ...], int | None]) -> list[MemberFit]:
        chain, fold = job
        fits = chains.run(chain, fold, columns if fold is None else sorted(of_folds[fold]))
        return [MemberFit(each.intercept, each.tables, each.scores_of_fold(fold), each.state) for each in fits]

    by_job = dict(zip(jobs, in_parallel(fit, jobs, n_threads), strict=True))
    by_fold = {fold: [each for chain in final for each in by_job[chain, fold]] for fold in (None, *range(rows.n_folds))}
    folds = [by_fold[q] for q in range(rows.n_folds)]
    scores = np.array([np.concatenate([each.held_out for each in own]) for own in zip(*folds, strict=True)])
    scores = _with_others(scores, rows.offset, None if pairs is None else pairs.out_of_fold)
    members, has_points = members_at_end(rows.loss), rows.offset is not None
    prior = StackPrior(stack_prior(members, pairs is not None, has_points), len(members) if has_points else None)
    stack = fit_member_stack(rows, scores, prior)
    combined = stacked(columns, by_fold[None], stack, scores, pairs)
    judged = scores_by_others(rows, scores, prior, stack)
    return replace(combined, judged=judged, states=tuple(each.state for each in by_fold[None]))


def _with_others(scores: Floats, *others: Floats | None) -> Floats:
    """Return the scores of members without those that all of them have, and these after them."""
    shared = [each for each in others if each is not None]
    for each in shared:
        scores = scores - each
    return np.concatenate([scores, *(each[None] for each in shared)]) if shared else scores


def fit_member_stack(
    rows: AdditiveRows, scores: Floats, prior: Floats | StackPrior, start: Stack | None = None
) -> Stack:
    """Fit the weights of members to their out-of-fold scores, shape (n_members, n_rows, n_scores)."""
    return fit_stack(rows.loss, scores, rows.target, rows.weights, prior, start)


def scores_by_others(rows: AdditiveRows, scores: Floats, prior: Floats | StackPrior, stack: Stack) -> Floats:
    """Return the scores of each fold by weights of members that follow from the rows of all other folds.

    With weights that follow from all rows, out-of-fold losses are too low, by about one parameter per row for each
    weight and intercept: by 0.005 with 300 rows, and with many by next to nothing.
    """
    own = stack.scores(scores)
    for q in range(rows.n_folds if rows.n_rows <= MANY_ROWS else 0):
        held_out, weights = slice(*rows.fold(q)), rows.weights.copy()
        weights[held_out] = 0.0
        if weights.any():
            of_others = fit_member_stack(replace(rows, weights=weights), scores, prior, stack)
            own[held_out] = of_others.scores(scores[:, held_out])
    return own


def stack_prior(members: Sequence[MemberPriors], has_pairs: bool, has_points: bool = False) -> Floats:
    """Return the weights that a stack is near to: the shares of members, 1 of set points and, last, of the pairs."""
    total = sum(member.share for member in members)
    return np.array([member.share / total for member in members] + [1.0] * (has_points + has_pairs))


def stacked(
    columns: Sequence[int],
    fits: Sequence[CyclicFit | MemberFit],
    stack: Stack,
    scores: Floats,
    pairs: FittedPairs | None,
) -> AdditiveFit:
    """Return the weighted sum of members, one table per column, and of pairs."""
    intercept, tables, by_member = stack.intercept, [], [fit.tables for fit in fits]
    for weight, center, fit in zip(stack.weights.tolist(), stack.centers, fits, strict=False):
        intercept = intercept + weight * (fit.intercept - center)
    if len(stack.weights) > len(fits) + (pairs is not None):  # set points have the weight 1
        intercept = intercept - stack.centers[len(fits)]
    for k in columns:
        table = np.zeros(by_member[0][k].shape)
        for weight, own in zip(stack.weights.tolist(), by_member, strict=False):
            table += weight * own[k]
        tables.append(table)
    out_of_fold = stack.scores(scores)
    if pairs is None:
        return AdditiveFit(
            tuple(columns), intercept, tables, out_of_fold, out_of_fold, (), np.zeros(scores.shape[1:]), stack
        )
    scale, center = float(stack.weights[-1]), stack.centers[-1]
    scaled = tuple(replace(each, table=np.round(scale * each.table, DECIMALS) + 0.0) for each in pairs.tables)
    without = out_of_fold - scale * pairs.out_of_fold  # the intercept has taken the center
    return AdditiveFit(
        tuple(columns), intercept - scale * center, tables, out_of_fold, without, scaled, scale * pairs.fitted, stack
    )


def _by_evidence(fit: CyclicFit, columns: Sequence[int]) -> list[int]:
    """Return the columns of the largest Bayes factors first."""
    factors = fit.log_bayes_factors(columns)
    return [columns[i] for i in np.argsort(-factors, kind="stable").tolist()]


def fit_judged_scores(
    rows: AdditiveRows, backend: str = "auto", n_threads: int = 1, check: Callable[[], None] = lambda: None
) -> JudgedScores | None:
    """Return scores by fits of all columns without each two judged folds; None where out-of-fold scores are enough.

    A table of a pair without fold q is fitted given scores of the other rows. They are out of fold, but their fits had
    seen fold q: where it has more rows of a class by chance, these scores are higher, and the table takes it back. Here
    the scores of a row of fold f come from fits without both folds, and the weights of members from all rows but those
    of fold q:

        scores[q] of a row of fold f = stack of q (members without q and f)

    Which columns of a wide table take part was decided without each fold alone; fits without two have what both allow.
    Judged folds are the folds or, where there are many, unions of neighbors. There must be three: one to fit.
    """
    tuning = rows.loss.tuning
    ends = _judged_ends(rows, tuning.n_judged)
    if len(ends) < 3:
        return None
    judged = replace(rows, fold_ends=ends, taking_part=None)
    fold = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    columns = [_columns(rows, *judged.fold(q)) for q in range(len(ends))]
    jobs = list(combinations(range(len(ends)), 2))

    def fit(job: tuple[int, int]) -> list[tuple[Floats, Floats]]:
        q, f = job
        both = sorted(columns[q] & columns[f])
        chains, n = ChainFits(_with_both_last(judged, q, f), backend, check), _size(judged, q)
        fits = (each for chain in tuning.chains for each in chains.run(chain, 1, both))
        return [(own[:n], own[n:]) for own in (each.scores_of_fold(1) for each in fits)]

    by_job = dict(zip(jobs, in_parallel(fit, jobs, n_threads), strict=True))
    prior = stack_prior(members_at_end(rows.loss), has_pairs=False)
    scores = np.zeros((len(ends), rows.n_rows, rows.loss.n_scores))
    for q in range(len(ends)):
        own = np.zeros((len(prior), *scores.shape[1:]))
        for f in (each for each in range(len(ends)) if each != q):
            for of_member, pair in zip(own, by_job[min(q, f), max(q, f)], strict=True):
                of_member[slice(*judged.fold(f))] = pair[int(q < f)]
        weights = rows.weights.copy()
        weights[slice(*judged.fold(q))] = 0.0
        scores[q] = fit_member_stack(replace(rows, weights=weights), own, prior).scores(own)
        scores[q, slice(*judged.fold(q))] = 0.0
    return JudgedScores(fold, scores)


def _judged_ends(rows: AdditiveRows, n_judged: int) -> Ints:
    """Return where judged folds end, none of which is empty."""
    ends = np.unique(rows.fold_ends[rows.fold_ends > 0])
    n = min(n_judged, len(ends))
    return np.asarray(ends[np.arange(1, n + 1) * len(ends) // max(n, 1) - 1])


def _columns(rows: AdditiveRows, begin: int, end: int) -> frozenset[int]:
    """Return the columns that fits without each of the folds between two rows may use."""
    inside = [q for q in range(rows.n_folds) if begin <= rows.fold(q)[0] < rows.fold(q)[1] <= end]
    return frozenset.intersection(*(rows.columns_of(q) for q in inside))


def _with_both_last(rows: AdditiveRows, q: int, f: int) -> AdditiveRows:
    """Return the rows in another order, of which those of two folds are the second of two folds."""
    others = [k for k in range(rows.n_folds) if k not in (q, f)]
    parts = [slice(*rows.fold(k)) for k in (*others, q, f)]
    target, weights, *codes = (
        np.concatenate([column[part] for part in parts]) for column in (rows.target, rows.weights, *rows.codes)
    )
    n_others = sum(_size(rows, k) for k in others)
    return replace(rows, codes=codes, target=target, weights=weights, fold_ends=np.array([n_others, rows.n_rows]))


def _size(rows: AdditiveRows, q: int) -> int:
    begin, end = rows.fold(q)
    return end - begin
