# SPDX-License-Identifier: BSD-3-Clause
"""Claims of a paper, and whether they hold over simulated data sets."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.contrast import Contrast, contrast

__all__ = ["Claim", "check"]

Values = Callable[[str, str], NDArray[np.float64]]


@dataclass(frozen=True)
class Claim:
    """A sentence, and the differences that are positive if it is true: (quantity, larger row, smaller row).

    A claim about ``every`` difference cannot hold on average: a row that is best on average need not be the best.
    """

    sentence: str
    differences: tuple[tuple[str, str, str], ...]
    every: bool = False


def check(claim: Claim, values: Values) -> dict[str, Any]:
    """Return a verdict and its differences; ``values(quantity, row)`` returns one value per seed."""
    columns = [values(quantity, larger) - values(quantity, smaller) for quantity, larger, smaller in claim.differences]
    contrasts = [contrast(column) for column in columns]
    differences = [
        {"quantity": quantity, "larger": larger, "smaller": smaller, **asdict(each)}
        for (quantity, larger, smaller), each in zip(claim.differences, contrasts, strict=True)
    ]
    mean = contrast(np.mean(columns, axis=0))
    return {
        "claim": claim.sentence,
        "verdict": _verdict(contrasts, mean, every=claim.every),
        "mean": asdict(mean),
        "differences": differences,
    }


def _verdict(contrasts: Sequence[Contrast], mean: Contrast, *, every: bool) -> str:
    """Judge each difference, and their mean, by two standard errors."""
    if mean.standard_error is None:
        return "undecided: one seed"
    if all(each.is_positive for each in contrasts):
        return "holds"
    if mean.is_negative:
        return "does not hold: the opposite"
    if any(each.is_negative for each in contrasts):
        return "does not hold for each"
    if mean.is_positive and not every:
        return "holds on average"
    return "undecided"
