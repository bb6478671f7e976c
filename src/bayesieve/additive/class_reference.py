# SPDX-License-Identifier: BSD-3-Clause
"""Joint shapes of three classes and more in NumPy: the specification of the compiled fit, and its fallback.

The score of a class is an intercept plus one entry per column; probabilities are the softmax. All classes of a column
are updated together. The quadratic of a class has the curvature ``p min(1, 2 (1 - p))``, whose sum over classes bounds
the curvature of the softmax from above, so that the update cannot overshoot and its fixed point is the optimum.
"""

from typing import Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.reference import corrected, mixture, to_fixed
from bayesieve.additive.shape_prior import ShapePriors, make_monotone
from bayesieve.additive.shape_rows import ShapeRows
from bayesieve.exact import exp_nonpositive

__all__ = ["ReferenceClassShapeFit"]

_MOST_CHANGE: Final = 2.0  # of a score in one update
_NEWTON_STEPS: Final = 3  # of the intercepts, per cycle
_LEAST_CURVATURE: Final = 1e-6
_LEAST_PROBABILITY: Final = 1e-290


class ReferenceClassShapeFit:
    """The twin of the core's ClassShapeFit."""

    def __init__(self, rows: ShapeRows, priors: ShapePriors, fold: int | None, intercepts: Floats, tables: Floats):
        self._rows, self._priors = rows, priors
        begin, end = rows.fold(fold)
        self._training = np.r_[0:begin, end : rows.n_rows]
        self._scale, self._truth = rows.scale[self._training], rows.target[self._training].astype(np.intp)
        self._intercepts = to_fixed(intercepts)
        by_column = np.split(tables.reshape(-1, rows.n_classes), rows.offsets[1:-1])
        self._tables = [table.copy() for table in by_column[: rows.n_columns]]
        self._offset = np.zeros((rows.n_rows, rows.n_classes))
        self._correction: tuple[Ints, Ints] | None = None
        self._set_probabilities()

    def evidence(self, columns: Ints, numeric: Floats, nominal: Floats) -> Floats:
        """Return the sum of the log Bayes factors of each column for the classes that it has evidence of."""
        factors = np.zeros(len(columns))
        for i, k in enumerate(columns.tolist()):
            weights = nominal if self._rows.bases[k].nominal else numeric
            slopes, curvatures, _ = self._likelihoods(k, self._rows.codes[k][self._training])
            factor = mixture(self._rows.bases[k], self._priors, slopes, curvatures, weights)[3]
            factors[i] = np.cumsum(np.maximum(factor, 0.0))[-1]
        return factors

    def cycle(self, columns: Ints, numeric: Floats, nominal: Floats) -> tuple[float, Floats, Floats]:
        """Update columns in turn, then the intercepts; return how far they moved and sums of component weights."""
        sums, moved = (np.zeros(len(numeric)), np.zeros(len(nominal))), 0.0
        for k in columns.tolist():
            basis = self._rows.bases[k]
            prior = nominal if basis.nominal else numeric
            slopes, curvatures, mass = self._likelihoods(k, self._rows.codes[k][self._training])
            means, _, weights, _ = mixture(basis, self._priors, slopes, curvatures, prior)
            for own in weights:  # class by class, as the core adds them up
                sums[basis.nominal][:] += own
            moved += self._move(k, means, curvatures, mass)
        self._improve_intercepts()
        return moved, *sums

    def shift(self, change: Floats) -> None:
        """Add something else to the scores of each row."""
        self._offset = self._offset + change.reshape(self._offset.shape)
        self._set_probabilities()

    def sums(self) -> Ints:
        """Return first and second derivatives per bin and class, and last of all training rows."""
        every = [*self._rows.codes, np.zeros(self._rows.n_rows, dtype=np.int64)]
        parts = []
        for codes, n_bins in zip(every, [*np.diff(self._rows.offsets).tolist(), 1], strict=True):
            truth, expected, curved = self._sums(codes[self._training], n_bins)
            parts.append(np.stack([(truth - expected).ravel(), curved.ravel()], axis=1))
        return np.concatenate(parts)

    def correct(self, slopes: Ints, least: Ints) -> None:
        """From now on add slopes to first derivatives, and let second ones have a least value."""
        self._correction = slopes, least

    def intercepts(self) -> Floats:
        """Return the intercept of each class."""
        return self._intercepts.copy()

    def scores(self, begin: int, end: int) -> Floats:
        """Return the scores of some rows, shape (end - begin, n_classes)."""
        z = self._intercepts + self._offset[begin:end]
        for codes, table in zip(self._rows.codes, self._tables, strict=True):
            z = z + table[codes[begin:end]]
        return z

    def tables(self) -> Floats:
        """Return the scores of all bins of all columns and classes."""
        return np.concatenate([np.empty(0), *(table.ravel() for table in self._tables)])

    def _set_probabilities(self) -> None:
        z = self.scores(0, self._rows.n_rows)[self._training]
        self._p = np.zeros((len(z), -(-z.shape[1] // 4) * 4))  # in blocks of four, as the core adds them up
        self._p[:, : z.shape[1]] = exp_nonpositive(z - z.max(axis=1, keepdims=True))
        self._multiply(np.ones_like(self._p))

    def _multiply(self, factors: Floats) -> None:
        """Multiply probabilities by factors, and normalize."""
        p = self._p * factors
        lanes = np.zeros((len(p), 4))
        for first in range(0, p.shape[1], 4):
            lanes = lanes + p[:, first : first + 4]
        total = (lanes[:, 0] + lanes[:, 1]) + (lanes[:, 2] + lanes[:, 3])
        self._p = np.maximum(p * (1.0 / total)[:, None], _LEAST_PROBABILITY)

    def _sums(self, codes: Ints, n_bins: int) -> tuple[Ints, Ints, Ints]:
        """Return per bin and class: the weight of the class, of its probability, and the curvature, as integers."""
        p, scale = self._p[:, : self._rows.n_classes], self._scale[:, None]
        curvatures = np.maximum(p * np.minimum(2.0 * (1.0 - p), 1.0), _LEAST_CURVATURE)
        truth, expected, curved = (np.zeros((n_bins, p.shape[1]), dtype=np.int64) for _ in range(3))
        np.add.at(truth, (codes, self._truth), np.rint(self._scale).astype(np.int64))
        np.add.at(expected, codes, np.rint(p * scale).astype(np.int64))
        np.add.at(curved, codes, np.rint(curvatures * scale).astype(np.int64))
        return truth, expected, curved

    def _likelihoods(self, k: int, codes: Ints) -> tuple[Floats, Floats, Floats]:
        """Return R and H of the quadratic log-likelihoods, (n_classes, n_bins), and the weight of each bin."""
        table, unit = self._tables[k], self._rows.unit
        truth, expected, curved = self._sums(codes, len(table))
        first = int(self._rows.offsets[k]) * self._rows.n_classes
        sums = corrected(np.array([truth - expected, curved]), self._correction, slice(first, first + truth.size))
        mass = np.cumsum(truth * unit, axis=1)[:, -1]
        curvatures = np.ascontiguousarray(sums[1].T * unit, dtype=np.float64)
        slopes = sums[0].T * unit + curvatures * table.T
        slope, total = (np.cumsum(each, axis=1)[:, -1:] for each in (slopes, curvatures))
        return slopes - curvatures * slope / total, curvatures, mass

    def _move(self, k: int, means: Floats, curvatures: Floats, mass: Floats) -> float:
        """Go to the posterior means, shape (n_classes, n_bins); return how far."""
        table, n_classes, n_bins = self._tables[k], len(means), means.shape[1]
        is_monotone, step = bool(self._rows.monotone[k]), 1.0
        if is_monotone:
            means = self._monotone(k, means, curvatures)
        changes = means - table.T
        total, level = (np.cumsum(each, axis=1)[:, -1:] for each in (curvatures, curvatures * changes))
        changes = changes - level / total
        largest = float(np.abs(changes).max())
        if is_monotone and largest > _MOST_CHANGE:  # a step that is cut bin by bin could break the order
            step = _MOST_CHANGE / largest
        after = to_fixed(table + np.clip(changes * step, -_MOST_CHANGE, _MOST_CHANGE).T)
        factors = np.zeros((n_bins, self._p.shape[1]))
        factors[:, :n_classes] = exp_nonpositive(after - table - _MOST_CHANGE)
        # Neither of the two centers changes a probability.
        after = after - to_fixed(np.cumsum(after, axis=1)[:, -1] / n_classes)[:, None]
        level = to_fixed(np.cumsum(mass[:, None] * after, axis=0)[-1] / float(np.cumsum(mass)[-1]))
        self._intercepts = self._intercepts + level
        after = after - level
        moved = float(np.cumsum((curvatures * (after - table).T * (after - table).T).ravel())[-1])
        self._tables[k] = after
        self._multiply(factors[self._rows.codes[k][self._training]])
        return moved

    def _monotone(self, k: int, means: Floats, curvatures: Floats) -> Floats:
        """Make the lead of one class over every other rise, or fall, from bin to bin."""
        c, first, sign = int(self._rows.lead[k]), int(self._rows.missing[k]), int(self._rows.monotone[k])
        leads = [
            make_monotone(means[c] - other, own, first, sign) for other, own in zip(means, curvatures, strict=True)
        ]
        return np.array([means[c] if q == c else means[c] - leads[q] for q in range(len(means))])

    def _improve_intercepts(self) -> None:
        """Make Newton steps: the mean probability of each class becomes its share."""
        n_classes, nothing = self._rows.n_classes, np.zeros(len(self._p), dtype=np.int64)
        for _ in range(_NEWTON_STEPS):
            truth, expected, curved = self._sums(nothing, 1)
            totals = np.array([truth[0] - expected[0], curved[0]])
            slopes, curvatures = corrected(totals, self._correction, slice(-n_classes, None)).astype(np.float64)
            steps = slopes / curvatures
            change = to_fixed(np.clip(steps, -_MOST_CHANGE, _MOST_CHANGE))
            factors = np.zeros(self._p.shape[1])
            factors[:n_classes] = exp_nonpositive(change - _MOST_CHANGE)
            intercepts = self._intercepts + change
            self._intercepts = intercepts - to_fixed(np.cumsum(intercepts)[-1:] / n_classes)
            self._multiply(np.broadcast_to(factors, self._p.shape))
