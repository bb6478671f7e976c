# SPDX-License-Identifier: BSD-3-Clause
"""Lift by decile, cumulative gains, and what a budget of rows reaches."""

from itertools import accumulate
from typing import Any

from bayesieve.report.axis import Axis, share_axis
from bayesieve.report.chart import Chart
from bayesieve.report.formats import count, interval, percent, probability
from bayesieve.report.markup import Cell, Markup, table, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_lift"]

_HEADINGS = [
    ("tenth", "Rows in the order of their predicted probability, the most probable first"),
    ("rows", "Number of rows"),
    ("positive", "Number of rows of the class; rows with the same probability share them evenly"),
    ("rate", "Share of the rows that are of the class"),
    ("95% interval", "Interval of the rate"),
    ("lift", "Rate, divided by the rate of all rows"),
    ("cumulative gains", "Share of all rows of the class that are in this and the tenths above"),
    ("cumulative lift", "Lift of this and the tenths above, together"),
    ("lowest probability", "The predicted probability of the last row of this tenth"),
]


def draw_lift(view: View) -> Markup:
    """Return the section."""
    curve = view.curve
    label = view.labels[curve["class"]]
    return tag(
        "section",
        tag("h2", "Lift and cumulative gains"),
        tag("p", _lead(view, label), class_="lead", id="lift-lead"),
        _budget(view, label),
        tag(
            "div",
            tag("figure", tag("figcaption", "Cumulative gains"), _gains_chart(view), class_="card", id="gains"),
            tag("figure", tag("figcaption", "Lift by decile"), _lift_chart(view), class_="card", id="lift"),
            class_="pair",
        ),
        tag("div", table(_HEADINGS, decile_rows(view, curve), "deciles", id="decile-table"), class_="card"),
        id="gains-section",
    )


def _lead(view: View, label: str) -> str:
    deciles, n_positive = view.curve["deciles"], view.n_rows(view.curve["class"])
    if not n_positive:
        return ""
    first = deciles["n_positive"][0]
    share = n_positive / view["data"]["n_rows"]
    lift = first / deciles["n_rows"][0] / share
    return (
        f"The tenth of the rows with the largest predicted probability of {label} holds "
        f"{percent(first / n_positive, 0)} of all {label}: a lift of {lift:.1f}."
    )


def _budget(view: View, label: str) -> Markup:
    n_rows = view["data"]["n_rows"]
    value = min(1000, max(1, n_rows // 10))
    field = tag("input", id="budget", type="number", min=0, max=n_rows, step=1, value=value, inputmode="numeric")
    return tag(
        "div",
        tag("label", "Budget: I can act on ", field, f" of {n_rows:,} rows"),
        tag("p", id="budget-text", aria_live="polite"),
        class_="card js budget",
    )


def decile_rows(view: View, curve: dict[str, Any]) -> list[list[Cell]]:
    """Return the rows of the table."""
    deciles, n_rows = curve["deciles"], view["data"]["n_rows"]
    n_positive = view.n_rows(curve["class"])
    share = n_positive / n_rows or 1.0
    reached, found = list(accumulate(deciles["n_rows"])), list(accumulate(deciles["n_positive"]))
    rows: list[list[Cell]] = []
    for k, (n, positive) in enumerate(zip(deciles["n_rows"], deciles["n_positive"], strict=True)):
        rows.append(
            [
                str(k + 1),
                count(n),
                count(round(positive)),
                percent(positive / n),
                interval(*view.interval(positive, n)),
                f"{positive / n / share:.2f}",
                percent(found[k] / (n_positive or 1)),
                f"{found[k] / reached[k] / share:.2f}",
                probability(deciles["lowest"][k]),
            ]
        )
    return rows


def _gains_chart(view: View) -> Markup:
    curve = view.curve
    n_rows, n_positive = view["data"]["n_rows"], view.n_rows(curve["class"]) or 1
    points = [
        ((hits + alarms) / n_rows, hits / n_positive)
        for hits, alarms in zip(curve["true_positives"], curve["false_positives"], strict=True)
    ]
    chart = Chart(
        "Cumulative gains",
        share_axis("rows, the most probable first"),
        share_axis("found, of all of the class"),
        width=440,
        height=290,
    )
    chart.diagonal()
    chart.line([(0.0, 0.0), (n_positive / n_rows, 1.0)], "perfect")
    chart.line(points, "held-out")
    deciles = curve["deciles"]
    reached, found = accumulate(deciles["n_rows"]), accumulate(deciles["n_positive"])
    chart.dots([(n / n_rows, k / n_positive) for n, k in zip(reached, found, strict=True)], "held-out", 3)
    chart.mark((0.0, 0.0))
    return chart.svg(class_="wide")


def _lift_chart(view: View) -> Markup:
    curve, n_rows = view.curve, view["data"]["n_rows"]
    share = view.n_rows(curve["class"]) / n_rows or 1.0
    deciles = curve["deciles"]
    lifts, ends = [], []
    for k, (n, positive) in enumerate(zip(deciles["n_rows"], deciles["n_positive"], strict=True)):
        low, high = view.interval(positive, n)
        lifts.append((k + 0.6, k + 1.4, positive / n / share))
        ends.append((k + 1, low / share, high / share))
    top = max([1.2, *_highest_lifts(view)]) * 1.05
    tenths = list(range(1, len(lifts) + 1))
    chart = Chart(
        "Lift by decile", Axis(0.5, 10.5, "tenth of the rows", tenths), Axis(0.0, top, "lift"), width=440, height=290
    )
    chart.bars(lifts, "held-out")
    chart.whiskers(ends, "strong")
    chart.horizontal(1.0, "diagonal")
    return chart.svg(class_="wide")


def _highest_lifts(view: View) -> list[float]:
    """Return the upper end of the lift of each tenth, for each class and size that can be chosen."""
    n_rows = view["data"]["n_rows"]
    return [
        view.interval(positive, n)[1] / (view.n_rows(each["class"]) / n_rows or 1.0)
        for each in view.curves
        for positive, n in zip(each["deciles"]["n_positive"], each["deciles"]["n_rows"], strict=True)
    ]
