# SPDX-License-Identifier: BSD-3-Clause
"""Why a row is predicted as it is: what columns and pairs add to the log-odds of two classes, or how columns vote."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import Partition, short_description
from bayesieve.data import Column, Scale, build_frame
from bayesieve.data.files.output import html_table
from bayesieve.exact import in_nats
from bayesieve.exceptions import ParameterError
from bayesieve.models import PairTable, Scorecard, ScoreTable, VoteModel
from bayesieve.models.scorecard import join_texts

__all__ = [
    "VISIBLE",
    "Contribution",
    "PairContribution",
    "RowExplanation",
    "RowExplanations",
    "Vote",
    "VoteExplanation",
    "VoteExplanations",
    "class_pairs",
    "describe_codes",
    "describe_term",
    "explain_rows",
    "explain_votes",
    "show_probability",
]

VISIBLE: Final = 0.01
"""By how much log-odds differ before both are shown: less changes the odds by less than 1 %."""
_DIGITS = 6  # of contributions in a table of reasons
_EXACT = 2.0**53  # whole numbers below it are doubles

_CodedColumn = tuple[Column, NDArray[np.intp]]
"""A column of some rows, and the bin of each row."""


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
    error : float or None
        The standard error of this, if the model has them.
    """

    column: str
    value: Any
    bin: str
    log_odds: float
    error: float | None = field(default=None, kw_only=True)

    def show_value(self, show: Callable[[Any], str] = str) -> str:
        """Return the value as text."""
        return _show(self.value, show)

    def describe(self, show: Callable[[Any], str] = str) -> str:
        """Return column, value and bin; a bin of this value alone is not written twice."""
        return describe_term(self.column, self.show_value(show), self.bin)


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
    error : float or None
        The standard error of this, if the model has them.
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


def describe_term(column: str, value: str, bin_words: str) -> str:
    """Return a column with its value, and its bin unless that is this value alone."""
    return f"{column} = {value}" + ("" if bin_words == value else f" ({bin_words})")


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
    interval : tuple of two float, or None
        The 90 % credible interval of the predicted probability, if the model has standard errors.
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
    interval: tuple[float, float] | None = None

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
        elif self.smoothed is not None and abs(self.smoothed - self.log_odds) >= VISIBLE:
            shown.append(("kept away from certainty", self.smoothed))
        return shown

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per term, the largest contribution first.

        Parameters
        ----------
        backend : str, default=None
            "pandas" or "polars"; by default the first that is installed.

        Returns
        -------
        frame : data frame
            Column, value, bin and contribution of each term, and its standard error if there is one; the last row is
            the intercept.
        """
        columns = _term_cells(self.contributions)
        intercept = {"column": "intercept", "value": None, "bin": None, "log_odds": self.prior}
        if "standard_error" in columns:
            intercept["standard_error"] = None
        return build_frame({name: [*columns[name], last] for name, last in intercept.items()}, backend)

    def __str__(self) -> str:
        (_, total), *after = self.sums()
        lines = [f"{self.favored!r} against {self.other!r}: log-odds {total:+.3f}"]
        lines[0] += "".join(f", {title} {value:+.3f}" for title, value in after)
        if self.probability is not None:
            lines.insert(0, self.headline())
        terms = [(f"{self.prior:+.3f}", "intercept")]
        for each in self.contributions:
            terms.append((f"{each.log_odds:+.3f}", each.describe()))
        width = max(len(number) for number, _ in terms)
        return "\n".join([*lines, *(f"  {number:>{width}}  {words}" for number, words in terms)])

    def headline(self, show: Callable[[Any], str] = repr) -> str:
        """Return the predicted class, the probability and the threshold in one line."""
        threshold = "" if self.threshold is None else f" (threshold {self.threshold:.3g})"
        chance = "unknown" if self.probability is None else show_probability(self.probability)
        if self.interval is not None:
            low, high = map(show_probability, self.interval)
            chance += f", 90% interval {low} to {high}"
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
        ends = [each.interval for each in self if each.interval is not None]
        if ends and len(ends) == len(self):
            columns["lower"], columns["upper"] = ([each[k] for each in ends] for k in (0, 1))
        for k in range(n_reasons):
            terms = [each.contributions[k] if k < len(each.contributions) else None for each in self]
            texts = [None if term is None else term.describe(show) for term in terms]
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
        }
        return build_frame(shown | _term_cells([each for _, _, each in cells]), backend)


def _term_cells(terms: Sequence[Contribution]) -> dict[str, Sequence[Any]]:
    """Return the columns of a table of terms; values are text, as columns of any type are below each other."""
    cells: dict[str, Sequence[Any]] = {
        "column": [each.column for each in terms],
        "value": [None if each.value is None else each.show_value() for each in terms],
        "bin": [each.bin for each in terms],
        "log_odds": [each.log_odds for each in terms],
    }
    if terms and terms[0].error is not None:
        cells["standard_error"] = [each.error for each in terms]
    return cells


def class_pairs(labels: Sequence[Any], scores: Ints, classes: tuple[Any, Any] | None) -> NDArray[np.intp]:
    """Return the two classes that are compared in each row: those given, or the most and the next probable.

    ``scores`` have shape (n_classes, n_rows); on ties the lower index comes first.
    """
    if classes is None:
        return np.argsort(-scores, axis=0, kind="stable")[:2]
    if len(classes) != 2 or any(label not in labels for label in classes) or classes[0] == classes[1]:
        raise ParameterError(f"classes must be two of {list(labels)}, got {classes!r}.")
    return np.repeat([[labels.index(label)] for label in classes], scores.shape[1], axis=1)


def explain_rows(
    card: Scorecard,
    classes: NDArray[np.intp],
    scores: Ints,
    coded: Sequence[_CodedColumn],
    coded_pairs: Sequence[tuple[_CodedColumn, _CodedColumn]] = (),
) -> RowExplanations:
    """Return for each row what each column and each pair adds to the log-odds of its two classes.

    ``classes`` are the two classes of each row, ``scores`` their scores; ``coded`` are the columns of the score tables,
    each with the bin of each row, and ``coded_pairs`` those of the pairs.
    """
    labels, (favored, other) = card.classes.tolist(), classes
    by_term: list[Iterable[Contribution]] = [
        _column_contributions(each, column, classes) for each, column in zip(card.tables, coded, strict=True)
    ]
    by_term += [
        _pair_contributions(pair, columns, classes) for pair, columns in zip(card.pairs, coded_pairs, strict=True)
    ]
    terms = list(zip(*by_term, strict=True)) if by_term else [()] * scores.shape[1]
    rows = np.arange(scores.shape[1])
    totals = in_nats(scores[favored, rows] - scores[other, rows]).tolist()
    priors = in_nats(card.start[favored] - card.start[other]).tolist()
    return RowExplanations(
        RowExplanation(
            labels[favored[i]],
            labels[other[i]],
            totals[i],
            priors[i],
            tuple(sorted(terms[i], key=lambda term: -abs(term.log_odds))),
        )
        for i in rows
    )


def _column_contributions(table: ScoreTable, coded: _CodedColumn, classes: NDArray[np.intp]) -> Iterator[Contribution]:
    """Yield what a column adds to the log-odds of each row."""
    codes, (favored, other) = coded[1], classes
    sizes = in_nats(table.table[codes, favored] - table.table[codes, other]).tolist()
    errors = _errors(table.errors, codes, classes)
    for value, words, size, error in zip(*describe_codes(coded, table.partition), sizes, errors, strict=True):
        yield Contribution(table.name, value, words, size, error=error)


def _errors(errors: Floats | None, codes: Any, classes: NDArray[np.intp]) -> list[Any]:
    """Return the standard errors of the difference of two classes' points per row; None if there are none."""
    if errors is None:
        return [None] * classes.shape[1]
    squares = errors[codes] ** 2
    rows = np.arange(len(squares))
    found: list[Any] = np.sqrt(squares[rows, classes[0]] + squares[rows, classes[1]]).tolist()
    return found


def _pair_contributions(
    pair: PairTable, coded: tuple[_CodedColumn, _CodedColumn], classes: NDArray[np.intp]
) -> Iterator[PairContribution]:
    """Yield what a pair adds to the log-odds of each row."""
    (_, first), (_, second) = coded
    favored, other = classes
    sizes = in_nats(pair.table[first, second, favored] - pair.table[first, second, other]).tolist()
    shown = [describe_codes(each, partition) for each, partition in zip(coded, pair.partitions, strict=True)]
    values, bins = (list(zip(*both, strict=True)) for both in zip(*shown, strict=True))
    errors = _errors(pair.errors, (first, second), classes)
    for both, cell, size, error in zip(values, bins, sizes, errors, strict=True):
        yield PairContribution(pair.label, both, join_texts(*cell), size, pair.names, cell, error=error)


def describe_codes(coded: _CodedColumn, partition: Partition) -> tuple[list[Any], list[str]]:
    """Return the value of each row, and the description of its bin."""
    column, codes = coded
    bins = codes.tolist()
    words = {code: short_description(partition, code) for code in set(bins)}
    values = [*_shown_values(column), None]
    return [values[place] for place in column.ids.tolist()], [words[code] for code in bins]


def _shown_values(column: Column) -> Sequence[Any]:
    """Return a column's values: numbers and labels as they are, dates and the like in words."""
    if not isinstance(column.labels, np.ndarray):
        return column.labels
    numbers: list[float] = column.labels.tolist()
    if column.scale is not Scale.numeric:
        return [column.scale.words(number) for number in numbers]
    whole = all(number.is_integer() and abs(number) < _EXACT for number in numbers)
    return [int(number) for number in numbers] if whole else numbers


@dataclass(frozen=True)
class Vote:
    """The vote of one column on one row.

    Attributes
    ----------
    column : str
        Its name.
    value : object
        The row's value, None if it is missing.
    bin : str
        The bin or group that the value belongs to.
    probability : float
        With which it votes for the positive class.
    """

    column: str
    value: Any
    bin: str
    probability: float


@dataclass(frozen=True)
class VoteExplanation:
    """One row.

    Attributes
    ----------
    positive : object
        The class that is voted for.
    probability : float
        Of enough votes.
    needed : int
        How many votes are needed for the positive class.
    votes : tuple of Vote
        The most certain first.
    """

    positive: Any
    probability: float
    needed: int
    votes: tuple[Vote, ...]

    def __str__(self) -> str:
        needed = f"{self.needed} of {len(self.votes)} votes are needed" if self.votes else "no column was selected"
        lines = [f"{self.positive!r}: probability {self.probability:.3f}; {needed}"]
        for vote in self.votes:
            shown = "missing" if vote.value is None else vote.value
            lines.append(f"  {vote.probability:.3f}  {describe_term(vote.column, str(shown), vote.bin)}")
        return "\n".join(lines)


class VoteExplanations(tuple[VoteExplanation, ...]):
    """The explanations of several rows."""

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per row and column, the most certain vote first."""
        cells = [(i, explanation, vote) for i, explanation in enumerate(self) for vote in explanation.votes]
        shown: dict[str, Sequence[Any]] = {
            "row": [i for i, _, _ in cells],
            "positive": [explanation.positive for _, explanation, _ in cells],
            "probability": [explanation.probability for _, explanation, _ in cells],
            "column": [vote.column for _, _, vote in cells],
            "value": [None if vote.value is None else str(vote.value) for _, _, vote in cells],
            "bin": [vote.bin for _, _, vote in cells],
            "vote": [vote.probability for _, _, vote in cells],
        }
        return build_frame(shown, backend)


def explain_votes(
    model: VoteModel, coded: Sequence[tuple[Column, NDArray[np.intp]]], probabilities: Sequence[float]
) -> VoteExplanations:
    """Return how the columns of a model vote on some rows, given their bins and the probability of each row."""
    votes: list[list[Vote]] = [[] for _ in probabilities]
    for card, (column, codes) in zip(model.tables, coded, strict=True):
        words = {code: card.partition.describe(code) for code in set(codes.tolist())}
        values, chances = [*_shown_values(column), None], model.votes(card).tolist()
        for i, (code, place) in enumerate(zip(codes.tolist(), column.ids.tolist(), strict=True)):
            votes[i].append(Vote(card.name, values[place], words[code], chances[code]))
    positive, needed = model.classes.tolist()[model.rule.positive], model.rule.needed(len(model.tables))
    return VoteExplanations(
        VoteExplanation(positive, p, needed, tuple(sorted(each, key=lambda vote: -abs(vote.probability - 0.5))))
        for p, each in zip(probabilities, votes, strict=True)
    )
