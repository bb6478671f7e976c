"""What a paper concludes, and whether it holds over simulated data sets."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.experiments.contrast import Contrast, contrast

__all__ = ["Claim", "check"]

Values = Callable[[str, str], NDArray[np.float64]]


@dataclass(frozen=True)
class Claim:
    """A sentence, and the differences that are positive if it is true: (quantity, larger row, smaller row).

    Of a claim about ``every`` difference their mean says nothing: the best row is not best on average.
    """

    sentence: str
    differences: tuple[tuple[str, str, str], ...]
    every: bool = False


def check(claim: Claim, values: Values) -> dict[str, Any]:
    """Return a verdict, and the differences that it rests on; ``values`` gives a quantity of a row for each seed."""
    columns = [values(quantity, larger) - values(quantity, smaller) for quantity, larger, smaller in claim.differences]
    found = [contrast(column) for column in columns]
    shown = [
        {"quantity": quantity, "larger": larger, "smaller": smaller, **asdict(each)}
        for (quantity, larger, smaller), each in zip(claim.differences, found, strict=True)
    ]
    together = contrast(np.mean(columns, axis=0))
    return {
        "claim": claim.sentence,
        "verdict": _verdict(found, together, every=claim.every),
        "mean": asdict(together),
        "differences": shown,
    }


def _verdict(found: Sequence[Contrast], together: Contrast, *, every: bool) -> str:
    """Tell what two standard errors decide: of each difference, and of their mean."""
    if together.standard_error is None:
        return "undecided: one seed"
    if all(each.is_positive for each in found):
        return "holds"
    if together.is_negative:
        return "does not hold: the opposite"
    if any(each.is_negative for each in found):
        return "does not hold for each"
    if together.is_positive and not every:
        return "holds on average"
    return "undecided"
