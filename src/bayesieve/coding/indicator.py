"""An indicator: whether a score is on one side of a threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.intervals import as_ordered
from bayesieve.data import Column

__all__ = ["SIDES", "Indicator", "threshold_words"]

SIDES = ("<=", ">=")


@dataclass(frozen=True)
class Indicator:
    """1 where the score ``column`` is on a ``side`` of ``threshold``, which ``name`` says in words."""

    column: str
    side: str
    threshold: float
    name: str

    def holds(self, score: Column) -> NDArray[np.bool_]:
        """Tell for each row whether it holds; of a missing score nothing holds.

        A row's id is its value's position in order, so a threshold is a position too. Missing is the last id of all.
        """
        labels = as_ordered(score)
        if self.side == "<=":
            return score.ids < labels.searchsorted(self.threshold, side="right")
        known: NDArray[np.bool_] = score.ids < len(labels)
        return known & (score.ids >= labels.searchsorted(self.threshold, side="left"))


def threshold_words(thresholds: Sequence[float]) -> list[str]:
    """Return numbers as people write them, with all their digits only where two would look alike."""
    words = [f"{threshold:.10g}" for threshold in thresholds]
    return words if len(set(words)) == len(words) else [f"{threshold:.17g}" for threshold in thresholds]
