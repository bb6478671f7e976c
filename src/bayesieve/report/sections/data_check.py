# SPDX-License-Identifier: BSD-3-Clause
"""What the check of the data found before the fit."""

from bayesieve.report.formats import plural
from bayesieve.report.markup import Markup, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_data_check"]


def draw_data_check(view: View) -> Markup | None:
    """Return the section, if the data were checked."""
    found = view["findings"]
    if found is None:
        return None
    more = found["n_findings"] - len(found["shown"])
    return tag(
        "section",
        tag("h2", "Data check"),
        tag("p", _lead(found["n_findings"]), class_="lead"),
        tag("ul", *(_item(each) for each in found["shown"]), class_="findings") if found["shown"] else None,
        tag("p", f"There are {plural(more, 'more finding')}; bayesieve check prints all.", class_="quiet")
        if more > 0
        else None,
        id="data",
    )


def _lead(n_findings: int) -> str:
    if not n_findings:
        return "Nothing was found in the columns that would spoil a fit."
    return "Found in the columns before the fit. Each is a question to somebody who knows the data."


def _item(finding: dict[str, str]) -> Markup:
    advice = tag("small", f" {finding['advice']}.", class_="quiet") if finding["advice"] else None
    return tag("li", tag("b", finding["kind"]), " ", tag("span", finding["text"], advice))
