# SPDX-License-Identifier: BSD-3-Clause
"""Points of a scorecard as banks use them: whole numbers on a scale of one's choice, and reason codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import ParameterError
from bayesieve.models import Scorecard
from bayesieve.models.scorecard import in_nats

__all__ = ["PointScale", "reason_columns"]


@dataclass(frozen=True)
class PointScale:
    """A score of ``base_score`` at odds of ``base_odds`` to 1, and ``points_to_double`` more at twice these odds.

    The odds are those of the second class. A negative ``points_to_double`` makes high scores mean the first class.
    """

    base_score: float
    base_odds: float = 1.0
    points_to_double: float = 20.0

    def __post_init__(self) -> None:
        if not self.base_odds > 0:
            raise ParameterError(f"base_odds must be a positive number, got {self.base_odds!r}.")
        if self.points_to_double == 0 or not np.isfinite(self.points_to_double):
            raise ParameterError(f"points_to_double must be a number other than 0, got {self.points_to_double!r}.")

    @property
    def factor(self) -> float:
        """Points per nat of log-odds."""
        return self.points_to_double / log(2.0)

    def scaled(self, points: NDArray[Any]) -> list[int]:
        """Return points in nats, of which the first is the intercept, as whole numbers on the scale."""
        scaled = self.factor * np.asarray(points, dtype=np.float64)
        scaled[0] += self.base_score - self.factor * log(self.base_odds)
        return [int(each) for each in np.rint(scaled)]


def reason_columns(
    card: Scorecard, codes: Sequence[NDArray[Any]], pair_codes: Sequence[tuple[NDArray[Any], NDArray[Any]]], sign: int
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the terms of a two-class scorecard, and how far each row is below the best bin of each term, in nats.

    ``sign`` is 1 where a high score is that of the second class, and -1 where it is that of the first.
    """
    names = [*(table.name for table in card.tables), *(pair.label for pair in card.pairs)]
    lost = []
    for table, coded in zip(card.tables, codes, strict=True):
        points = sign * in_nats(table.table[:, 1] - table.table[:, 0])
        lost.append(points[:-1].max() - points[coded])
    for pair, (first, second) in zip(card.pairs, pair_codes, strict=True):
        cells = sign * in_nats(pair.table[..., 1] - pair.table[..., 0])
        lost.append(cells[:-1, :-1].max() - cells[first, second])
    return names, np.stack(lost, axis=1)
