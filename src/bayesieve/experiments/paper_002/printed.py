"""The paper's figures: percentages on the test rows of the challenge, whose labels were never published."""

from dataclasses import dataclass
from typing import Final

__all__ = ["SETS", "PrintedScores", "PrintedSet"]


@dataclass(frozen=True)
class PrintedScores:
    """Balanced error, area under the ROC curve, percentage of columns used, percentage of probes among them."""

    ber: float
    auc: float
    features: float
    probes: float


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
