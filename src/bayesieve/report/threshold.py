# SPDX-License-Identifier: BSD-3-Clause
"""The decision threshold: the model's own decisions, rates with intervals, profit, curves over all thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.decisions import total_profit
from bayesieve.report.chart import Axis, Chart, share_axis
from bayesieve.report.context import Setting, profit_of_acting
from bayesieve.report.curves import ClassCurves, wilson_interval
from bayesieve.report.formats import count, interval, money, percent, probability, rounded
from bayesieve.report.goal_scores import GoalScores, expected_profits
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.metrics import Score
from bayesieve.report.sizes import Size, selected_size

__all__ = ["FEWEST_POSITIVE", "Decision", "describe_decision", "draw_threshold", "own_threshold", "shown_threshold"]

FEWEST_POSITIVE = 20
"""Rows predicted positive below which net benefit is chance, and its curve ends."""
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


_NORMAL = 1.959964  # standard errors to each end of a 95 % interval


@dataclass(frozen=True)
class Decision:
    """Counts, rates and profit of the models' own decisions on held-out rows.

    The threshold is None if it depends on the row. What has to do with profit is None, and not in the JSON file,
    without a goal of it: the realized profit with its 95 % bootstrap interval, what the model expects of the same
    decisions, and what acting upon all rows, or upon as many rows drawn at random, brings. Of new rows, the promised
    profit is that of a row in the evaluation of the training, times the number of rows.
    """

    threshold: float | None
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    recall: float | None
    precision: float | None
    recall_interval: list[float]
    precision_interval: list[float]
    profit: float | None = None
    profit_of_all_rows: float | None = None
    profit_interval: list[float] | None = None
    expected_profit: float | None = None
    profit_by_chance: float | None = None
    promised_profit: float | None = None
    promised_error: float | None = None

    @property
    def n_acted(self) -> int:
        """Number of rows that are predicted positive."""
        return self.true_positives + self.false_positives

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.n_acted + self.false_negatives + self.true_negatives


def own_threshold(model: Any, positive: int) -> float | None:
    """Return the probability above which the model predicts the positive class; None if it depends on the row."""
    if hasattr(model, "expected_benefit"):
        return None if model.benefit_matrix_ is None else _matrix_threshold(model.benefit_matrix_, positive)
    level = float(model.threshold_.probability)
    return level if positive == model.positive_index_ else 1.0 - level


def _matrix_threshold(matrix: Floats, positive: int) -> float | None:
    """Return the probability at which two actions have the same expected benefit; None unless it divides the rows."""
    if matrix.shape != (2, 2):
        return None
    gains = matrix[positive] - matrix[1 - positive]
    loss, gain = float(-gains[1 - positive]), float(gains[positive])
    return loss / (loss + gain) if loss > 0 and gain > 0 else None


def describe_decision(model: Any, goal: GoalScores, positive: int) -> Decision:
    """Return the threshold, and counts, recall, precision and profit of the models' own decisions on held-out rows."""
    predictions = goal.predictions
    is_positive, acted = predictions.target == positive, predictions.predicted == positive
    true_positives, false_positives, false_negatives = (
        int(each.sum()) for each in (is_positive & acted, ~is_positive & acted, is_positive & ~acted)
    )
    recall_interval, precision_interval = (
        [rounded(float(end)) for end in wilson_interval(true_positives, whole.sum(), predictions.rows_per_observation)]
        for whole in (is_positive, acted)
    )
    return Decision(
        rounded(own_threshold(model, positive)),
        true_positives,
        false_positives,
        false_negatives,
        len(is_positive) - true_positives - false_positives - false_negatives,
        rounded(true_positives / is_positive.sum()) if is_positive.any() else None,
        rounded(true_positives / acted.sum()) if acted.any() else None,
        recall_interval,
        precision_interval,
        **_profits(goal, positive, acted),
    )


def _profits(goal: GoalScores, positive: int, acted: NDArray[np.bool_]) -> dict[str, Any]:
    """Return what the decisions bring, what was expected of them, and what chance gives; nothing without this goal."""
    context, predictions = goal.context, goal.predictions
    gains = profit_of_acting(context, predictions.target == positive)
    if gains is None:
        return {}
    realized = total_profit(np.where(acted, gains, 0.0), acted)
    profits = {
        "profit": realized.total,
        "profit_of_all_rows": float(gains.sum()),
        "profit_interval": [rounded(realized.low, 9), rounded(realized.high, 9)],
        "expected_profit": float(expected_profits(context, predictions, positive)[acted].sum()),
        "profit_by_chance": float(gains.mean() * acted.sum()),
    }
    if context.promise is not None:
        mean, error = context.promise
        profits |= {"promised_profit": mean * len(gains), "promised_error": error * len(gains)}
    return {name: value if isinstance(value, list) else rounded(value, 9) for name, value in profits.items()}


def profit_per_row(decision: Decision | None, n_rows: int) -> dict[str, Score]:
    """Return the profit per row and its standard error by the bootstrap interval; nothing without a goal of it."""
    if decision is None or decision.profit is None or decision.profit_interval is None:
        return {}
    low, high = decision.profit_interval
    return {"profit": Score(rounded(decision.profit / n_rows), rounded((high - low) / (2 * _NORMAL * n_rows)))}


def shown_threshold(setting: Setting, decision: Decision | None) -> float:
    """Return the model's own threshold; where it depends on the amount of a row, that of the mean amount."""
    if decision is None:
        return 0.5
    if decision.threshold is not None:
        return decision.threshold
    if setting.task.cost is None or not setting.task.amount:
        return 0.5
    return min(max(setting.task.cost / setting.task.amount, 0.0), 1.0)


@dataclass(frozen=True)
class _Point:
    """A threshold on the curves of a class, and the rows on its two sides."""

    setting: Setting
    curves: ClassCurves
    place: int

    @property
    def threshold(self) -> float:
        return self.curves.threshold[self.place]

    @property
    def n_positive(self) -> int:
        return self.setting.class_rows(self.curves.class_)

    @property
    def n_negative(self) -> int:
        return self.setting.n_rows - self.n_positive

    @property
    def hits(self) -> int:
        return self.curves.true_positives[self.place]

    @property
    def alarms(self) -> int:
        return self.curves.false_positives[self.place]


def draw_threshold(setting: Setting, sizes: Sequence[Size], decision: Decision | None) -> Markup:
    """Return the section."""
    curves = selected_size(sizes).curves
    threshold = shown_threshold(setting, decision)
    distances = [abs(each - threshold) for each in curves[0].threshold]
    point = _Point(setting, curves[0], distances.index(min(distances)))
    largest = max(setting.class_rows(each.class_) for each in curves) / setting.n_rows
    return tag(
        "section",
        tag("h2", "Decision threshold"),
        tag("p", _lead(setting, sizes, decision), class_="lead", id="threshold-lead"),
        tag(
            "div",
            _controls(point, curves, decision),
            tag("div", *_charts(point, largest), class_="card charts"),
            class_="pair",
        ),
        id="threshold",
    )


def _lead(setting: Setting, sizes: Sequence[Size], decision: Decision | None) -> str:
    if decision is None:
        others = any(size.curves for size in sizes if not size.selected)
        of_size = "" if others else " The curves are those of the selected size."
        rows = "training rows" if setting.method == "optimistic" else "rows that took no part in the fit"
        return f"One class against all others. All counts are of {rows}.{of_size}"
    rule = f"The threshold of the model is {probability(shown_threshold(setting, decision))}."
    if decision.threshold is None and setting.task.cost is not None:
        rule = (
            f"The model acts where probability times expected amount exceeds the cost, {setting.task.cost:g}, so "
            "that each row has a threshold of its own; the slider has one for all rows, at the mean amount, so that "
            "counts and rates below differ from those of the model."
        )
    elif decision.threshold is None:
        rule = "The model takes the action of the largest expected benefit; the slider has one threshold for all rows."
    recall, precision, class_ = percent(decision.recall), percent(decision.precision), setting.positive_class
    whose = f"Its decisions have a {setting.method} recall of {recall} and a precision of {precision} for {class_}."
    if setting.folds_have_thresholds:
        whose = (
            f"The {setting.method} recall, {recall}, and precision, {precision}, for {class_} are those of folds, each "
            "with a threshold of its own; the rates below are those of one threshold."
        )
    return f"{rule} {whose} Intervals have a coverage of 95%."


def _controls(point: _Point, curves: Sequence[ClassCurves], decision: Decision | None) -> Markup:
    labels = point.setting.labels
    shown = probability(point.threshold)
    label = labels[point.curves.class_]
    many = len(curves) > 1
    slider = tag(
        "input",
        id="threshold-slider",
        type="range",
        min=0,
        max=len(point.curves.threshold) - 1,
        step=1,
        value=point.place,
    )
    output = tag("output", shown, id="threshold-value")
    options = [tag("option", labels[each.class_], value=k) for k, each in enumerate(curves)]
    return tag(
        "div",
        tag("div", tag("label", "Class ", tag("select", *options, id="class")), class_="row js") if many else None,
        tag("label", f"Predict {label} above " if not many else "Threshold ", slider, output, class_="slider js"),
        tag("p", f"At a threshold of {shown}{f' for {label}' if many else ''}:", class_="quiet no-js"),
        tag("div", *_rates(point), class_="facts small", id="threshold-facts"),
        tag("div", _confusion(point, label), id="threshold-table"),
        tag("p", _share_text(point), class_="quiet", id="threshold-text"),
        _own_profit(decision) if _depends_on_row(decision) else _money(point.setting),
        class_="card",
    )


def _confusion(point: _Point, label: str) -> Markup:
    labels = point.setting.labels
    other = labels[1 - point.curves.class_] if len(labels) == 2 else "other"
    rows: list[list[Cell]] = [
        [f"actual {label}", count(point.hits), count(point.n_positive - point.hits)],
        [f"actual {other}", count(point.alarms), count(point.n_negative - point.alarms)],
    ]
    headings = [("", ""), (f"predicted {label}", ""), (f"predicted {other}", "")]
    return table(headings, rows, "confusion at the threshold")


def _rates(point: _Point) -> list[Markup]:
    quiet = point.n_negative - point.alarms
    misses = point.n_positive - point.hits
    shares = (
        (point.hits, point.n_positive),
        (quiet, point.n_negative),
        (point.hits, point.hits + point.alarms),
        (quiet, quiet + misses),
    )
    made = []
    for (key, (title, meaning)), (part, whole) in zip(_RATES.items(), shares, strict=True):
        limits = interval(*point.setting.interval(part, whole)) if whole else ""
        value = tag("b", percent(part / whole) if whole else "–")
        text = tag("span", title, " ", tag("small", limits))
        made.append(tag("div", value, text, class_="fact", id=key, title=meaning))
    return made


def _share_text(point: _Point) -> str:
    n_predicted = point.hits + point.alarms
    share = percent(n_predicted / point.setting.n_rows)
    if not point.hits:
        return f"{share} of rows are predicted positive."
    per_hit = f"{n_predicted / point.hits:.1f} rows are predicted positive for each true positive"
    return f"{share} of rows are predicted positive; {per_hit}."


def _depends_on_row(decision: Decision | None) -> bool:
    """Return whether what a decision brings differs from row to row, so that no amounts can be entered for all."""
    return decision is not None and decision.threshold is None and decision.profit is not None


def _own_profit(decision: Decision | None) -> Markup:
    """Return the profit of the model's own decisions."""
    assert decision is not None
    assert decision.profit is not None
    assert decision.profit_of_all_rows is not None
    text = (
        f"Profit of the decisions of the model, each by the amount of its row: {money(decision.profit)}, by acting on "
        f"{decision.n_acted:,} rows; acting on all rows: {money(decision.profit_of_all_rows)}."
    )
    return tag("p", text, id="own-profit")


def _money(setting: Setting) -> Markup:
    cost, amount = setting.task.cost, setting.task.amount
    values = dict.fromkeys(_MONEY, "")
    if amount is not None and cost is not None:
        values["benefit-true-positive"] = f"{amount - cost:.10g}"
        values["cost-false-positive"] = f"{cost:.10g}"
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


def _charts(point: _Point, largest: float) -> list[Markup]:
    """Return the four figures; ``largest`` is the largest share of a class that a reader can choose."""
    curves = point.curves
    n_positive = point.n_positive
    hits, alarms = np.array(curves.true_positives), np.array(curves.false_positives)
    recall, false_rate = hits / n_positive, alarms / max(point.n_negative, 1)
    figures = [
        ("ROC curve", "roc", _roc_chart(point, false_rate, recall)),
        ("Precision and recall", "pr", _precision_chart(point, recall, hits, alarms)),
        ("Sensitivity and specificity by threshold", "rates", _rate_chart(point, recall, false_rate)),
        ("Decision curve: net benefit by threshold", "net-benefit", _net_benefit_chart(point, hits, alarms, largest)),
    ]
    return [tag("figure", tag("figcaption", title), svg, id=key) for title, key, svg in figures]


def _roc_chart(point: _Point, false_rate: Any, recall: Any) -> Markup:
    chart = Chart("ROC curve", share_axis("false positive rate"), share_axis("sensitivity"))
    chart.diagonal()
    drawn = list(zip(false_rate.tolist(), recall.tolist(), strict=True))
    chart.line(drawn, "held-out")
    chart.mark(drawn[point.place])
    return chart.svg()


def _precision_chart(point: _Point, recall: Any, hits: Any, alarms: Any) -> Markup:
    """Return precision against recall; the dashed line is the share of the class."""
    chart = Chart("Precision against recall", share_axis("recall"), share_axis("precision"))
    chart.horizontal(point.n_positive / point.setting.n_rows, "diagonal share")
    precision = hits / np.maximum(hits + alarms, 1)
    drawn = [(r, p) for r, p, n in zip(recall.tolist(), precision.tolist(), (hits + alarms).tolist(), strict=True) if n]
    chart.line(drawn, "held-out")
    chart.mark((float(recall[point.place]), float(precision[point.place])))
    return chart.svg()


def _rate_chart(point: _Point, recall: Any, false_rate: Any) -> Markup:
    thresholds = point.curves.threshold
    chart = Chart("Sensitivity and specificity by threshold", share_axis("threshold"), share_axis(""))
    chart.vertical(point.threshold, "cursor")
    chart.line(zip(thresholds, recall.tolist(), strict=True), "held-out")
    chart.line(zip(thresholds, (1 - false_rate).tolist(), strict=True), "optimistic")
    legend = tag(
        "p",
        tag("i", class_="key held-out"),
        "sensitivity",
        tag("i", class_="key optimistic"),
        "specificity",
        class_="legend",
    )
    return Markup(chart.svg() + legend)


def _net_benefit_chart(point: _Point, hits: Any, alarms: Any, largest: float) -> Markup:
    """Return net benefit per row: true positives less false positives at the odds of the threshold.

    Other lines are those of all rows predicted positive, and of none, which is 0.
    """
    n_rows = point.setting.n_rows
    share = point.n_positive / point.setting.n_rows
    t = np.array(point.curves.threshold)
    inside = (t < 0.99) & (hits + alarms >= min(FEWEST_POSITIVE, n_rows))
    odds = t[inside] / (1 - t[inside])
    model = (hits[inside] - alarms[inside] * odds) / n_rows
    low = -0.15 * largest
    axis = Axis(low, 1.1 * largest, "net benefit per row", format="{:.3g}".format)
    chart = Chart("Net benefit by threshold", share_axis("threshold"), axis)
    chart.horizontal(0.0, "diagonal")
    levels = np.linspace(0.0, (share - low) / (1 - low), 30)  # until the line leaves the chart
    chart.line(zip(levels.tolist(), (share - (1 - share) * levels / (1 - levels)).tolist(), strict=True), "all-rows")
    chart.vertical(point.threshold, "cursor")
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
    end = f"The curve ends where fewer than {FEWEST_POSITIVE} rows are predicted positive."
    return join([chart.svg(), legend, tag("p", end, class_="legend")])
