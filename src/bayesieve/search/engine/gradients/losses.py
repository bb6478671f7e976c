# SPDX-License-Identifier: BSD-3-Clause
"""Losses of rows: the state that a row has, and its first and second derivatives as integers.

Derivatives are rounded to integers, so that sums over rows do not depend on their order.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, exp_nonpositive
from bayesieve.models import Boosting, GradientSums
from bayesieve.search.engine.gradients.newton import gradient_scale

__all__ = ["BoostingLoss", "LogLikelihood", "Loss"]

Target = NDArray[np.int32]

_FINEST_GRADIENT: Final = 40  # bits after the point
_WEIGHT_BITS: Final = 40  # of all weights together: beyond, they are rounded
_SUM_BITS: Final = 62  # of all gradients together


class Loss(Protocol):
    """A loss of rows, by its derivatives."""

    @property
    def is_relative(self) -> bool:
        """Whether gradients are relative to the top of all rows."""
        ...

    def begin(self, start: Ints, n_rows: int) -> Ints:
        """Return the states of rows to which no column contributes; rows are the last axis."""
        ...

    def top(self, state: Ints, target: Target, weights: Ints) -> int:
        """Return the number that gradients are relative to, of these rows; that of all rows is the largest."""
        ...

    def gradients(self, state: Ints, target: Target, weights: Ints, top: int) -> Ints:
        """Return the weighted first and second derivative per row and channel, shape (n_rows, n_channels, 2)."""
        ...


@dataclass(frozen=True)
class LogLikelihood:
    """The log-likelihood of weighted evidence; ``total`` is the weight of all rows, in units of one row.

    Two classes have one channel, the log-odds of the second class; more classes have one channel per class.
    """

    unit: float
    total: float
    is_relative: ClassVar[bool] = False

    def begin(self, start: Ints, n_rows: int) -> Ints:
        """Return the evidence per class and row."""
        return np.repeat(start[:, None], n_rows, axis=1)

    def top(self, state: Ints, target: Target, weights: Ints) -> int:
        """Return 0."""
        return 0

    def gradients(self, state: Ints, target: Target, weights: Ints, top: int) -> Ints:
        """Return residuals and their variances."""
        derivatives = _two_classes(state, target) if len(state) == 2 else _many_classes(state, target)
        return np.rint(derivatives * self._steps(weights)[:, None, None]).astype(np.int64)

    def probabilities(self, gradients: Ints, target: Target, weights: Ints) -> tuple[Floats, Floats]:
        """Return the probabilities of more than two classes in steps of a gradient, and those that add up to 1."""
        truth = target[:, None] == np.arange(gradients.shape[1])
        weighted = np.maximum(np.where(truth, self._steps(weights)[:, None], 0.0) - gradients[:, :, 0], 0.0)
        total = np.zeros(len(weighted))
        for of_class in weighted.T:
            total = total + of_class
        return weighted, weighted / np.where(total > 0.0, total, 1.0)[:, None]

    def _steps(self, weights: Ints) -> Floats:
        """Return the number of steps of a gradient of 1 in each row."""
        return weights.astype(np.float64) * self.unit * gradient_scale(self.total)


@dataclass(frozen=True)
class BoostingLoss:
    """The loss of a booster.

    A gradient is an integer, its row's weight times a multiple of 2^-40 (or coarser), so that all sums fit 64 bits.
    ``shift`` is the number of bits that rounding takes from each weight, ``mass`` the rounded weight of all rows.
    """

    model: Boosting
    shift: int
    mass: int
    unit: float

    @staticmethod
    def shift_of(weight: int) -> int:
        """Return the number of bits taken from weights, given that of all rows: few, so that k is k copies."""
        return max(0, weight.bit_length() - _WEIGHT_BITS)

    @staticmethod
    def rounded(weights: Ints, shift: int) -> Ints:
        """Return weights without their last bits."""
        return (weights + ((1 << shift) >> 1)) >> shift

    @property
    def is_relative(self) -> bool:
        """Whether gradients are relative to the top of all rows."""
        return self.model.booster.is_relative

    def begin(self, start: Ints, n_rows: int) -> Ints:
        """Return the state per row."""
        return self.model.begin(start, n_rows)

    def top(self, state: Ints, target: Target, weights: Ints) -> int:
        """Return the largest margin violation, for instance."""
        weighted = weights > 0
        return self.model.booster.top(state[weighted], target[weighted] == 1)

    def gradients(self, state: Ints, target: Target, weights: Ints, top: int) -> Ints:
        """Return the two gradients of the booster."""
        gradients = self.model.booster.gradients(state, target == 1, top)
        steps = np.rint(gradients * self._fineness).astype(np.int64)
        weighted: Ints = steps * self.rounded(weights, self.shift)[:, None]
        return weighted[:, None, :]

    def in_rows(self, sums: Ints, sizes: Ints) -> GradientSums:
        """Return sums of gradients, of columns of these sizes, in units of one row."""
        unit = self.unit * float(2**self.shift)
        factor = unit / self._fineness
        totals = sums[: sizes[0], 0].sum(axis=0) if len(sizes) else np.zeros(2, dtype=np.int64)
        floats = sums[:, 0].astype(np.float64) * factor
        return GradientSums(floats, totals.astype(np.float64) * factor, self.mass * unit, sizes)

    @property
    def _fineness(self) -> float:
        """Number of steps of a gradient of 1."""
        return float(2 ** min(_FINEST_GRADIENT, _SUM_BITS - self.mass.bit_length()))


def _two_classes(evidence: Ints, target: Target) -> Floats:
    log_odds = evidence[1] - evidence[0]
    e = exp_nonpositive(-np.abs(log_odds) / float(FIXED_ONE))
    likely = 1.0 / (1.0 + e)
    unlikely = e * likely
    wrong = np.where((log_odds < 0) == (target == 1), likely, unlikely)
    return np.stack([np.where(target == 1, wrong, -wrong), unlikely * likely], axis=1)[:, None, :]


def _many_classes(evidence: Ints, target: Target) -> Floats:
    parts = exp_nonpositive((evidence - evidence.max(axis=0)) / float(FIXED_ONE))
    total = np.zeros(evidence.shape[1])
    for part in parts:
        total = total + part
    p = (parts / total).T
    truth = (target[:, None] == np.arange(len(evidence))).astype(np.float64)
    return np.stack([truth - p, p * (1.0 - p)], axis=2)
