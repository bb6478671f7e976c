# SPDX-License-Identifier: BSD-3-Clause
"""Calibration: predicted probabilities against observed frequencies, and how often each probability is predicted."""

from typing import Any

from bayesieve.report.axis import Axis, share_axis
from bayesieve.report.chart import Chart
from bayesieve.report.formats import count, interval, percent
from bayesieve.report.markup import Cell, Markup, table, tag
from bayesieve.report.sections.view import View

__all__ = ["calibration_rows", "draw_calibration"]

_LEAD = (
    "Rows are divided into ten groups by the predicted probability of ",
    ". On the diagonal, predicted probabilities equal observed frequencies; bars are 95% intervals.",
)
_WITHOUT = ", which comes from a model that was fitted without them"
_HEADINGS = [
    ("mean predicted", "Mean predicted probability of the group"),
    ("observed", "Share of the group that is of the class"),
    ("95% interval", "Interval of the observed frequency"),
    ("rows", "Number of rows"),
]


def draw_calibration(view: View) -> Markup:
    """Return the section."""
    curve = view.curve
    return tag(
        "section",
        tag("h2", "Calibration"),
        tag("p", _LEAD[0], class_name(view), "" if view.method == "optimistic" else _WITHOUT, _LEAD[1], class_="lead"),
        tag(
            "div",
            tag(
                "div",
                tag("figure", _curve(view), id="calibration-chart"),
                tag("figure", tag("figcaption", "Rows by predicted probability"), _histogram(view), id="histogram"),
                class_="card",
            ),
            tag("div", table(_HEADINGS, calibration_rows(curve), "calibration", id="calibration-table"), class_="card"),
            class_="pair",
        ),
        id="calibration",
    )


def calibration_rows(curve: dict[str, Any]) -> list[list[Cell]]:
    """Return the rows of the table."""
    groups = curve["calibration"]
    names = ("predicted", "observed", "low", "high", "n_rows")
    return [
        [percent(predicted), percent(observed), interval(low, high), count(n)]
        for predicted, observed, low, high, n in zip(*(groups[name] for name in names), strict=True)
    ]


def class_name(view: View) -> Markup:
    """Return the class of the curves; the script writes another one where a reader chooses it."""
    return tag("span", view.labels[view.curve["class"]], class_="class-name")


def _curve(view: View) -> Markup:
    groups = view.curve["calibration"]
    curves = [curve for size in view["sizes"] if size["n_columns"] for curve in size["curves"]]
    highest = max(max(each["calibration"]["predicted"] + each["calibration"]["high"]) for each in [view.curve, *curves])
    top = 1.0 if highest > 0.6 else highest * 1.05
    chart = Chart(
        "Calibration curve",
        share_axis("predicted probability", top),
        share_axis("observed frequency", top),
        width=440,
        height=290,
    )
    chart.diagonal()
    chart.whiskers(zip(groups["predicted"], groups["low"], groups["high"], strict=True), "strong")
    chart.line(zip(groups["predicted"], groups["observed"], strict=True), "held-out", 4)
    return chart.svg(class_="wide")


def _histogram(view: View) -> Markup:
    bars = view.curve["histogram"]
    totals = [a + b for a, b in zip(bars["positive"], bars["others"], strict=True)]
    step = 1 / len(totals)
    scale = share_axis("predicted probability")
    highest = max(a + b for each in view.curves for a, b in zip(*each["histogram"].values(), strict=True))
    rows = Axis(0.0, highest * 1.05, "rows")
    chart = Chart("Rows by predicted probability", scale, rows, width=440, height=150, left=60)
    for kind, values in (("others", totals), ("held-out", bars["positive"])):
        chart.bars([(k * step, (k + 1) * step, float(n)) for k, n in enumerate(values) if n], kind)
    legend = tag(
        "p", tag("i", class_="key held-out"), class_name(view), tag("i", class_="key others"), "others", class_="legend"
    )
    return Markup(chart.svg(class_="wide") + legend)
