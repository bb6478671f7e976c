# SPDX-License-Identifier: BSD-3-Clause
"""A report as one self-contained HTML file: its first screen, its sections, and what its scripts read."""

import json
from collections.abc import Iterator
from string import Template
from typing import Any

from bayesieve.explain.row_explanation import VISIBLE
from bayesieve.report.all_columns import draw_all_columns, script_fields
from bayesieve.report.amounts import draw_amounts
from bayesieve.report.calibration import draw_calibration
from bayesieve.report.comparison import draw_comparison
from bayesieve.report.context import COLUMN_TYPES
from bayesieve.report.data_check import draw_data_check
from bayesieve.report.formats import area, count, decimal, percent, plural, score_error
from bayesieve.report.hand_edits import draw_edits
from bayesieve.report.lift import draw_lift
from bayesieve.report.markup import Markup, content_hash, read_part, tag
from bayesieve.report.pairs import draw_pairs
from bayesieve.report.promise import draw_promise
from bayesieve.report.redundancy import draw_redundancy
from bayesieve.report.reproduce import draw_reproduce
from bayesieve.report.selected import draw_selected
from bayesieve.report.sizes import Size, draw_sizes, shown_metrics
from bayesieve.report.summary import Summary, plain
from bayesieve.report.threshold import FEWEST_POSITIVE, draw_threshold, shown_threshold
from bayesieve.report.what_if import WhatIf, draw_what_if

__all__ = ["render_page"]

_SCRIPTS = ("elements.js", "size.js", "threshold.js", "lift.js", "table.js", "download.js")
_FORM_SCRIPTS = ("what_if.js", "many_rows.js")
_BUTTON = '<button id="theme" class="js" type="button" title="Light or dark">Dark</button>'
_PAGE_SCRIPTS = '<script type="application/json" id="summary">{}</script>\n<script>{}</script>'
_MOST_WARNINGS = 6
_IMPORTANT = 0.05  # share of all contributions


def render_page(summary: Summary) -> str:
    """Return the page of a summary.

    The page is complete without scripts: text, tables and charts are markup, in which all data of the user is escaped.
    Scripts move sliders, sort and download; they read one JSON document, in which no character can end it, and write by
    ``textContent`` alone. The content security policy allows the page's own script and style, by their hashes, and no
    network at all.
    """
    has_form = isinstance(summary.what_if, WhatIf)
    names = (*_SCRIPTS, *(_FORM_SCRIPTS if has_form else []), "main.js")
    script = "\n".join(["'use strict';", *(read_part(name) for name in names)])
    style = read_part("page.css")
    drawn = [(key, title, section) for key, title, section in _sections(summary) if section is not None]
    allowed = f"script-src {content_hash(script)}; style-src {content_hash(style)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return Template(read_part("page.html")).substitute(
        title=tag("title", f"{summary.context.target}: {summary.context.goal_title}"),
        policy=tag("meta", http_equiv="Content-Security-Policy", content=policy),
        style=style,
        links="".join(tag("a", title, href=f"#{key}") for key, title, _ in drawn),
        head=_head(summary),
        sections="\n".join(section for *_, section in drawn),
        button=_BUTTON,
        scripts=_PAGE_SCRIPTS.format(_inert(_script_data(summary)), script),
    )


def _sections(page: Summary) -> Iterator[tuple[str, str, Markup | None]]:
    """Yield the anchor and the title of each section, and the section, None if the model has nothing for it."""
    setting = page.setting
    sizes = page.sizes
    columns = page.columns
    model = page.model
    yield "size", "Size", draw_sizes(setting, sizes, page.marks, model, page.stability)
    yield "threshold", "Threshold", draw_threshold(setting, sizes, page.decision)
    yield "gains-section", "Lift", draw_lift(setting, sizes, page.decision)
    yield "calibration", "Calibration", draw_calibration(setting, sizes)
    yield "selected", "Selected columns", draw_selected(setting, columns, page.bins, model, page.shared_facts)
    yield "pairs", "Pairs", draw_pairs(setting, page.pairs, page.terms)
    yield "edits", "Corrected by hand", draw_edits(page.edits)
    yield "amounts", "Amounts", draw_amounts(setting, page.amounts)
    yield "what-if", "What if", draw_what_if(page.what_if)
    yield "redundancy", "Redundancy", draw_redundancy(setting, columns, page.redundancy, page.stability)
    yield "all", "All columns", draw_all_columns(setting, columns, model, page.search)
    yield "data", "Data", draw_data_check(page.findings)
    yield "reproduce", "Reproduce", draw_reproduce(page.reproduce, page.data.fingerprint)


def _head(page: Summary) -> Markup:
    """Return the first screen: verdict, facts, warnings, and the comparison with other models."""
    first, *rest = page.verdict_sentences
    task = page.context
    parts = [task.source, f"target: {task.target}", f"goal: {task.goal_title}"]
    return tag(
        "section",
        tag("p", " · ".join(each for each in parts if each), class_="context", id="context"),
        tag("h1", first, " ", tag("span", " ".join(rest), class_="more") if rest else None, id="verdict"),
        tag("div", *_facts(page), class_="facts", id="facts"),
        tag("div", *_warnings(page), id="warnings"),
        draw_promise(page.promise),
        draw_comparison(page.setting, page.selected, page.comparison),
        class_="hero",
    )


def _fact(value: str, text: str) -> Markup:
    """Return a number with what it is."""
    return tag("div", tag("b", value), tag("span", text), class_="fact")


def _facts(page: Summary) -> Iterator[Markup]:
    setting = page.setting
    data = page.data
    scores = page.selected.held_out
    yield _fact(*_rows(data.n_without_target, page.evaluation.n_train, data.n_rows))
    most_first = sorted(data.types.items(), key=lambda each: -each[1])
    types = ", ".join(f"{n:,} {COLUMN_TYPES[kind]}" for kind, n in most_first)
    pairs = f" and {plural(len(page.pairs), 'pair')} of columns" if page.pairs else ""
    yield _fact(f"{page.selected.n_columns} of {data.n_candidates:,}", f"columns selected{pairs}; of all: {types}")
    auc, accuracy = scores["auc"], scores["accuracy"]
    yield _fact(area(auc.mean), f"ROC AUC, ± {decimal(auc.standard_error, 3)} ({setting.standard_error})")
    most = max(data.classes, key=lambda each: each.n_rows)
    majority = f"{percent(most.n_rows / data.n_rows)} by always predicting {most.label}"
    error = score_error("accuracy", accuracy.standard_error)
    yield _fact(percent(accuracy.mean), f"accuracy of the most probable class, ± {error}; {majority}")
    if setting.positive is not None:
        other = setting.labels[1 - setting.positive]
        share = percent(setting.class_rows(setting.positive) / data.n_rows)
        yield _fact(share, f"{setting.positive_label} (positive class); the rest are {other}")
    else:
        shares = [f"{each.label} {percent(each.n_rows / data.n_rows, 0)}" for each in data.classes]
        yield _fact(f"{len(shares)} classes", ", ".join(shares[:12] + ["…"] * (len(shares) > 12)))


def _rows(n_omitted: int, n_train: int | None, n_rows: int) -> tuple[str, str]:
    verb = "row without a target value was" if n_omitted == 1 else "rows without a target value were"
    omitted = f" ({n_omitted:,} {verb} left out)" if n_omitted else ""
    if n_train is None:
        return count(n_rows), f"rows{omitted}"
    return count(n_train + n_rows), f"rows{omitted}, of which {n_rows:,} held out"


def _warnings(page: Summary) -> Iterator[Markup]:
    columns = page.columns
    n_folds = page.evaluation.n_folds
    for name, text in columns.warnings[:_MOST_WARNINGS]:
        yield tag("p", tag("b", name), f" {text}", class_="warning")
    if len(columns.warnings) > _MOST_WARNINGS:
        more = len(columns.warnings) - _MOST_WARNINGS
        yield tag("p", f"There are warnings about {plural(more, 'more column')} in the table below.", class_="warning")
    for j in sorted(columns.rarely_selected(n_folds)):
        if columns.importance[j] >= _IMPORTANT:
            share = percent(columns.importance[j], 0)
            n = columns.n_folds_selected[j]
            text = f" is important here ({share}), but was selected in {n} of {n_folds} folds; see Redundancy."
            yield tag("p", tag("b", columns.name[j]), text, class_="warning")
    if not page.search.complete:
        yield tag("p", "The search was stopped early; this is the best result so far.", class_="warning")


def _script_data(page: Summary) -> dict[str, Any]:
    """Return what scripts read."""
    setting = page.setting
    data = {
        "labels": setting.labels,
        "classRows": [each.n_rows for each in page.data.classes],
        "method": setting.method,
        "rowsPerObservation": page.evaluation.rows_per_observation,
        "metrics": plain(shown_metrics(setting, page.selected)),
        "threshold": shown_threshold(setting, page.decision),
        "fewestPositive": FEWEST_POSITIVE,
        "visible": VISIBLE,
        "sizes": [_script_size(size, len(setting.labels)) for size in page.sizes],
        "fields": script_fields(setting, page.columns, page.model),
        "selected": [int(each) for each in page.columns.selected],
    }
    return data | ({"whatIf": plain(page.what_if)} if isinstance(page.what_if, WhatIf) else {})


def _script_size(size: Size, n_classes: int) -> dict[str, Any]:
    """Return what scripts read of a size: two classes have no confusion matrix of their own."""
    left_out = {"confusion"} if n_classes == 2 else set()
    return {key: value for key, value in plain(size).items() if key not in left_out}


def _inert(data: dict[str, Any]) -> Markup:
    """Return JSON without any character that has a meaning in HTML."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)
