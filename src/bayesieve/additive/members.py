# SPDX-License-Identifier: BSD-3-Clause
"""The members that are stacked: fits of the same columns under different priors.

*Tied* members have one prior variance for all columns; they serve small and redundant tables. One of them has a line
and a square beside each walk. The *adaptive* member learns which of several variances, a line, or no effect, each
column has; it serves many rows, columns of noise and linear effects. With more than two classes it decides so for each
class of a column.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import ShapeFit, ShapeRows, ShapeState, make_shape_fit
from bayesieve.additive.class_stack import fit_class_stack
from bayesieve.additive.pair_fits import PairData, PairFit
from bayesieve.additive.pair_search import PairTerm
from bayesieve.additive.shape_prior import ShapePriors
from bayesieve.additive.stack import Stack, fit_stack
from bayesieve.exact import FIXED_ONE

__all__ = [
    "ADAPTIVE",
    "ADAPTIVE_WIDE",
    "TIED",
    "AdditiveFit",
    "ChainFits",
    "Effort",
    "FittedPairs",
    "Member",
    "MemberSet",
    "fit_member_stack",
    "fit_members",
    "in_parallel",
    "stack_prior",
    "stacked",
]

_DECIMALS: Final = 2


@dataclass(frozen=True)
class Member:
    """Priors of a fit, the prior probability that a column has no effect, and the member's share of a stack a priori.

    Shares are relative to those of the other members.
    """

    priors: ShapePriors
    no_effect: float = 0.0
    share: float = 1.0

    def fit(self, rows: ShapeRows, fold: int | None, backend: str, start: ShapeFit | None = None) -> ShapeFit:
        """Return a fit from zero, or from where another is."""
        return make_shape_fit(rows, self.priors, fold, no_effect=self.no_effect, backend=backend, start=start)


def _tied(variance: float, curve: float = 0.0, share: float = 1.0) -> Member:
    return Member(ShapePriors((variance,), (), (variance / 4.0,), curve), share=share)


def _adaptive(*walks: float) -> Member:
    return Member(ShapePriors(walks, (0.02, 0.2), (0.03, 0.1, 0.4, 1.6)), no_effect=0.5, share=3.0)


# Shares of 0.5, 0.15, 0.2 and, of the adaptive member, 0.15: the first is the best one alone where rows are few.
TIED: Final = (_tied(0.5, share=10.0), _tied(0.02, share=3.0), _tied(0.5, curve=0.2, share=4.0))
ADAPTIVE: Final = _adaptive(0.1, 0.5, 2.5, 12.0)
ADAPTIVE_WIDE: Final = _adaptive(0.1, 0.5, 2.5, 12.0, 60.0, 300.0)
"""For values that stand out from their neighbors; from a fresh start only: a warm start keeps what chance found."""


def _class_adaptive(*walks: float) -> Member:
    return Member(ShapePriors(walks, (0.005, 0.05), (0.0075, 0.025, 0.1, 0.4), curve=0.2), no_effect=0.5)


@dataclass(frozen=True)
class MemberSet:
    """The members of a model.

    Attributes
    ----------
    adaptive : Member
        That whose evidence finds the path.
    tied : tuple of Member
        Those that follow it.
    final : tuple of tuples of Member
        The members of the final fit; each of a tuple begins where the one before ended.
    n_judged : int
        Number of folds at most on which gains of pairs are judged beside fits that had not seen them; 0 for scores that
        are out of fold alone. With two classes the difference is too small to matter.
    """

    adaptive: Member
    tied: tuple[Member, ...]
    final: tuple[tuple[Member, ...], ...]
    n_judged: int = 0

    @classmethod
    def of_classes(cls, n_classes: int) -> "MemberSet":
        """Return the members for a number of classes."""
        return _TWO_CLASSES if n_classes == 2 else _CLASSES

    @property
    def on_path(self) -> tuple[Member, ...]:
        """The members of the path, in the order of their scores."""
        return (*self.tied, self.adaptive)

    @property
    def at_end(self) -> tuple[Member, ...]:
        """The members of the final fit, in the order of their scores."""
        return tuple(member for chain in self.final for member in chain)


_TWO_CLASSES: Final = MemberSet(ADAPTIVE, TIED, tuple((member,) for member in (*TIED, ADAPTIVE_WIDE)))
# Tied members have one optimum, wherever they begin: from stiff to loose, each is near the next. The adaptive one,
# which may have several, is better from there than from zero.
_CLASSES: Final = MemberSet(
    _class_adaptive(0.025, 0.125, 0.625, 3.0),
    (_tied(0.5, curve=0.2),),
    (
        (
            _tied(0.02),
            _tied(0.5),
            _tied(0.5, curve=0.2),
            _tied(4.0, curve=0.2),
            _class_adaptive(0.025, 0.125, 0.625, 3.0, 15.0, 75.0),
        ),
    ),
    n_judged=5,
)


@dataclass(frozen=True)
class Effort:
    """When a fit ends: after some cycles, or when shapes move less than a tolerance; and cycles per new column."""

    most_cycles: int
    tolerance: float
    cycles_per_step: int

    @classmethod
    def of_rows(cls, n_rows: int, n_classes: int = 2) -> "Effort":
        """Return what is enough: with many rows less is, and with many classes moves are summed over all of them."""
        if n_rows > 5000:
            return cls(10, 0.5 * n_classes, 1)
        return cls(30, 0.1, 2) if n_classes == 2 else cls(30, max(0.1, 5e-5 * n_rows) * (n_classes - 1), 1)


Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(function: Callable[[Item], Result], items: Sequence[Item], n_threads: int) -> list[Result]:
    """Apply a function, which releases the interpreter's lock, to items on several threads."""
    if n_threads == 1 or len(items) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(n_threads, len(items))) as pool:
        return list(pool.map(function, items))


@dataclass(frozen=True)
class AdditiveFit:
    """Stacked members of some columns, and tables of pairs.

    Attributes
    ----------
    columns : tuple of int
        Columns of the rows.
    intercept : array of shape () or (n_classes,)
        Log-odds without any column; with more than two classes, here and below, the score of each class.
    tables : list of arrays
        Scores per bin of each of the columns.
    out_of_fold : array of shape (n_rows,)
        Log-odds of each row by fits without its fold.
    shapes_out_of_fold : array of shape (n_rows,)
        The same without pairs.
    pairs : tuple of PairFit
        Tables of pairs of the columns.
    offset : array of shape (n_rows,)
        What the pairs add to each row.
    stack : Stack or None
        The weights of members.
    states : tuple of ShapeState
        Where the members ended, of a fit of all of them.
    """

    columns: tuple[int, ...]
    intercept: Floats
    tables: list[Floats]
    out_of_fold: Floats
    shapes_out_of_fold: Floats
    pairs: tuple[PairFit, ...]
    offset: Floats
    stack: Stack | None = None
    states: tuple[ShapeState, ...] = ()

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
    def of_terms(cls, terms: Sequence[PairTerm], data: PairData) -> "FittedPairs":
        """Return the tables of a search."""
        total = float(data.rows.weights.sum())
        tables = tuple(PairFit(term.columns, term.table, term.log_bayes_factor, term.gain / total) for term in terms)
        fitted, held_out = np.zeros((2, data.rows.n_rows, *data.rows.score_shape))
        for term in terms:
            fitted += data.contribution(term.columns, term.table)
            held_out += term.out_of_fold
        return cls(tables, fitted, np.rint(held_out * FIXED_ONE) * (1.0 / FIXED_ONE))

    def of_fold(self, rows: ShapeRows, fold: int | None) -> Floats:
        """Return what they add: by tables from all rows, but to held-out rows by tables without them."""
        if fold is None:
            return self.fitted
        begin, end = rows.fold(fold)
        return np.concatenate([self.fitted[:begin], self.out_of_fold[begin:end], self.fitted[end:]])


@dataclass(frozen=True)
class MemberFit:
    """Intercept and tables of a member, the scores of rows that it did not learn from, and where it ended."""

    intercept: Floats
    tables: list[Floats]
    held_out: Floats
    state: ShapeState


@dataclass(frozen=True)
class ChainFits:
    """Fits of members of which each begins where the one before ended."""

    rows: ShapeRows
    backend: str
    check: Callable[[], None]
    pairs: FittedPairs | None = None

    def run(self, chain: Sequence[Member], fold: int | None, columns: Sequence[int]) -> Iterator[ShapeFit]:
        """Yield the fit of each member of some columns, on all rows or without a fold, beside the pairs."""
        rows, fitted, order = self.rows, None, list[int]()
        effort = Effort.of_rows(rows.n_rows, rows.n_classes)
        for member in chain:
            fitted = member.fit(rows, fold, self.backend, fitted)
            if self.pairs is not None:
                fitted.shift(self.pairs.of_fold(rows, fold))
            self.check()
            order = order or _by_evidence(fitted, columns)
            fitted.run(order, effort.most_cycles, effort.tolerance, self.check)
            yield fitted


def fit_members(
    rows: ShapeRows,
    columns: Sequence[int],
    *,
    pairs: FittedPairs | None = None,
    backend: str = "auto",
    n_threads: int = 1,
    check: Callable[[], None] = lambda: None,
) -> AdditiveFit:
    """Fit all members on all rows and without each fold, beside given tables of pairs, and stack them.

    Where these are all columns that may take part, fits without a fold have those that its training rows allow.
    """
    members, chains = MemberSet.of_classes(rows.n_classes), ChainFits(rows, backend, check, pairs)
    everything = rows.columns_of(None) == set(columns)
    jobs = [(chain, fold) for chain in members.final for fold in (None, *range(rows.n_folds))]

    def fit(job: tuple[tuple[Member, ...], int | None]) -> list[MemberFit]:
        chain, fold = job
        fits = chains.run(chain, fold, sorted(rows.columns_of(fold)) if everything else columns)
        return [MemberFit(each.intercept, each.tables, each.scores_of_fold(fold), each.state) for each in fits]

    by_job = dict(zip(jobs, in_parallel(fit, jobs, n_threads), strict=True))
    by_fold = {
        fold: [each for chain in members.final for each in by_job[chain, fold]] for fold in (None, *range(rows.n_folds))
    }
    folds = [by_fold[q] for q in range(rows.n_folds)]
    scores = np.array([np.concatenate([each.held_out for each in own]) for own in zip(*folds, strict=True)])
    if pairs is not None:
        scores = np.concatenate([scores - pairs.out_of_fold, pairs.out_of_fold[None]])
    stack = fit_member_stack(rows, scores, stack_prior(members.at_end, pairs is not None))
    combined = stacked(columns, by_fold[None], stack, scores, pairs)
    return replace(combined, states=tuple(each.state for each in by_fold[None]))


def fit_member_stack(rows: ShapeRows, scores: Floats, prior: Floats, start: Stack | None = None) -> Stack:
    """Fit the weights of members to their out-of-fold scores, shape (n_members, n_rows[, n_classes])."""
    fit = fit_stack if rows.n_classes == 2 else fit_class_stack
    return fit(scores, rows.target, rows.weights, prior, start)


def stack_prior(members: Sequence[Member], has_pairs: bool) -> Floats:
    """Return the weights that a stack is near to: the shares of members, and 1 of the pairs, which come last."""
    total = sum(member.share for member in members)
    return np.array([member.share / total for member in members] + [1.0] * has_pairs)


def stacked(
    columns: Sequence[int],
    fits: Sequence[ShapeFit | MemberFit],
    stack: Stack,
    scores: Floats,
    pairs: FittedPairs | None,
) -> AdditiveFit:
    """Return the weighted sum of members, one table per column, and of pairs."""
    intercept, tables, by_member = np.asarray(stack.intercept), [], [fit.tables for fit in fits]
    for weight, center, fit in zip(stack.weights.tolist(), stack.centers, fits, strict=False):
        intercept = intercept + weight * (fit.intercept - center)
    for k in columns:
        table = np.zeros(by_member[0][k].shape)
        for weight, own in zip(stack.weights.tolist(), by_member, strict=False):
            table += weight * own[k]
        tables.append(table)
    log_odds = stack.log_odds(scores)
    if pairs is None:
        return AdditiveFit(tuple(columns), intercept, tables, log_odds, log_odds, (), np.zeros(scores.shape[1:]), stack)
    scale, center = float(stack.weights[-1]), stack.centers[-1]
    scaled = tuple(replace(each, table=np.round(scale * each.table, _DECIMALS) + 0.0) for each in pairs.tables)
    without = log_odds - scale * pairs.out_of_fold  # the intercept has taken the center
    return AdditiveFit(
        tuple(columns), intercept - scale * center, tables, log_odds, without, scaled, scale * pairs.fitted, stack
    )


def _by_evidence(fit: ShapeFit, columns: Sequence[int]) -> list[int]:
    """Return the columns of the largest Bayes factors first."""
    factors = fit.evidence(columns)
    return [columns[i] for i in np.argsort(-factors, kind="stable").tolist()]
