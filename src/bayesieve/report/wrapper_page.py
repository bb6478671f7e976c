# SPDX-License-Identifier: BSD-3-Clause
"""The report of a `WrapperSelector` as one self-contained HTML file without scripts."""

from string import Template
from typing import Any

from bayesieve.report.axis import Axis, nice_ticks
from bayesieve.report.chart import Chart
from bayesieve.report.formats import digits
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.page_parts import content_hash, read_part

__all__ = ["render_wrapper"]

_LEAD = (
    "Cross-validated scores are of the whole search, repeated without the rows of each outer fold. Optimistic scores "
    "are of the folds that guided the search."
)


def render_wrapper(summary: dict[str, Any]) -> str:
    """Return the page of a summary; all text of the user is escaped, and no script is allowed."""
    style = read_part("page.css")
    policy = f"default-src 'none'; style-src {content_hash(style)}; base-uri 'none'; form-action 'none'"
    sections = {
        "size": ("Number of columns", [tag("p", _LEAD, class_="lead"), *_charts(summary), _sizes(summary)]),
        "path": ("Path of the search", [_path(summary)]),
        "all": ("All columns", [_columns(summary)]),
        "reproduce": ("Reproduce this report", _reproduce(summary)),
    }
    return Template(read_part("page.html")).substitute(
        title=tag("title", f"{summary['target']}: {summary['estimator']}"),
        policy=tag("meta", http_equiv="Content-Security-Policy", content=policy),
        style=style,
        links=join(tag("a", title, href=f"#{key}") for key, (title, _) in sections.items()),
        head=_head(summary),
        sections=join(tag("section", tag("h2", title), *parts, id=key) for key, (title, parts) in sections.items()),
        button="",
        scripts="",
    )


def _head(summary: dict[str, Any]) -> Markup:
    facts = (
        f"{summary['n_rows']:,} rows, {summary['n_columns']:,} columns; {summary['search']} search, "
        f"{summary['n_refits']:,} subsets refitted; {summary['n_folds']} outer folds."
    )
    title = tag("h1", f"{summary['target']}: columns for {summary['estimator']}")
    return tag("section", title, tag("p", summary["verdict"], id="verdict"), tag("p", facts, class_="lead"))


def _charts(summary: dict[str, Any]) -> list[Markup]:
    charts = [_chart(summary, name, metric) for name, metric in summary["metrics"].items()]
    return [tag("div", chart, class_="card") for chart in charts if chart is not None]


def _chart(summary: dict[str, Any], name: str, metric: dict[str, Any]) -> Markup | None:
    """Return scores against the number of columns; no column at all is left out, as it is so much worse."""
    sizes = [size for size in summary["sizes"] if size["n_columns"] > 0]
    scored = [(size["n_columns"], size["held_out"][name]) for size in sizes]
    held_out = [(n, score["mean"]) for n, score in scored if score["mean"] is not None]
    ends = [(n, s["mean"] - s["standard_error"], s["mean"] + s["standard_error"]) for n, s in scored if _has_error(s)]
    optimistic = [(size["n_columns"], size["optimistic"][name]) for size in sizes]
    optimistic = [point for point in optimistic if point[1] is not None]
    values = [value for _, value in (*held_out, *optimistic)] + [end for _, *both in ends for end in both]
    if not values:
        return None
    first, last = sizes[0]["n_columns"], max(sizes[-1]["n_columns"], sizes[0]["n_columns"] + 1)
    room = 0.06 * (max(values) - min(values) or 1.0)
    title = metric["title"] + ("" if metric["higher_is_better"] else " (lower is better)")
    chart = Chart(
        f"{metric['title']} against the number of columns",
        Axis(first, last, "columns", [tick for tick in nice_ticks(first, last, 7) if tick % 1 == 0]),
        Axis(min(values) - room, max(values) + room, title, format="{:.5g}".format),
        width=440,
        height=290,
        left=60,
    )
    chart.whiskers(ends)
    chart.line(optimistic, "optimistic", 2.5)
    chart.line(held_out, "held-out", 3.5)
    for n, mean in held_out:
        if any(size["selected"] and size["n_columns"] == n for size in sizes):
            chart.mark((n, mean))
    return chart.svg(class_="wide")


def _has_error(score: dict[str, Any]) -> bool:
    return score["mean"] is not None and score["standard_error"] is not None


def _sizes(summary: dict[str, Any]) -> Markup:
    headings = [("columns", "Number of columns; the selected size is marked")]
    for metric in summary["metrics"].values():
        headings.append(
            (metric["title"], "Cross-validated: mean over the outer folds that visited the size, ± standard error")
        )
        headings.append(("optimistic", "In the folds that guided the search"))
    headings += [
        ("folds", "Outer folds that visited the size"),
        ("subset", "The best subset of this size, fitted on all rows"),
    ]
    rows: list[list[Cell]] = []
    for size in summary["sizes"]:
        cells: list[Cell] = [f"{size['n_columns']}{' ✓' if size['selected'] else ''}"]
        for name in summary["metrics"]:
            score = size["held_out"][name]
            error = f" ± {digits(score['standard_error'], 2)}" if _has_error(score) else ""
            cells += ["" if score["mean"] is None else digits(score["mean"]) + error, digits(size["optimistic"][name])]
        n_folds = max(score["n_folds"] for score in size["held_out"].values())
        rows.append([*cells, str(n_folds), (", ".join(size["columns"]), "words")])
    return table(headings, rows, "sizes")


def _path(summary: dict[str, Any]) -> Markup:
    headings = [
        ("step", ""),
        ("action", "Whether the column was added or dropped"),
        ("column", ""),
        ("columns", "Number of columns after the step"),
        ("score", "In the folds that guided the search"),
        ("runner-up", "The column with the next best score"),
    ]
    keys = ("step", "action", "column", "n_columns")
    rows = [
        [*(str(step[key]) for key in keys), digits(step["score"]), step["runner_up"] or ""] for step in summary["path"]
    ]
    return table(headings, rows, "path")


def _columns(summary: dict[str, Any]) -> Markup:
    headings = [
        ("column", ""),
        ("selected", ""),
        ("selected in folds", "Outer folds in which the search selected it"),
        ("score alone", "Of the subset of this column alone"),
        ("gain", "Given the selected columns"),
        ("reason", ""),
    ]
    rows = [
        [
            each["name"],
            "yes" if each["selected"] else "no",
            f"{each['n_folds']}/{summary['n_folds']}",
            digits(each["score_alone"]),
            digits(each["gain"]),
            (each["reason"] or "", "words"),
        ]
        for each in summary["columns"]
    ]
    return table(headings, rows, "columns")


def _reproduce(summary: dict[str, Any]) -> list[Markup]:
    versions = ", ".join(f"{name} {version}" for name, version in summary["reproduce"]["versions"].items())
    return [tag("pre", summary["reproduce"]["command"]), tag("p", versions, class_="quiet")]
