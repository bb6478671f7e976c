# SPDX-License-Identifier: BSD-3-Clause
"""Calibration: predicted probabilities against observed frequencies, and how often each probability is predicted."""

from collections.abc import Sequence

from bayesieve.report.chart import Axis, Chart, share_axis
from bayesieve.report.context import Setting
from bayesieve.report.curves import CalibrationGroups, Histogram
from bayesieve.report.formats import count, interval, percent
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.sizes import Size, selected_size

__all__ = ["draw_calibration"]

_LEAD = (
    "Rows are divided into ten groups by the predicted probability of class ",
    ". On the diagonal, predicted probabilities equal observed frequencies; bars are 95% intervals.",
)
_WITHOUT = ", which comes from a model that was fitted without them"
_HEADINGS = [
    ("mean predicted", "Mean predicted probability of the group"),
    ("observed", "Share of the group that is of the class"),
    ("95% interval", "Interval of the observed frequency"),
    ("rows", "Number of rows"),
]


def draw_calibration(setting: Setting, sizes: Sequence[Size]) -> Markup:
    """Return the section."""
    selected = selected_size(sizes).curves
    curves = selected[0]
    groups = [each.calibration for size in sizes if size.n_columns for each in size.curves]
    # The script writes another class where a reader chooses it.
    label = tag("span", setting.labels[curves.class_], class_="class-name")
    # A model of one column has few probabilities, so that its bars would make all others flat: they are cut.
    histogram = _histogram(curves.histogram, label, max(max(_totals(each.histogram)) for each in selected))
    rows = _rows(curves.calibration)
    return tag(
        "section",
        tag("h2", "Calibration"),
        tag("p", _LEAD[0], label, "" if setting.method == "optimistic" else _WITHOUT, _LEAD[1], class_="lead"),
        tag(
            "div",
            tag(
                "div",
                tag("figure", _chart(curves.calibration, [curves.calibration, *groups]), id="calibration-chart"),
                tag("figure", tag("figcaption", "Rows by predicted probability"), histogram, id="histogram"),
                class_="card",
            ),
            tag("div", table(_HEADINGS, rows, "calibration", id="calibration-table"), class_="card"),
            class_="pair",
        ),
        id="calibration",
    )


def _rows(groups: CalibrationGroups) -> list[list[Cell]]:
    """Return the rows of the table."""
    columns = (groups.predicted, groups.observed, groups.low, groups.high, groups.n_rows)
    return [
        [percent(predicted), percent(observed), interval(low, high), count(n)]
        for predicted, observed, low, high, n in zip(*columns, strict=True)
    ]


def _chart(groups: CalibrationGroups, choices: Sequence[CalibrationGroups]) -> Markup:
    """Return the curve; its axes have room for those that a reader can choose."""
    highest = max(max(each.predicted + each.high) for each in choices)
    top = 1.0 if highest > 0.6 else highest * 1.05
    chart = Chart(
        "Calibration curve",
        share_axis("predicted probability", top),
        share_axis("observed frequency", top),
        width=440,
        height=290,
    )
    chart.diagonal()
    chart.whiskers(zip(groups.predicted, groups.low, groups.high, strict=True), "strong")
    chart.line(zip(groups.predicted, groups.observed, strict=True), "held-out", 4)
    return chart.svg(class_="wide")


def _totals(bars: Histogram) -> list[int]:
    return [a + b for a, b in zip(bars.positive, bars.others, strict=True)]


def _histogram(bars: Histogram, label: Markup, most: int) -> Markup:
    totals = _totals(bars)
    step = 1 / len(totals)
    chart = Chart(
        "Rows by predicted probability",
        share_axis("predicted probability"),
        Axis(0.0, most * 1.05, "rows"),
        width=440,
        height=150,
        left=60,
    )
    for kind, values in (("others", totals), ("held-out", bars.positive)):
        chart.bars([(k * step, (k + 1) * step, float(n)) for k, n in enumerate(values) if n], kind)
    legend = tag("p", tag("i", class_="key held-out"), label, tag("i", class_="key others"), "others", class_="legend")
    cut = tag("p", "Bars are cut at the upper end.", class_="legend", id="histogram-cut", hidden=True)
    return join([chart.svg(class_="wide"), legend, cut])
