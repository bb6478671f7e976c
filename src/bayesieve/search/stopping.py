# SPDX-License-Identifier: BSD-3-Clause
"""When a search stops."""

from dataclasses import dataclass

__all__ = ["Stopping"]


@dataclass(frozen=True)
class Stopping:
    """The sizes asked for, and the price of a column.

    Attributes
    ----------
    smallest, largest : int
        The sizes of which the result has one.
    forced : bool
        Whether the search goes through all these sizes whatever the scores.
    tol : float or None
        The price of a column: an addition must raise the score by more than ``tol`` per column, a removal may lower it
        by at most ``tol`` per column. None: go on to the end and choose afterwards, at price 0.
    n_starts : int
        How often a search that goes in random orders starts again.
    beam_width : int
        The number of subsets of each size that a beam search extends.
    """

    smallest: int
    largest: int
    forced: bool = False
    tol: float | None = 0.0
    n_starts: int = 1
    beam_width: int = 5

    @property
    def price(self) -> float:
        """The gain that a column must have."""
        return self.tol or 0.0

    def allows_addition(self, gain: float, n_columns: int, size: int) -> bool:
        """Return whether an addition to a subset of this size goes ahead."""
        return self.forced or size < self.smallest or self.tol is None or gain > self.tol * n_columns

    def allows_removal(self, gain: float, n_columns: int, size: int) -> bool:
        """Return whether a removal from a subset of this size goes ahead."""
        return self.forced or size > self.largest or self.tol is None or gain >= -self.tol * n_columns
