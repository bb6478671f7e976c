"""What was asked for."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GOALS", "Question"]

GOALS = {
    "probability": "probabilities that can be believed",
    "ranking": "rows in the right order",
    "accuracy": "as few wrong classes as possible",
    "recall": "few missed cases",
    "precision": "few false alarms",
    "profit": "decisions that earn most",
}


@dataclass(frozen=True)
class Question:
    """What was asked for, and of what.

    Attributes
    ----------
    target : str
        The column with the class.
    goal : str
        One of `GOALS`.
    positive : object
        The class that is looked for; None where there are more than two.
    floor : float or None
        The recall or precision that was asked for.
    cost, amount : float or None
        Of the goal profit: what acting on a row costs, and what a positive row then brings, on average.
    amounts : array of shape (n_rows,) or None
        What each row brings, if it is positive and not all bring the same.
    source : str
        The name of the table.
    fingerprint : str
        Of the table's file.
    n_without_target : int
        Rows that were left out since their class is missing.
    command : str
        What to type to do it again.
    """

    target: str
    goal: str = "probability"
    positive: Any = None
    floor: float | None = None
    cost: float | None = None
    amount: float | None = None
    source: str = ""
    fingerprint: str = ""
    n_without_target: int = 0
    command: str = ""
    amounts: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
