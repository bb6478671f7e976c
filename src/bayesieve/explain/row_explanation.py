# SPDX-License-Identifier: BSD-3-Clause
"""Why a row is predicted as it is: what each column or pair of columns adds to the log-odds between two classes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bayesieve.data import build_frame
from bayesieve.data.files.table_output import html_table
from bayesieve.models.pair_table import join_texts

__all__ = ["Contribution", "PairContribution", "RowExplanation", "RowExplanations", "show_probability"]

_DIGITS = 6  # of contributions in a table of reasons


@dataclass(frozen=True)
class Contribution:
    """The contribution of one column to one row.

    Attributes
    ----------
    column : str
        Its name.
    value : object
        The row's value, None if it is missing.
    bin : str
        The bin or group that the value belongs to.
    log_odds : float
        What it adds to the log-odds, in nats.
    """

    column: str
    value: Any
    bin: str
    log_odds: float

    def show_value(self, show: Callable[[Any], str] = str) -> str:
        """Return the value as text."""
        return _show(self.value, show)


@dataclass(frozen=True)
class PairContribution(Contribution):
    """The contribution of a pair of columns to one row.

    Attributes
    ----------
    column, bin : str
        The names of both columns, and their bins, as one text: "A × B".
    value : tuple of two objects
        The row's values, None where one is missing.
    log_odds : float
        What the two values together add to the log-odds, in nats.
    columns, bins : tuple of two str
        The names, and the bins, each by itself.
    """

    columns: tuple[str, str]
    bins: tuple[str, str]

    def show_value(self, show: Callable[[Any], str] = str) -> str:
        """Return both values as one text."""
        first, second = self.value
        return join_texts(_show(first, show), _show(second, show))


def _show(value: Any, show: Callable[[Any], str]) -> str:
    return "missing" if value is None else show(value)


@dataclass(frozen=True, repr=False)
class RowExplanation:
    """One row: the log-odds of a class against another, and what they are made of.

    Attributes
    ----------
    favored, other : object
        The two classes: log-odds are those of the first against the second.
    log_odds : float
        Their sum: that of the intercept and of all contributions.
    prior : float
        The intercept, where the log-odds of every row begin.
    contributions : tuple of Contribution
        The largest first, whatever its sign.
    calibrated : float or None
        The log-odds after calibration, where the classifier calibrates.
    predicted : object
        The class that the classifier predicts, which depends on its threshold.
    probability : float or None
        The predicted probability of the class ``favored``.
    threshold : float or None
        The probability above which the positive one of two classes is predicted, if that class is ``favored``.
    smoothed : float or None
        The log-odds of the predicted probabilities, which half a row, divided evenly among the classes, keeps away from
        0 and 1; None where the classifier does not smooth, or calibrates.
    """

    favored: Any
    other: Any
    log_odds: float
    prior: float
    contributions: tuple[Contribution, ...]
    calibrated: float | None = None
    predicted: Any = None
    probability: float | None = None
    threshold: float | None = None
    smoothed: float | None = None

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *_ = str(self).split("\n")
        columns: dict[str, list[Any]] = {
            "column": [
                *(each.column for each in self.contributions),
                "intercept",
                *(title for title, _ in self.sums()),
            ],
            "value": [*(each.show_value() for each in self.contributions), *[""] * (1 + len(self.sums()))],
            "bin": [*(each.bin for each in self.contributions), *[""] * (1 + len(self.sums()))],
            "log-odds": [
                *(each.log_odds for each in self.contributions),
                self.prior,
                *(value for _, value in self.sums()),
            ],
        }
        return html_table(head, columns)

    def sums(self) -> list[tuple[str, float]]:
        """Return the sum of intercept and contributions, and the log-odds of the probability where they differ."""
        shown = [("sum", self.log_odds)]
        if self.calibrated is not None:
            shown.append(("calibrated", self.calibrated))
        elif self.smoothed is not None and f"{self.smoothed:.3f}" != f"{self.log_odds:.3f}":
            shown.append(("smoothed by half a row", self.smoothed))
        return shown

    def __str__(self) -> str:
        (_, total), *after = self.sums()
        lines = [f"{self.favored!r} against {self.other!r}: log-odds {total:+.3f}"]
        lines[0] += "".join(f", {title} {value:+.3f}" for title, value in after)
        if self.probability is not None:
            lines.insert(0, self.headline())
        terms = [(f"{self.prior:+.3f}", "intercept")]
        for each in self.contributions:
            terms.append((f"{each.log_odds:+.3f}", f"{each.column} = {each.show_value()} ({each.bin})"))
        width = max(len(number) for number, _ in terms)
        return "\n".join([*lines, *(f"  {number:>{width}}  {words}" for number, words in terms)])

    def headline(self, show: Callable[[Any], str] = repr) -> str:
        """Return the predicted class, the probability and the threshold in one line."""
        threshold = "" if self.threshold is None else f" (threshold {self.threshold:.3g})"
        chance = "unknown" if self.probability is None else show_probability(self.probability)
        return f"predicted class {show(self.predicted)}; P({show(self.favored)}) = {chance}{threshold}"


def show_probability(probability: float) -> str:
    """Return a probability with four decimals, or more digits where it is close to 0 or 1: never a rounded 1."""
    if probability > 0.9995:
        return f"1 - {1.0 - probability:.2g}"
    return f"{probability:.4f}" if probability >= 0.0005 else f"{probability:.2g}"


class RowExplanations(tuple[RowExplanation, ...]):
    """The explanations of several rows."""

    __slots__ = ()

    def __repr__(self) -> str:
        first = f"; the first one:\n{self[0]}" if self else ""
        return f"{len(self)} explained rows{first}"

    def _repr_html_(self) -> str:
        shown = "".join(each._repr_html_() for each in self[:3])
        return f"<p>{len(self)} explained rows{', of which the first three:' if len(self) > 3 else ''}</p>{shown}"

    def reasons(self, n_reasons: int = 3, show: Callable[[Any], str] = str) -> dict[str, list[Any]]:
        """Return the columns of a table with one row per row: prediction, probability and its largest contributions.

        ``show`` writes a value as text.
        """
        columns: dict[str, list[Any]] = {
            "predicted": [each.predicted for each in self],
            "class": [each.favored for each in self],
            "probability": [each.probability for each in self],
        }
        for k in range(n_reasons):
            terms = [each.contributions[k] if k < len(each.contributions) else None for each in self]
            texts = [
                None if term is None else f"{term.column} = {term.show_value(show)} ({term.bin})" for term in terms
            ]
            columns[f"reason_{k + 1}"] = texts
            columns[f"log_odds_{k + 1}"] = [None if term is None else round(term.log_odds, _DIGITS) for term in terms]
        return columns

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per row and term, the largest contribution first."""
        cells: list[tuple[int, RowExplanation, Contribution]] = [
            (i, explanation, each) for i, explanation in enumerate(self) for each in explanation.contributions
        ]
        shown: dict[str, Sequence[Any]] = {
            "row": [i for i, _, _ in cells],
            "favored": [explanation.favored for _, explanation, _ in cells],
            "other": [explanation.other for _, explanation, _ in cells],
            "column": [each.column for _, _, each in cells],
            "value": [None if each.value is None else each.show_value() for _, _, each in cells],
            "bin": [each.bin for _, _, each in cells],
            "log_odds": [each.log_odds for _, _, each in cells],
        }
        return build_frame(shown, backend)
