# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figures: percentages on the test rows of the challenge, whose labels were never published."""

from dataclasses import dataclass
from typing import Final

__all__ = [
    "ESNB_SCORES",
    "LATER_WINNERS",
    "OVERALL",
    "PERCEPTRON_SCORES",
    "SETS",
    "WINNERS",
    "PrintedScores",
    "PrintedSet",
]


@dataclass(frozen=True)
class PrintedScores:
    """Balanced error, area under the ROC curve, percentage of columns used, percentage of probes among them.

    ``score`` is the challenge's: 100 × the share of significant victories less that of defeats against other entries.
    """

    ber: float
    auc: float
    features: float
    probes: float
    score: float = 0.0


@dataclass(frozen=True)
class PrintedSet:
    """A set of the NIPS 2003 challenge.

    ``esnb`` is table 25.1 (December 1st, fitted on the training rows), ``perceptron`` table 25.2 (December 8th: a
    perceptron on ESNB's columns, fitted on training and validation rows). ``size`` and ``later_size`` are the numbers
    of columns that follow from the percentages. ``probes`` is the number of the organizers' probes per real column.
    """

    n_columns: int
    size: int
    later_size: int
    esnb: PrintedScores
    perceptron: PrintedScores
    probes: float


SETS: Final = {
    "arcene": PrintedSet(
        10_000, 5, 14, PrintedScores(31.25, 75.93, 0.05, 40), PrintedScores(22.92, 83.78, 0.14, 7.14), 3 / 7
    ),
    "dexter": PrintedSet(
        20_000, 34, 66, PrintedScores(9.80, 96.42, 0.17, 0), PrintedScores(7.20, 97.49, 0.33, 0), 10_053 / 9_947
    ),
    "dorothea": PrintedSet(
        100_000, 53, 71, PrintedScores(21.03, 89.43, 0.05, 1.89), PrintedScores(14.59, 91.50, 0.07, 0), 1.0
    ),
    "gisette": PrintedSet(
        5_000, 151, 163, PrintedScores(3.12, 99.49, 3.02, 0), PrintedScores(2.46, 99.64, 3.26, 0), 1.0
    ),
    "madelon": PrintedSet(
        500, 9, 7, PrintedScores(34.06, 68.51, 1.8, 11.11), PrintedScores(14.94, 93.22, 1.4, 0), 24.0
    ),
}

ESNB_SCORES: Final = {
    "arcene": -78.18, "dexter": -45.45, "dorothea": -45.45, "gisette": -56.36, "madelon": -63.64, "overall": -57.82,
}  # fmt: skip
PERCEPTRON_SCORES: Final = {
    "arcene": -60.0, "dexter": -25.71, "dorothea": 54.29, "gisette": -42.86, "madelon": -65.71, "overall": -28.0,
}  # fmt: skip
OVERALL: Final = {
    "ESNB": PrintedScores(19.85, 85.96, 1.02, 10.6),
    "ESNB, training and validation rows": PrintedScores(18.25, 0.0, 0.0, 0.0),
    "perceptron": PrintedScores(12.42, 93.12, 1.04, 1.43),
}
"""The rows OVERALL, of five sets; of ESNB on all labeled rows only the error is printed."""

WINNERS: Final = {
    "arcene": PrintedScores(13.30, 93.48, 100.0, 30.0, 98.18),
    "dexter": PrintedScores(3.90, 99.01, 1.52, 12.87, 96.36),
    "dorothea": PrintedScores(8.54, 95.92, 100.0, 50.0, 98.18),
    "gisette": PrintedScores(1.37, 98.63, 18.26, 0.0, 98.18),
    "madelon": PrintedScores(7.17, 96.95, 1.6, 0.0, 100.0),
    "overall": PrintedScores(6.84, 97.22, 80.3, 47.77, 88.00),
}
"""The winning entry of December 1st, table 25.1."""

LATER_WINNERS: Final = {
    "arcene": PrintedScores(11.86, 95.47, 10.7, 1.03, 94.29),
    "dexter": PrintedScores(3.30, 96.70, 18.57, 42.14, 100.0),
    "dorothea": PrintedScores(8.61, 95.92, 100.0, 50.0, 97.14),
    "gisette": PrintedScores(1.35, 98.71, 18.32, 0.0, 97.14),
    "madelon": PrintedScores(7.11, 96.95, 1.6, 0.0, 94.29),
    "overall": PrintedScores(6.48, 97.20, 80.3, 47.77, 71.43),
}
"""The winning entry of December 8th, table 25.2."""
