# SPDX-License-Identifier: BSD-3-Clause
"""The report of a `WrapperSelector`: path, sizes and reasons, and one self-contained HTML file without scripts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.estimators.wrapper_selector import WrapperSelector
from bayesieve.evaluation.outer_cv import OuterSelection, evaluate_wrapper, scorer_names
from bayesieve.report.formats import digits, plural, rounded
from bayesieve.report.markup import Cell, Markup, content_hash, join, read_part, table, tag
from bayesieve.report.reproduce import library_versions
from bayesieve.report.sizes import Metric, score_chart
from bayesieve.report.summary import plain

__all__ = ["WrapperSummary", "render_wrapper", "summarize_wrapper"]

_LEAD = (
    "Cross-validated scores are of the whole search, repeated without the rows of each outer fold. Optimistic scores "
    "are of the folds that guided the search."
)


@dataclass(frozen=True)
class FoldScore:
    """The mean score of the outer folds that visited a size, its standard error, and their number."""

    mean: float | None
    standard_error: float | None
    n_folds: int

    @property
    def ends(self) -> tuple[float, float] | None:
        """One standard error below and above the mean; None without an error."""
        if self.mean is None or self.standard_error is None:
            return None
        return self.mean - self.standard_error, self.mean + self.standard_error

    @property
    def spread(self) -> str:
        """The standard error as text; empty without."""
        return "" if self.ends is None else f" ± {digits(self.standard_error, 2)}"


@dataclass(frozen=True)
class SubsetSize:
    """The best subset of a size, with its scores by metric in the outer folds and in the folds of the search."""

    n_columns: int
    columns: list[str]
    selected: bool
    held_out: dict[str, FoldScore]
    optimistic: dict[str, float | None]


@dataclass(frozen=True)
class PathStep:
    """A step of the search."""

    step: int
    action: str
    column: str
    n_columns: int
    score: float | None
    runner_up: str | None


@dataclass(frozen=True)
class ColumnReason:
    """A column, the number of outer folds that selected it, and why the search did or did not."""

    name: str
    n_folds: int
    selected: bool
    step: int | None
    score_alone: float | None
    gain: float | None
    reason: str | None


@dataclass(frozen=True)
class WrapperReproduction:
    """The command, and the versions of the libraries."""

    command: str
    versions: dict[str, str]


@dataclass(frozen=True)
class WrapperSummary:
    """The content of the report of a selector; sizes begin with no column, and columns with those that are selected."""

    kind: str
    target: str
    estimator: str
    search: str
    n_rows: int
    n_columns: int
    n_folds: int
    n_refits: int
    complete: bool
    metrics: dict[str, Metric]
    sizes: list[SubsetSize]
    path: list[PathStep]
    columns: list[ColumnReason]
    reproduce: WrapperReproduction

    @property
    def verdict(self) -> str:
        """The result in one sentence: the score in the outer folds, and that of no feature."""
        name, metric = next(iter(self.metrics.items()))
        selected = next(size for size in self.sizes if size.selected)
        score, baseline = selected.held_out[name], self.sizes[0].held_out[name].mean
        text = f"{selected.n_columns} of {plural(self.n_columns, 'feature')} selected for {self.estimator}"
        if score.mean is not None:
            text += f": cross-validated {metric.title} {digits(score.mean)}{score.spread}"
            text += "" if baseline is None else f" (baseline {digits(baseline)})"
        return text + ("." if self.complete else "; the search was ended before it was complete.")

    def as_json(self) -> dict[str, Any]:
        """Return the content in types that JSON has."""
        return {"verdict": self.verdict, **plain(self)}


def summarize_wrapper(
    selector: WrapperSelector,
    X: Any,
    y: Any,
    cv: int,
    row_values: Mapping[str, NDArray[Any]],
    advance: Callable[[], None],
) -> WrapperSummary:
    """Fit a selector on all rows and without each outer fold; return path, sizes, scores and reasons."""
    labels = np.asarray(y)
    name = getattr(y, "name", None)
    parameters = selector.get_params(deep=False)
    fitted = type(selector)(**parameters).fit(X, labels, **row_values)
    folds = evaluate_wrapper(selector, X, labels, cv, row_values, advance)
    metrics = {each: _metric(each) for each in scorer_names(selector)}
    command = f"Report.from_estimator({' '.join(repr(selector).split())}, X, y, cv={cv})"
    return WrapperSummary(
        kind="wrapper",
        target="target" if name is None else str(name),
        estimator=type(selector.estimator).__name__,
        search=selector.search,
        n_rows=len(labels),
        n_columns=len(fitted.column_names_),
        n_folds=cv,
        n_refits=fitted.n_refits_,
        complete=fitted.path_.complete,
        metrics=metrics,
        sizes=_describe_sizes(fitted, folds, metrics),
        path=[_describe_step(number, step, fitted.path_.is_loss) for number, step in enumerate(fitted.path_.steps, 1)],
        columns=_describe_columns(fitted, folds),
        reproduce=WrapperReproduction(command, library_versions()),
    )


def _metric(name: str) -> Metric:
    """Return title and sense of a scorer; a negative loss is shown as the loss."""
    return Metric(name.removeprefix("neg_").replace("_", " "), not name.startswith("neg_"))


def _describe_sizes(
    fitted: WrapperSelector, folds: Sequence[OuterSelection], metrics: Mapping[str, Metric]
) -> list[SubsetSize]:
    sizes = []
    by_size = fitted.path_.best_by_size()
    places = {int(size): i for i, size in enumerate(fitted.cv_results_["n_features"])}
    signs = {name: 1.0 if metric.higher_is_better else -1.0 for name, metric in metrics.items()}
    for size in sorted({0, *by_size}):
        held_out, optimistic = {}, {}
        for m, (name, sign) in enumerate(signs.items()):
            values = sign * np.array([fold.scores[size][m] for fold in folds if size in fold.scores])
            held_out[name] = _mean(values[np.isfinite(values)])
            key = "mean_test_score" if m == 0 else f"mean_test_{name}"
            known = size in places and key in fitted.cv_results_
            optimistic[name] = rounded(sign * fitted.cv_results_[key][places[size]]) if known else None
        selected = size == len(fitted.path_.order)
        columns = fitted.path_.order if selected else by_size[size].columns if size in by_size else ()
        sizes.append(SubsetSize(size, list(columns), selected, held_out, optimistic))
    return sizes


def _mean(values: NDArray[np.float64]) -> FoldScore:
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
    return FoldScore(rounded(values.mean()) if len(values) else None, rounded(error), len(values))


def _describe_step(number: int, step: Any, is_loss: bool) -> PathStep:
    score = None if not np.isfinite(step.score) else rounded(-step.score if is_loss else step.score)
    runner_up = None if step.runner_up is None else str(step.runner_up)
    return PathStep(number, step.action, step.column, step.n_features, score, runner_up)


def _describe_columns(fitted: WrapperSelector, folds: Sequence[OuterSelection]) -> list[ColumnReason]:
    """Return all columns, those that are selected first."""
    columns = [
        ColumnReason(
            name,
            sum(name in fold.selected for fold in folds),
            why["selected"],
            why["step"],
            rounded(why["score_alone"]),
            rounded(why["gain"]),
            why["reason"],
        )
        for name, why in fitted.why_.items()
    ]
    return sorted(columns, key=lambda each: (not each.selected, -each.n_folds))


def render_wrapper(summary: WrapperSummary) -> str:
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
        title=tag("title", f"{summary.target}: {summary.estimator}"),
        policy=tag("meta", http_equiv="Content-Security-Policy", content=policy),
        style=style,
        links=join(tag("a", title, href=f"#{key}") for key, (title, _) in sections.items()),
        head=_head(summary),
        sections=join(tag("section", tag("h2", title), *parts, id=key) for key, (title, parts) in sections.items()),
        button="",
        scripts="",
    )


def _head(summary: WrapperSummary) -> Markup:
    facts = (
        f"{summary.n_rows:,} rows, {summary.n_columns:,} columns; {summary.search} search, "
        f"{summary.n_refits:,} subsets refitted; {summary.n_folds} outer folds."
    )
    title = tag("h1", f"{summary.target}: columns for {summary.estimator}")
    return tag("section", title, tag("p", summary.verdict, id="verdict"), tag("p", facts, class_="lead"))


def _charts(summary: WrapperSummary) -> list[Markup]:
    charts = [_chart(summary.sizes, name, metric) for name, metric in summary.metrics.items()]
    return [tag("div", chart, class_="card") for chart in charts if chart is not None]


def _chart(all_sizes: Sequence[SubsetSize], name: str, metric: Metric) -> Markup | None:
    """Return scores against the number of columns; no column at all is left out, as it is so much worse."""
    sizes = [size for size in all_sizes if size.n_columns > 0]
    scored = [(size, size.held_out[name]) for size in sizes]
    held_out = [(size.n_columns, score.mean) for size, score in scored if score.mean is not None]
    ends = [(size.n_columns, *score.ends) for size, score in scored if score.ends is not None]
    known = [(size.n_columns, size.optimistic[name]) for size in sizes]
    optimistic = [(n, value) for n, value in known if value is not None]
    values = [value for _, value in (*held_out, *optimistic)] + [end for _, *both in ends for end in both]
    if not values:
        return None
    chart = score_chart(metric, [size.n_columns for size in sizes], values)
    chart.whiskers(ends)
    chart.line(optimistic, "optimistic", 2.5)
    chart.line(held_out, "held-out", 3.5)
    for size, score in scored:
        if size.selected and score.mean is not None:
            chart.mark((size.n_columns, score.mean))
    return chart.svg(class_="wide")


def _sizes(summary: WrapperSummary) -> Markup:
    headings = [("columns", "Number of columns; the selected size is marked")]
    for metric in summary.metrics.values():
        headings.append(
            (metric.title, "Cross-validated: mean over the outer folds that visited the size, ± standard error")
        )
        headings.append(("optimistic", "In the folds that guided the search"))
    headings += [
        ("folds", "Outer folds that visited the size"),
        ("subset", "The best subset of this size, fitted on all rows"),
    ]
    rows: list[list[Cell]] = []
    for size in summary.sizes:
        cells: list[Cell] = [f"{size.n_columns}{' ✓' if size.selected else ''}"]
        for name in summary.metrics:
            score = size.held_out[name]
            cells.append("" if score.mean is None else digits(score.mean) + score.spread)
            cells.append(digits(size.optimistic[name]))
        n_folds = max(score.n_folds for score in size.held_out.values())
        rows.append([*cells, str(n_folds), (", ".join(size.columns), "words")])
    return table(headings, rows, "sizes")


def _path(summary: WrapperSummary) -> Markup:
    headings = [
        ("step", ""),
        ("action", "Whether the column was added or dropped"),
        ("column", ""),
        ("columns", "Number of columns after the step"),
        ("score", "In the folds that guided the search"),
        ("runner-up", "The column with the next best score"),
    ]
    rows = [
        [str(each.step), each.action, each.column, str(each.n_columns), digits(each.score), each.runner_up or ""]
        for each in summary.path
    ]
    return table(headings, rows, "path")


def _columns(summary: WrapperSummary) -> Markup:
    headings = [
        ("column", ""),
        ("selected", ""),
        ("selected in folds", "Outer folds in which the search selected it"),
        ("score alone", "Of the subset of this column alone"),
        ("gain", "Given the selected columns"),
        ("reason", ""),
    ]
    rows: list[list[Cell]] = [
        [
            each.name,
            "yes" if each.selected else "no",
            f"{each.n_folds}/{summary.n_folds}",
            digits(each.score_alone),
            digits(each.gain),
            (each.reason or "", "words"),
        ]
        for each in summary.columns
    ]
    return table(headings, rows, "columns")


def _reproduce(summary: WrapperSummary) -> list[Markup]:
    versions = ", ".join(f"{name} {version}" for name, version in summary.reproduce.versions.items())
    return [tag("pre", summary.reproduce.command), tag("p", versions, class_="quiet")]
