"""Score tables of pairs of columns: log Bayes factor and posterior mean, from sums of derivatives per cell.

G and H are the first derivative and the curvature of the log-likelihood per cell of two columns, beside an offset. The
effects u of the cells have the quadratic log-likelihood G'u - u'diag(H)u / 2. Two hypotheses are compared:

    margins alone        u = X c,         c ~ N(0, I)          X: constant (nearly free), curve of each column
    cells differ, too    u = X c + R v,   v ~ N(0, t^2 I)      R R' = tent kernels of both columns

Curves and cells have the kernel 1 - |i - j| / m over m blocks of bins, so that neighbors are alike. The log Bayes
factor is averaged over four standard deviations t and five resolutions; so is the table, the posterior mean of R v
without its projection on X. Hence a table holds only what two curves cannot express.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from bayesieve._typing import Floats

__all__ = ["CELL_SCALES", "PairDesign", "log_bayes_factors", "pair_design", "posterior_tables"]

CELL_SCALES: Final = (0.125, 0.25, 0.5, 1.0)  # standard deviations of a cell's effect, in log-odds
_RESOLUTIONS: Final = ((8, 8), (4, 4), (2, 2), (2, 8), (8, 2))  # blocks of bins of the two columns
_MARGIN_BLOCKS: Final = 16
_FREE: Final = 100.0  # standard deviation of the constant
_JITTER: Final = 1e-9  # the tent kernel of two blocks is singular without
_BATCH: Final = 32  # tables at a time: their matrices stay in the cache
# Linear algebra libraries differ in the last bits; results are rounded to multiples of these.
_FACTOR_STEP: Final = 2.0**-20
_TABLE_STEP: Final = 2.0**-30


@dataclass(frozen=True)
class PairDesign:
    """Roots of the kernels of a table of n_a × n_b cells.

    ``margins`` has the shape (n_cells, n_a + n_b + 1 at most); ``roots`` holds one matrix (n_cells, n_blocks) per
    resolution.
    """

    margins: Floats
    roots: tuple[Floats, ...]


@cache
def pair_design(n_a: int, n_b: int) -> PairDesign:
    """Return the design of tables of this shape."""
    constant = np.full((n_a * n_b, 1), _FREE)
    curve_a = np.kron(_tent_root(n_a, _MARGIN_BLOCKS), np.ones((n_b, 1)))
    curve_b = np.kron(np.ones((n_a, 1)), _tent_root(n_b, _MARGIN_BLOCKS))
    blocks = dict.fromkeys((min(i, n_a), min(j, n_b)) for i, j in _RESOLUTIONS)
    roots = [np.asarray(np.kron(_tent_root(n_a, i), _tent_root(n_b, j)), dtype=np.float64) for i, j in blocks]
    return PairDesign(np.hstack([constant, curve_a, curve_b]), tuple(roots))


def log_bayes_factors(gradients: Floats, curvatures: Floats) -> Floats:
    """Return the log Bayes factor of each table, given its sums per cell, both of shape (n_tables, n_a, n_b)."""
    result = np.empty(len(gradients))
    for begin in range(0, len(result), _BATCH):
        part = slice(begin, begin + _BATCH)
        problem = _CellProblem(gradients[part], curvatures[part])
        result[part] = _log_mean(np.concatenate([problem.factors(root) for root in problem.design.roots], axis=1))
    return _rounded(result, _FACTOR_STEP)


def posterior_tables(gradients: Floats, curvatures: Floats) -> tuple[Floats, Floats]:
    """Return the log Bayes factor of each table and its posterior mean, of shape (n_tables, n_a, n_b)."""
    problem = _CellProblem(gradients, curvatures)
    roots = problem.design.roots
    factors = np.stack([problem.factors(root) for root in roots])  # (n_roots, n_tables, n_scales)
    per_table = np.moveaxis(factors, 1, 0).reshape(len(gradients), -1)
    shares = np.exp(factors - per_table.max(axis=1)[None, :, None])
    shares /= shares.sum(axis=(0, 2))[None, :, None]
    cells = np.zeros((len(gradients), problem.gradient.shape[1]))
    for root, share in zip(roots, shares, strict=True):
        cells += problem.means(root, share) @ root.T
    tables = problem.without_margins(cells).reshape(gradients.shape)
    return _rounded(_log_mean(per_table), _FACTOR_STEP), _rounded(tables, _TABLE_STEP)


class _CellProblem:
    """Sums per cell of several tables of one shape, after the margins have been integrated out."""

    def __init__(self, gradients: Floats, curvatures: Floats) -> None:
        n_tables, n_a, n_b = gradients.shape
        self.design = pair_design(n_a, n_b)
        x, h = self.design.margins, curvatures.reshape(n_tables, -1)
        g = gradients.reshape(n_tables, -1)
        weighted = h[:, :, None] * x  # (n_tables, n_cells, n_margins)
        precision = x.T @ weighted + np.eye(x.shape[1])
        # S = (X'HX + I)^-1 X'H: the posterior mean of the margins of a table
        self._margins = np.linalg.solve(precision, np.swapaxes(weighted, 1, 2))
        self.gradient = g - ((g @ x)[:, None, :] @ self._margins)[:, 0]
        information = -(weighted @ self._margins)
        diagonal = np.arange(h.shape[1])
        information[:, diagonal, diagonal] += h
        self._information = (information + np.swapaxes(information, 1, 2)) / 2.0
        self._scales = np.array(CELL_SCALES) ** 2

    def factors(self, root: Floats) -> Floats:
        """Return the log Bayes factor per table and scale: t^2 z'(I + t^2 M)^-1 z / 2 - log det(I + t^2 M) / 2."""
        precision, slope = self._posterior(root)
        size = root.shape[1]
        # The last row of the Cholesky factor of [[A, z], [z', c]] is z' L'^-1.
        bordered = np.zeros((*precision.shape[:2], size + 1, size + 1))
        bordered[..., :size, :size] = precision
        bordered[..., size, :size] = slope[:, None, :]
        bordered[..., size, size] = (2.0 + (slope**2).sum(axis=1))[:, None]
        low = np.linalg.cholesky(bordered)
        half_log_det = np.log(np.diagonal(low, axis1=2, axis2=3)[..., :size]).sum(axis=2)
        return np.asarray(0.5 * self._scales * (low[..., size, :size] ** 2).sum(axis=2) - half_log_det)

    def means(self, root: Floats, shares: Floats) -> Floats:
        """Return the posterior mean of v, summed over scales with these shares (n_tables, n_scales)."""
        precision, slope = self._posterior(root)
        column = np.repeat(slope[:, None, :, None], len(self._scales), axis=1)
        solution = np.linalg.solve(precision, column)[..., 0]
        return np.asarray(((self._scales * shares)[:, :, None] * solution).sum(axis=1))

    def without_margins(self, cells: Floats) -> Floats:
        """Return effects of cells less the posterior mean of their margins."""
        return np.asarray(cells - ((self._margins @ cells[:, :, None])[:, :, 0] @ self.design.margins.T))

    def _posterior(self, root: Floats) -> tuple[Floats, Floats]:
        """Return I + t^2 M per table and scale, and z = R'g per table."""
        information = root.T @ (self._information @ root)
        precision = self._scales[None, :, None, None] * information[:, None]
        diagonal = np.arange(root.shape[1])
        precision[:, :, diagonal, diagonal] += 1.0
        return precision, self.gradient @ root


def _tent_root(n_bins: int, n_blocks: int) -> Floats:
    """Return the Cholesky root of the kernel 1 - |i - j| / m over m blocks of bins: unit variance, neighbors alike."""
    m = min(n_blocks, n_bins)
    block = np.arange(m)
    kernel = 1.0 - np.abs(block[:, None] - block) / m + _JITTER * np.eye(m)
    root: Floats = np.linalg.cholesky(kernel)
    return root[np.arange(n_bins) * m // n_bins]


def _log_mean(log_values: Floats) -> Floats:
    """Return the logarithm of the mean of the exponentials along the last axis."""
    top = log_values.max(axis=1)
    return np.asarray(top + np.log(np.exp(log_values - top[:, None]).mean(axis=1)))


def _rounded(values: Floats, step: float) -> Floats:
    return np.asarray(np.rint(values / step) * step)
