# SPDX-License-Identifier: BSD-3-Clause
"""Indicators that are equal on all training rows, or constant."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from bayesieve.bins.indicator import Indicator
from bayesieve.data import Column

__all__ = ["IndicatorMerger"]


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
