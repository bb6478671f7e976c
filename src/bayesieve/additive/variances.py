# SPDX-License-Identifier: BSD-3-Clause
"""Posterior variances of the scores of bins, cells and the intercept of a fit.

At the scores of a fit, gradients and curvatures of the rows per bin give each column a quadratic log-likelihood. Each
member's priors turn it into a posterior mean and variance per bin; a column has the variance of the members' mixture,
by their weights in the stack. Terms count as independent, so that the variance of a row's score is a sum of an entry
per term and that of the intercept,

    1 / sum of H + sum over columns k of var_k(bin) + sum over pairs of var(cell)

To that end tables have no level, which is the intercept's.

With a score per class, the curvature of class c is the sum of p_c over the rows of a bin: scores of classes then count
as independent, and contrasts of classes have the variance that the full curvature, diag(p) - p p', gives them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bayesieve._native import core
from bayesieve._typing import Floats, Ints
from bayesieve.additive.block_sums import StackedFits
from bayesieve.additive.cell_prior import PairAxis, axis_blocks, pair_design, weak_prior
from bayesieve.additive.cell_variances import cell_variances
from bayesieve.additive.constants import PAIR_BINS, MemberPriors
from bayesieve.additive.fit import FitState, mixture, prior_variances, prior_weights
from bayesieve.additive.members import AdditiveFit, PairFit, members_at_end, members_of_path, priors_of
from bayesieve.additive.pair_data import PairData
from bayesieve.additive.pair_tables import Pair
from bayesieve.additive.priors import ShapePriors
from bayesieve.additive.rows import AdditiveRows
from bayesieve.exact import nearest_fixed, ordered_sum

__all__ = [
    "FitVariances",
    "PairVariances",
    "TermCounts",
    "TermSums",
    "TermVariances",
    "column_posteriors",
    "column_posteriors_numpy",
    "joint_model",
    "posterior_variances",
]

_NO_PRIORS: Final = ShapePriors((1.0,), (), (1.0,))


@dataclass(frozen=True)
class TermVariances:
    """Posterior variances of the intercept, of bins per column and of cells per pair; the last axis is that of scores.

    ``intercept`` has the shape (n_scores,), the others those of their tables.
    """

    intercept: Floats
    columns: list[Floats]
    pairs: list[Floats]

    def of_columns(self, places: Sequence[int]) -> "TermVariances":
        """Return the variances of some of the columns, and all others."""
        return replace(self, columns=[self.columns[i] for i in places])


@dataclass(frozen=True)
class TermSums:
    """Sums of gradients and curvatures of the rows, in nats, at the scores of a fit.

    Attributes
    ----------
    bins : array of shape (n_bins, n_scores, 2)
        Of all columns of the fit.
    total : array of shape (n_scores, 2)
        Of all rows.
    cells : list of arrays of shape (n_a, n_b, n_scores, 2)
        Of each pair.
    """

    bins: Floats
    total: Floats
    cells: list[Floats]

    @classmethod
    def of_fit(cls, fit: AdditiveFit, sums: Floats) -> "TermSums":
        """Return sums in nats that `joint_model` has asked rows for."""
        n_scores = len(fit.intercept)
        n_bins = sum(len(table) for table in fit.tables)
        ends = np.cumsum([n_bins, 1, *(pair.table[..., 0].size for pair in fit.pairs)])
        bins, total, *cells = np.split(sums.reshape(-1, n_scores, 2), ends)
        shaped = [own.reshape(*pair.table.shape, 2) for own, pair in zip(cells, fit.pairs, strict=False)]
        return cls(bins, total[0], shaped)


@dataclass(frozen=True)
class TermCounts:
    """Weights of the classes, the last axis: in bins of columns, in cells of pairs, and of all rows."""

    columns: Sequence[Floats]
    pairs: Sequence[Floats]
    total: Floats


def joint_model(fit: AdditiveFit) -> StackedFits:
    """Return a fit as a model whose sums rows can be asked for."""
    n_scores, intercept = len(fit.intercept), nearest_fixed(fit.intercept)
    entries = nearest_fixed(np.concatenate([np.empty(0), *(table.ravel() for table in fit.tables)]))
    tables = tuple(nearest_fixed(pair.table.reshape(-1, n_scores)) for pair in fit.pairs)
    state = FitState(intercept, entries, np.empty(0), ())
    return StackedFits(((_NO_PRIORS, 0.0),), (state,), np.ones(1), tables, intercept)


class PairVariances:
    """Variances of the cells of tables of pairs.

    They are those of at most 8 × 8 blocks of cells, in whose place finer ones take longer and differ little. A pair has
    those of the first fit that has it: its curvatures hardly depend on the other terms, and a path has the
    same pair in many fits.
    """

    def __init__(self, data: PairData | None) -> None:
        self._data = data
        self._known: dict[Pair, Floats] = {}

    def __call__(self, pair: PairFit, sums: Floats, counts: Floats) -> Floats:
        """Return the variances of a table of shape (n_a, n_b, n_scores), given its sums and the weights of classes."""
        assert self._data is not None
        if pair.columns not in self._known:
            rows = self._data.fine
            curvatures = rows.loss.separate_curvatures(sums, counts)
            slopes = sums[..., 0] + curvatures * pair.table
            blocks = [axis_blocks(rows.axis(k), PAIR_BINS) for k in pair.columns]
            design = pair_design(*(PairAxis(int(own[-1]) + 1) for own in blocks), weak_prior(rows.loss.tuning))
            by_score = zip(*(np.moveaxis(_of_blocks(own, blocks), -1, 0) for own in (slopes, curvatures)), strict=True)
            variances = np.stack([cell_variances(design, *own) for own in by_score], axis=-1)
            self._known[pair.columns] = variances[np.ix_(*blocks)]
        return self._known[pair.columns]


def _of_blocks(sums: Floats, blocks: Sequence[Ints]) -> Floats:
    """Return the sums of cells per block of rows and of columns."""
    first_a, first_b = (np.flatnonzero(np.diff(own, prepend=-1)) for own in blocks)
    return np.asarray(np.add.reduceat(np.add.reduceat(sums, first_a, axis=0), first_b, axis=1))


class FitVariances:
    """Variances of fits of the same rows."""

    def __init__(self, rows: AdditiveRows, pairs: PairData | None, backend: str) -> None:
        self._rows, self._pairs, self._backend = rows, pairs, backend
        n_classes = len(rows.loss.class_scores(np.zeros(rows.loss.n_scores)))
        self._target, self._n_classes = rows.loss.classes_of(rows.target), n_classes
        self._counts: dict[int | Pair, Floats] = {}
        self._of_pairs = PairVariances(pairs)

    def __call__(self, fit: AdditiveFit) -> TermVariances:
        """Return the variances of a fit."""
        rows, pairs = self._rows.of_columns(fit.columns, self._rows.weights, self._rows.bits), self._pairs
        cells = [] if pairs is None else [pairs.cells(pair.columns) for pair in fit.pairs]
        own, _ = joint_model(fit).sums(rows, cells, self._backend)
        sums = TermSums.of_fit(fit, np.asarray(own.gradients * rows.unit))
        of_pairs = [self._counts_of(pair.columns).reshape(*pair.table.shape[:2], -1) for pair in fit.pairs]
        total = np.asarray(np.bincount(self._target, rows.weights, self._n_classes), dtype=np.float64)
        counts = TermCounts([self._counts_of(k) for k in fit.columns], of_pairs, total)
        return posterior_variances(rows, fit, sums, counts, self._of_pairs, self._backend)

    def _counts_of(self, term: int | Pair) -> Floats:
        if term not in self._counts:
            if isinstance(term, int):
                self._counts[term] = self._count(self._rows.codes[term], len(self._rows.bases[term].gaps))
            else:
                assert self._pairs is not None
                self._counts[term] = self._count(self._pairs.cells(term), int(np.prod(self._pairs.fine.shape(term))))
        return self._counts[term]

    def _count(self, codes: Ints, n: int) -> Floats:
        """Return the weight of the rows of each class per code, shape (n, n_classes)."""
        place = codes.astype(np.intp) * self._n_classes + self._target
        counts = np.bincount(place, self._rows.weights, n * self._n_classes)
        return np.asarray(counts, dtype=np.float64).reshape(n, self._n_classes)


def posterior_variances(
    rows: AdditiveRows,
    fit: AdditiveFit,
    sums: TermSums,
    counts: TermCounts,
    pairs: PairVariances,
    backend: str = "auto",
) -> TermVariances:
    """Return the variances of a fit of all columns of rows."""
    loss = rows.loss
    total = loss.separate_curvatures(sums.total, counts.total)
    variances = TermVariances(1.0 / np.maximum(total, rows.unit), [], [])
    if not fit.columns or fit.stack is None:
        return variances
    curvatures = loss.separate_curvatures(sums.bins, np.concatenate(counts.columns))
    slopes = sums.bins[..., 0] + curvatures * np.concatenate(fit.tables)
    slopes, curvatures = _without_neutral(rows, slopes, curvatures)
    by_bin = _of_members(rows, fit, slopes, curvatures, backend)
    of_cells = [pairs(*each) for each in zip(fit.pairs, sums.cells, counts.pairs, strict=True)]
    return replace(variances, columns=np.split(by_bin, rows.offsets[1:-1]), pairs=of_cells)


def _without_neutral(rows: AdditiveRows, slopes: Floats, curvatures: Floats) -> tuple[Floats, Floats]:
    """Return the same where neutral missing values have no likelihood of their own: they have the mean score."""
    slopes, curvatures = slopes.copy(), curvatures.copy()
    for k, (begin, end) in enumerate(zip(rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), strict=True)):
        if (shares := rows.neutral_shares(k)) is not None:
            slopes[begin:end] += shares[:, None] * slopes[begin]
            slopes[begin] = curvatures[begin] = 0.0
    return slopes, curvatures


def _of_members(rows: AdditiveRows, fit: AdditiveFit, slopes: Floats, curvatures: Floats, backend: str) -> Floats:
    """Return the variance of the mixture of members, by their weights in the stack."""
    assert fit.stack is not None
    members = members_at_end(rows.loss) if fit.states else members_of_path(rows)
    weights = fit.stack.weights[: len(members)]
    total = ordered_sum(weights)
    shares = weights / total if total > 0.0 else np.full(len(members), 1.0 / len(members))
    mean, square = np.zeros_like(slopes), np.zeros_like(slopes)
    for share, member in zip(shares.tolist(), members, strict=True):
        own, variance = column_posteriors(rows, member, slopes, curvatures, backend)
        mean += share * own
        square += share * (variance + own * own)
    return np.maximum(square - mean * mean, 0.0)


def column_posteriors(
    rows: AdditiveRows, member: MemberPriors, slopes: Floats, curvatures: Floats, backend: str = "auto"
) -> tuple[Floats, Floats]:
    """Return posterior means and variances per bin and score, shape (n_bins, n_scores), of tables without a level."""
    priors = priors_of(member)
    numeric, nominal = (prior_weights(priors, member.no_effect, nominal=each) for each in (False, True))
    if core is None or backend == "reference":
        return column_posteriors_numpy(rows, member, slopes, curvatures)
    return core.column_posteriors(
        rows.basis_arrays, prior_variances(priors), (numeric, nominal), *map(np.ascontiguousarray, (slopes, curvatures))
    )


def column_posteriors_numpy(
    rows: AdditiveRows, member: MemberPriors, slopes: Floats, curvatures: Floats
) -> tuple[Floats, Floats]:
    """Return the same in NumPy: the specification."""
    means, variances, priors = np.empty_like(slopes), np.empty_like(slopes), priors_of(member)
    for k, basis in enumerate(rows.bases):
        own, n_walks = slice(*rows.offsets[k : k + 2].tolist()), len(priors.walks)
        weights = prior_weights(priors, member.no_effect, nominal=basis.nominal)
        r, h = slopes[own].T, np.ascontiguousarray(curvatures[own].T)
        total, slope = ordered_sum(h, 1)[:, None], ordered_sum(r, 1)[:, None]
        total = np.where(total == 0.0, 1.0, total)
        mean, variance, shares, _ = mixture(basis, priors, r - h * slope / total, h, weights)
        if basis.nominal:  # bins are independent
            square = ordered_sum(h * h * variance, 1)[:, None]
            variance = variance - 2.0 * h * variance / total + square / (total * total)
        else:  # the level of a walk is free
            variance = variance - ordered_sum(shares[:, 1 : 1 + n_walks], 1)[:, None] / total
        means[own] = (mean - ordered_sum(h * mean, 1)[:, None] / total).T
        variances[own] = np.maximum(variance, 0.0).T
    return means, variances
