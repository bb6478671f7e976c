# SPDX-License-Identifier: BSD-3-Clause
"""Joint shapes in NumPy: the specification of the compiled fit, and its fallback."""

from typing import Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.shape_prior import ShapeBasis, ShapePriors, make_monotone, shape_posterior
from bayesieve.additive.shape_rows import ShapeRows
from bayesieve.exact import FIXED_ONE, exp_nonpositive, log_positive

__all__ = ["ReferenceShapeFit", "corrected", "mixture", "to_fixed"]

_MOST_CHANGE: Final = 2.0  # of a score in one update
_VARIANCE_UNIT: Final = 2.0**-30
_LEAST_HESSIAN: Final = 1e-6
_EIGHTH_OF_PI: Final = float.fromhex("0x1.921fb54442d18p-2")
_NEWTON_STEPS: Final = 3


def to_fixed(x: Floats) -> Floats:
    """Return multiples of 2^-40; below 2^12 these add up without rounding, in any order."""
    return np.rint(x * FIXED_ONE) * (1.0 / FIXED_ONE)


def mixture(
    basis: ShapeBasis, priors: ShapePriors, slopes: Floats, curvatures: Floats, weights: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean and variance of a mixture, the weights of its components, and the log Bayes factor.

    Likelihoods of shape (..., n_bins) are combined with the prior weights of the components at once.
    """
    posterior = shape_posterior(basis, priors, slopes, curvatures)
    logs = posterior.log_bayes_factor + log_positive(weights)
    top = logs.max(axis=-1)
    posterior_weights = exp_nonpositive(logs - top[..., None])
    total = np.cumsum(posterior_weights, axis=-1)[..., -1]
    posterior_weights = posterior_weights / total[..., None]
    mean, square = np.zeros(slopes.shape), np.zeros(slopes.shape)
    for m in range(1, len(weights)):
        weight, own = posterior_weights[..., m, None], posterior.mean[..., m, :]
        mean = mean + weight * own
        square = square + weight * (posterior.variance[..., m, :] + own * own)
    variance = np.maximum(square - mean * mean, 0.0)
    return mean, variance, posterior_weights, top + log_positive(total)


def corrected(sums: Ints, correction: tuple[Ints, Ints] | None, entries: slice) -> Ints:
    """Return first and second derivatives, shape (2, n_entries), as a correction by rows elsewhere has them."""
    if correction is None:
        return sums
    slopes, least = (each[entries].reshape(sums.shape[1:]) for each in correction)
    return np.array([sums[0] + slopes, np.maximum(sums[1], least)])


class ReferenceShapeFit:
    """The twin of the core's ShapeFit."""

    def __init__(
        self, rows: ShapeRows, priors: ShapePriors, fold: int | None, *, moderated: bool, intercept: float
    ) -> None:
        self._rows, self._priors, self._moderated = rows, priors, moderated
        begin, end = rows.fold(fold)
        self._training = np.r_[0:begin, end : rows.n_rows]
        self._intercept = float(to_fixed(np.array(intercept)))
        self._scores, self._variances = np.full(rows.n_rows, self._intercept), np.zeros(rows.n_rows)
        self._tables = [np.zeros(len(basis.gaps)) for basis in rows.bases]
        self._table_variances = [np.zeros(len(basis.gaps)) for basis in rows.bases]
        self._correction: tuple[Ints, Ints] | None = None

    def evidence(self, columns: Ints, numeric: Floats, nominal: Floats) -> Floats:
        """Return the log Bayes factor of each column beside the present fit, its own shape taken out."""
        gradients, hessians = self._gradients(self._moderated)
        factors = np.empty(len(columns))
        for i, k in enumerate(columns.tolist()):
            weights = nominal if self._rows.bases[k].nominal else numeric
            slopes, curvatures, _ = self._likelihood(k, gradients, hessians)
            factors[i] = float(mixture(self._rows.bases[k], self._priors, slopes, curvatures, weights)[3])
        return factors

    def cycle(self, columns: Ints, numeric: Floats, nominal: Floats) -> tuple[float, Floats, Floats]:
        """Update columns in turn, then the intercept; return how far they moved and sums of component weights."""
        sums, moved = (np.zeros(len(numeric)), np.zeros(len(nominal))), 0.0
        for k in columns.tolist():
            basis = self._rows.bases[k]
            slopes, curvatures, total = self._likelihood(k, *self._gradients(self._moderated))
            prior = nominal if basis.nominal else numeric
            mean, variance, weights, _ = mixture(basis, self._priors, slopes, curvatures, prior)
            sums[basis.nominal][:] += weights
            moved += self._move(k, mean, variance, curvatures, total)
        self._improve_intercept()
        return moved, *sums

    def shift(self, change: Floats) -> None:
        """Add something else to the log-odds of each row."""
        self._scores = self._scores + change

    def go_to(self, intercept: float, tables: Floats, variances: Floats) -> None:
        """Go to an intercept and tables from anywhere, what else was added to the log-odds taken away."""
        rows, ends = self._rows, self._rows.offsets[1:-1]
        self._intercept = float(to_fixed(np.array(intercept)))
        self._scores, self._variances = np.full(rows.n_rows, self._intercept), np.zeros(rows.n_rows)
        self._tables = [each.copy() for each in np.split(tables, ends)][: rows.n_columns]
        for codes, table in zip(rows.codes, self._tables, strict=True):
            self._scores = self._scores + table[codes]
        if self._moderated:
            self._table_variances = [each.copy() for each in np.split(variances, ends)][: rows.n_columns]
            for codes, table in zip(rows.codes, self._table_variances, strict=True):
                self._variances = self._variances + table[codes]

    def sums(self) -> Ints:
        """Return first and second derivatives per bin, and last, not moderated, of all training rows."""
        gradients, hessians = self._gradients(self._moderated)
        columns = [self._bin_sums(k, gradients, hessians) for k in range(self._rows.n_columns)]
        totals = [[each.sum()] for each in self._gradients(moderated=False)]
        return np.concatenate([*columns, np.array(totals)], axis=1).T.copy()

    def correct(self, slopes: Ints, least: Ints) -> None:
        """From now on add slopes to first derivatives, and let second ones have a least value."""
        self._correction = slopes, least

    def variances(self) -> Floats:
        """Return the variances of all bins of all columns, where they are moderated."""
        return np.concatenate([np.empty(0), *(self._table_variances if self._moderated else [])])

    def intercept(self) -> float:
        """Return the intercept."""
        return self._intercept

    def scores(self, begin: int, end: int) -> Floats:
        """Return the log-odds of some rows, of held-out ones too."""
        return self._scores[begin:end].copy()

    def tables(self) -> Floats:
        """Return the scores of all bins of all columns."""
        return np.concatenate([np.empty(0), *self._tables])

    def _gradients(self, moderated: bool) -> tuple[Ints, Ints]:
        """Return gradient and negated hessian of the log-likelihood of the training rows, rounded."""
        rows, training = self._rows, self._training
        shrinkage = np.ones(len(training))
        if moderated:
            shrinkage = 1.0 / np.sqrt(1.0 + _EIGHTH_OF_PI * self._variances[training])
        z, scale = shrinkage * self._scores[training], rows.scale[training]
        e = exp_nonpositive(np.where(z < 0.0, z, -z))
        likely = 1.0 / (1.0 + e)
        unlikely = e * likely
        hessians = np.maximum(shrinkage * unlikely * likely, _LEAST_HESSIAN)
        gradients = rows.target[training] - np.where(z < 0.0, unlikely, likely)
        return np.rint(gradients * scale).astype(np.int64), np.rint(hessians * scale).astype(np.int64)

    def _likelihood(self, k: int, gradients: Ints, hessians: Ints) -> tuple[Floats, Floats, float]:
        """Return R and H of the quadratic log-likelihood of a column's scores, and the sum of H."""
        table, unit, begin = self._tables[k], self._rows.unit, int(self._rows.offsets[k])
        sums = corrected(self._bin_sums(k, gradients, hessians), self._correction, slice(begin, begin + len(table)))
        curvatures = sums[1] * unit
        slopes = sums[0] * unit + curvatures * table
        slope, total = (
            float(np.cumsum(slopes)[-1]),
            float(np.cumsum(curvatures)[-1]) or unit,
        )  # rounded to 0 if all are sure
        return slopes - curvatures * slope / total, curvatures, total

    def _bin_sums(self, k: int, gradients: Ints, hessians: Ints) -> Ints:
        codes = self._rows.codes[k][self._training]
        sums = np.zeros((2, len(self._tables[k])), dtype=np.int64)
        np.add.at(sums[0], codes, gradients)
        np.add.at(sums[1], codes, hessians)
        return sums

    def _move(self, k: int, mean: Floats, variance: Floats, curvatures: Floats, total: float) -> float:
        """Go to the posterior mean, centered; return how far."""
        rows, table, codes = self._rows, self._tables[k], self._rows.codes[k]
        if rows.monotone[k]:
            mean = make_monotone(mean, curvatures, int(rows.missing[k]), int(rows.monotone[k]))
        level = float(np.cumsum(curvatures * mean)[-1])
        change = np.clip(mean - level / total - table, -_MOST_CHANGE, _MOST_CHANGE)
        after = to_fixed(table + change)
        change = after - table
        self._tables[k] = after
        self._scores = self._scores + change[codes]
        if self._moderated:
            fixed = np.rint(variance / _VARIANCE_UNIT) * _VARIANCE_UNIT
            self._variances = self._variances + (fixed - self._table_variances[k])[codes]
            self._table_variances[k] = fixed
        return float(np.cumsum(curvatures * change * change)[-1])

    def _improve_intercept(self) -> None:
        """Make Newton steps, not moderated: the mean probability becomes the share of the class."""
        for _ in range(_NEWTON_STEPS):
            totals = np.array([[each.sum()] for each in self._gradients(moderated=False)])
            (slope,), (curvature,) = corrected(totals, self._correction, slice(-1, None)).tolist()
            step = float(slope) / max(float(curvature), 1.0)
            change = float(to_fixed(np.array(min(max(step, -1.0), 1.0))))
            self._intercept += change
            self._scores = self._scores + change
