# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of columns: the scores of each on held-out rows, a chart per metric, and a table of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.additive.constants import MIN_GAIN
from bayesieve.report.chart import Axis, Chart, nice_ticks
from bayesieve.report.context import Setting
from bayesieve.report.curves import ClassCurves, describe_curves
from bayesieve.report.formats import SHARES, count, percent, plural, rounded, score, score_error
from bayesieve.report.goal_scores import GoalScores, ProfitPoints
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.metrics import METRICS, Metric, Score, goal_metrics
from bayesieve.report.model_type import ModelType
from bayesieve.report.redundancy import Stability

__all__ = [
    "METRICS",
    "Marks",
    "Metric",
    "Score",
    "Size",
    "describe_scores",
    "describe_sizes",
    "draw_sizes",
    "mark_sizes",
    "score_chart",
    "selected_size",
    "shown_metrics",
    "with_error",
]

_MOST_CURVES = 60  # with more, only the selected size has curves
_MOST_CHIPS = 60
_MOST_CONFUSED = 30  # classes of a confusion matrix
_CHIPS = "enters at this number of columns"
_KEPT = "Share of the improvement by the largest number of columns, as the selection measured it, ± standard error"
_LEAD = "{} scores are computed on rows that took no part in selection or fit. {}."


@dataclass(frozen=True)
class Size:
    """A number of columns on the path, with its scores.

    Attributes
    ----------
    n_columns : int
        The number.
    columns : list of int
        The columns.
    selected : bool
        Whether it is the size of the model.
    optimistic, held_out : dict
        Scores by metric, on rows that took part in the selection and on held-out rows.
    confusion : list of lists
        The confusion matrix: actual classes are rows, most probable classes are columns.
    curves : list of ClassCurves
        Those of each class that is shown.
    improvement : float or None
        How much lower the held-out log loss is than that of class frequencies, as a share of the largest such
        difference of all sizes. None if no size is better than class frequencies.
    goal : dict
        The measures of the goal, of decisions on held-out rows: profit, or recall and precision; None of a share of no
        row.
    profit_points : ProfitPoints or None
        The profit of the most promising rows, where amounts depend on the row.
    kept : Score or None
        The share of the gain of all columns that the selection measured, where this decides about the size.
    """

    n_columns: int
    columns: list[int]
    selected: bool
    optimistic: dict[str, float | None]
    held_out: dict[str, Score]
    confusion: list[list[int]]
    curves: list[ClassCurves]
    improvement: float | None
    goal: dict[str, Score | None] = field(default_factory=dict)
    profit_points: ProfitPoints | None = None
    kept: Score | None = None

    def score(self, name: str) -> Score | None:
        """Return the held-out score of a metric, or of a measure of the goal."""
        return self.goal[name] if name in self.goal else self.held_out[name]


@dataclass(frozen=True)
class Marks:
    """The sizes that are marked on the curve; see `mark_sizes`."""

    one_standard_error: int | None
    nearly_all: int | None


def describe_sizes(
    model: Any, goal: GoalScores, curve_classes: Sequence[int], own_threshold: float | None
) -> list[Size]:
    """Return columns, scores, confusion matrix, curves and calibration for each number of columns on offer.

    Parameters
    ----------
    model : fitted classifier
        The model with the path.
    goal : GoalScores
        Predictions for rows by models that were fitted without them, and what decisions are measured by.
    curve_classes : sequence of int
        The classes that have curves.
    own_threshold : float or None
        The probability above which the model predicts the positive class.
    """
    selection, predictions = model.selection_, goal.predictions
    offered = list(selection.by_size.values()) if selection.fitted is not None else [selection.best]
    n_curves = len(offered) * len(curve_classes)
    per_observation = predictions.rows_per_observation
    kept = {each.n_features: Score(each.share, each.standard_error) for each in selection.shares}
    sizes = []
    for visit in offered:
        selected = visit.columns == selection.best.columns
        size = None if selected else visit.n_features
        probabilities = predictions.probabilities(size)
        curves = [
            describe_curves(probabilities, predictions.target, c, own_threshold, n_curves, per_observation)
            for c in (curve_classes if selected or n_curves <= _MOST_CURVES else ())
        ]
        optimistic = _optimistic_scores(model, visit.n_features)
        sizes.append(
            Size(
                visit.n_features,
                [selection.positions[name] for name in visit.columns],
                selected,
                {name: rounded(value) for name, value in optimistic.items()},
                describe_scores(predictions.scores(size)),
                _count_confusions(predictions.target, probabilities.argmax(axis=1), len(predictions.classes)),
                curves,
                improvement=None,
                goal=goal.scores(size),
                profit_points=goal.profit_points(size) if curves else None,
                kept=kept.get(visit.n_features),
            )
        )
    return sizes


def _optimistic_scores(model: Any, size: int) -> dict[str, float | None]:
    """Return the scores of a size on rows that took part in the selection; None of each if they were not computed."""
    if not model.selection_.cv_results:  # a model from a file
        return dict.fromkeys(METRICS)
    i = model.cv_results_["n_features"].tolist().index(size)
    names = ("error", "auc", "brier", "log_loss")
    if not all(f"mean_test_{name}" in model.cv_results_ for name in names):
        return dict.fromkeys(METRICS)
    scores = {name: float(model.cv_results_[f"mean_test_{name}"][i]) for name in names}
    return {
        "log_loss": -scores["log_loss"],
        "brier": -scores["brier"] / (2 if len(model.classes_) == 2 else 1),  # the criterion counts both classes
        "auc": scores["auc"],
        "accuracy": 1.0 + scores["error"],
    }


def describe_scores(scores: Mapping[str, tuple[float, float]]) -> dict[str, Score]:
    """Return each metric with its standard error, as the page shows them."""
    return {name: Score(rounded(value), rounded(error)) for name, (value, error) in scores.items()}


def mark_sizes(sizes: Sequence[Size], baseline: float) -> tuple[list[Size], Marks]:
    """Return the sizes with their shares of the improvement in log loss, and those that are marked on the curve.

    Parameters
    ----------
    sizes : sequence of Size
        As in `describe_sizes`.
    baseline : float
        The log loss of class frequencies on the same rows.

    Returns
    -------
    sizes : list of Size
        The same with their improvements.
    marks : Marks
        ``one_standard_error``: the smallest size whose held-out log loss is within one standard error of the lowest;
        ``nearly_all``: the smallest one with 99 % of the improvement, None if there is no improvement. Both are None if
        there is one size.
    """
    losses = [size.held_out["log_loss"].mean for size in sizes]
    best = min(range(len(sizes)), key=losses.__getitem__)
    gain = baseline - losses[best]
    improved = [
        replace(size, improvement=rounded((baseline - loss) / gain) if gain > 0 else None)
        for size, loss in zip(sizes, losses, strict=True)
    ]
    if len(sizes) == 1:
        return improved, Marks(None, None)
    limit = losses[best] + sizes[best].held_out["log_loss"].standard_error
    one_error = next(size.n_columns for size, loss in zip(sizes, losses, strict=True) if loss <= limit)
    enough = (size.n_columns for size in improved if size.improvement is not None and size.improvement >= MIN_GAIN)
    return improved, Marks(one_error, next(enough, None))


def selected_size(sizes: Sequence[Size]) -> Size:
    """Return the size of the model."""
    return next(size for size in sizes if size.selected)


def _count_confusions(target: NDArray[np.intp], predicted: NDArray[np.intp], n_classes: int) -> list[list[int]]:
    """Return the confusion matrix: actual classes are rows, most probable classes are columns."""
    counts = np.bincount(target * n_classes + predicted, minlength=n_classes * n_classes)
    return [list(map(int, row)) for row in counts.reshape(n_classes, n_classes)]


def draw_sizes(setting: Setting, sizes: Sequence[Size], marks: Marks, model: ModelType, stability: Stability) -> Markup:
    """Return the section."""
    selected = selected_size(sizes)
    measures = shown_metrics(setting, selected)
    single = len(sizes) == 1
    lead = _LEAD.format(setting.method.capitalize(), model.selection_score)
    scores = tag(
        "div",
        tag("h3", f"{plural(selected.n_columns, 'column')} (selected)", id="size-title"),
        _scores(setting, selected, measures),
        tag("div", *_chips(setting, sizes), class_="chips", id="size-columns"),
        tag("p", tag("i", class_="key held-out"), _CHIPS, class_="legend", id="chips-legend") if not single else None,
        tag("p", id="size-note", class_="quiet js", aria_live="polite"),
        _confusion(setting, selected),
        class_="card",
    )
    all_sizes = tag(
        "details", tag("summary", "Table of all sizes"), _all_sizes(setting, sizes, measures), class_="card"
    )
    return tag(
        "section",
        tag("h2", "Scores" if single else "Number of columns"),
        None if single else tag("p", lead, _of_folds(setting, selected, stability), class_="lead"),
        tag("p", setting.evaluation.description, class_="lead", id="evaluation"),
        tag("div", _curve(setting, sizes, marks, measures), scores, class_="pair"),
        None if single else all_sizes,
        id="size",
    )


def shown_metrics(setting: Setting, selected: Size) -> dict[str, Metric]:
    """Return the measures of the goal, and the metrics that every report has."""
    of_goal = goal_metrics(setting.task.goal, setting.task.floor)
    return {name: metric for name, metric in of_goal.items() if name in selected.goal} | METRICS


def _curve(setting: Setting, sizes: Sequence[Size], marks: Marks, measures: Mapping[str, Metric]) -> Markup:
    """Return the charts of all metrics, of which one is shown, and a slider of sizes."""
    own = next(iter(measures))
    main = {"ranking": "auc", "accuracy": "accuracy"}.get(setting.task.goal, own)
    options = [tag("option", metric.title, value=name, selected=name == main) for name, metric in measures.items()]
    legend = tag(
        "span",
        tag("i", class_="key held-out"),
        setting.method,
        tag("i", class_="key optimistic"),
        "selection score",
        class_="legend",
    )
    charts = [
        tag("div", _chart(sizes, marks, name, metric), data_metric=name, hidden=name != main)
        for name, metric in measures.items()
    ]
    place = [size.selected for size in sizes].index(True)
    slider = tag("input", id="size-slider", type="range", min=0, max=len(sizes) - 1, step=1, value=place)
    return tag(
        "div",
        tag(
            "div",
            tag("label", "Metric ", tag("select", *options, id="metric"), class_="js"),
            legend,
            class_="row",
        ),
        *charts,
        _legend_of_marks(marks),
        tag("label", "Columns ", slider, tag("output", id="size-value"), class_="slider js"),
        class_="card",
        hidden=len(sizes) == 1,  # a model from a file has one size
    )


def _of_folds(setting: Setting, selected: Size, stability: Stability) -> str | None:
    """Return what the scores of the selected size are, if outer folds select other numbers of columns."""
    sizes = stability.sizes
    if not sizes or min(sizes) == max(sizes) == selected.n_columns:
        return None
    ends = str(min(sizes)) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    return (
        f" At the selected number, {setting.method} scores are those of the whole procedure: each fold is predicted "
        f"with the columns that were selected without it, {ends} of them."
    )


def _chart(sizes: Sequence[Size], marks: Marks, name: str, metric: Metric) -> Markup:
    """Return scores against the number of columns; no column at all is left out, as it is so much worse."""
    drawn = [size for size in sizes if size.n_columns > 0] if len(sizes) > 2 else sizes
    selected = selected_size(sizes)
    scores = [(size.n_columns, each) for size in drawn if (each := size.score(name)) is not None]
    held_out = [(n, each.mean) for n, each in scores]
    ends = [(n, each.mean - each.standard_error, each.mean + each.standard_error) for n, each in scores]
    known = [(size.n_columns, size.optimistic.get(name)) for size in drawn]
    optimistic = [(n, value) for n, value in known if value is not None]
    values = [value for _, *both in ends for value in both] + [value for _, value in optimistic]
    chart = score_chart(metric, [size.n_columns for size in drawn], values or [0.0], name in SHARES)
    for size, kind in _marked(marks).items():
        if chart.x.low <= size <= chart.x.high:
            chart.vertical(size, f"marked {kind}")
    place = selected.n_columns or drawn[0].n_columns
    chart.vertical(place, "cursor")
    chart.whiskers(ends)
    chart.line(optimistic, "optimistic", 2.5)
    chart.line(held_out, "held-out", 3.5)
    own = selected.score(name)
    chart.mark((place, own.mean if own is not None else min(values, default=0.0)))
    return chart.svg(class_="wide")


def score_chart(metric: Metric, sizes: Sequence[int], values: Sequence[float], percentages: bool = False) -> Chart:
    """Return an empty chart of a metric against the number of columns, with room for these values."""
    room = 0.06 * (max(values) - min(values) or 1.0)
    first, last = sizes[0], max(sizes[-1], sizes[0] + 1)
    return Chart(
        f"{metric.title} against the number of columns",
        Axis(first, last, "columns", [tick for tick in nice_ticks(first, last, 7) if tick % 1 == 0]),
        Axis(
            min(values) - room,
            max(values) + room,
            metric.directed_title,
            format=_percent_tick if percentages else "{:.5g}".format,
        ),
        width=440,
        height=290,
        left=60,
    )


def _percent_tick(value: float) -> str:
    return f"{100 * value:.4g}%"


def _marked(marks: Marks) -> dict[int, str]:
    """Return the sizes that are marked, each with its kind; nearly all of the improvement comes before one error."""
    kinds = {"one-error": marks.one_standard_error, "nearly-all": marks.nearly_all}
    return {size: kind for kind, size in kinds.items() if size is not None}


def _legend_of_marks(marks: Marks) -> Markup | None:
    """Return what the marked sizes are."""
    sentences = []
    if (size := marks.nearly_all) is not None:
        text = f"{plural(size, 'column')}: 99% of the improvement over class frequencies"
        sentences.append(tag("span", tag("i", class_="key line-key nearly-all"), text))
    if (size := marks.one_standard_error) is not None:
        text = f"{plural(size, 'column')}: within one standard error of the lowest log loss"
        sentences.append(tag("span", tag("i", class_="key line-key one-error"), text))
    return tag("p", *sentences, class_="legend stacked") if sentences else None


def _scores(setting: Setting, selected: Size, measures: Mapping[str, Metric]) -> Markup:
    # A model from a file does not keep scores on rows that were used for the selection.
    has_optimistic = any(value is not None for value in selected.optimistic.values())
    headings = [
        ("metric", ""),
        (setting.method, f"± {setting.standard_error}"),
        *([("selection score", "On rows that were used for the selection")] if has_optimistic else []),
    ]
    rows: list[list[Cell]] = []
    for name, metric in measures.items():
        held_out, optimistic = selected.score(name), selected.optimistic.get(name)
        shown = "–"
        if held_out is not None:
            shown = f"{score(name, held_out.mean)} ± {score_error(name, held_out.standard_error)}"
        rows.append([metric.title, shown, *([score(name, optimistic)] if has_optimistic else [])])
    note = tag("p", f"± {setting.standard_error}", class_="quiet")
    return tag("div", table(headings, rows, ""), note, id="size-scores")


def _chips(setting: Setting, sizes: Sequence[Size]) -> list[Markup]:
    """Return the names of the selected columns; those that the next smaller size does not have are marked."""
    place = [size.selected for size in sizes].index(True)
    columns = sizes[place].columns
    before = set(columns if len(sizes) == 1 else sizes[place - 1].columns if place else ())
    chips = [tag("span", setting.name(j), class_="chip" if j in before else "chip new") for j in columns[:_MOST_CHIPS]]
    if len(columns) > _MOST_CHIPS:
        chips.append(tag("span", f"and {len(columns) - _MOST_CHIPS} more", class_="chip"))
    return chips


def _confusion(setting: Setting, selected: Size) -> Markup | None:
    """Return the confusion matrix of more than two classes; two classes have the table of the threshold."""
    labels = setting.labels
    if len(labels) == 2 or len(labels) > _MOST_CONFUSED:
        return None
    caption = f"Confusion matrix ({setting.method}). Rows: actual class; columns: most probable class."
    rows: list[list[Cell]] = [
        [label, *((count(n), "hit" if a == b else "zero" if n == 0 else "") for b, n in enumerate(row))]
        for a, (label, row) in enumerate(zip(labels, selected.confusion, strict=True))
    ]
    matrix = table([("actual", ""), *((label, "") for label in labels)], rows, "confusion matrix")
    return tag("div", tag("p", caption, class_="quiet"), matrix, id="confusion")


def _all_sizes(setting: Setting, sizes: Sequence[Size], measures: Mapping[str, Metric]) -> Markup:
    headings = [
        ("columns", "Number of columns"),
        *((metric.title, f"{setting.method}, ± {setting.standard_error}") for metric in measures.values()),
        ("improvement", "Share of the largest improvement in log loss over class frequencies"),
        *([("kept", _KEPT)] if any(size.kept for size in sizes) else []),
        ("added", "Columns that the next smaller size does not have"),
    ]
    rows: list[list[Cell]] = []
    before: set[int] = set()
    for size in sizes:
        added = [setting.name(j) for j in size.columns if j not in before]
        rows.append(_size_row(size, added, measures, len(headings) - len(measures) == 4))
        before = set(size.columns)
    return table(headings, rows, "sizes")


def _size_row(size: Size, added: Sequence[str], measures: Mapping[str, Metric], with_kept: bool) -> list[Cell]:
    cells = [with_error(name, size.score(name)) for name in measures]
    text = ", ".join(added[:6]) + (f" and {len(added) - 6} more" if len(added) > 6 else "")
    mark = "own" if size.selected else ""
    number = f"{size.n_columns}{' ✓' if size.selected else ''}"
    cells += [join([percent(size.improvement)]), *([_with_share(size.kept)] if with_kept else [])]
    return [(number, mark), *cells, (text, "words")]


def _with_share(value: Score | None) -> Markup:
    if value is None:
        return join(["–"])
    return join([percent(value.mean), tag("small", f" ± {percent(value.standard_error)}", class_="quiet")])


def with_error(name: str, value: Score | None) -> Markup:
    """Return a score with its standard error in small type; a dash for the share of no row."""
    if value is None:
        return join(["–"])
    error = tag("small", f" ± {score_error(name, value.standard_error)}", class_="quiet")
    return join([score(name, value.mean), error])
