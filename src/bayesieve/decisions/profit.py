"""What decisions brought in all: a total with its interval, and the curve over how many rows are acted upon."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError, ParameterError

__all__ = ["Profit", "ProfitCurve", "profit_curve", "total_profit"]

Floats = NDArray[np.float64]
_DRAWS_AT_ONCE = 1 << 22  # counts held in memory


@dataclass(frozen=True)
class Profit:
    """A total benefit.

    Attributes
    ----------
    total : float
        The sum over rows.
    low, high : float
        Percentile bootstrap interval: other rows of the same kind would bring totals of this spread.
    level : float
        Its confidence.
    n_rows, n_acted : int
        How many rows there were, and for how many something other than action 0 was done.
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
    """Totals if only the most promising rows are acted upon.

    Attributes
    ----------
    n_acted : int array of shape (n_points,)
        0, 1 ... rows; rows that promise the same are acted upon together.
    total : array of shape (n_points,)
        What they brought.
    promised : array of shape (n_points,)
        What they were expected to bring.
    """

    n_acted: NDArray[np.int64]
    total: Floats
    promised: Floats

    @property
    def best(self) -> int:
        """The number of rows at which the total was largest; found with hindsight, so it flatters."""
        return int(self.n_acted[np.argmax(self.total)])


def total_profit(
    realized: Floats, acted: NDArray[np.bool_], level: float = 0.95, n_draws: int = 1000, seed: int = 0
) -> Profit:
    """Return the sum of what rows brought, with its bootstrap interval.

    Rows that brought the same are drawn together: n draws with replacement from n rows are multinomial counts of the
    distinct values, and decisions have few of those.
    """
    if not 0 < level < 1 or n_draws < 1:
        raise ParameterError(f"level must be between 0 and 1 and n_draws positive, got {level!r} and {n_draws!r}.")
    if not len(realized):
        raise DataError("There are no rows, so there is no profit to tell.")
    values, counts = np.unique(realized, return_counts=True)
    generator, n_rows = np.random.default_rng(seed), len(realized)
    totals, block = [], max(1, _DRAWS_AT_ONCE // len(values))
    for begin in range(0, n_draws, block):
        drawn = generator.multinomial(n_rows, counts / n_rows, size=min(block, n_draws - begin))
        totals.append((drawn * values).sum(axis=1))
    low, high = np.quantile(np.concatenate(totals), [(1 - level) / 2, (1 + level) / 2])
    return Profit(float(realized.sum()), float(low), float(high), level, n_rows, int(np.sum(acted)))


def profit_curve(promised: Floats, gained: Floats) -> ProfitCurve:
    """Return cumulative totals in the order of the promise, the largest first.

    Parameters
    ----------
    promised : array of shape (n_rows,)
        How much more the action is expected to bring than doing nothing.
    gained : array of shape (n_rows,)
        How much more it brought.
    """
    promised, gained = np.asarray(promised, dtype=np.float64), np.asarray(gained, dtype=np.float64)
    if promised.shape != gained.shape or promised.ndim != 1:
        raise DataError(f"Promises and gains must be one a row, got the shapes {promised.shape} and {gained.shape}.")
    order = np.argsort(-promised, kind="stable")
    ahead = promised[order]
    last = np.append(np.flatnonzero(ahead[1:] != ahead[:-1]) + 1, len(ahead)) if len(ahead) else np.empty(0, np.int64)
    ends = np.append(0, last).astype(np.int64)
    total, expected = (np.append(0.0, np.cumsum(each))[ends] for each in (gained[order], ahead))
    return ProfitCurve(ends, total, expected)
