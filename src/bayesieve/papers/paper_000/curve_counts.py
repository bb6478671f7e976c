# SPDX-License-Identifier: BSD-3-Clause
"""What the errors along the forward and the boosted path are counted for, and how errors and profits go together."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bayesieve.papers.paper_000.printed import PRINTED

__all__ = ["correlations", "count_curves", "gap_growths"]

Record = dict[str, Any]


def count_curves(records: Sequence[Record], curve: str, direction: int) -> Record:
    """Return how often the training error rises (1) or falls (-1), and where each test error is lowest.

    Parameters
    ----------
    records : sequence of dict
        Of campaigns.
    curve : str
        The key of a curve in a record.
    direction : int
        1 or -1.
    """
    steps = [
        direction * (after["mse_train"] - before["mse_train"]) > 0
        for record in records
        for before, after in pairwise(record[curve])
    ]
    places = [int(np.argmin([point["mse_test"] for point in record[curve]])) + 1 for record in records]
    return {"n_true": sum(steps), "n_steps": len(steps), "places": places}


def gap_growths(records: Sequence[Record]) -> list[float]:
    """Return how much the test error moves away from the training error, from the first to the last forward column."""
    ends = [(each["curve"][0], each["curve"][-1]) for each in records]
    return [last["mse_test"] - last["mse_train"] - (first["mse_test"] - first["mse_train"]) for first, last in ends]


def correlations(records: Sequence[Record]) -> list[float]:
    """Return the correlation of log MSE and profit over the six rows of table 3, on the test mailing of each record."""
    found = []
    for record in records:
        rows = [record["rows"][name] for name in PRINTED]
        errors, profits = (np.array([row[name] for row in rows]) for name in ("mse_test", "profit_test"))
        found.append(float(np.corrcoef(np.log(errors), profits)[0, 1]))
    return found
