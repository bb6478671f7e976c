# SPDX-License-Identifier: BSD-3-Clause
"""Table 3 of the paper."""

from dataclasses import dataclass
from typing import Final

__all__ = ["EVERYONE", "PRINTED", "WINNER", "Printed"]


@dataclass(frozen=True)
class Printed:
    """A row: mean squared error, summed over both classes, and profit in dollars, on the training and the test set."""

    mse_train: float
    mse_test: float
    profit_train: float
    profit_test: float


PRINTED: Final = {
    "7 hand-selected": Printed(0.10089, 0.10111, 10083, 9531),
    "5 forward": Printed(0.09535, 0.09536, 15484, 14048),
    "10 forward": Printed(0.09520, 0.09537, 16221, 14443),
    "20 forward": Printed(0.09499, 0.09556, 16877, 13366),
    "5 boosted": Printed(0.10349, 0.09540, 7365, 11700),
    "all columns": Printed(0.64965, 0.65750, 14355, 10319),
}

EVERYONE: Final = 10560.0
"""Profit of a letter to everyone in the test set."""

WINNER: Final = 14712.0
"""Profit of the winner of the competition on the test set."""
