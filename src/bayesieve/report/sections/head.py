# SPDX-License-Identifier: BSD-3-Clause
"""The first screen: verdict, facts, comparison with other models, and warnings."""

from collections.abc import Iterator

from bayesieve.report.formats import count, decimal, percent, plural, score, score_error
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.sections.view import TYPE_NAMES, View

__all__ = ["draw_head"]

_MOST_WARNINGS = 6
_IMPORTANT = 0.05  # share of all contributions


def draw_head(view: View) -> Markup:
    """Return the head of the page."""
    context = view["context"]
    first, *rest = view["verdict_sentences"]
    parts = [context["source"], f"target: {context['target']}", f"goal: {context['goal_title']}"]
    return tag(
        "section",
        tag("p", " · ".join(each for each in parts if each), class_="context", id="context"),
        tag("h1", first, " ", tag("span", " ".join(rest), class_="more") if rest else None, id="verdict"),
        tag("div", *_facts(view), class_="facts", id="facts"),
        tag("div", *_warnings(view), id="warnings"),
        _comparison(view),
        class_="hero",
    )


def fact(value: str, text: str, title: str | None = None) -> Markup:
    """Return a number with what it is."""
    return tag("div", tag("b", value), tag("span", text), class_="fact", title=title)


def _facts(view: View) -> Iterator[Markup]:
    data, scores = view["data"], view.selected["held_out"]
    n_train, n_rows = view["evaluation"]["n_train"], data["n_rows"]
    yield fact(*_rows(data["n_without_target"], n_train, n_rows))
    types = ", ".join(f"{n:,} {TYPE_NAMES[kind]}" for kind, n in data["types"].items())
    pairs = f" and {plural(len(view['pairs']), 'pair')} of columns" if view["pairs"] else ""
    yield fact(f"{view.selected['n_columns']} of {data['n_candidates']:,}", f"columns selected{pairs} ({types})")
    auc, accuracy = scores["auc"], scores["accuracy"]
    yield fact(decimal(auc["mean"], 3), f"ROC AUC, ± {decimal(auc['standard_error'], 3)} ({view.standard_error})")
    most = max(data["classes"], key=lambda each: each["n_rows"])
    majority = f"{percent(most['n_rows'] / n_rows)} by always predicting {most['label']}"
    yield fact(
        percent(accuracy["mean"]),
        f"accuracy of the most probable class, ± {score_error('accuracy', accuracy['standard_error'])}; {majority}",
    )
    if view.positive is not None:
        other = view.labels[1 - view.positive]
        share = percent(view.n_rows(view.positive) / n_rows)
        yield fact(share, f"{view.positive_label} (positive class); the rest are {other}")
    else:
        shares = [f"{each['label']} {percent(each['n_rows'] / n_rows, 0)}" for each in data["classes"]]
        yield fact(
            f"{len(shares)} classes",
            ", ".join(shares[:12] + ["…"] * (len(shares) > 12)),
        )


def _rows(n_omitted: int, n_train: int | None, n_rows: int) -> tuple[str, str]:
    verb = "row without a target value was" if n_omitted == 1 else "rows without a target value were"
    omitted = f" ({n_omitted:,} {verb} left out)" if n_omitted else ""
    if n_train is None:
        return count(n_rows), f"rows{omitted}"
    return count(n_train + n_rows), f"rows{omitted}, of which {n_rows:,} held out"


def _warnings(view: View) -> Iterator[Markup]:
    columns = view["columns"]
    warnings = [(name, text) for name, text in zip(columns["name"], columns["warning"], strict=True) if text]
    for name, text in warnings[:_MOST_WARNINGS]:
        yield tag("p", tag("b", name), f" {text}", class_="warning")
    if len(warnings) > _MOST_WARNINGS:
        more = len(warnings) - _MOST_WARNINGS
        yield tag("p", f"There are warnings about {plural(more, 'more column')} in the table below.", class_="warning")
    columns, n_folds = view["columns"], view["stability"]["n_folds"]
    for j, n in enumerate(columns["n_folds_selected"]):
        if n is not None and columns["selected"][j] and 2 * n < n_folds and columns["importance"][j] >= _IMPORTANT:
            share = percent(columns["importance"][j], 0)
            text = f" is important here ({share}), but was selected in {n} of {n_folds} folds; see Redundancy."
            yield tag("p", tag("b", view.name(j)), text, class_="warning")
    if not view["search"]["complete"]:
        yield tag("p", "The search was stopped early; this is the best result so far.", class_="warning")


def _comparison(view: View) -> Markup | None:
    """Return the scores of other models in the same folds, if there are any."""
    models = view["comparison"]["models"]
    left_out = view["comparison"]["left_out"]
    if len(models) < 2:  # class frequencies are in the verdict already
        return tag("p", left_out, class_="quiet") if left_out else None
    names = {"log_loss": "log loss", "auc": "ROC AUC", "accuracy": "accuracy"}
    own = {"name": f"this model ({view.selected['n_columns']} columns)", "scores": view.selected["held_out"]}
    rows: list[list[Cell]] = []
    for model in (models[0], own, *models[1:]):
        cells = [_with_error(name, model["scores"][name]) for name in names]
        rows.append([(model["name"], "words own" if model is own else "words"), *cells])
    headings = [
        ("model", "Fitted and evaluated in the same folds"),
        *((title, f"{view.method}, ± {view.standard_error}") for title in names.values()),
    ]
    return tag(
        "div",
        tag("h2", "Compared with other models"),
        tag("p", f"All in the same folds; {view.method}, ± {view.standard_error}. {left_out}", class_="lead"),
        tag("div", table(headings, rows, "comparison", id="comparison-table"), class_="card"),
        id="comparison",
    )


def _with_error(name: str, value: dict[str, float]) -> Markup:
    shown, error = score(name, value["mean"]), score_error(name, value["standard_error"])
    if error == score_error(name, 0.0):  # of class frequencies
        return join([shown])
    return join([shown, tag("small", f" ± {error}", class_="quiet")])
