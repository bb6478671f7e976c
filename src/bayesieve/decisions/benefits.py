# SPDX-License-Identifier: BSD-3-Clause
"""From probabilities to the action of the largest expected benefit, and the profit of such actions.

With B(a, c) the benefit of action a if the true class is c, possibly different for each row, the expected benefit of a
is the sum over c of P(c) B(a, c). The action with the largest one is taken, the lowest index on ties (equation 1 of
Gidófalvi and Zadrozny). Classes are added in their order, so that ties are the same on all machines and criteria.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bayesieve._typing import Floats
from bayesieve.exceptions import DataError, ParameterError

__all__ = [
    "LARGEST_BENEFIT",
    "Profit",
    "ProfitCurve",
    "best_actions",
    "expected_benefits",
    "mailing_benefits",
    "profit_curve",
    "read_benefits",
    "realized_benefits",
    "total_profit",
]

LARGEST_BENEFIT = 1e100  # so that sums over rows stay finite
_DRAWS_AT_ONCE = 1 << 22  # counts held in memory


def read_benefits(values: Any, n_classes: int, n_rows: int | None = None, name: str = "benefits") -> Floats:
    """Return benefits as an array of shape (1 or n_samples, n_actions, n_classes).

    Parameters
    ----------
    values : array-like of shape (n_actions, n_classes) or (n_samples, n_actions, n_classes)
        Benefit of each action for each true class; costs are negative.
    n_classes : int
        Number of classes.
    n_rows : int or None
        Number of rows; None if one matrix for all rows is expected.
    name : str
        Name of the parameter, for messages.
    """
    expected = f"actions × {n_classes} classes" + ("" if n_rows is None else f", or {n_rows} rows × actions × classes")
    try:
        benefits = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, {expected}, got {values!r:.60}.") from None
    matrices = benefits[None] if benefits.ndim == 2 else benefits
    fits = matrices.ndim == 3 and matrices.shape[2] == n_classes and matrices.shape[1] > 0
    if not fits or (benefits.ndim == 3 and (n_rows is None or len(matrices) != n_rows)):
        raise DataError(f"{name} must be {expected}, got the shape {benefits.shape}.")
    if not np.isfinite(matrices).all():
        row, action, c = (int(place[0]) for place in np.nonzero(~np.isfinite(matrices)))
        where = f"action {action}, class {c}" + (f", row {row}" if benefits.ndim == 3 else "")
        raise DataError(f"{name} must be finite; the benefit of {where} is {matrices[row, action, c]}.")
    if np.abs(matrices).max(initial=0.0) > LARGEST_BENEFIT:
        largest = matrices.flat[np.abs(matrices).argmax()]
        raise DataError(f"{name} has the benefit {largest:g}; at most {LARGEST_BENEFIT:g} in size was expected.")
    return matrices


def mailing_benefits(amounts: Any, cost: float, positive: int = 1) -> Floats:
    """Return the benefits of no action (0) and of a mailing (1): the amount of a positive row minus the cost."""
    amount = np.asarray(amounts, dtype=np.float64)
    benefits = np.zeros((len(amount), 2, 2))
    benefits[:, 1, 1 - positive] = -cost
    benefits[:, 1, positive] = amount - cost
    return benefits


def expected_benefits(probabilities: Floats, benefits: Floats) -> Floats:
    """Return the expected benefit of each action, shape (n_samples, n_actions).

    ``probabilities`` have shape (n_samples, n_classes), ``benefits`` are as `read_benefits` returns them.
    """
    total = probabilities[:, :1] * benefits[:, :, 0]
    for c in range(1, probabilities.shape[1]):
        total = total + probabilities[:, c : c + 1] * benefits[:, :, c]
    return total


def best_actions(expected: Floats) -> NDArray[np.intp]:
    """Return the action of each row with the largest expected benefit, the lowest index on ties."""
    best: NDArray[np.intp] = np.argmax(expected, axis=1)
    return best


def realized_benefits(actions: NDArray[Any], truth: NDArray[Any], benefits: Floats) -> Floats:
    """Return the benefit of the action of each row, given its true class."""
    rows = np.arange(len(actions)) if len(benefits) > 1 else 0
    return np.asarray(benefits[rows, actions, truth], dtype=np.float64)


@dataclass(frozen=True)
class Profit:
    """A total benefit.

    Attributes
    ----------
    total : float
        The sum over rows.
    low, high : float
        Percentile bootstrap interval of the total.
    level : float
        Confidence level of the interval.
    n_rows, n_acted : int
        Number of rows, and of rows with an action other than 0.
    """

    total: float
    low: float
    high: float
    level: float
    n_rows: int
    n_acted: int

    @property
    def per_row(self) -> tuple[float, float]:
        """The mean over rows, and its standard error: half the interval, divided by its width in standard errors."""
        width = -2.0 * float(ndtri((1.0 - self.level) / 2.0)) * self.n_rows
        return self.total / self.n_rows, (self.high - self.low) / width

    def __str__(self) -> str:
        return f"{self.total:,.2f} ({self.level:.0%} interval {self.low:,.2f} to {self.high:,.2f})"


@dataclass(frozen=True)
class ProfitCurve:
    """Total benefit if only the rows of the largest expected gain are acted on.

    Attributes
    ----------
    n_acted : int array of shape (n_points,)
        Number of rows acted on; rows of equal expected gain are acted on together.
    total : array of shape (n_points,)
        The realized gain of these rows.
    expected : array of shape (n_points,)
        The expected gain of these rows.
    """

    n_acted: NDArray[np.int64]
    total: Floats
    expected: Floats

    @property
    def best(self) -> int:
        """The number of rows with the largest total; it is optimistic, because it is chosen in-sample."""
        return int(self.n_acted[np.argmax(self.total)])


def total_profit(
    realized: Floats, acted: NDArray[np.bool_], level: float = 0.95, n_draws: int = 1000, seed: int = 0
) -> Profit:
    """Return the sum of the realized benefits, with its bootstrap interval.

    Rows of equal benefit are drawn together: n draws with replacement from n rows are multinomial counts of the
    distinct values, which are few.
    """
    if not 0 < level < 1 or n_draws < 1:
        raise ParameterError(f"level must be between 0 and 1 and n_draws positive, got {level!r} and {n_draws!r}.")
    if not len(realized):
        raise DataError("The profit of 0 rows is not defined; at least one row is expected.")
    values, counts = np.unique(realized, return_counts=True)
    generator, n_rows = np.random.default_rng(seed), len(realized)
    totals, block = [], max(1, _DRAWS_AT_ONCE // len(values))
    for begin in range(0, n_draws, block):
        drawn = generator.multinomial(n_rows, counts / n_rows, size=min(block, n_draws - begin))
        totals.append((drawn * values).sum(axis=1))
    low, high = np.quantile(np.concatenate(totals), [(1 - level) / 2, (1 + level) / 2])
    return Profit(float(realized.sum()), float(low), float(high), level, n_rows, int(np.sum(acted)))


def profit_curve(expected: Floats, gained: Floats) -> ProfitCurve:
    """Return cumulative totals in the order of the expected gain, the largest first.

    Parameters
    ----------
    expected : array of shape (n_samples,)
        Expected benefit of the action minus that of no action.
    gained : array of shape (n_samples,)
        Realized benefit of the action minus that of no action.
    """
    expected, gained = np.asarray(expected, dtype=np.float64), np.asarray(gained, dtype=np.float64)
    if expected.shape != gained.shape or expected.ndim != 1:
        raise DataError(
            f"expected and gained must have one value per row, got the shapes {expected.shape} and {gained.shape}."
        )
    order = np.argsort(-expected, kind="stable")
    ranked = expected[order]
    last = (
        np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked)) if len(ranked) else np.empty(0, np.int64)
    )
    ends = np.append(0, last).astype(np.int64)
    total, expected_total = (np.append(0.0, np.cumsum(each))[ends] for each in (gained[order], ranked))
    return ProfitCurve(ends, total, expected_total)
