# SPDX-License-Identifier: BSD-3-Clause
"""The decision threshold: rates with intervals, confusion matrix, profit, and the curves over all thresholds."""

from typing import Any

import numpy as np

from bayesieve.report.axis import Axis, share_axis
from bayesieve.report.chart import Chart
from bayesieve.report.formats import count, interval, percent, probability
from bayesieve.report.markup import Cell, Markup, table, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_decision", "own_place"]

_RATES = {
    "sensitivity": ("sensitivity (recall)", "Share of the positive rows that are predicted positive"),
    "specificity": ("specificity", "Share of the negative rows that are predicted negative"),
    "precision": ("precision", "Share of the rows predicted positive that are positive; positive predictive value"),
    "npv": ("negative predictive value", "Share of the rows predicted negative that are negative"),
}
_MONEY = {
    "benefit-true-positive": "Benefit of a true positive",
    "cost-false-positive": "Cost of a false positive",
    "cost-false-negative": "Cost of a false negative",
}


def own_place(view: View) -> int:
    """Return the place of the model's own threshold on the curve."""
    distances = [abs(each - view.threshold) for each in view.curve["threshold"]]
    return distances.index(min(distances))


def draw_decision(view: View) -> Markup:
    """Return the section."""
    return tag(
        "section",
        tag("h2", "Decision threshold"),
        tag("p", _lead(view), class_="lead", id="threshold-lead"),
        tag("div", _controls(view), tag("div", *_charts(view), class_="card charts"), class_="pair"),
        id="threshold",
    )


def _lead(view: View) -> str:
    decision = view["decision"]
    if not decision:
        others = any(size["curves"] for size in view["sizes"] if not size["selected"])
        of_size = "" if others else " The curves are those of the selected size."
        rows = "training rows" if view.method == "optimistic" else "rows that took no part in the fit"
        return f"One class against all others. All counts are of {rows}.{of_size}"
    rule = f"The threshold of the model is {probability(view.threshold)}."
    if decision["threshold"] is None:
        rule = (
            f"The model acts where probability times expected amount exceeds the cost, {view['context']['cost']:g}, so "
            "that each row has a threshold of its own; the slider has one for all rows, at the mean amount."
        )
    floors = view["context"]["goal"] in ("recall", "precision") and view.method == "cross-validated"
    of_folds = " Each fold had a threshold of its own; the rates below are those of one threshold." if floors else ""
    return (
        f"{rule} Its decisions have a {view.method} recall of {percent(decision['recall'])} and a precision of "
        f"{percent(decision['precision'])} for {view.positive_label}. Intervals have a coverage of "
        f"95%.{of_folds}"
    )


def _counts(view: View, curve: dict[str, Any], i: int) -> tuple[int, int, int, int]:
    """Return true positives, false negatives, false positives and true negatives."""
    n_positive = view.n_rows(curve["class"])
    n_negative = view["data"]["n_rows"] - n_positive
    hits, alarms = curve["true_positives"][i], curve["false_positives"][i]
    return hits, n_positive - hits, alarms, n_negative - alarms


def _controls(view: View) -> Markup:
    curve, i = view.curve, own_place(view)
    hits, misses, alarms, quiet = _counts(view, curve, i)
    label = view.labels[curve["class"]]
    other = view.labels[1 - curve["class"]] if len(view.labels) == 2 else "other"
    options = [tag("option", view.labels[each["class"]], value=k) for k, each in enumerate(view.selected["curves"])]
    many = len(options) > 1
    slider = tag("input", id="threshold-slider", type="range", min=0, max=len(curve["threshold"]) - 1, step=1, value=i)
    shown = tag("output", probability(curve["threshold"][i]), id="threshold-value")
    rows: list[list[Cell]] = [
        [f"actual {label}", count(hits), count(misses)],
        [f"actual {other}", count(alarms), count(quiet)],
    ]
    headings = [("", ""), (f"predicted {label}", ""), (f"predicted {other}", "")]
    return tag(
        "div",
        tag("div", tag("label", "Class ", tag("select", *options, id="class")), class_="row js") if many else None,
        tag("label", f"Predict {label} above " if not many else "Threshold ", slider, shown, class_="slider js"),
        tag(
            "p",
            f"At a threshold of {probability(curve['threshold'][i])}{f' for {label}' if many else ''}:",
            class_="quiet no-js",
        ),
        tag("div", *_rates(view, hits, misses, alarms, quiet), class_="facts small", id="threshold-facts"),
        tag("div", table(headings, rows, "confusion at the threshold"), id="threshold-table"),
        tag("p", _share_text(hits, alarms, view["data"]["n_rows"]), class_="quiet", id="threshold-text"),
        _money(view),
        class_="card",
    )


def _rates(view: View, hits: int, misses: int, alarms: int, quiet: int) -> list[Markup]:
    shares = ((hits, hits + misses), (quiet, quiet + alarms), (hits, hits + alarms), (quiet, quiet + misses))
    made = []
    for (key, (title, meaning)), (part, whole) in zip(_RATES.items(), shares, strict=True):
        limits = interval(*view.interval(part, whole)) if whole else ""
        value = tag("b", percent(part / whole) if whole else "–")
        text = tag("span", title, " ", tag("small", limits))
        made.append(tag("div", value, text, class_="fact", id=key, title=meaning))
    return made


def _share_text(hits: int, alarms: int, n_rows: int) -> str:
    n_predicted = hits + alarms
    if not hits:
        return f"{percent(n_predicted / n_rows)} of rows are predicted positive."
    per_hit = f"{n_predicted / hits:.1f} rows are predicted positive for each true positive"
    return f"{percent(n_predicted / n_rows)} of rows are predicted positive; {per_hit}."


def _money(view: View) -> Markup:
    context, values = view["context"], dict.fromkeys(_MONEY, "")
    if context["amount"] is not None and context["cost"] is not None:
        values["benefit-true-positive"] = f"{context['amount'] - context['cost']:.10g}"
        values["cost-false-positive"] = f"{context['cost']:.10g}"
    inputs = [
        tag(
            "label",
            f"{title} ",
            tag("input", id=key, type="number", step="any", inputmode="decimal", value=values[key]),
        )
        for key, title in _MONEY.items()
    ]
    return tag(
        "div",
        tag("div", *inputs, class_="money"),
        tag("p", id="profit", aria_live="polite"),
        tag("button", "Use the best threshold", id="use-best", type="button", hidden=True),
        class_="js",
    )


def _charts(view: View) -> list[Markup]:
    curve, i = view.curve, own_place(view)
    n_positive, n_rows = view.n_rows(curve["class"]), view["data"]["n_rows"]
    hits, alarms = np.array(curve["true_positives"]), np.array(curve["false_positives"])
    recall, false_rate = hits / n_positive, alarms / max(n_rows - n_positive, 1)
    figures = [
        (
            "ROC curve",
            "roc",
            _curve_chart("ROC curve", ("false positive rate", "sensitivity"), (false_rate, recall), i),
        ),
        ("Precision and recall", "pr", _precision_chart(view, recall, hits, alarms, i)),
        ("Sensitivity and specificity by threshold", "rates", _rate_chart(curve, recall, false_rate, i)),
        ("Decision curve: net benefit by threshold", "net-benefit", _net_benefit_chart(view, curve, hits, alarms, i)),
    ]
    return [tag("figure", tag("figcaption", title), svg, id=key) for title, key, svg in figures]


def _curve_chart(title: str, axes: tuple[str, str], points: tuple[Any, Any], i: int) -> Markup:
    chart = Chart(title, share_axis(axes[0]), share_axis(axes[1]))
    chart.diagonal()
    drawn = list(zip(*(each.tolist() for each in points), strict=True))
    chart.line(drawn, "held-out")
    chart.mark(drawn[i])
    return chart.svg()


def _precision_chart(view: View, recall: Any, hits: Any, alarms: Any, i: int) -> Markup:
    """Return precision against recall; the dashed line is the share of the class."""
    chart = Chart("Precision against recall", share_axis("recall"), share_axis("precision"))
    chart.horizontal(view.n_rows(view.curve["class"]) / view["data"]["n_rows"], "diagonal share")
    precision = hits / np.maximum(hits + alarms, 1)
    drawn = [(r, p) for r, p, n in zip(recall.tolist(), precision.tolist(), (hits + alarms).tolist(), strict=True) if n]
    chart.line(drawn, "held-out")
    chart.mark((float(recall[i]), float(precision[i])))
    return chart.svg()


def _rate_chart(curve: dict[str, Any], recall: Any, false_rate: Any, i: int) -> Markup:
    chart = Chart("Sensitivity and specificity by threshold", share_axis("threshold"), share_axis(""))
    chart.vertical(curve["threshold"][i], "cursor")
    chart.line(zip(curve["threshold"], recall.tolist(), strict=True), "held-out")
    chart.line(zip(curve["threshold"], (1 - false_rate).tolist(), strict=True), "optimistic")
    legend = tag(
        "p",
        tag("i", class_="key held-out"),
        "sensitivity",
        tag("i", class_="key optimistic"),
        "specificity",
        class_="legend",
    )
    return Markup(chart.svg() + legend)


def _net_benefit_chart(view: View, curve: dict[str, Any], hits: Any, alarms: Any, i: int) -> Markup:
    """Return net benefit per row: true positives less false positives at the odds of the threshold.

    Beside the model: all rows predicted positive, and none, which is 0.
    """
    n_rows, share = view["data"]["n_rows"], view.n_rows(curve["class"]) / view["data"]["n_rows"]
    largest = max(view.n_rows(each["class"]) for each in view.selected["curves"]) / n_rows
    t = np.array(curve["threshold"])
    inside = t < 0.99
    odds = t[inside] / (1 - t[inside])
    model = (hits[inside] - alarms[inside] * odds) / n_rows
    low = -0.15 * largest
    axis = Axis(low, 1.1 * largest, "net benefit per row", format="{:.3g}".format)
    chart = Chart("Net benefit by threshold", share_axis("threshold"), axis)
    chart.horizontal(0.0, "diagonal")
    levels = np.linspace(0.0, (share - low) / (1 - low), 30)  # until the line leaves the chart
    chart.line(zip(levels.tolist(), (share - (1 - share) * levels / (1 - levels)).tolist(), strict=True), "all-rows")
    chart.vertical(curve["threshold"][i], "cursor")
    chart.line(zip(t[inside].tolist(), np.maximum(model, low).tolist(), strict=True), "held-out")
    legend = tag(
        "p",
        tag("i", class_="key held-out"),
        "model",
        tag("i", class_="key all-rows"),
        "predict all positive",
        tag("i", class_="key none-key"),
        "none",
        class_="legend",
    )
    return Markup(chart.svg() + legend)
