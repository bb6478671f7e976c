"""What the paper concludes, and whether it holds here."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.experiments.paper_004.contrast import Contrast, contrast

__all__ = ["CLAIMS", "Claim", "check"]

_FILTERS = ("mi, error", "mrmr, error")
_SEARCHES = ("forward", "backward", "forward-backward", "backward-forward")
_CRITERIA = ("error", "error_probability")
_WRAPPERS = tuple(f"{search}, {criterion}" for search in _SEARCHES for criterion in _CRITERIA)
_BEST = "backward-forward, error_probability"

Values = Callable[[str, str], NDArray[np.float64]]


@dataclass(frozen=True)
class Claim:
    """A sentence, and the differences that are positive if it is true: (quantity, larger row, smaller row).

    Of a claim about ``every`` difference their mean says nothing: the best row is not best on average.
    """

    sentence: str
    differences: tuple[tuple[str, str, str], ...]
    every: bool = False


def _each(quantity: str, larger: str, smaller: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((quantity, f"{larger}, {criterion}", f"{smaller}, {criterion}") for criterion in _CRITERIA)


CLAIMS = (
    Claim("Wrappers have a lower error than filters.", tuple(("error", f, w) for f in _FILTERS for w in _WRAPPERS)),
    Claim(
        "Error probability finds subsets with a lower error than the error itself does.",
        tuple(("error", f"{search}, error", f"{search}, error_probability") for search in _SEARCHES),
    ),
    Claim("Backward search keeps too few: going on forward keeps more.", _each("size", "backward-forward", "backward")),
    Claim("Going on forward lowers backward search's error.", _each("error", "backward", "backward-forward")),
    Claim("Forward-backward needs fewer indicators than forward.", _each("size", "forward", "forward-backward")),
    Claim("Forward-backward has a slightly higher error than forward.", _each("error", "forward-backward", "forward")),
    Claim(
        "Backward-forward by error probability has the lowest error of all.",
        tuple(("error", row, _BEST) for row in (*_FILTERS, *_WRAPPERS) if row != _BEST),
        every=True,
    ),
    Claim("The mRMR filter has a higher error than the MI filter.", (("error", "mrmr, error", "mi, error"),)),
    Claim(
        "The log likelihood is a poor guide.",
        (
            ("error", "forward, log_loss", "forward, error_probability"),
            ("error", "forward, log_loss", "forward, error"),
        ),
    ),
)


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
