# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of columns as heat maps, and the terms of the model."""

from typing import Any

from bayesieve.report.formats import count, decimal, percent, signed
from bayesieve.report.markup import Cell, Markup, table, tag, within
from bayesieve.report.sections.heat import heat_cell
from bayesieve.report.sections.view import View

__all__ = ["draw_pairs"]

_MOST_TERMS = 40
_MOST_MARKUP = 100_000  # characters of all heat maps of a page
_LONG = 8  # characters of a word that is wider than a cell
_MOST_WIDE = 6  # bins of a row in large type
_TERMS = (
    "Log Bayes factor: evidence for the pair against none; above 0, for it. Gain: improvement of the out-of-fold log "
    "loss per row by the pair."
)


def draw_pairs(view: View) -> Markup | None:
    """Return the section, if the model has pairs."""
    pairs = view["pairs"]
    if not pairs:
        return None
    classes = [each["class"] for each in pairs[0]["classes"]]
    shown = within(_MOST_MARKUP, (_card(view, pair) for pair in pairs))
    options = [tag("option", view.labels[c], value=k) for k, c in enumerate(classes)]
    rest = len(pairs) - len(shown)
    return tag(
        "section",
        tag("h2", "Pairs of columns"),
        tag("p", _lead(view), class_="lead", id="pairs-lead"),
        tag("div", tag("label", "Class ", tag("select", *options, id="pairs-class")), class_="row js")
        if len(classes) > 1
        else None,
        tag("div", *shown, class_="cards", id="heat-maps"),
        tag("p", f"The cells of {rest} more pairs are in the JSON file of this report.", class_="quiet")
        if rest
        else None,
        tag("h3", "Terms of the model", class_="after"),
        tag("p", _TERMS, class_="lead", id="terms-lead"),
        tag("div", _terms(view), class_="card", id="terms"),
        id="pairs",
    )


def _lead(view: View) -> str:
    of = (
        "the score of the class, relative to the mean over classes,"
        if view.positive is None
        else f"the log-odds of {view.positive_label}"
    )
    return (
        f"What the values of two columns add to {of} together, beyond what each adds alone. Red cells make the class "
        "more probable, blue cells less. The small number is the number of training rows."
    )


def _card(view: View, pair: dict[str, Any]) -> Markup:
    term = next((each for each in view["terms"] if each["columns"] == pair["columns"]), None)
    tags = []
    if term is not None:
        tags.append(f"importance {percent(term['importance'], 0)}")
        if term["log_bayes_factor"] is not None:
            tags.append(f"log Bayes factor {term['log_bayes_factor']:.1f}")
    heading = tag(
        "h3", tag("span", view.names(pair["columns"])), tag("span", ", ".join(tags), class_="tags"), class_="titled"
    )
    maps = []
    for k, shown in enumerate(pair["classes"]):
        largest = max(max(abs(value) for row in shown["contribution"] for value in row), 0.01)
        content = [_heat_map(view, pair, shown, largest), _legend(largest)]
        maps.append(tag("div", *content, data_class=k, hidden=k > 0))
    return tag("article", heading, *maps, class_="card")


def _upright(pair: dict[str, Any], shown: dict[str, Any]) -> tuple[list[int], list[list[Any]]]:
    """Return the order of the two columns, the one that would be wider first, and all cells in that order."""
    cells = [
        [
            {"rows": pair["counts"][a][b], "points": shown["contribution"][a][b], "rate": shown["rate"][a][b]}
            for b in range(len(pair["labels"][1]))
        ]
        for a in range(len(pair["labels"][0]))
    ]
    if _width(pair["labels"][1]) <= _width(pair["labels"][0]):
        return [0, 1], cells
    return [1, 0], [list(column) for column in zip(*cells, strict=True)]


def _width(labels: list[str]) -> int:
    """Return the width of columns with these labels, in characters."""
    return sum(max([_LONG, *map(len, label.split())]) for label in labels)


def _heat_map(view: View, pair: dict[str, Any], shown: dict[str, Any], largest: float) -> Markup:
    (first, second), cells = _upright(pair, shown)
    names = [view.name(pair["columns"][each]) for each in (first, second)]
    bins, others = pair["labels"][first], pair["labels"][second]
    label = view.labels[shown["class"]]
    top = tag(
        "tr", tag("td", class_="corner"), tag("th", names[1], scope="colgroup", colspan=len(others), class_="over")
    )
    head = tag(
        "tr", tag("th", names[0], scope="col", class_="corner"), *(tag("th", other, scope="col") for other in others)
    )
    rows = []
    for bin_, row in zip(bins, cells, strict=True):
        made = []
        for other, cell in zip(others, row, strict=True):
            n_rows = f"{count(cell['rows'])} {'row' if cell['rows'] == 1 else 'rows'}"
            tooltip = (
                f"{names[0]}: {bin_}\n{names[1]}: {other}\nlog-odds {signed(cell['points'], 3)}, {n_rows}, "
                f"rate of {label} {percent(cell['rate'])}"
            )
            content = (tag("b", signed(cell["points"])), tag("small", count(cell["rows"])))
            made.append(heat_cell("td", cell["points"], largest, *content, title=tooltip))
        rows.append(tag("tr", tag("th", bin_, scope="row"), *made))
    title, kind = f"{names[0]} × {names[1]}", "heat-map dense" if len(others) > _MOST_WIDE else "heat-map"
    made_table = tag("table", tag("thead", top, head), tag("tbody", *rows), class_=kind, data_file=title)
    return tag("div", made_table, class_="scroll", tabindex="0", role="region", aria_label=title)


def _legend(largest: float) -> Markup:
    steps = [heat_cell("span", step * largest, largest, signed(step * largest)) for step in (-1, -0.5, 0, 0.5, 1)]
    return tag("p", tag("span", "less probable"), *steps, tag("span", "more probable"), class_="legend heat-legend")


def _decimal(value: float | None, n_digits: int) -> str:
    return "" if value is None else decimal(value, n_digits)


def _terms(view: View) -> Markup:
    headings = [
        ("term", "A column, or a pair of columns"),
        ("importance", "Mean absolute contribution to the log-odds, as a share of the sum over columns and pairs"),
        ("log Bayes factor", "Evidence for the pair against none, in nats"),
        ("gain (log loss)", "Improvement of the out-of-fold log loss per row"),
    ]
    rows: list[list[Cell]] = [
        [
            (view.names(term["columns"]), "words"),
            percent(term["importance"]),
            _decimal(term["log_bayes_factor"], 1),
            _decimal(term["gain"], 5),
        ]
        for term in view["terms"][:_MOST_TERMS]
    ]
    more = len(view["terms"]) - _MOST_TERMS
    note = tag("p", f"and {more} more", class_="quiet") if more > 0 else None
    return tag("div", table(headings, rows, "terms"), note)
