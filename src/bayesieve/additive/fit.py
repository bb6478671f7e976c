# SPDX-License-Identifier: BSD-3-Clause
"""Tables of all columns, learned given each other by cyclic updates, for any number of scores per row.

A cycle asks, for each column in turn, for sums of first derivatives and curvatures of the rows per bin and score. With
the table s of the column they give the quadratic log-likelihood ``sum of R_v s_v - H_v s_v^2 / 2`` of each score,
without its level. A prior turns it into a posterior mean, and the loss decides how far the table goes there. The
compiled core does the same (``native/src/additive/cyclic_fit.cpp``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import LINE_SHARE, PSEUDO_COLUMNS
from bayesieve.additive.priors import ShapeBasis, ShapePriors, shape_posterior
from bayesieve.additive.rows import AdditiveRows
from bayesieve.exact import exp_nonpositive, log_positive, nearest_fixed, ordered_sum

__all__ = ["CyclicFit", "FitState", "mixture", "prior_variances", "prior_weights", "start_fit"]

_VARIANCE_UNIT: Final = 2.0**-30
_NEWTON_STEPS: Final = 3  # of the intercepts, per cycle


class _Cycles(Protocol):
    """The present tables, and the scores that they give all rows."""

    def log_bayes_factors(self, columns: Ints, numeric: Floats, nominal: Floats) -> Floats:
        """Return the log Bayes factor of each column given the present fit, its own table taken out."""
        ...

    def cycle(self, columns: Ints, numeric: Floats, nominal: Floats) -> tuple[float, Floats, Floats]:
        """Update columns in turn, then the intercepts; return how far they moved and sums of component weights."""
        ...

    def shift(self, change: Floats) -> None:
        """Add something else to the scores of each row."""
        ...

    def go_to(self, intercepts: Floats, tables: Floats, variances: Floats) -> None:
        """Go to intercepts and tables from anywhere, what else was added to scores taken away."""
        ...

    def scores(self, begin: int, end: int) -> Floats:
        """Return the scores of some rows, shape (end - begin, n_scores), of held-out ones too."""
        ...

    def tables(self) -> Floats:
        """Return the scores of all bins of all columns, flat."""
        ...

    def variances(self) -> Floats:
        """Return the variances of all bins of all columns, where they are moderated."""
        ...

    def intercepts(self) -> Floats:
        """Return the intercept of each score."""
        ...

    def sums(self) -> Ints:
        """Return first derivatives and curvatures per bin of all columns and score, and last of all training rows."""
        ...

    def correct(self, slopes: Ints, least: Ints) -> None:
        """From now on add slopes to first derivatives, and let curvatures have a least value."""
        ...


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
    total = ordered_sum(posterior_weights, -1)
    posterior_weights = posterior_weights / total[..., None]
    mean, square = np.zeros(slopes.shape), np.zeros(slopes.shape)
    for m in range(1, len(weights)):
        weight, own = posterior_weights[..., m, None], posterior.mean[..., m, :]
        mean = mean + weight * own
        square = square + weight * (posterior.variance[..., m, :] + own * own)
    variance = np.maximum(square - mean * mean, 0.0)
    return mean, variance, posterior_weights, top + log_positive(total)


class NumpyCycles:
    """Cyclic updates in NumPy: the specification of the core's `CyclicFit`, and its fallback."""

    def __init__(
        self,
        rows: AdditiveRows,
        priors: ShapePriors,
        fold: int | None,
        state: tuple[Floats, Floats],
        *,
        moderated: bool,
    ) -> None:
        self._rows, self._priors, self._moderated = rows, priors, moderated
        begin, end = rows.fold(fold)
        self._training = np.r_[0:begin, end : rows.n_rows]
        self._scored = rows.loss.row_scores(rows.target, rows.scale, self._training, rows.unit)
        self._correction: tuple[Ints, Ints] | None = None
        intercepts, tables = state
        self.go_to(intercepts, tables, np.zeros(int(rows.offsets[-1]) if moderated else 0))

    def log_bayes_factors(self, columns: Ints, numeric: Floats, nominal: Floats) -> Floats:
        """Return the log Bayes factor of each column given the present fit, its own table taken out."""
        derivatives = self._scored.derivatives(moderated=self._moderated)
        factors = np.zeros(len(columns))
        for i, k in enumerate(columns.tolist()):
            basis = self._rows.bases[k]
            slopes, curvatures, _ = self._likelihoods(k, derivatives)
            of_scores = mixture(basis, self._priors, slopes, curvatures, nominal if basis.nominal else numeric)[3]
            factors[i] = self._scored.joint_factor(of_scores)
        return factors

    def cycle(self, columns: Ints, numeric: Floats, nominal: Floats) -> tuple[float, Floats, Floats]:
        """Update columns in turn, then the intercepts; return how far they moved and sums of component weights."""
        sums, moved = (np.zeros(len(numeric)), np.zeros(len(nominal))), 0.0
        for k in columns.tolist():
            basis = self._rows.bases[k]
            slopes, curvatures, totals = self._likelihoods(k, self._scored.derivatives(moderated=self._moderated))
            prior = nominal if basis.nominal else numeric
            means, variances, weights, _ = mixture(basis, self._priors, slopes, curvatures, prior)
            self._make_neutral(k, means, variances)
            for of_score in weights:  # one by one, as the core adds them up
                sums[basis.nominal][:] += of_score
            moved += self._move(k, means, variances, curvatures, totals)
        self._improve_intercepts()
        return moved, *sums

    def shift(self, change: Floats) -> None:
        """Add something else to the scores of each row."""
        self._scored.begin(self._scored.scores + change.reshape(self._scored.scores.shape), self._row_variances())

    def go_to(self, intercepts: Floats, tables: Floats, variances: Floats) -> None:
        """Go to intercepts and tables from anywhere, what else was added to scores taken away."""
        rows = self._rows
        self._intercepts = nearest_fixed(np.asarray(intercepts, dtype=np.float64))
        ends, n_scores = rows.offsets[1:-1], rows.loss.n_scores
        self._tables = [each.copy() for each in np.split(tables.reshape(-1, n_scores), ends)][: rows.n_columns]
        self._variances = [each.copy() for each in np.split(variances, ends)] if self._moderated else []
        scores = np.repeat(self._intercepts[None], rows.n_rows, axis=0)
        for codes, table in zip(rows.codes, self._tables, strict=True):
            scores = scores + table[codes]
        self._scored.begin(scores, self._row_variances())

    def sums(self) -> Ints:
        """Return first derivatives and curvatures per bin of all columns and score, and last of all training rows.

        The last ones are not moderated.
        """
        derivatives = self._scored.derivatives(moderated=self._moderated)
        columns = [self._bin_sums(k, derivatives).reshape(2, -1) for k in range(self._rows.n_columns)]
        totals = np.array([each.sum(axis=0) for each in self._scored.derivatives(moderated=False)])
        return np.concatenate([*columns, totals], axis=1).T.copy()

    def correct(self, slopes: Ints, least: Ints) -> None:
        """From now on add slopes to first derivatives, and let curvatures have a least value."""
        self._correction = slopes, least

    def scores(self, begin: int, end: int) -> Floats:
        """Return the scores of some rows, of held-out ones too."""
        return self._scored.scores[begin:end].copy()

    def tables(self) -> Floats:
        """Return the scores of all bins of all columns, flat."""
        return np.concatenate([np.empty(0), *(table.ravel() for table in self._tables)])

    def variances(self) -> Floats:
        """Return the variances of all bins of all columns, where they are moderated."""
        return np.concatenate([np.empty(0), *self._variances])

    def intercepts(self) -> Floats:
        """Return the intercept of each score."""
        return self._intercepts.copy()

    def _row_variances(self) -> Floats | None:
        if not self._moderated:
            return None
        total = np.zeros(self._rows.n_rows)
        for codes, own in zip(self._rows.codes, self._variances, strict=False):
            total = total + own[codes]
        return total

    def _corrected(self, sums: Ints, entries: slice) -> Ints:
        """Return first derivatives and curvatures, shape (2, ...), as a correction by rows elsewhere has them."""
        if self._correction is None:
            return sums
        slopes, least = (each[entries].reshape(sums.shape[1:]) for each in self._correction)
        return np.array([sums[0] + slopes, np.maximum(sums[1], least)])

    def _bin_sums(self, k: int, derivatives: tuple[Ints, Ints]) -> Ints:
        """Return the sums of both derivatives per bin and score, shape (2, n_bins, n_scores)."""
        codes = self._rows.codes[k][self._training]
        sums = np.zeros((2, *self._tables[k].shape), dtype=np.int64)
        for own, of_rows in zip(sums, derivatives, strict=True):
            np.add.at(own, codes, of_rows)
        return sums

    def _likelihoods(self, k: int, derivatives: tuple[Ints, Ints]) -> tuple[Floats, Floats, Floats]:
        """Return R and H of the quadratic log-likelihoods, shape (n_scores, n_bins), and the sums of H."""
        table, unit, first = self._tables[k], self._rows.unit, int(self._rows.offsets[k]) * self._rows.loss.n_scores
        sums = self._corrected(self._bin_sums(k, derivatives), slice(first, first + table.size))
        if (shares := self._rows.neutral_shares(k)) is not None:
            # Missing values have the mean score of the others, which so get their first derivative by their shares.
            sums[0] += np.rint(shares[:, None] * sums[0, 0].astype(np.float64)).astype(np.int64)
            sums[:, 0] = 0
        curvatures = np.ascontiguousarray(sums[1].T * unit, dtype=np.float64)
        slopes = sums[0].T * unit + curvatures * table.T
        slope, totals = (ordered_sum(each, 1) for each in (slopes, curvatures))
        totals = np.where(totals == 0.0, unit, totals)  # rounded to 0 if all rows are sure
        return slopes - curvatures * slope[:, None] / totals[:, None], curvatures, totals

    def _make_neutral(self, k: int, means: Floats, variances: Floats) -> None:
        """Make the score of missing values the mean of the others over all rows: it adds what the average row has."""
        shares = self._rows.neutral_shares(k)
        if shares is not None:
            means[:, 0] = ordered_sum(shares[1:] * means[:, 1:], 1)
            variances[:, 0] = 0.0

    def _move(self, k: int, means: Floats, variances: Floats, curvatures: Floats, totals: Floats) -> float:
        """Go to the posterior means, shape (n_scores, n_bins), centered; return how far."""
        rows, table, codes = self._rows, self._tables[k], self._rows.codes[k]
        step = self._scored.step(table, means, curvatures, totals, rows.direction(k))
        after, level = self._scored.center(table + step, codes[self._training])
        change, change_of_variance = after - table, None
        self._tables[k], self._intercepts = after, self._intercepts + level
        if self._moderated:
            fixed = np.rint(variances[0] / _VARIANCE_UNIT) * _VARIANCE_UNIT
            change_of_variance = fixed - self._variances[k]
            self._variances[k] = fixed
        self._scored.change(codes, step, change + level, change_of_variance)
        return ordered_sum((curvatures * change.T * change.T).ravel())

    def _improve_intercepts(self) -> None:
        """Make Newton steps, not moderated."""
        n_scores, one_bin = self._rows.loss.n_scores, np.zeros(self._rows.n_rows, dtype=np.int64)
        for _ in range(_NEWTON_STEPS):
            totals = np.array([each.sum(axis=0) for each in self._scored.derivatives(moderated=False)])
            slopes, curvatures = self._corrected(totals, slice(-n_scores, None)).astype(np.float64)
            step, after = self._scored.intercept_step(self._intercepts, slopes, curvatures)
            change, self._intercepts = after - self._intercepts, after
            self._scored.change(one_bin, step[None], change[None], None)


@dataclass(frozen=True)
class FitState:
    """Where a fit is: intercepts, entries of all tables, their variances, weights of the mixture (none: the prior)."""

    intercept: Floats
    tables: Floats
    variances: Floats
    weights: tuple[Floats, ...]

    @property
    def arrays(self) -> list[Floats]:
        """All numbers, in the order of the constructor."""
        return [self.intercept, self.tables, self.variances, *self.weights]


class CyclicFit:
    """One fit of tables; columns may join between cycles.

    ``no_effect`` is the prior probability that a column has none. Above 0 the weights of the mixture are learned over
    all columns, by expectation maximization.
    """

    def __init__(self, cycles: _Cycles, rows: AdditiveRows, priors: ShapePriors, no_effect: float) -> None:
        self._cycles, self._rows, self._learns = cycles, rows, no_effect > 0.0
        self._prior = tuple(prior_weights(priors, no_effect, nominal=nominal) for nominal in (False, True))
        self._weights = tuple(weights.copy() for weights in self._prior)
        self._counted = tuple(PSEUDO_COLUMNS * weights for weights in self._prior)

    def set_weights(self, weights: tuple[Floats, ...]) -> None:
        """Set the weights of the mixture."""
        self._weights = weights

    def log_bayes_factors(self, columns: Sequence[int]) -> Floats:
        """Return the log Bayes factor of each column given the present fit, at the prior weights of the mixture."""
        return self._cycles.log_bayes_factors(np.asarray(columns, dtype=np.int64), *self._prior)

    def run(
        self, columns: Sequence[int], most_cycles: int, tolerance: float, check: Callable[[], None] = lambda: None
    ) -> int:
        """Update columns in turn until they move little: sum of H (change)^2; return the number of cycles."""
        order = np.asarray(columns, dtype=np.int64)
        for n in range(most_cycles):
            check()
            moved, *sums = self._cycles.cycle(order, *self._weights)
            if self._learns:
                self._weights = tuple(
                    (own + counted) / (np.add.reduce(own) + PSEUDO_COLUMNS)
                    for own, counted in zip(sums, self._counted, strict=True)
                )
            if moved < tolerance:
                return n + 1
        return most_cycles

    def shift(self, change: Floats) -> None:
        """Add something else, in multiples of 2^-40, to the scores of each row."""
        self._cycles.shift(np.ascontiguousarray(change).ravel())

    def sums(self) -> Ints:
        """Return the sums of first and second derivatives, as integers of shape (n_entries, 2).

        Entries are those of all tables; the last ones, one per score of a row, are sums over all training rows.
        """
        return self._cycles.sums()

    def correct(self, slopes: Ints, least: Ints) -> None:
        """Learn from rows elsewhere, too: add slopes to first derivatives, and let second ones have a least value."""
        self._cycles.correct(np.ascontiguousarray(slopes), np.ascontiguousarray(least))

    @property
    def state(self) -> FitState:
        """Where the fit is, but for what was added to scores."""
        return FitState(self.intercept, self._cycles.tables(), self._cycles.variances(), self._weights)

    @property
    def intercept(self) -> Floats:
        """The intercept of each score."""
        return self._cycles.intercepts()

    @property
    def scores(self) -> Floats:
        """The scores of all rows, of held-out ones too, shape (n_rows, n_scores)."""
        return self._cycles.scores(0, self._rows.n_rows)

    def scores_of_fold(self, fold: int | None) -> Floats:
        """Return the scores of the rows of a fold."""
        return self._cycles.scores(*self._rows.fold(fold))

    @property
    def tables(self) -> list[Floats]:
        """The scores of the bins of each column, shape (n_bins, n_scores)."""
        tables = self._cycles.tables().reshape(-1, self._rows.loss.n_scores)
        return [tables[begin:end] for begin, end in pairwise(self._rows.offsets.tolist())]


def prior_weights(priors: ShapePriors, no_effect: float, *, nominal: bool) -> Floats:
    """Return the prior weight of each component: half of what has an effect are lines, where there are any."""
    n_walks, n_lines, no_effect = len(priors.walks), 2 * len(priors.lines), max(no_effect, 1e-12)
    rest = 1.0 - no_effect
    if nominal:
        n_categories = len(priors.categories)
        return np.append(no_effect, np.full(n_categories, rest / n_categories))
    walks = np.full(n_walks, rest * (1.0 - LINE_SHARE if n_lines else 1.0) / n_walks)
    return np.concatenate([[no_effect], walks, np.full(n_lines, rest * LINE_SHARE / max(n_lines, 1))])


def start_fit(
    rows: AdditiveRows,
    priors: ShapePriors,
    fold: int | None,
    *,
    no_effect: float = 0.0,
    backend: str = "auto",
    start: CyclicFit | FitState | None = None,
) -> CyclicFit:
    """Return a fit on all rows but those of a fold.

    It begins at zero, in a given state or where another fit is, which may have other priors.
    """
    moderated, state = rows.loss.is_moderated(no_effect), start.state if isinstance(start, CyclicFit) else start
    begin, end = rows.fold(fold)
    outside = np.r_[0:begin, end : rows.n_rows]
    if state is None:
        intercepts = rows.loss.start(rows.target[outside], rows.weights[outside])
        beginning = intercepts, np.zeros(int(rows.offsets[-1]) * rows.loss.n_scores)
    else:
        beginning = state.intercept, state.tables
    cycles: _Cycles
    if backend != "reference" and core is None:
        warn_if_missing()
    if backend == "reference" or core is None:
        cycles = NumpyCycles(rows, priors, fold, beginning, moderated=moderated)
    else:
        name, n_scores = rows.loss.name, rows.loss.n_scores
        cycles = core.CyclicFit(
            rows.arrays,
            rows.unit,
            name,
            n_scores,
            prior_variances(priors),
            rows.lead,
            begin,
            end,
            moderated,
            *beginning,
        )
    if state is not None and moderated and len(state.variances):
        cycles.go_to(*beginning, state.variances)
    fit = CyclicFit(cycles, rows, priors, no_effect)
    if isinstance(start, FitState) and start.weights:
        fit.set_weights(start.weights)
    return fit


def prior_variances(priors: ShapePriors) -> tuple[Floats, Floats, Floats, float]:
    """Return the prior variances, as the compiled core has them."""
    walks, lines, categories = (np.array(each, dtype=np.float64) for each in priors.variances)
    return walks, lines, categories, priors.curve
