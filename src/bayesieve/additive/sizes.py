# SPDX-License-Identifier: BSD-3-Clause
"""Sizes: their out-of-fold losses, and the number of columns that is enough.

The largest size K is the reference: the model of all columns. With few rows the losses of sizes are uneven, so that the
smallest size that looks good is often too small, and another one in other folds. Three things make the choice even.

*Further divisions.* With few rows, the loss of a row is the mean over several divisions of the rows into folds.

*What columns usually add.* What size k lacks of K, per row, was measured as d with a variance v, from the paired losses
of rows. Usually it is

    m = 0.2 e x gain,    gain = loss of class frequencies - smallest loss

with a standard deviation s = m / 2, where e is the share of the effects that the columns left out have. The effect
of a column with a Bayes factor B > 1 alone is 1 - 1 / B; of others it is 0, so that noise which is left lacks nothing.
Where d < m, expected is d + v / (v + s^2) x (m - d), and otherwise d, as more than usual may be lacking.

*Halves.* Each of 64 halves of the rows chooses its smallest size that is enough. The size is the geometric mean of
these. The rows of a fold are in parts, and a half has those of a row of a Hadamard matrix: the losses of halves then
vary as those of all rows do.

With many rows v is small, halves agree, and measured losses decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bayesieve._typing import Bools, Floats, Ints
from bayesieve.additive.constants import HALVES, LACK_SPREAD, LEAST_ERRORS, USUAL_LACK
from bayesieve.additive.loss import LOGISTIC, Loss
from bayesieve.additive.members import AdditiveFit
from bayesieve.additive.rows import AdditiveRows
from bayesieve.exact import exp_nonpositive, log_positive
from bayesieve.search import KeptShare

__all__ = ["SizeFit", "SizeLosses", "effects_left", "fit_frequencies", "measure_sizes", "size_fit"]


@dataclass(frozen=True)
class SizeFit:
    """A size on the path: the fit on all rows, its out-of-fold loss, that of each fold, and the columns of each fold.

    Each fold has chosen columns of its own; none are kept of a fit of all columns. ``again`` are the losses of
    each row in further divisions of the rows.
    """

    fit: AdditiveFit
    loss: float
    fold_losses: tuple[float, ...]
    fold_columns: tuple[tuple[int, ...], ...] = ()
    again: tuple[Floats, ...] = ()


def size_fit(
    rows: AdditiveRows, fit: AdditiveFit, fold_columns: Sequence[Sequence[int]] = (), again: Sequence[Floats] = ()
) -> SizeFit:
    """Measure the out-of-fold loss of a fit."""
    losses = rows.loss.losses(fit.own_scores, rows.target) * rows.weights
    folds = [slice(*rows.fold(q)) for q in range(rows.n_folds)]
    by_fold = tuple(float(losses[own].sum() / rows.weights[own].sum()) for own in folds)
    loss = float(losses.sum() / rows.weights.sum())
    return SizeFit(fit, loss, by_fold, tuple(tuple(own) for own in fold_columns), tuple(again))


def fit_frequencies(rows: AdditiveRows) -> SizeFit:
    """Return the fit without columns: class frequencies.

    Its loss is that of each row by the frequencies of all other rows, to first order: each free one adds 1 / n. Folds
    with the same frequencies of classes do not show that.
    """
    intercept, offset = rows.loss.start(rows.target, rows.weights), np.zeros((rows.n_rows, rows.loss.n_scores))
    scores = offset + intercept
    fit = AdditiveFit((), intercept, [], scores, scores, (), offset)
    size = size_fit(rows, fit, [()] * rows.n_folds)
    more = rows.loss.start_cost(scores, rows.target, rows.weights)
    return replace(size, loss=size.loss + more, fold_losses=tuple(own + more for own in size.fold_losses))


def effects_left(sizes: Sequence[SizeFit], alone: Floats) -> Floats:
    """Return the share of the effects of the largest size's columns that each size leaves out.

    ``alone`` has the log Bayes factors of all columns by themselves.
    """
    effects = 1.0 - exp_nonpositive(-np.maximum(alone, 0.0))
    everything = set(sizes[-1].fit.columns)
    left = [sum(effects[k] for k in sorted(everything.difference(size.fit.columns))) for size in sizes]
    total = sum(effects[k] for k in sorted(everything))
    return np.array(left) / total if total > 0.0 else np.zeros(len(sizes))


@dataclass(frozen=True)
class SizeLosses:
    """Out-of-fold losses of class frequencies, which come first, and of sizes up to the largest, fold by fold.

    Attributes
    ----------
    sizes : array of shape (n_sizes,)
        Numbers of columns.
    left : array of shape (n_sizes,)
        See `effects_left`.
    masses : array of shape (n_folds, n_blocks)
        Weights of the rows of parts of folds.
    losses : array of shape (n_folds, n_blocks, n_sizes)
        Sums of their losses.
    products : array of shape (n_folds, 2, n_sizes)
        Sums of products of each size's differences to the losses of the largest size: with those of class frequencies,
        and with themselves.
    """

    sizes: Floats
    left: Floats
    masses: Floats
    losses: Floats
    products: Floats

    def without(self, fold: int) -> "SizeLosses":
        """Return the losses of the rows of all other folds."""
        masses, losses, products = self.masses.copy(), self.losses.copy(), self.products.copy()
        masses[fold], losses[fold], products[fold] = 0.0, 0.0, 0.0
        return replace(self, masses=masses, losses=losses, products=products)

    @property
    def means(self) -> Floats:
        """The loss of each size per row."""
        return np.asarray(self.losses.sum(axis=(0, 1)) / self.masses.sum())

    def enough(self, lost: float, allowed: Bools, loss: Loss = LOGISTIC) -> int:
        """Return which allowed size is expected to lack at most a share of the largest one's gain: the smallest one.

        It is the nearest to the geometric mean of what halves of the rows choose. Where none is enough, they choose the
        largest allowed one. Unless they must be taken, columns must improve on class frequencies, which come first, by
        two standard errors: noise does so by less.
        """
        means = self.means
        best = int(np.argmin(np.where(allowed, means, np.inf)))
        noise = LEAST_ERRORS * self._variance_of_gain(best) ** 0.5
        if allowed[0] and (lost >= 1.0 or not means[0] - means[best] > noise):
            return 0
        places = np.flatnonzero(allowed & (self.sizes > 0.0))
        halves = self._halves
        expected = self._expected(halves)
        frequencies, last = halves[:, 0], expected[:, -1]
        enough = expected[:, places] <= loss.limits(last, frequencies, lost)[:, None]
        enough[:, -1] = True
        logs = log_positive(self.sizes[places])
        return int(places[np.argmin(np.abs(logs - logs[enough.argmax(axis=1)].mean()))])

    def shares(self) -> tuple[KeptShare, ...]:
        """Return the share of the largest size's gain that each size keeps, as measured; none if there is no gain."""
        means, (products, squares), total = self.means, self.products.sum(axis=0), self.masses.sum()
        gain = means[0] - means[-1]
        if not gain > 0.0:
            return ()
        kept = (means[0] - means) / gain
        # the mean of (loss of frequencies - loss) - kept x (loss of frequencies - loss of the largest) is 0
        own = 1.0 - kept
        errors = np.sqrt(np.maximum(squares - 2.0 * own * products + own * own * squares[0], 0.0)) / total / gain
        found = zip(self.sizes.tolist(), kept.tolist(), errors.tolist(), strict=True)
        return tuple(KeptShare(int(size), share, error) for size, share, error in found)

    @property
    def _halves(self) -> Floats:
        """The loss of each size per row, of halves of the rows, shape (n_halves, n_sizes).

        The number of parts that are in one half only is the same for any two halves. The first row of the matrix is
        that of all parts.
        """
        masses, losses = self.masses.ravel(), self.losses.reshape(-1, len(self.sizes))
        columns = 1 + np.arange(len(masses)) % (HALVES - 1)
        totals, sums = np.zeros(HALVES), np.zeros((HALVES, len(self.sizes)))
        for column, mass, own in zip(columns.tolist(), masses.tolist(), losses, strict=True):
            inside = _HADAMARD[column] > 0
            totals[inside] += mass
            sums[inside] += own
        some = totals > 0.0  # with hardly any rows, a half may have none
        return np.asarray(sums[some] / totals[some, None])

    @property
    def _variances(self) -> Floats:
        """The variances of what sizes lack of the largest one, per row."""
        total, lacks = self.masses.sum(), self.means - self.means[-1]
        return np.asarray(np.maximum(self.products[:, 1].sum(axis=0) / total - lacks**2, 0.0) / total)

    def _variance_of_gain(self, k: int) -> float:
        """Return the variance of the difference between class frequencies and a size."""
        products, squares = self.products.sum(axis=0)
        total, gain = self.masses.sum(), self.means[0] - self.means[k]
        return max(float((squares[0] - 2.0 * products[k] + squares[k]) / total - gain**2), 0.0) / float(total)

    def _expected(self, means: Floats) -> Floats:
        """Return losses, shape (n_halves, n_sizes), given what columns usually add."""
        variances, lacks = self._variances, means - means[:, -1:]
        usual = USUAL_LACK * self.left * (means[:, :1] - means.min(axis=1, keepdims=True))
        shares = variances / np.maximum(variances + (LACK_SPREAD * usual) ** 2, np.finfo(float).tiny)
        return np.asarray(means + shares * np.maximum(usual - lacks, 0.0) * (usual > 0.0))


def measure_sizes(rows: AdditiveRows, sizes: Sequence[SizeFit], alone: Floats) -> SizeLosses:
    """Measure class frequencies, and sizes up to the largest; see `effects_left`."""
    n_blocks = max(1, (HALVES - 1) // rows.n_folds)
    losses = np.zeros((rows.n_folds, n_blocks, len(sizes)))
    products, masses = np.zeros((rows.n_folds, 2, len(sizes))), np.zeros((rows.n_folds, n_blocks))
    for q in range(rows.n_folds):
        own, weights = slice(*rows.fold(q)), rows.weights[slice(*rows.fold(q))]
        of_rows = np.array([_losses(rows, size, own) for size in sizes])
        lacks = of_rows - of_rows[-1]
        products[q] = (lacks * lacks[0] * weights).sum(axis=1), (lacks * lacks * weights).sum(axis=1)
        begins = _parts(rows, own, n_blocks)
        masses[q] = _sums_of_parts(weights[None], begins)[0]
        losses[q] = _sums_of_parts(of_rows * weights, begins).T
    numbers = np.array([len(size.fit.columns) for size in sizes], dtype=np.float64)
    return SizeLosses(numbers, effects_left(sizes, alone), masses, losses, products)


def _losses(rows: AdditiveRows, size: SizeFit, own: slice) -> Floats:
    """Return the loss of some rows, a mean over divisions."""
    losses = rows.loss.losses(size.fit.out_of_fold[own], rows.target[own])
    for again in size.again:
        losses = losses + again[own]
    return losses / (1 + len(size.again))


def _parts(rows: AdditiveRows, own: slice, n_blocks: int) -> Ints:
    """Return where parts of neighboring rows begin, which have about as many different rows each.

    Equal rows are neighbors: they count as one, so that copies of a row and a weight divide the rows alike.
    """
    differs = rows.target[own][1:] != rows.target[own][:-1]
    for codes in rows.codes:
        differs |= codes[own][1:] != codes[own][:-1]
    first = np.concatenate([np.zeros(1, dtype=np.intp), 1 + np.flatnonzero(differs)])
    places = np.arange(n_blocks) * len(first) // n_blocks
    return np.asarray(first[places])


def _sums_of_parts(values: Floats, begins: Ints) -> Floats:
    """Return the sums of parts, given where they begin; of those that begin together, the last has all."""
    sums = np.add.reduceat(np.pad(values, ((0, 0), (0, 1))), begins, axis=1)
    return np.asarray(sums * (np.diff(begins, append=values.shape[1]) > 0))


def _hadamard(n: int) -> Ints:
    """Return a matrix of 1 and -1 with orthogonal rows: the parity of the bits that two numbers have in common."""
    common = np.arange(n)[:, None] & np.arange(n)
    parity = np.zeros_like(common)
    while common.any():
        parity ^= common & 1
        common >>= 1
    return 1 - 2 * parity


_HADAMARD: Final = _hadamard(HALVES)
