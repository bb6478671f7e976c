# SPDX-License-Identifier: BSD-3-Clause
"""What a report needs besides the model and its predictions: goal, costs, source of the data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.quality import Finding

__all__ = ["GOALS", "ReportContext"]

GOALS = {
    "probability": "class probabilities",
    "ranking": "ranking of rows",
    "accuracy": "accuracy",
    "recall": "minimum recall",
    "precision": "minimum precision",
    "profit": "maximum profit",
}
"""The goals of a model, and how the report names them."""


@dataclass(frozen=True)
class ReportContext:
    """Target, goal and source of a report.

    Attributes
    ----------
    target : str
        Name of the target column.
    goal : str
        One of `GOALS`.
    positive : object
        The positive class; None if there are more than two classes.
    floor : float or None
        Minimum recall or precision, for these goals.
    cost, amount : float or None
        For the goal profit: the cost of acting on a row, and the mean revenue of acting on a positive row.
    source : str
        Name of the table.
    fingerprint : str
        Hash of the file with the table.
    n_without_target : int
        Number of rows that were left out because their class is missing.
    command : str
        The command that reproduces the report.
    made : str
        Date and time in UTC at which the report was made; none in Python, so that the same call gives the same page.
    missing : sequence of str
        Texts that marked missing values in the file, as ``--na`` takes them.
    compare_seconds : float or None
        Processor time for other models in the same outer folds; None for no limit, 0 for no comparison.
    what_if : bool
        Whether the page has a form in which a reader enters values; it then holds the model with all its categories.
    findings : sequence of Finding, or None
        What `check_data` found in the columns that are used; None if it was not asked.
    amounts : array of shape (n_samples,) or None
        The revenue of each row, if it is positive and the revenues differ.
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
    made: str = ""
    missing: Sequence[str] = ()
    compare_seconds: float | None = 30.0
    what_if: bool = False
    findings: Sequence[Finding] | None = None
    amounts: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
