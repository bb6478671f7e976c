# SPDX-License-Identifier: BSD-3-Clause
"""A report as one self-contained HTML file."""

import json
from string import Template
from typing import Any

from bayesieve.report.markup import Markup, tag
from bayesieve.report.page_parts import content_hash, read_part
from bayesieve.report.sections.all_columns import draw_all_columns, plain_fields
from bayesieve.report.sections.calibration import draw_calibration
from bayesieve.report.sections.data_check import draw_data_check
from bayesieve.report.sections.decision import draw_decision
from bayesieve.report.sections.head import draw_head
from bayesieve.report.sections.lift import draw_lift
from bayesieve.report.sections.pairs import draw_pairs
from bayesieve.report.sections.redundancy import draw_redundancy
from bayesieve.report.sections.reproduce import draw_reproduce
from bayesieve.report.sections.selected import draw_selected
from bayesieve.report.sections.sizes import draw_sizes
from bayesieve.report.sections.view import View
from bayesieve.report.sections.what_if import draw_what_if

__all__ = ["render_page"]

_SCRIPTS = ("elements.js", "size.js", "threshold.js", "lift.js", "table.js", "download.js")
_SECTIONS = (
    ("size", "Size", draw_sizes),
    ("threshold", "Threshold", draw_decision),
    ("gains-section", "Lift", draw_lift),
    ("calibration", "Calibration", draw_calibration),
    ("selected", "Selected columns", draw_selected),
    ("pairs", "Pairs", draw_pairs),
    ("what-if", "What if", draw_what_if),
    ("redundancy", "Redundancy", draw_redundancy),
    ("all", "All columns", draw_all_columns),
    ("data", "Data", draw_data_check),
    ("reproduce", "Reproduce", draw_reproduce),
)
_BUTTON = '<button id="theme" class="js" type="button" title="Light or dark">Dark</button>'
_PAGE_SCRIPTS = '<script type="application/json" id="summary">{}</script>\n<script>{}</script>'


def render_page(summary: dict[str, Any]) -> str:
    """Return the page of a summary.

    The page is complete without scripts: text, tables and charts are markup, in which all data of the user is escaped.
    Scripts move sliders, sort and download; they read one JSON document, in which no character can end it, and write by
    ``textContent`` alone. The content security policy allows the page's own script and style, by their hashes, and no
    network at all.
    """
    view = View(summary)
    names = (*_SCRIPTS, *(["what_if.js", "many_rows.js"] if view.has_form else []), "main.js")
    script = "\n".join(["'use strict';", *(read_part(name) for name in names)])
    style = read_part("page.css")
    sections = [(key, title, draw(view)) for key, title, draw in _SECTIONS]
    drawn = [each for each in sections if each[2] is not None]
    allowed = f"script-src {content_hash(script)}; style-src {content_hash(style)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return Template(read_part("page.html")).substitute(
        title=tag("title", f"{summary['context']['target']}: {summary['context']['goal_title']}"),
        policy=tag("meta", http_equiv="Content-Security-Policy", content=policy),
        style=style,
        links="".join(tag("a", title, href=f"#{key}") for key, title, _ in drawn),
        head=draw_head(view),
        sections="\n".join(section for *_, section in drawn if section is not None),
        button=_BUTTON,
        scripts=_PAGE_SCRIPTS.format(_inert(_script_data(view)), script),
    )


def _script_data(view: View) -> dict[str, Any]:
    """Return what scripts read."""
    data = {
        "labels": view.labels,
        "classRows": [each["n_rows"] for each in view["data"]["classes"]],
        "method": view.method,
        "rowsPerObservation": view["evaluation"]["rows_per_observation"],
        "metrics": view["metrics"],
        "threshold": view.threshold,
        "sizes": [_script_size(size, len(view.labels)) for size in view["sizes"]],
        "fields": plain_fields(view),
        "selected": [int(each) for each in view["columns"]["selected"]],
    }
    return data | ({"whatIf": view["what_if"]} if view.has_form else {})


def _script_size(size: dict[str, Any], n_classes: int) -> dict[str, Any]:
    """Return what scripts read of a size: two classes have no confusion matrix of their own."""
    left_out = {"confusion"} if n_classes == 2 else set()
    return {key: value for key, value in size.items() if key not in left_out}


def _inert(data: dict[str, Any]) -> Markup:
    """Return JSON without any character that has a meaning in HTML."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)
