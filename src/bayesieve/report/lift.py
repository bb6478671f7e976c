# SPDX-License-Identifier: BSD-3-Clause
"""Lift by decile, cumulative gains, and what a budget of rows reaches."""

from collections.abc import Sequence
from itertools import accumulate

from bayesieve.report.chart import Axis, Chart, share_axis
from bayesieve.report.context import Setting
from bayesieve.report.curves import ClassCurves
from bayesieve.report.formats import count, interval, percent, probability
from bayesieve.report.goal_scores import ProfitPoints
from bayesieve.report.markup import Cell, Markup, table, tag
from bayesieve.report.sizes import Size, selected_size
from bayesieve.report.threshold import Decision

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


def draw_lift(setting: Setting, sizes: Sequence[Size], decision: Decision | None) -> Markup:
    """Return the section."""
    selected = selected_size(sizes)
    curves, points = selected.curves[0], selected.profit_points
    label = setting.labels[curves.class_]
    lift_chart = _lift_chart(setting, curves, _highest_lift(setting, sizes))
    return tag(
        "section",
        tag("h2", "Lift and cumulative gains"),
        tag("p", _lead(setting, curves, label), class_="lead", id="lift-lead"),
        _budget(setting, None)
        if points is None
        else tag("div", _budget(setting, decision), _profit_figure(setting, sizes, points, decision), class_="pair"),
        tag(
            "div",
            tag(
                "figure",
                tag("figcaption", "Cumulative gains"),
                _gains_chart(setting, curves, marked=points is None),
                class_="card",
                id="gains",
            ),
            tag("figure", tag("figcaption", "Lift by decile"), lift_chart, class_="card", id="lift"),
            class_="pair",
        ),
        tag("div", table(_HEADINGS, _decile_rows(setting, curves), "deciles", id="decile-table"), class_="card"),
        id="gains-section",
    )


def _lead(setting: Setting, curves: ClassCurves, label: str) -> str:
    deciles = curves.deciles
    n_positive = setting.class_rows(curves.class_)
    if not n_positive:
        return ""
    first = deciles.n_positive[0]
    share = n_positive / setting.n_rows
    lift = first / deciles.n_rows[0] / share
    return (
        f"The tenth of the rows with the largest predicted probability of class {label} holds "
        f"{percent(first / n_positive, 0)} of all rows of this class: a lift of {lift:.1f}."
    )


def _budget(setting: Setting, decision: Decision | None) -> Markup:
    """Return the field of the budget; where amounts depend on the row, it begins with the model's own decisions."""
    n_rows = setting.n_rows
    value = min(1000, max(1, n_rows // 10)) if decision is None else decision.n_acted
    field = tag("input", id="budget", type="number", min=0, max=n_rows, step=1, value=value, inputmode="numeric")
    return tag(
        "div",
        tag("label", "Budget: I can act on ", field, f" of {n_rows:,} rows"),
        tag("p", id="budget-text", aria_live="polite"),
        class_="card js budget",
    )


def _profit_figure(setting: Setting, sizes: Sequence[Size], points: ProfitPoints, decision: Decision | None) -> Markup:
    """Return the profit of the rows of the largest expected profit, for every number of them."""
    profits = [profit for size in sizes if size.profit_points is not None for profit in size.profit_points.profit]
    low, high = min(profits), max(profits)
    room = 0.06 * (high - low or 1.0)
    n_acted = 0 if decision is None else decision.n_acted
    chart = Chart(
        "Profit by number of rows",
        Axis(0.0, float(setting.n_rows), "rows, the largest expected profit first", format=count),
        Axis(low - room, high + room, "profit", format=count),
        width=440,
        height=290,
        left=60,
    )
    chart.horizontal(0.0, "diagonal")
    chart.line(list(zip(points.n_acted, points.profit, strict=True)), "held-out")
    chart.mark((n_acted, points.profit[points.n_acted.index(n_acted)] if n_acted in points.n_acted else 0.0))
    caption = tag("figcaption", f"Profit ({setting.method}) by number of rows, the largest expected profit first")
    return tag("figure", caption, chart.svg(class_="wide"), class_="card", id="profit-curve")


def _decile_rows(setting: Setting, curves: ClassCurves) -> list[list[Cell]]:
    """Return the rows of the table."""
    deciles = curves.deciles
    n_positive = setting.class_rows(curves.class_)
    share = n_positive / setting.n_rows or 1.0
    reached, found = list(accumulate(deciles.n_rows)), list(accumulate(deciles.n_positive))
    rows: list[list[Cell]] = []
    for k, (n, positive) in enumerate(zip(deciles.n_rows, deciles.n_positive, strict=True)):
        rows.append(
            [
                str(k + 1),
                count(n),
                count(round(positive)),
                percent(positive / n),
                interval(*setting.interval(positive, n)),
                f"{positive / n / share:.2f}",
                percent(found[k] / (n_positive or 1)),
                f"{found[k] / reached[k] / share:.2f}",
                probability(deciles.lowest[k]),
            ]
        )
    return rows


def _gains_chart(setting: Setting, curves: ClassCurves, *, marked: bool) -> Markup:
    n_rows = setting.n_rows
    n_positive = setting.class_rows(curves.class_) or 1
    points = [
        ((hits + alarms) / n_rows, hits / n_positive)
        for hits, alarms in zip(curves.true_positives, curves.false_positives, strict=True)
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
    reached, found = accumulate(curves.deciles.n_rows), accumulate(curves.deciles.n_positive)
    chart.dots([(n / n_rows, k / n_positive) for n, k in zip(reached, found, strict=True)], "held-out", 3)
    if marked:  # by the budget, which is of rows in the order of their probability
        chart.mark((0.0, 0.0))
    return chart.svg(class_="wide")


def _lift_chart(setting: Setting, curves: ClassCurves, highest: float) -> Markup:
    share = setting.class_rows(curves.class_) / setting.n_rows or 1.0
    deciles = curves.deciles
    lifts, ends = [], []
    for k, (n, positive) in enumerate(zip(deciles.n_rows, deciles.n_positive, strict=True)):
        low, high = setting.interval(positive, n)
        lifts.append((k + 0.6, k + 1.4, positive / n / share))
        ends.append((k + 1, low / share, high / share))
    top = max(1.2, highest) * 1.05
    tenths = list(range(1, len(lifts) + 1))
    chart = Chart(
        "Lift by decile", Axis(0.5, 10.5, "tenth of the rows", tenths), Axis(0.0, top, "lift"), width=440, height=290
    )
    chart.bars(lifts, "held-out")
    chart.whiskers(ends, "strong")
    chart.horizontal(1.0, "diagonal")
    return chart.svg(class_="wide")


def _highest_lift(setting: Setting, sizes: Sequence[Size]) -> float:
    """Return the highest upper end of the lift of a tenth, of all classes and sizes that can be chosen."""
    return max(
        setting.interval(positive, n)[1] / (setting.class_rows(curves.class_) / setting.n_rows or 1.0)
        for size in sizes
        for curves in size.curves
        for positive, n in zip(curves.deciles.n_positive, curves.deciles.n_rows, strict=True)
    )
