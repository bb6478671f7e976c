# SPDX-License-Identifier: BSD-3-Clause
"""The form in which a reader enters values; its content is written by the script, as nothing of it works without."""

from bayesieve.report.markup import Markup, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_what_if"]


def draw_what_if(view: View) -> Markup | None:
    """Return the section, if the summary holds the model."""
    if view["what_if"] is None:
        return None
    if not view.has_form:
        return tag("section", tag("h2", "What if"), tag("p", view["what_if"]["left_out"], class_="lead"), id="what-if")
    names = [column["name"] for column in view["what_if"]["columns"]]
    example = f"Paste rows with a header line, such as\n{','.join(names[:4])}{',…' if len(names) > 4 else ''}"
    rows = tag("textarea", id="rows-text", rows=4, placeholder=example, aria_label="Rows as CSV", spellcheck="false")
    return tag(
        "section",
        tag("h2", "What if"),
        tag("p", "Enter the values of a row. A value that is not given adds nothing.", class_="lead"),
        tag("p", "This form needs scripts, which are switched off here.", class_="warning no-js"),
        tag(
            "div",
            tag(
                "div",
                tag("div", id="what-if-fields"),
                tag("button", "Clear", id="what-if-clear", type="button"),
                class_="card",
            ),
            tag("div", tag("div", id="what-if-result", aria_live="polite"), class_="card sticky"),
            class_="pair js",
        ),
        tag(
            "div",
            tag("h3", "Many rows"),
            tag(
                "p",
                "Rows stay in this browser. Columns are found by their names; the order does not matter.",
                class_="quiet",
            ),
            rows,
            tag(
                "div",
                tag(
                    "label",
                    "or a CSV file ",
                    tag("input", id="rows-file", type="file", accept=".csv,text/csv,text/plain"),
                ),
                tag("button", "Explain", id="rows-explain", type="button"),
                class_="row",
            ),
            tag("p", id="rows-note", class_="quiet", aria_live="polite"),
            tag("div", id="rows-result"),
            class_="card js",
        ),
        id="what-if",
    )
