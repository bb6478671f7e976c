# SPDX-License-Identifier: BSD-3-Clause
"""Boosting methods as formulas: the gradients of a row, the step of each column, and its gain.

F is the state of a row in multiples of 2^-40, and y its class: 1 or 0, or +1 or -1. Sums over the rows of a code come
in two channels; ' marks sums over the rows on which a step is tested, which need not be those it was learned from.

==========  ================  ========================================  ======================================
method      row's gradients   step f of a code                          gain
==========  ================  ========================================  ======================================
confidence  e^(-yF), in the   n a h, h = 2s - 1, s the naive Bayes      -log((1+r')/2 e^(-na) + (1-r')/2 e^(na))
            channel of its    posterior, a = ½ log((1+r) / (1-r)),
            class             r = Σ (W₊ - W₋) h
real        the same          n ½ log((W₊ + ε) / (W₋ + ε))              -log Σ (W₊' e^-f + W₋' e^f)
logit       y - p, p (1 - p)  n G / (H + λ)                             Σ (f G' - ½ f² H') / rows
brier       y - p, 1          n G / (H + λ)                             4 Σ (f G' - ½ f² H') / rows
==========  ================  ========================================  ======================================

n is the shrinkage, and W are shares of the weight of all rows. Without held-out rows, and at n = 1, the gains are
½ log 1 / (1 - r²), -log 2 Σ √(W₊ W₋) up to ε and, ½ λ f² taken off for each code, ½ Σ G² / (H + λ). The exponential
losses are those of Schapire and Singer, Machine Learning 37 (1999); "logit" takes Newton steps of the log-likelihood,
"brier" of the squared error.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, exp_nonpositive, log_positive, to_fixed

__all__ = ["BOOSTERS", "Booster", "BoostingSteps", "GradientSums"]


@dataclass(frozen=True)
class GradientSums:
    """Two gradients, added up over the rows of each code of some columns, one column after the other.

    Attributes
    ----------
    sums : float64 array of shape (n_codes, 2)
        In units of one row.
    totals : float64 array of shape (2,)
        Over all rows.
    mass : float
        The weight of all rows.
    sizes : int64 array of shape (n_columns,)
        Number of codes of each column, *unseen* included.
    """

    sums: Floats
    totals: Floats
    mass: float
    sizes: Ints

    @cached_property
    def unseen(self) -> Ints:
        """Where the last code of each column is."""
        return np.cumsum(self.sizes) - 1

    def spread(self, of_column: NDArray[np.float64] | Ints) -> Floats:
        """Return numbers per column as numbers per code."""
        return np.repeat(of_column, self.sizes).astype(np.float64)

    def add_up(self, of_code: Floats) -> Floats:
        """Return the sum over each column's codes, of numbers rounded to 2^-40: no order of summation shows."""
        begins = self.unseen - self.sizes + 1
        return np.add.reduceat(to_fixed(of_code), begins) / float(FIXED_ONE)


@dataclass(frozen=True)
class BoostingSteps:
    """What each of some columns would add to the rows.

    Attributes
    ----------
    directions : float64 array of shape (n_codes,)
        The weak hypothesis of each column; 0 for *unseen*.
    alphas : float64 array of shape (n_columns,)
        How far it is followed.
    sizes : int64 array of shape (n_columns,)
        Number of codes of each column.
    """

    directions: Floats
    alphas: Floats
    sizes: Ints

    @cached_property
    def table(self) -> Ints:
        """What each code adds, in multiples of 2^-40."""
        return to_fixed(np.repeat(self.alphas, self.sizes) * self.directions)

    @property
    def added(self) -> Floats:
        """What each code adds."""
        return self.table / float(FIXED_ONE)


Mask = NDArray[np.bool_]

_FINEST = 2.0**-20  # an additive probability stays as far from 0 and 1
_SMALLEST = 2.0**-40  # of an exponential loss
_LARGEST = 2.0**22  # of an exponential loss, so that its fixed point holds it
_LEAST_SHARE = 2.0**-1000  # of a pseudo-count in the weight of all rows: its inverse is finite
_LONGEST = 2.0**10  # of a step, in nats
_NO_MARGIN = -(2**62)  # less than any row has


class Booster:
    """One way to boost; ``pseudo_count`` rows shrink the step of each code toward 0.

    ``is_relative``: whether gradients are relative to the ``top`` of all rows. ``is_additive``: whether log-odds are
    proportional to states, so that they are a sum over columns; otherwise a state is a probability, within
    ``probability_bounds``. ``of_other_class``: what the states of a row are together, where each class has one.
    """

    name: ClassVar[str]
    is_relative: ClassVar[bool] = False
    is_additive: ClassVar[bool] = True
    probability_bounds: ClassVar[tuple[float, float]] = (_FINEST, 1.0 - _FINEST)
    of_other_class: ClassVar[int] = 0

    def start(self, share: float) -> int:
        """Return the state of all rows before any column contributes, given the share of class 1."""
        raise NotImplementedError

    def top(self, state: Ints, positive: Mask) -> int:
        """Return the number to which gradients are relative, of these rows; ``gradients`` takes the largest of all."""
        return 0

    def gradients(self, state: Ints, positive: Mask, top: int) -> Floats:
        """Return the two gradients of each row; those of rows that ``top`` covers are of size 1 at most."""
        raise NotImplementedError

    def steps(self, train: GradientSums, pseudo_count: float, shrinkage: float) -> BoostingSteps:
        """Return the step of each column."""
        raise NotImplementedError

    def gains(self, steps: BoostingSteps, test: GradientSums, penalty: float) -> Floats:
        """Return the gain of each column's step on some rows; ``penalty`` is its pseudo-count on training rows."""
        raise NotImplementedError

    def log_odds(self, state: Ints) -> Ints:
        """Return the log-odds of class 1 that a state means, in multiples of 2^-40 nats."""
        raise NotImplementedError


class _Exponential(Booster):
    """Minimizes the mean of e^(-yF); F is half the log-odds."""

    is_relative: ClassVar[bool] = True

    def start(self, share: float) -> int:
        """Return 0: boosting by weights begins with the weights of the rows."""
        return 0

    def top(self, state: Ints, positive: Mask) -> int:
        """Return the largest -yF."""
        return int(np.where(positive, -state, state).max(initial=_NO_MARGIN))

    def gradients(self, state: Ints, positive: Mask, top: int) -> Floats:
        """Return e^(-yF) relative to the largest, in the channel of the row's class."""
        margin = np.where(positive, -state, state)
        weight = exp_nonpositive(np.minimum(margin - top, 0) / float(FIXED_ONE))
        return np.stack([np.where(positive, weight, 0.0), np.where(positive, 0.0, weight)], axis=1)

    def log_odds(self, state: Ints) -> Ints:
        """Return 2 F."""
        return 2 * state


class _Confidence(_Exponential):
    """Naive Bayes on one column as a confidence in [-1, 1]: Table 2 of paper 000, corrected.

    a = pseudo_count / N is added to the weighted counts of each bin, the class prior comes from the weights too, and
    |r| is kept from 1 by 1 / (N + 1).
    """

    name = "confidence"

    def steps(self, train: GradientSums, pseudo_count: float, shrinkage: float) -> BoostingSteps:
        """Return confidences and alpha of each column, which minimizes a bound of the exponential loss."""
        shares, prior = _shares(train)
        a = max(pseudo_count / train.mass, _LEAST_SHARE)
        n_bins = train.spread(train.sizes - 1)[:, None]
        joint = prior * ((shares + a) / (prior + a * n_bins))
        directions = (joint[:, 0] - joint[:, 1]) / (joint[:, 0] + joint[:, 1])
        directions[train.unseen] = 0.0
        limit = min(train.mass / (train.mass + 1.0), 1.0 - _SMALLEST)
        r = np.clip(train.add_up((shares[:, 0] - shares[:, 1]) * directions), -limit, limit)
        return BoostingSteps(directions, shrinkage * (0.5 * log_positive((1.0 + r) / (1.0 - r))), train.sizes)

    def gains(self, steps: BoostingSteps, test: GradientSums, penalty: float) -> Floats:
        """Return minus the logarithm of the bound of the exponential loss."""
        shares, _ = _shares(test)
        r = test.add_up((shares[:, 0] - shares[:, 1]) * steps.directions)
        less, more = _exp_pair(steps.alphas)
        return -log_positive(np.maximum(0.5 * (1.0 + r) * less + 0.5 * (1.0 - r) * more, _SMALLEST))


class _Real(_Exponential):
    """Domain partitioning: half the log-odds of a bin, with ε = pseudo_count / 2N, minimize the exponential loss."""

    name = "real"

    def steps(self, train: GradientSums, pseudo_count: float, shrinkage: float) -> BoostingSteps:
        """Return half the smoothed log-odds of each code."""
        shares, _ = _shares(train)
        smoothed = shares + max(pseudo_count / (2.0 * train.mass), _LEAST_SHARE)
        directions = 0.5 * log_positive(smoothed[:, 0] / smoothed[:, 1])
        directions[train.unseen] = 0.0
        return BoostingSteps(directions, np.full(len(train.sizes), shrinkage), train.sizes)

    def gains(self, steps: BoostingSteps, test: GradientSums, penalty: float) -> Floats:
        """Return minus the logarithm of Z, by which the mean exponential loss is multiplied."""
        shares, _ = _shares(test)
        less, more = _exp_pair(steps.added)
        terms = np.minimum(shares[:, 0] * less + shares[:, 1] * more, _LARGEST / test.sizes.max(initial=1))
        return -log_positive(np.maximum(test.add_up(terms), _SMALLEST))


class _Newton(Booster):
    """Follows the first two derivatives of a proper loss; ``scale`` is the loss in units of the second one's form."""

    scale: ClassVar[float] = 1.0

    def steps(self, train: GradientSums, pseudo_count: float, shrinkage: float) -> BoostingSteps:
        """Return G / (H + λ) of each code."""
        with np.errstate(over="ignore"):
            steps = train.sums[:, 0] / (train.sums[:, 1] + pseudo_count)
        directions = np.clip(steps, -_LONGEST, _LONGEST)
        directions[train.unseen] = 0.0
        return BoostingSteps(directions, np.full(len(train.sizes), shrinkage), train.sizes)

    def gains(self, steps: BoostingSteps, test: GradientSums, penalty: float) -> Floats:
        """Return by how much the mean loss falls, to second order (for the squared error: exactly)."""
        added = steps.added
        terms = added * test.sums[:, 0] - 0.5 * added * added * (test.sums[:, 1] + penalty)
        return test.add_up(terms * (self.scale / test.mass))


class _Logit(_Newton):
    """Log-likelihood; F is the log-odds and starts at the prior."""

    name = "logit"

    def start(self, share: float) -> int:
        """Return the log-odds of the prior."""
        return int(to_fixed(log_positive(np.array([share / (1.0 - share)])))[0])

    def gradients(self, state: Ints, positive: Mask, top: int) -> Floats:
        """Return y - p and p (1 - p)."""
        e = exp_nonpositive(-np.abs(state) / float(FIXED_ONE))
        likely = 1.0 / (1.0 + e)
        unlikely = e * likely
        wrong = np.where((state < 0) == positive, likely, unlikely)
        return np.stack([np.where(positive, wrong, -wrong), unlikely * likely], axis=1)

    def log_odds(self, state: Ints) -> Ints:
        """Return F."""
        return state


class _Brier(_Newton):
    """Squared error; F is the probability itself, kept within [0, 1] when it is read. Two classes count twice."""

    name = "brier"
    scale = 4.0
    is_additive = False
    of_other_class = FIXED_ONE

    def start(self, share: float) -> int:
        """Return the prior."""
        return int(to_fixed(np.array([share]))[0])

    def gradients(self, state: Ints, positive: Mask, top: int) -> Floats:
        """Return y - p and 1."""
        return np.stack([positive - _probability(state), np.ones(len(state))], axis=1)

    def log_odds(self, state: Ints) -> Ints:
        """Return the log-odds of F: those of 1 - F with the other sign, to the last bit."""
        p = _probability(state)
        size = to_fixed(log_positive(np.maximum(p, 1.0 - p) / np.minimum(p, 1.0 - p)))
        return np.where(p < 0.5, -size, size)


BOOSTERS: dict[str, Booster] = {booster.name: booster for booster in (_Confidence(), _Real(), _Logit(), _Brier())}


def _shares(train: GradientSums) -> tuple[Floats, Floats]:
    """Return the share of the weight that each code has in each class, and each class has."""
    total = train.totals[0] + train.totals[1]
    return train.sums / total, train.totals / total


def _exp_pair(x: Floats) -> tuple[Floats, Floats]:
    """Return e^-x and e^x."""
    small = exp_nonpositive(-np.abs(x))
    return np.where(x > 0, small, 1.0 / small), np.where(x > 0, 1.0 / small, small)


def _probability(state: Ints) -> Floats:
    return np.clip(state / float(FIXED_ONE), _FINEST, 1.0 - _FINEST)
