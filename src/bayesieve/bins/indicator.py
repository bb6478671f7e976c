# SPDX-License-Identifier: BSD-3-Clause
"""Binary indicators: whether a score is on one side of a threshold; and which of them are equal, or constant."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.partition import as_ordered
from bayesieve.data import Column, Scale

__all__ = ["SIDES", "Indicator", "IndicatorMerger", "threshold_words"]


SIDES = ("<=", ">=")


@dataclass(frozen=True)
class Indicator:
    """1 if the score ``column`` is on the given ``side`` of ``threshold``; ``name`` describes it."""

    column: str
    side: str
    threshold: float
    name: str
    scale: Scale = Scale.numeric

    def holds(self, score: Column) -> NDArray[np.bool_]:
        """Return for each row whether the indicator is 1; it is 0 if the score is missing.

        A row's id is its value's rank, so a threshold is a rank too. Missing values have the last id.
        """
        labels = as_ordered(score, self.scale)
        if self.side == "<=":
            return score.ids < labels.searchsorted(self.threshold, side="right")
        present: NDArray[np.bool_] = score.ids < len(labels)
        return present & (score.ids >= labels.searchsorted(self.threshold, side="left"))


def threshold_words(thresholds: Sequence[float]) -> list[str]:
    """Format thresholds with ten digits, or with all digits if two would be equal."""
    words = [f"{threshold:.10g}" for threshold in thresholds]
    return words if len(set(words)) == len(words) else [f"{threshold:.17g}" for threshold in thresholds]


class IndicatorMerger:
    """Keeps a digest of the rows of each indicator seen, and no second copy of the table."""

    def __init__(self) -> None:
        self._first: dict[bytes, str] = {}
        self.duplicates: dict[str, list[str]] = {}
        self.constant: dict[str, int] = {}

    def distinct(self, score: Column, indicators: Sequence[Indicator]) -> list[Indicator]:
        """Return the indicators that are neither constant nor equal to an earlier one."""
        kept = []
        for indicator in indicators:
            holds = indicator.holds(score)
            if holds.all() or not holds.any():
                self.constant[indicator.name] = int(holds[0])
                continue
            first = self._first.setdefault(blake2b(np.packbits(holds).tobytes()).digest(), indicator.name)
            if first == indicator.name:
                kept.append(indicator)
            else:
                self.duplicates.setdefault(first, []).append(indicator.name)
        return kept
