# SPDX-License-Identifier: BSD-3-Clause
"""All columns of the table: type, missing values, scores, and why each was selected or not.

The page has the first rows as markup, and all of them as data for the script that sorts them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayesieve.data import ColumnProfile
from bayesieve.report.context import COLUMN_TYPES, Setting
from bayesieve.report.formats import count, decimal, percent, rounded, small
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.markup import Markup, scrollable, tag
from bayesieve.report.model_type import ModelType, SearchFacts

__all__ = ["Columns", "describe_columns", "draw_all_columns", "script_fields"]

_MOST_ROWS = 50

_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": lambda value: "" if value is None else str(value),
    "count": lambda value: "" if value is None else count(value),
    "percent": lambda value: "" if value is None else percent(value),
    "decimal2": lambda value: "" if value is None else decimal(value, 2),
    "decimal4": decimal,
    "small": small,
}
"""How the values of a field are written; the script has the same names."""


@dataclass(frozen=True)
class Columns:
    """The columns of the data: each list has one entry per column."""

    name: list[str]
    type: list[str]
    n_missing: list[int]
    n_distinct: list[int]
    selected: list[bool]
    weight: list[float | None]
    importance: list[float]
    score_alone: list[float | None]
    gain: list[float | None]
    redundant_with: list[int | None]
    redundancy: list[float | None]
    step: list[int | None]
    reason: list[str]
    n_folds_selected: list[int | None]
    warning: list[str | None]

    def rarely_selected(self, n_folds: int) -> list[int]:
        """Return the selected columns that less than half of the outer folds selected, the most important first."""
        rare = [
            j for j, n in enumerate(self.n_folds_selected) if n is not None and self.selected[j] and 2 * n < n_folds
        ]
        return sorted(rare, key=lambda j: -(self.importance[j] or 0.0))

    @property
    def warnings(self) -> list[tuple[str, str]]:
        """The names of the columns that a person should check, and why."""
        return [(name, text) for name, text in zip(self.name, self.warning, strict=True) if text]


def describe_columns(
    model: Any, profiles: Sequence[ColumnProfile], predictions: HeldOutPredictions, warnings: Mapping[str, str]
) -> Columns:
    """Return all columns of the data; warnings are by name."""
    n_selections = Counter(name for fold in predictions.folds for name in fold.columns)
    repeated = predictions.n_train is None
    place = {name: j for j, name in enumerate(model.column_names_)}
    weights = model.scorecard_.weights
    selected = set(model.scorecard_.columns)
    why = [model.why_[profile.name] for profile in profiles]
    return Columns(
        name=[profile.name for profile in profiles],
        type=[profile.kind for profile in profiles],
        n_missing=[profile.n_missing for profile in profiles],
        n_distinct=[profile.n_distinct for profile in profiles],
        selected=[profile.name in selected for profile in profiles],
        weight=[rounded(weights.get(profile.name)) for profile in profiles],
        importance=[rounded(model.feature_importances_[place[profile.name]]) for profile in profiles],
        score_alone=[rounded(_natural_score(model, entry["score_alone"])) for entry in why],
        gain=[rounded(entry["gain"]) for entry in why],
        redundant_with=[place.get(entry["redundant_with"]) for entry in why],
        redundancy=[rounded(entry["redundancy"]) for entry in why],
        step=[entry["step"] for entry in why],
        reason=[entry["reason"] for entry in why],
        n_folds_selected=[n_selections.get(profile.name, 0) if repeated else None for profile in profiles],
        warning=[warnings.get(profile.name) for profile in profiles],
    )


def _natural_score(model: Any, score: float | None) -> float | None:
    """Return a score with its usual sign: a loss is positive."""
    return -score if score is not None and model.path_.is_loss else score


@dataclass(frozen=True)
class _Field:
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
        return _FORMATS[self.format](self.values[j])


def _fields(setting: Setting, columns: Columns, model: ModelType) -> list[_Field]:
    """Return the fields of the table."""
    n_rows = setting.n_rows or 1
    n_folds = setting.evaluation.n_folds
    importance = [
        value if selected else None for value, selected in zip(columns.importance, columns.selected, strict=True)
    ]
    missing = [round(n / n_rows, 4) for n in columns.n_missing]
    similar = [None if j is None else setting.name(j) for j in columns.redundant_with]
    types = [COLUMN_TYPES[each] for each in columns.type]
    both = zip(columns.reason, columns.warning, strict=True)
    reasons = ["; ".join(each for each in (reason, warning) if each) for reason, warning in both]
    meaning_of_type = "Integer, numeric, categorical, or date or time"
    meaning_of_redundancy = "Symmetric uncertainty with the most similar selected column, from 0 to 1"
    meaning_of_folds = f"Number of outer folds, of {n_folds}, in which the column was selected"
    folds = f"folds (of {n_folds})" if n_folds else "folds"
    weights = [_Field("weight", "weight", "Weight of the column; 1 is plain naive Bayes", "decimal2", columns.weight)]
    return [
        _Field("name", "column", "Name of the column", "text", columns.name),
        _Field("type", "type", meaning_of_type, "text", types),
        _Field("n_missing", "missing", "Share of missing values", "percent", missing),
        _Field("n_distinct", "distinct", "Number of distinct values", "count", columns.n_distinct),
        _Field("importance", "importance", model.importance, "percent", importance),
        *(weights if model.weighted else []),
        _Field("score_alone", "score alone", model.score_alone, "decimal4", columns.score_alone),
        _Field("gain", "gain", model.gain, "small", columns.gain),
        _Field("redundancy", "redundancy", meaning_of_redundancy, "decimal2", columns.redundancy),
        _Field("redundant_with", "redundant with", "The most similar selected column", "text", similar),
        _Field("n_folds_selected", folds, meaning_of_folds, "count", columns.n_folds_selected),
        _Field("reason", "reason", "Why the column was selected, or why not", "text", reasons),
    ]


def script_fields(setting: Setting, columns: Columns, model: ModelType) -> list[dict[str, Any]]:
    """Return the fields as the script reads them; repeated texts are written once."""
    return [
        {"name": field.name, "title": field.title, "meaning": field.meaning, "format": field.format, **_encode(field)}
        for field in _fields(setting, columns, model)
    ]


def _encode(field: _Field) -> dict[str, Any]:
    if not field.is_text:
        return {"values": list(field.values)}
    distinct = list(dict.fromkeys(field.values))
    if 2 * len(distinct) > len(field.values):
        return {"values": list(field.values)}
    place = {value: i for i, value in enumerate(distinct)}
    return {"distinct": distinct, "values": [place[value] for value in field.values]}


def draw_all_columns(setting: Setting, columns: Columns, model: ModelType, search: SearchFacts) -> Markup:
    """Return the section."""
    fields = _fields(setting, columns, model)
    order = sorted(
        range(len(columns.name)), key=lambda j: (not columns.selected[j], -(columns.importance[j] or 0.0), j)
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
    body = [_row(fields, j, columns.selected[j]) for j in order[:_MOST_ROWS]]
    made = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), id="table", data_file="columns")
    n_columns = len(order)
    shown = f"{n_columns:,} columns" if n_columns <= _MOST_ROWS else f"The first {_MOST_ROWS} of {n_columns:,} columns"
    search_field = tag("input", id="search", type="search", autocomplete="off", placeholder="name, type or reason")
    rare = columns.rarely_selected(setting.evaluation.n_folds)
    return tag(
        "section",
        tag("h2", "All columns"),
        tag("p", _lead(model, search.is_loss, bool(rare)), class_="lead", id="table-lead"),
        tag(
            "div",
            tag("label", "Search ", search_field, class_="search js"),
            tag("span", shown, class_="quiet", id="table-count", aria_live="polite"),
            class_="row",
        ),
        scrollable(made, "All columns", "scroll card flat"),
        tag(
            "div",
            tag("button", "Previous", id="previous", type="button"),
            tag("span", id="page"),
            tag("button", "Next", id="next", type="button"),
            class_="row pages js",
        ),
        id="all",
    )


def _row(fields: Sequence[_Field], j: int, selected: bool) -> Markup:
    cells = [
        tag("td" if i else "th", field.text(j), class_="words" if field.is_text else None, scope=None if i else "row")
        for i, field in enumerate(fields)
    ]
    return tag("tr", *cells, class_=None if selected else "out")


def _lead(model: ModelType, is_loss: bool, some_are_rare: bool) -> str:
    alone, gain = (text[0].lower() + text[1:] for text in (model.score_alone, model.gain))
    lower = " (lower is better)" if is_loss else ""
    unstable = " Columns selected in few folds are unstable; see Redundancy." if some_are_rare else ""
    return f"Score alone: {alone}{lower}. Gain: {gain}.{unstable}"
