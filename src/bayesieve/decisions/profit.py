# SPDX-License-Identifier: BSD-3-Clause
"""Profit of decisions: the total with a confidence interval, and the curve over the number of rows acted on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["Profit", "ProfitCurve", "profit_curve", "total_profit"]

_DRAWS_AT_ONCE = 1 << 22  # counts held in memory


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
