# SPDX-License-Identifier: BSD-3-Clause
"""The selected columns: what each value adds, as steps over the values or as bars per group, with a table of bins."""

from typing import Any

from bayesieve.report.formats import count, percent, signed
from bayesieve.report.markup import Cell, Markup, join, table, tag, within
from bayesieve.report.sections.heat import heat_cell
from bayesieve.report.sections.view import View
from bayesieve.report.step_plot import Steps, step_plot

__all__ = ["draw_selected", "legend_of_classes"]

_WIDE = 1.959964
_MOST_MARKUP = 150_000  # characters of all columns of a page
_MOST_LINES = 6  # classes of a step plot; with more, a heat map
_MOST_TOOLTIPS = 40
MEASURES = {"points": "points", "votes": "vote", "weight_of_evidence": "WoE"}
_MEANINGS = {
    "points": "what the bin adds to the log-odds of {label}",
    "votes": "the probability that the bin votes for {label}",
    "weight_of_evidence": "the logarithm of P(bin | {label}) / P(bin | not {label})",
}


def draw_selected(view: View) -> Markup:
    """Return the section."""
    shown = within(_MOST_MARKUP, (_card(view, bins) for bins in view["bins"]))
    many = view.positive is None and len(view.labels) <= _MOST_LINES
    rest = len(view["bins"]) - len(shown)
    return tag(
        "section",
        tag("h2", "Selected columns"),
        tag("p", _lead(view), class_="lead", id="selected-lead"),
        legend_of_classes(view) if many and shown else None,
        tag("div", *shown, class_="cards", id="bins"),
        tag("p", f"The bins of {rest} more columns are in the JSON file of this report.", class_="quiet")
        if rest
        else None,
        id="selected",
    )


def legend_of_classes(view: View) -> Markup:
    """Return the color of each class."""
    keys = [tag("span", tag("i", class_=f"key k{c}"), label) for c, label in enumerate(view.labels)]
    return tag("p", *keys, class_="legend")


def _measure(bins: dict[str, Any]) -> str:
    return next((name for name in MEASURES if bins.get(name) is not None), "")


def _lead(view: View) -> str:
    if not view["bins"]:
        return "No column was selected."
    importance = view["model"]["importance"]
    importance = importance[0].lower() + importance[1:]
    weight = " Weight 1 is plain naive Bayes." if view["model"]["weighted"] else ""
    if view.positive is None:
        return (
            "Points: what a bin adds to the score of each class, relative to the mean over classes. "
            f"Importance: {importance}.{weight}"
        )
    measure = _measure(view["bins"][0])
    meaning = f"{MEASURES[measure]}: {_MEANINGS[measure].format(label=view.positive_label)}"
    spread = (
        " Shaded: approximate 95% intervals, given the points of the other columns."
        if view["bins"][0].get("standard_error")
        else ""
    )
    strip = " The strip below a chart is darker where more rows are."
    return f"{meaning[0].upper()}{meaning[1:]}.{spread}{strip} Importance: {importance}.{weight}"


def _card(view: View, bins: dict[str, Any]) -> Markup:
    j, model, columns = bins["column"], view["model"], view["columns"]
    tags = f"importance {percent(columns['importance'][j], 0)}"
    if model["weighted"]:
        tags += f", weight {columns['weight'][j]:.2f}"
    heading = tag("h3", tag("span", view.name(j)), tag("span", tags, class_="tags"), class_="titled")
    return tag("article", heading, bins_figure(view, bins), _details(view, bins), class_="card")


def bins_figure(view: View, bins: dict[str, Any]) -> Markup:
    """Return the contributions of a column as a figure."""
    measure = _measure(bins)
    if view.positive is None and (not measure or len(view.labels) > _MOST_LINES or "bounds" not in bins):
        return _class_table(view, bins, measure)
    if "bounds" not in bins:
        return _bars(view, bins, measure)
    lines = [bins[measure]] if view.positive is not None else list(zip(*bins[measure], strict=True))
    n_rows = [sum(row) for row in bins["counts"]]
    tooltips = [_tooltip(view, bins, i) for i in range(len(n_rows))] if len(n_rows) <= _MOST_TOOLTIPS else []
    steps = Steps(
        bins["bounds"], lines, bins.get("standard_error"), n_rows, bins["labels"], tooltips, bins.get("bound_labels")
    )
    return step_plot(steps, view.name(bins["column"]), MEASURES[measure])


def _tooltip(view: View, bins: dict[str, Any], i: int) -> str:
    text = f"{bins['labels'][i]}\n{count(sum(bins['counts'][i]))} rows"
    if view.positive is not None:
        measure = _measure(bins)
        text += f", rate of {view.positive_label} {percent(bins['rate'][i])}"
        text += f", {MEASURES[measure]} {signed(bins[measure][i])}"
    return text


def _bars(view: View, bins: dict[str, Any], measure: str) -> Markup:
    """Return a bar per group of values, with its interval."""
    values, errors = bins[measure], bins.get("standard_error") or [None] * len(bins["labels"])
    center = 0.0 if measure != "votes" else 0.5
    largest = min(max(max(abs(value - center) for value in values) * 1.25, 0.05), 4.0)
    heads = ("values", "rows", f"rate of {view.positive_label}", MEASURES[measure])
    cells = [tag("span", head, class_="head" + (" number" if 0 < i < 3 else "")) for i, head in enumerate(heads)]
    for i, label in enumerate(bins["labels"]):
        drawn = _bar((values[i] - center) / largest, _WIDE * (errors[i] or 0.0) / largest)
        shown = signed(values[i]) if measure != "votes" else percent(values[i])
        cells += [
            tag("span", label, class_="words"),
            tag("span", count(sum(bins["counts"][i])), class_="number"),
            tag("span", percent(bins["rate"][i]), class_="number"),
            tag("span", drawn, tag("small", shown, class_="quiet"), class_="with-number"),
        ]
    return tag("div", *cells, class_="bins")


def _bar(value: float, half: float) -> Markup:
    """Return a bar from the middle, -1 to 1 wide, with an interval."""

    def place(x: float) -> float:
        return 100 + 98 * max(-1.0, min(1.0, x))

    left, right = sorted((place(0.0), place(value)))
    shapes = [
        tag(
            "rect",
            class_="plus" if value > 0 else "minus",
            x=f"{left:.1f}",
            y=3,
            width=f"{right - left:.1f}",
            height=14,
        ),
        tag("rect", class_="middle", x="99.5", y=0, width=1, height=20),
    ]
    if half:
        low, high = place(value - half), place(value + half)
        shapes.append(tag("rect", class_="range", x=f"{low:.1f}", y=9, width=f"{high - low:.1f}", height=2))
    return tag("svg", *shapes, viewBox="0 0 200 20", preserveAspectRatio="none", aria_hidden="true")


def _class_table(view: View, bins: dict[str, Any], measure: str) -> Markup:
    """Return bins against classes as a heat map: points, or rows where a model has no points."""
    values = bins[measure] if measure else bins["counts"]
    largest = max((abs(value) for row in values for value in row), default=0.0) or 1.0
    head = tag("tr", tag("th", "bin", scope="col"), *(tag("th", label, scope="col") for label in view.labels))
    rows = []
    for i, label in enumerate(bins["labels"]):
        cells = [heat_cell("td", value, largest, signed(value) if measure else count(value)) for value in values[i]]
        n_rows = f"{count(sum(bins['counts'][i]))} rows"
        rows.append(tag("tr", tag("th", label, scope="row", title=n_rows), *cells))
    made = tag(
        "table",
        tag("thead", head),
        tag("tbody", *rows),
        class_="heat-map dense" if len(view.labels) > _MOST_LINES else "heat-map",
        data_file=f"points of {view.name(bins['column'])}",
    )
    return tag("div", made, class_="scroll", tabindex="0", role="region", aria_label=view.name(bins["column"]))


def _details(view: View, bins: dict[str, Any]) -> Markup | None:
    """Return the table of bins, folded; a heat map of many classes is a table already."""
    if view.positive is None:
        drawn = "bounds" in bins and _measure(bins) and len(view.labels) <= _MOST_LINES
        title = tag("summary", f"Table of {len(bins['labels'])} bins")
        return tag("details", title, _class_table(view, bins, _measure(bins)), class_="printed") if drawn else None
    measure = _measure(bins)
    headings = [
        ("bin", "Values of the column"),
        ("rows", "Number of rows"),
        (view.positive_label, f"Number of rows of {view.positive_label}"),
        ("rate", f"Share of {view.positive_label}"),
        (MEASURES[measure], _MEANINGS[measure].format(label=view.positive_label)),
    ]
    errors = bins.get("standard_error")
    if errors:
        headings.append(("95% interval", "Approximate, given the points of the other columns"))
    rows = [_bin_row(view, bins, measure, i) for i in range(len(bins["labels"]))]
    total = [sum(each) for each in zip(*bins["counts"], strict=True)]
    share = percent(total[view.positive] / sum(total)) if sum(total) else ""
    filling: list[Cell] = ["", ""] if errors else [""]
    rows.append([("all", "own"), count(sum(total)), count(total[view.positive]), share, *filling])
    name = view.name(bins["column"])
    return tag(
        "details",
        tag("summary", f"Table of {len(bins['labels'])} bins"),
        table(headings, rows, f"bins of {name}"),
        class_="printed" if "bounds" in bins else None,  # bars have their numbers beside them
    )


def _bin_row(view: View, bins: dict[str, Any], measure: str, i: int) -> list[Cell]:
    assert view.positive is not None
    value, n_digits = bins[measure][i], 3
    row: list[Cell] = [
        (bins["labels"][i], "words"),
        count(sum(bins["counts"][i])),
        count(bins["counts"][i][view.positive]),
        percent(bins["rate"][i]),
        signed(value, n_digits),
    ]
    if errors := bins.get("standard_error"):
        error = errors[i]
        ends = "" if error is None else f"{signed(value - _WIDE * error)} to {signed(value + _WIDE * error)}"
        row.append(join([ends]))
    return row
