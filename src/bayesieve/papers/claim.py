# SPDX-License-Identifier: BSD-3-Clause
"""Claims of a paper about rows of its table, measured over simulated data sets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.standard_error import standard_error
from bayesieve.papers.verdict import Difference, Scale, judge

__all__ = ["Claim", "judge_claim", "measure"]

Values = Callable[[str, str], NDArray[np.float64]]


@dataclass(frozen=True)
class Claim:
    """A sentence, and the differences that are positive if it is true: (quantity, larger row, smaller row)."""

    sentence: str
    differences: tuple[tuple[str, str, str], ...]


def measure(claim: Claim, values: Values) -> dict[str, Any]:
    """Return the differences of a claim; ``values(quantity, row)`` returns one value per seed."""
    rows = []
    for quantity, larger, smaller in claim.differences:
        each = (values(quantity, larger) - values(quantity, smaller)).tolist()
        row = {"quantity": quantity, "larger": larger, "smaller": smaller, "mean": float(np.mean(each))}
        rows.append(row | {"standard_error": standard_error(each), "n": len(each)})
    return {"claim": claim.sentence, "differences": rows}


def judge_claim(
    measured: Mapping[str, Any],
    scales: Mapping[str, Scale],
    units: str,
    title: Callable[[str], str] = str,
    *,
    is_best: bool = False,
    test_share: float = 0.0,
) -> dict[str, Any]:
    """Return the row of a claim.

    ``scales`` are those of the quantities, ``title`` names a row, and ``test_share`` is the number of test rows per
    training row if units share rows (see `Difference.of_values`).
    """
    differences = [
        Difference.of_error(
            f"{_quoted(title(each['larger']))} less {_quoted(title(each['smaller']))}",
            each["mean"],
            None if each["standard_error"] is None else each["standard_error"] * sqrt(1 + each["n"] * test_share),
            each["n"],
        )
        for each in measured["differences"]
    ]
    scale = scales[measured["differences"][0]["quantity"]]
    return judge(measured["claim"], differences, scale, units, is_best=is_best)


def _quoted(name: str) -> str:
    """Return a name in quotes if it has a comma, which would not end it."""
    return f"“{name}”" if "," in name else name
