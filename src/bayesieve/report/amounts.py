# SPDX-License-Identifier: BSD-3-Clause
"""Amounts by which a model decides, besides probabilities: where they come from, and the points of their columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.estimators.amounts import BinnedAmount, ColumnAmount
from bayesieve.models import ScoreTable
from bayesieve.models.scorecard import in_units
from bayesieve.report.context import ReportContext, Setting
from bayesieve.report.formats import count, digits, format_label, money, percent, plural, rounded, signed
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.markup import Cell, Markup, table, tag, within
from bayesieve.report.selected import bin_label

__all__ = ["AmountFacts", "AmountTerm", "describe_amounts", "draw_amounts", "mean_points"]

_MOST_MARKUP = 60_000  # characters of all tables


@dataclass(frozen=True)
class AmountTerm:
    """A column of the amount model: training rows and points per bin, and the mean absolute points of a row."""

    column: int
    mean_points: float
    labels: list[str]
    n_rows: list[float]
    points: list[float]


@dataclass(frozen=True)
class AmountFacts:
    """The amounts of a model.

    Attributes
    ----------
    source : str
        "column": each row has its own; "mean": that of the positive training rows; "bins": a sum over bins of columns;
        "regressor".
    column : str
        The column of the amounts; empty if it is not known.
    cost : float
        The cost of acting upon a row.
    start : float or None
        Of a sum: the amount without any column, the mean of the positive training rows.
    explained : float or None
        Share of the variance of the amounts of held-out positive rows that expected amounts explain; None where they
        are not known, and of a column.
    terms : list of AmountTerm
        The columns of a sum, the most important first.
    """

    source: str
    column: str
    cost: float
    start: float | None
    explained: float | None
    terms: list[AmountTerm]


def describe_amounts(model: Any, predictions: HeldOutPredictions, context: ReportContext) -> AmountFacts | None:
    """Return what is known of the amounts; None for a model that decides without them."""
    amount = getattr(model, "amount_", None)
    if amount is None:
        return None
    cost = rounded(float(model.cost))
    if isinstance(amount, ColumnAmount):
        return AmountFacts("column", amount.column, cost, None, None, [])
    explained = _explained(predictions, context, model.positive_index_)
    if not isinstance(amount, BinnedAmount):
        return AmountFacts("regressor", context.amount_column, cost, None, explained, [])
    place = model.estimator_.selection_.positions
    terms = [_describe_term(each, place[each.name]) for each in amount.model.tables]
    terms.sort(key=lambda term: -term.mean_points)
    start = rounded(float(in_units(amount.model.start)))
    return AmountFacts("bins" if terms else "mean", context.amount_column, cost, start, explained, terms)


def _describe_term(term: ScoreTable, column: int) -> AmountTerm:
    labels = [bin_label(term.partition, code) for code in range(term.partition.n_bins)]
    points = rounded(in_units(term.table)[:-1])
    return AmountTerm(column, rounded(mean_points(term)), labels, rounded(_mass(term)), points)


def mean_points(term: ScoreTable) -> float:
    """Return how much a column changes the expected amount: the mean absolute points of the training rows."""
    mass = _mass(term)
    return float((mass * np.abs(in_units(term.table)[:-1])).sum() / mass.sum())


def _mass(term: ScoreTable) -> Floats:
    """Return the training rows per bin; in a file without them, the same for each."""
    return np.ones(term.partition.n_bins) if term.counts is None else term.bin_mass.astype(np.float64)


def _explained(predictions: HeldOutPredictions, context: ReportContext, positive: int) -> float | None:
    """Return 1 less the squared errors of expected amounts, as a share of those of the mean of the same rows."""
    expected, rows = predictions.amounts, predictions.target == positive
    if expected is None or context.amounts is None or not rows.any():
        return None
    true = context.amounts[rows]
    squares = float(((true - true.mean()) ** 2).sum())
    return rounded(1.0 - float(((true - expected[rows]) ** 2).sum()) / squares) if squares > 0 else None


def draw_amounts(setting: Setting, facts: AmountFacts | None) -> Markup | None:
    """Return the section, if the model decides by amounts."""
    if facts is None:
        return None
    shown = within(_MOST_MARKUP, (_card(setting, term) for term in facts.terms))
    left = len(facts.terms) - len(shown)
    return tag(
        "section",
        tag("h2", "Amounts"),
        tag("p", _lead(setting, facts), class_="lead", id="amounts-lead"),
        *shown,
        tag("p", f"{plural(left, 'more column')}: see the JSON file of this report.", class_="quiet") if left else None,
        id="amounts",
    )


def _lead(setting: Setting, facts: AmountFacts) -> str:
    rule = f"A row is acted upon if its probability times its amount exceeds the cost, {format_label(facts.cost)}."
    label = setting.positive_label
    of_column = f" Amounts are those of {facts.column!r}." if facts.column else ""
    explained = ""
    if facts.explained is not None:
        how = setting.method.capitalize()
        explained = f" {how}, it explains {percent(facts.explained, 0)} of the variance of the amounts of {label}."
    if facts.source == "column":
        return f"{rule} The amount of each row is known: it is the value of {facts.column!r}."
    if facts.source == "regressor":
        return f"{rule} The amount is predicted by a regressor.{of_column}{explained}"
    assert facts.start is not None
    mean = f"the mean of the training rows of {label}, {money(facts.start)}"
    if facts.source == "mean":
        return f"{rule} The amount of every row is {mean}.{of_column}"
    columns = plural(len(facts.terms), "column")
    return (
        f"{rule} The expected amount is {mean}, plus the points of {columns}, and 0 at least. Columns were chosen for "
        f"the amount, not for the class.{of_column}{explained}"
    )


def _card(setting: Setting, term: AmountTerm) -> Markup:
    rows: list[list[Cell]] = [
        [label, count(round(n)), signed(points)]
        for label, n, points in zip(term.labels, term.n_rows, term.points, strict=True)
    ]
    name = setting.name(term.column)
    headings = [("value", ""), ("rows", "Training rows"), ("points", "What the bin adds to the expected amount")]
    title = tag("summary", name, " ", tag("small", f"± {digits(term.mean_points)} on average", class_="quiet"))
    return tag("details", title, table(headings, rows, f"amount by {name}"), class_="card amount")
