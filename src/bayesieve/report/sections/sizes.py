# SPDX-License-Identifier: BSD-3-Clause
"""Scores for each number of columns: a chart per metric, the scores of the selected size, and a table of all sizes."""

from typing import Any

from bayesieve.report.axis import Axis, nice_ticks
from bayesieve.report.chart import Chart
from bayesieve.report.formats import count, percent, plural, score, score_error
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_sizes", "main_metric"]

_MOST_CHIPS = 60
_MOST_CONFUSED = 30  # classes of a confusion matrix
_LEAD = "{} scores are computed on rows that took no part in selection or fit. {}."


def main_metric(view: View) -> str:
    """Return the metric of the goal."""
    return {"ranking": "auc", "accuracy": "accuracy"}.get(view["context"]["goal"], "log_loss")


def draw_sizes(view: View) -> Markup:
    """Return the section."""
    metrics, main = view["metrics"], main_metric(view)
    options = [tag("option", metric["title"], value=name, selected=name == main) for name, metric in metrics.items()]
    legend = tag(
        "span",
        tag("i", class_="key held-out"),
        view.method,
        tag("i", class_="key optimistic"),
        "selection score",
        class_="legend",
    )
    charts = [tag("div", _chart(view, name), data_metric=name, hidden=name != main) for name in metrics]
    lead = _LEAD.format(view.method.capitalize(), view["model"]["selection_score"])
    place, single = view["sizes"].index(view.selected), len(view["sizes"]) == 1
    slider = tag("input", id="size-slider", type="range", min=0, max=len(view["sizes"]) - 1, step=1, value=place)
    curve = tag(
        "div",
        tag(
            "div",
            tag("label", "Metric ", tag("select", *options, id="metric"), class_="js"),
            legend,
            class_="row",
        ),
        *charts,
        _marks(view),
        tag("label", "Columns ", slider, tag("output", id="size-value"), class_="slider js"),
        class_="card",
        hidden=single,  # a model from a file has one size
    )
    scores = tag(
        "div",
        tag("h3", f"{plural(view.selected['n_columns'], 'column')} (selected)", id="size-title"),
        _scores(view),
        tag("div", *_chips(view), class_="chips", id="size-columns"),
        tag("p", id="size-note", class_="quiet js", aria_live="polite"),
        _confusion(view),
        class_="card",
    )
    return tag(
        "section",
        tag("h2", "Scores" if single else "Number of columns"),
        None if single else tag("p", lead, _of_folds(view), class_="lead"),
        tag("p", view["evaluation"]["description"], class_="lead", id="evaluation"),
        tag("div", curve, scores, class_="pair"),
        None if single else tag("details", tag("summary", "Table of all sizes"), _all_sizes(view), class_="card"),
        id="size",
    )


def _of_folds(view: View) -> str | None:
    """Return what the scores of the selected size are, if outer folds select other numbers of columns."""
    sizes = view["stability"]["sizes"]
    if not sizes or min(sizes) == max(sizes) == view.selected["n_columns"]:
        return None
    ends = str(min(sizes)) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    return (
        f" At the selected number, {view.method} scores are those of the whole procedure: each fold is predicted with "
        f"the columns that were selected without it, {ends} of them."
    )


def _chart(view: View, name: str) -> Markup:
    """Return scores against the number of columns; no column at all is left out, as it is so much worse."""
    sizes = view["sizes"]
    drawn = [size for size in sizes if size["n_columns"] > 0] if len(sizes) > 2 else sizes
    held_out = [(size["n_columns"], size["held_out"][name]["mean"]) for size in drawn]
    errors = [size["held_out"][name]["standard_error"] for size in drawn]
    optimistic = [(size["n_columns"], size["optimistic"][name]) for size in drawn]
    optimistic = [point for point in optimistic if point[1] is not None]
    ends = [(n, mean - error, mean + error) for (n, mean), error in zip(held_out, errors, strict=True)]
    low = min([low for _, low, _ in ends] + [value for _, value in optimistic])
    high = max([high for *_, high in ends] + [value for _, value in optimistic])
    room = 0.06 * (high - low or 1.0)
    first, last = drawn[0]["n_columns"], drawn[-1]["n_columns"]
    last = max(last, first + 1)
    metric = view["metrics"][name]
    title = metric["title"] + ("" if metric["higher_is_better"] else " (lower is better)")
    chart = Chart(
        f"{metric['title']} against the number of columns",
        Axis(first, last, "columns", [tick for tick in nice_ticks(first, last, 7) if tick % 1 == 0]),
        Axis(low - room, high + room, title, format=_percent_tick if name == "accuracy" else "{:.5g}".format),
        width=440,
        height=290,
        left=60,
    )
    for size, kind in _marked(view).items():
        if first <= size <= last:
            chart.vertical(size, f"marked {kind}")
    chart.vertical(view.selected["n_columns"] or first, "cursor")
    chart.whiskers(ends)
    chart.line(optimistic, "optimistic", 2.5)
    chart.line(held_out, "held-out", 3.5)
    chart.mark((view.selected["n_columns"] or first, view.selected["held_out"][name]["mean"]))
    return chart.svg(class_="wide")


def _percent_tick(value: float) -> str:
    return f"{100 * value:.4g}%"


def _marked(view: View) -> dict[int, str]:
    """Return the sizes that are marked, each with its kind."""
    marks = view["marks"]
    kinds = {"one-error": marks["one_standard_error"], "nearly-all": marks["nearly_all"]}
    return {size: kind for kind, size in kinds.items() if size is not None}


def _marks(view: View) -> Markup | None:
    """Return what the marked sizes are."""
    marks = view["marks"]
    sentences = []
    if (size := marks["nearly_all"]) is not None:
        text = f"{plural(size, 'column')}: 99% of the improvement over class frequencies"
        sentences.append(tag("span", tag("i", class_="key line-key nearly-all"), text))
    if (size := marks["one_standard_error"]) is not None:
        text = f"{plural(size, 'column')}: within one standard error of the lowest log loss"
        sentences.append(tag("span", tag("i", class_="key line-key one-error"), text))
    return tag("p", *sentences, class_="legend stacked") if sentences else None


def _scores(view: View) -> Markup:
    headings = [
        ("metric", ""),
        (view.method, f"± {view.standard_error}"),
        *([("selection score", "On rows that were used for the selection")] if _has_optimistic(view) else []),
    ]
    rows: list[list[Cell]] = []
    for name, metric in view["metrics"].items():
        held_out, optimistic = view.selected["held_out"][name], view.selected["optimistic"][name]
        shown = f"{score(name, held_out['mean'])} ± {score_error(name, held_out['standard_error'])}"
        rows.append([metric["title"], shown, *([score(name, optimistic)] if _has_optimistic(view) else [])])
    return tag("div", table(headings, rows, ""), tag("p", f"± {view.standard_error}", class_="quiet"), id="size-scores")


def _has_optimistic(view: View) -> bool:
    """Return whether the model keeps scores on rows that were used for the selection; one from a file does not."""
    return any(value is not None for value in view.selected["optimistic"].values())


def _chips(view: View) -> list[Markup]:
    columns, place = view.selected["columns"], view["sizes"].index(view.selected)
    single = len(view["sizes"]) == 1
    before = set(columns if single else view["sizes"][place - 1]["columns"] if place else ())
    chips = [tag("span", view.name(j), class_="chip" if j in before else "chip new") for j in columns[:_MOST_CHIPS]]
    if len(columns) > _MOST_CHIPS:
        chips.append(tag("span", f"and {len(columns) - _MOST_CHIPS} more", class_="chip"))
    return chips


def _confusion(view: View) -> Markup | None:
    """Return the confusion matrix of more than two classes; two classes have the table of the threshold."""
    labels = view.labels
    if len(labels) == 2 or len(labels) > _MOST_CONFUSED:
        return None
    caption = f"Confusion matrix ({view.method}). Rows: actual class; columns: most probable class."
    rows: list[list[Cell]] = [
        [label, *((count(n), "hit" if a == b else "zero" if n == 0 else "") for b, n in enumerate(row))]
        for a, (label, row) in enumerate(zip(labels, view.selected["confusion"], strict=True))
    ]
    matrix = table([("actual", ""), *((label, "") for label in labels)], rows, "confusion matrix")
    return tag("div", tag("p", caption, class_="quiet"), matrix, id="confusion")


def _all_sizes(view: View) -> Markup:
    metrics = view["metrics"]
    headings = [
        ("columns", "Number of columns"),
        *((metric["title"], f"{view.method}, ± {view.standard_error}") for metric in metrics.values()),
        ("improvement", "Share of the largest improvement in log loss over class frequencies"),
        ("added", "Columns that the next smaller size does not have"),
    ]
    rows: list[list[Cell]] = []
    before: set[int] = set()
    for size in view["sizes"]:
        rows.append(_size_row(view, size, before))
        before = set(size["columns"])
    return table(headings, rows, "sizes")


def _size_row(view: View, size: dict[str, Any], before: set[int]) -> list[Cell]:
    held_out = size["held_out"]
    cells = [
        join(
            [
                score(name, held_out[name]["mean"]),
                tag("small", f" ± {score_error(name, held_out[name]['standard_error'])}", class_="quiet"),
            ]
        )
        for name in view["metrics"]
    ]
    added = [view.name(j) for j in size["columns"] if j not in before]
    text = ", ".join(added[:6]) + (f" and {len(added) - 6} more" if len(added) > 6 else "")
    mark = "own" if size["selected"] else ""
    return [
        (f"{size['n_columns']}{' ✓' if size['selected'] else ''}", mark),
        *cells,
        percent(size["improvement"]),
        (text, "words"),
    ]
