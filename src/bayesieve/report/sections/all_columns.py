# SPDX-License-Identifier: BSD-3-Clause
"""The table of all columns: the first rows as markup, and all of them as data for the script that sorts them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bayesieve.report.formats import count, decimal, percent, small
from bayesieve.report.markup import Markup, tag
from bayesieve.report.sections.redundancy import rarely_selected
from bayesieve.report.sections.view import TYPE_NAMES, View

__all__ = ["Field", "draw_all_columns", "plain_fields", "table_fields"]

_MOST_ROWS = 50

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": lambda value: "" if value is None else str(value),
    "count": lambda value: "" if value is None else count(value),
    "percent": lambda value: "" if value is None else percent(value),
    "decimal2": lambda value: "" if value is None else decimal(value, 2),
    "decimal4": decimal,
    "small": small,
}
"""How the values of a field are written; the script has the same names."""


@dataclass(frozen=True)
class Field:
    """A column of the table, with one value per column of the data."""

    name: str
    title: str
    meaning: str
    format: str
    values: Sequence[Any]

    @property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return self.format == "text"

    def text(self, j: int) -> str:
        """Return a value as it is shown."""
        return FORMATS[self.format](self.values[j])


def table_fields(view: View) -> list[Field]:
    """Return the fields of the table."""
    columns, model, n_rows = view["columns"], view["model"], view["data"]["n_rows"] or 1
    importance = [
        value if selected else None for value, selected in zip(columns["importance"], columns["selected"], strict=True)
    ]
    fields = [
        Field("name", "column", "Name of the column", "text", columns["name"]),
        Field(
            "type",
            "type",
            "Integer, numeric, categorical, or date or time",
            "text",
            [TYPE_NAMES[each] for each in columns["type"]],
        ),
        Field(
            "n_missing",
            "missing",
            "Share of missing values",
            "percent",
            [round(n / n_rows, 4) for n in columns["n_missing"]],
        ),
        Field("n_distinct", "distinct", "Number of distinct values", "count", columns["n_distinct"]),
        Field("importance", "importance", model["importance"], "percent", importance),
        Field("weight", "weight", "Weight of the column; 1 is plain naive Bayes", "decimal2", columns["weight"]),
        Field("score_alone", "score alone", model["score_alone"], "decimal4", columns["score_alone"]),
        Field("gain", "gain", model["gain"], "small", columns["gain"]),
        Field(
            "redundancy",
            "redundancy",
            "Symmetric uncertainty with the most similar selected column, from 0 to 1",
            "decimal2",
            columns["redundancy"],
        ),
        Field(
            "redundant_with",
            "redundant with",
            "The most similar selected column",
            "text",
            [None if j is None else view.name(j) for j in columns["redundant_with"]],
        ),
        Field(
            "n_folds_selected",
            f"folds (of {view['stability']['n_folds']})" if view["stability"]["n_folds"] else "folds",
            f"Number of outer folds, of {view['stability']['n_folds']}, in which the column was selected",
            "count",
            columns["n_folds_selected"],
        ),
        Field("reason", "reason", "Why the column was selected, or why not", "text", _reasons(view)),
    ]
    return [field for field in fields if field.name != "weight" or model["weighted"]]


def _reasons(view: View) -> list[str]:
    columns = view["columns"]
    both = zip(columns["reason"], columns["warning"], strict=True)
    return ["; ".join(each for each in (reason, warning) if each) for reason, warning in both]


def plain_fields(view: View) -> list[dict[str, Any]]:
    """Return the fields as plain data; repeated texts are written once."""
    return [
        {"name": field.name, "title": field.title, "meaning": field.meaning, "format": field.format, **_encode(field)}
        for field in table_fields(view)
    ]


def _encode(field: Field) -> dict[str, Any]:
    if not field.is_text:
        return {"values": list(field.values)}
    distinct = list(dict.fromkeys(field.values))
    if 2 * len(distinct) > len(field.values):
        return {"values": list(field.values)}
    place = {value: i for i, value in enumerate(distinct)}
    return {"distinct": distinct, "values": [place[value] for value in field.values]}


def draw_all_columns(view: View) -> Markup:
    """Return the section."""
    fields, columns = table_fields(view), view["columns"]
    order = sorted(
        range(len(columns["name"])), key=lambda j: (not columns["selected"][j], -(columns["importance"][j] or 0.0), j)
    )
    head = [
        tag(
            "th",
            field.title,
            scope="col",
            title=field.meaning,
            data_field=field.name,
            class_="words" if field.is_text else None,
        )
        for field in fields
    ]
    body = [_row(fields, j, columns["selected"][j]) for j in order[:_MOST_ROWS]]
    made = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), id="table", data_file="columns")
    n_columns = len(order)
    shown = f"{n_columns:,} columns" if n_columns <= _MOST_ROWS else f"The first {_MOST_ROWS} of {n_columns:,} columns"
    search = tag("input", id="search", type="search", autocomplete="off", placeholder="name, type or reason")
    return tag(
        "section",
        tag("h2", "All columns"),
        tag("p", _lead(view), class_="lead", id="table-lead"),
        tag(
            "div",
            tag("label", "Search ", search, class_="search js"),
            tag("span", shown, class_="quiet", id="table-count", aria_live="polite"),
            class_="row",
        ),
        tag("div", made, class_="scroll card flat", tabindex="0", role="region", aria_label="All columns"),
        tag(
            "div",
            tag("button", "Previous", id="previous", type="button"),
            tag("span", id="page"),
            tag("button", "Next", id="next", type="button"),
            class_="row pages js",
        ),
        id="all",
    )


def _row(fields: Sequence[Field], j: int, selected: bool) -> Markup:
    cells = [
        tag("td" if i else "th", field.text(j), class_="words" if field.is_text else None, scope=None if i else "row")
        for i, field in enumerate(fields)
    ]
    return tag("tr", *cells, class_=None if selected else "out")


def _lead(view: View) -> str:
    model = view["model"]
    alone, gain = (text[0].lower() + text[1:] for text in (model["score_alone"], model["gain"]))
    lower = " (lower is better)" if view["search"]["is_loss"] else ""
    unstable = " Columns selected in few folds are unstable; see Redundancy." if rarely_selected(view) else ""
    return f"Score alone: {alone}{lower}. Gain: {gain}.{unstable}"
