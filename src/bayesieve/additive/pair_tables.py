# SPDX-License-Identifier: BSD-3-Clause
"""Score tables of pairs of columns: log Bayes factor and posterior mean, from sums of derivatives per cell.

G and H are the first derivative and the curvature of the log-likelihood per cell of two columns, beside an offset. The
effects u of the cells have the quadratic log-likelihood G'u - u'diag(H)u / 2. Two hypotheses are compared:

    margins alone        u = X c,         c ~ N(0, I)          X: constant (nearly free), curve of each column
    cells differ, too    u = X c + R v,   v ~ N(0, t^2 I)      R R' = product of the kernels of both columns

Curves and cells have the kernel 1 - |i - j| / m over m blocks of bins, so that neighbors are alike. With c integrated
out, M the information and z the slope that are left of v,

    log Bayes factor = t^2 z'(I + t^2 M)^-1 z / 2 - log det(I + t^2 M) / 2

It is averaged over standard deviations t and resolutions; so is the table, the posterior mean of R v less its
projection on X. Hence a table holds only what two curves cannot express. Pairs are searched with four small standard
deviations and five resolutions. Tables of a model, whose pairs have been found to matter, have the finest resolution
and larger standard deviations.

With more than two classes each has a table. A pair has an effect on each class with probability 1/2, or with 1/8, which
are equally likely: one that matters to few of many classes is found, too. The curvature is then a bound, which favors
small standard deviations: tables of a model hence have t = 1 alone.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, NamedTuple

import numpy as np

from bayesieve._native import core
from bayesieve._typing import Floats
from bayesieve.additive.pair_algebra import fit_margins, fit_tables
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = [
    "CELL_SCALES",
    "SEARCH_PRIOR",
    "PairDesign",
    "TablePrior",
    "joint_factors",
    "log_bayes_factors",
    "model_prior",
    "pair_design",
    "posterior_margins",
    "posterior_tables",
]

CELL_SCALES: Final = (0.125, 0.25, 0.5, 1.0)  # standard deviations of a cell's effect, in log-odds
_CLASS_SHARES: Final = (0.125, 0.5)  # of classes on which a pair has an effect
_FREE: Final = 100.0  # standard deviation of the constant
_JITTER: Final = 1e-9  # the kernel is positive definite even after rounding


class TablePrior(NamedTuple):
    """Variances t^2 of a cell's effect, and blocks of bins of the two columns; tables are averaged over all."""

    variances: tuple[float, ...]
    blocks: tuple[tuple[int, int], ...]


SEARCH_PRIOR: Final = TablePrior(tuple(t * t for t in CELL_SCALES), ((8, 8), (4, 4), (2, 2), (2, 8), (8, 2)))
_TWO_CLASSES: Final = TablePrior((0.5, 1.0, 2.0, 4.0), ((8, 8),))
_CLASSES: Final = TablePrior((1.0,), ((8, 8),))


def model_prior(n_classes: int) -> TablePrior:
    """Return the prior of the tables of a model."""
    return _TWO_CLASSES if n_classes == 2 else _CLASSES


@dataclass(frozen=True)
class PairDesign:
    """Roots of the kernels of tables of n_a × n_b cells.

    ``margins`` has the shape (1 + n_a + n_b, n_a * n_b); ``roots`` holds two matrices (n_a, k_a) and (n_b, k_b) per
    resolution, whose Kronecker product is R.
    """

    shape: tuple[int, int]
    margins: Floats
    roots: tuple[tuple[Floats, Floats], ...]
    squared_scales: Floats

    @cached_property
    def native(self) -> "core.PairAlgebra":
        """The compiled core with this design."""
        return core.PairAlgebra(*self.shape, self.margins, self.roots, self.squared_scales)


@cache
def pair_design(n_a: int, n_b: int, prior: TablePrior = SEARCH_PRIOR) -> PairDesign:
    """Return the design of tables of this shape."""
    constant = np.full((1, n_a * n_b), _FREE)
    curve_a = np.repeat(_root(n_a, n_a).T, n_b, axis=1)
    curve_b = np.tile(_root(n_b, n_b).T, (1, n_a))
    blocks = dict.fromkeys((min(i, n_a), min(j, n_b)) for i, j in prior.blocks)
    roots = tuple((_root(n_a, i), _root(n_b, j)) for i, j in blocks)
    return PairDesign((n_a, n_b), np.concatenate([constant, curve_a, curve_b]), roots, np.array(prior.variances))


def log_bayes_factors(gradients: Floats, curvatures: Floats, n_threads: int = 1, backend: str = "auto") -> Floats:
    """Return the log Bayes factor of each table, given its sums per cell, both of shape (n_tables, n_a, n_b)."""
    n_a, n_b = gradients.shape[1:]
    return _fit(pair_design(n_a, n_b), (gradients, curvatures), False, n_threads, backend)[0]


def posterior_tables(
    gradients: Floats,
    curvatures: Floats,
    n_threads: int = 1,
    backend: str = "auto",
    prior: TablePrior = SEARCH_PRIOR,
) -> tuple[Floats, Floats]:
    """Return the log Bayes factor of each table and its posterior mean, of shape (n_tables, n_a, n_b)."""
    n_a, n_b = gradients.shape[1:]
    factors, means = _fit(pair_design(n_a, n_b, prior), (gradients, curvatures), True, n_threads, backend)
    return factors, means.reshape(gradients.shape)


def posterior_margins(gradients: Floats, curvatures: Floats, backend: str = "auto") -> Floats:
    """Return the posterior mean of margins alone, of shape (n_tables, n_a, n_b).

    With margins integrated out, the cells differ from these by the posterior mean of their table: the sum of both is
    the posterior mean of the effects ``u``.
    """
    n_tables, n_a, n_b = gradients.shape
    design = pair_design(n_a, n_b)
    g, h = (np.ascontiguousarray(sums.reshape(n_tables, n_a * n_b)) for sums in (gradients, curvatures))
    if core is not None and backend != "reference":
        return design.native.margins(g, h).reshape(gradients.shape)
    return fit_margins(design.margins, (g, h)).reshape(gradients.shape)


def joint_factors(by_score: Floats) -> Floats:
    """Return the log Bayes factors of pairs for all scores, given those of each, shape (n_scores, n_pairs)."""
    if len(by_score) == 1:
        return np.asarray(by_score[0])
    few, many = (_with_shares(by_score, share) for share in _CLASS_SHARES)
    top = np.maximum(few, many)
    return np.asarray(top + log_positive(0.5 + 0.5 * exp_nonpositive(-np.abs(few - many))))


def _with_shares(by_score: Floats, share: float) -> Floats:
    """Return joint log Bayes factors if each class has an effect with a given probability."""
    size = exp_nonpositive(-np.abs(by_score))
    none, some = np.where(by_score < 0.0, 1.0, size) * (1.0 - share), np.where(by_score < 0.0, size, 1.0) * share
    terms = np.maximum(by_score, 0.0) + log_positive(none + some)
    return np.asarray(np.cumsum(terms, axis=0)[-1])


def _fit(
    design: PairDesign, sums: tuple[Floats, Floats], with_means: bool, n_threads: int, backend: str
) -> tuple[Floats, Floats]:
    n_a, n_b = design.shape
    g, h = (np.ascontiguousarray(own.reshape(len(own), n_a * n_b)) for own in sums)
    if core is not None and backend != "reference":
        return design.native.fit(g, h, with_means, n_threads)
    return fit_tables(design.margins, design.roots, design.squared_scales, (g, h), with_means)


def _root(n_bins: int, n_blocks: int) -> Floats:
    """Return the Cholesky root of the kernel of blocks, per bin; in plain arithmetic, the same on every machine."""
    low = [[0.0] * n_blocks for _ in range(n_blocks)]
    for i in range(n_blocks):
        for j in range(i + 1):
            rest = 1.0 - (i - j) / n_blocks + (_JITTER if i == j else 0.0)
            for k in range(j):
                rest -= low[i][k] * low[j][k]
            low[i][j] = math.sqrt(rest) if i == j else rest / low[j][j]
    return np.array(low)[np.arange(n_bins) * n_blocks // n_bins]
