# SPDX-License-Identifier: BSD-3-Clause
"""Why a number is predicted as it is, and the model as a table: what columns and pairs add to it, or multiply it by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data import Column, build_frame
from bayesieve.data.files.output import html_table
from bayesieve.explain.row_explanation import describe_codes, describe_term
from bayesieve.models.number_scorecard import NumberScorecard
from bayesieve.models.scorecard import join_texts

__all__ = ["NumberContribution", "NumberExplanation", "NumberExplanations", "explain_numbers", "number_columns"]

_CodedColumn = tuple[Column, NDArray[np.intp]]


@dataclass(frozen=True)
class NumberContribution:
    """What one column, or a pair of columns, adds to the prediction of one row.

    Attributes
    ----------
    column : str
        Its name; of a pair, both names: "A × B".
    value : object
        The row's value, None if it is missing; of a pair, a tuple of both.
    bin : str
        The bin or group that the value belongs to.
    points : float
        What it adds to the prediction, or to the logarithm of it.
    factor : float or None
        What it multiplies the prediction by, where its logarithm is a sum.
    error : float
        The standard error of the points.
    """

    column: str
    value: Any
    bin: str
    points: float
    factor: float | None
    error: float

    def show_value(self) -> str:
        """Return the value as text."""
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        texts = ["missing" if each is None else str(each) for each in values]
        return texts[0] if len(texts) == 1 else join_texts(texts[0], texts[1])

    def describe(self) -> str:
        """Return column, value and bin."""
        return describe_term(self.column, self.show_value(), self.bin)


@dataclass(frozen=True, repr=False)
class NumberExplanation:
    """One row: its prediction, and what it is made of.

    Attributes
    ----------
    prediction : float
        The predicted number.
    start : float
        The prediction of a row about which no column is known.
    contributions : tuple of NumberContribution
        The largest first, whatever its sign.
    interval : tuple of float, or None
        The 90 % credible interval of the mean of such rows.
    """

    prediction: float
    start: float
    contributions: tuple[NumberContribution, ...]
    interval: tuple[float, float] | None = None

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        ends = [] if self.interval is None else [f"{each:.6g}" for each in self.interval]
        interval = f", 90 % interval of the mean {' to '.join(ends)}" if ends else ""
        terms = [(f"{self.start:.6g}", "start")]
        terms += [(_shown(each), each.describe()) for each in self.contributions]
        width = max(len(number) for number, _ in terms)
        lines = [f"predicted {self.prediction:.6g}{interval}"]
        return "\n".join([*lines, *(f"  {number:>{width}}  {words}" for number, words in terms)])

    def _repr_html_(self) -> str:
        return html_table(str(self).split("\n")[0], _cells(self.contributions))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per term, the largest contribution first."""
        return build_frame(_cells(self.contributions), backend)


class NumberExplanations(tuple[NumberExplanation, ...]):
    """The explanations of several rows."""

    __slots__ = ()

    def __repr__(self) -> str:
        first = f"; the first one:\n{self[0]}" if self else ""
        return f"{len(self)} explained rows{first}"

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per row and term, the largest contribution first."""
        rows = [i for i, explanation in enumerate(self) for _ in explanation.contributions]
        return build_frame({"row": rows, **_cells([each for own in self for each in own.contributions])}, backend)


def _shown(term: NumberContribution) -> str:
    return f"{term.points:+.6g}" if term.factor is None else f"× {term.factor:.4g}"


def _cells(terms: Sequence[NumberContribution]) -> dict[str, Sequence[Any]]:
    cells: dict[str, Sequence[Any]] = {
        "column": [each.column for each in terms],
        "value": [None if each.value is None else each.show_value() for each in terms],
        "bin": [each.bin for each in terms],
        "points": [each.points for each in terms],
        "standard_error": [each.error for each in terms],
    }
    if terms and terms[0].factor is not None:
        cells["factor"] = [each.factor for each in terms]
    return cells


def explain_numbers(
    card: NumberScorecard,
    predictions: Floats,
    intervals: Floats,
    coded: Sequence[_CodedColumn],
    coded_pairs: Sequence[tuple[_CodedColumn, _CodedColumn]],
) -> NumberExplanations:
    """Return for each row what each column and each pair adds to its prediction, given intervals of the mean."""
    by_term = [
        _terms(card, each.name, [describe_codes(own, each.partition)], each.table, each.errors, (own[1],))
        for each, own in zip(card.tables, coded, strict=True)
    ]
    for pair, columns in zip(card.pairs, coded_pairs, strict=True):
        shown = [describe_codes(own, partition) for own, partition in zip(columns, pair.partitions, strict=True)]
        by_term.append(_terms(card, pair.label, shown, pair.table, pair.errors, (columns[0][1], columns[1][1])))
    rows = list(zip(*by_term, strict=True)) if by_term else [()] * len(predictions)
    start = card.intercept
    parts = zip(predictions.tolist(), intervals.tolist(), rows, strict=True)
    return NumberExplanations(
        NumberExplanation(prediction, start, tuple(sorted(terms, key=lambda each: -abs(each.points))), (low, high))
        for prediction, (low, high), terms in parts
    )


def _terms(
    card: NumberScorecard,
    name: str,
    shown: Sequence[tuple[list[Any], list[str]]],
    table: NDArray[np.int64],
    errors: Floats | None,
    codes: tuple[NDArray[np.intp], ...],
) -> Iterator[NumberContribution]:
    points = card.points(table[codes][..., 0])
    spread = np.full(len(points), np.nan) if errors is None else card.scale.unit * errors[codes][..., 0]
    values, bins = (list(zip(*own, strict=True)) for own in zip(*shown, strict=True))
    for value, words, own, error in zip(values, bins, points.tolist(), spread.tolist(), strict=True):
        alone = len(value) == 1
        text = words[0] if alone else join_texts(words[0], words[1])
        factor = float(np.exp(own)) if card.scale.is_log else None
        yield NumberContribution(name, value[0] if alone else value, text, own, factor, error)


def number_columns(card: NumberScorecard) -> dict[str, list[Any]]:
    """Return the columns of a table: one row for where predictions begin, one per bin and one per cell of each pair.

    For each bin: its column, its values, its weight and share of the rows, its points in the unit of the target with a
    standard error, and with a logarithm the factor.
    """
    names, bins, masses, entries, errors = [""], ["start"], [np.array([card.mass])], [card.start], [card.start_errors]
    for table in card.tables:
        n = table.partition.n_bins
        names += [table.name] * n
        bins += [table.partition.describe(code) for code in range(n)]
        masses.append(table.bin_mass)
        entries.append(table.table[:n, 0])
        errors.append(None if table.errors is None else table.errors[:n, 0])
    for pair in card.pairs:
        names += [pair.label] * len(pair.cells)
        bins += [pair.describe(*cell) for cell in pair.cells]
        masses.append(pair.cell_mass.ravel())
        entries.append(pair.table[:-1, :-1, 0].ravel())
        errors.append(None if pair.errors is None else pair.errors[:-1, :-1, 0].ravel())
    mass = np.concatenate([np.asarray(each, dtype=np.float64) for each in masses])
    points = card.points(np.concatenate(entries))
    shown = mass.astype(np.int64) if (mass == np.rint(mass)).all() else mass
    columns: dict[str, list[Any]] = {"column": names, "bin": bins, "count": shown.tolist()}
    columns["share"] = (mass / card.mass).tolist()
    if card.scale.is_log:
        columns["factor"] = [card.intercept, *np.exp(points[1:]).tolist()]
        points[0] = np.log(card.intercept)
    else:
        points[0] = card.intercept
    columns["points"] = points.tolist()
    known = [each for each in errors if each is not None]
    if len(known) == len(errors):
        columns["standard error"] = (card.scale.unit * np.concatenate(known)).tolist()
    return columns
