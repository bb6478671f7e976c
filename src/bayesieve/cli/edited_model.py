# SPDX-License-Identifier: BSD-3-Clause
"""What ``bayesieve edit`` is given: edits as options, and the rows that a model was fitted to."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bayesieve import Edits, ScorecardClassifier
from bayesieve.cli.column_roles import RowRoles
from bayesieve.cli.files import TableOptions
from bayesieve.cli.new_rows import read_labeled_file, target_name
from bayesieve.exceptions import ParameterError
from bayesieve.report import format_label

__all__ = ["TrainingFile", "read_edits", "read_rows", "require_scorecard"]


class TrainingFile(NamedTuple):
    """The rows of a file: the table, the classes, and weights and groups by their names in ``edited``."""

    arguments: tuple[Any, Any]
    options: dict[str, Any]


def require_scorecard(model: Any) -> ScorecardClassifier:
    """Return a model that can be edited."""
    if not isinstance(model, ScorecardClassifier):
        name = type(model).__name__
        raise ParameterError(f"edit is for a ScorecardClassifier; this file holds a {name}.")
    return model


def read_rows(
    model: ScorecardClassifier,
    path: Path,
    reading: TableOptions,
    target: str | None,
    group: str | None,
    weight: str | None,
) -> TrainingFile:
    """Read the rows of a file that have a class."""
    name = target_name(model, target)
    if not name:
        raise ParameterError("The model file does not name its target column; add --target.")
    rows = read_labeled_file(model, path, reading, name)
    _, values = RowRoles(group, weight).split(rows.frame)
    return TrainingFile((rows.X, rows.y), values)


def read_edits(
    model: ScorecardClassifier,
    given: Mapping[str, Sequence[str]],
    path: Path | None,
    undo: int,
    *,
    author: str,
    why: str,
) -> Edits:
    """Return the edits of a model without the last ones, those of a file, and those of options, in this order."""
    before = model.edits_
    if undo > len(before):
        raise ParameterError(f"--undo {undo}: the model has {len(before)} edits.")
    made = Edits([*before[: len(before) - undo], *(() if path is None else Edits.load(path))], author=author)
    labels = {format_label(label): label for label in model.classes_.tolist()}
    for name, texts in given.items():
        pattern, form, call = _OPTIONS[name]
        for text in texts:
            match = pattern.fullmatch(text)
            if match is None:
                option = name.replace("_", "-")
                raise ParameterError(f"--{option} must be as {form}, got {text!r}.")
            call(made, match.groups(), labels, why)
    return made


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _columns(made: Edits, parts: Sequence[str], name: str, why: str) -> None:
    getattr(made, name)(*parts, why=why)


def _of_columns(name: str) -> "_Call":
    return lambda made, parts, labels, why: _columns(made, parts, name, why)


def _points(made: Edits, parts: Sequence[str], labels: Mapping[str, Any], why: str) -> None:
    name, place, text = parts
    if len(labels) == 2:
        made.points(name, int(place), _real(text), why=why)
        return
    by_class = dict(each.rpartition(":")[::2] for each in text.split(","))
    made.points(name, int(place), {labels.get(each, each): _real(x) for each, x in by_class.items()}, why=why)


def _real(text: str) -> float:
    value = _number_or_text(text)
    if isinstance(value, str):
        raise ParameterError(f"--points needs a number of points, got {text!r}.")
    return value


def _monotone(made: Edits, parts: Sequence[str], labels: Mapping[str, Any], why: str) -> None:
    name, label, direction = parts
    made.monotone(name, direction if label is None else {labels.get(label, label): direction}, why=why)


def _merge(made: Edits, parts: Sequence[str], labels: Mapping[str, Any], why: str) -> None:
    made.merge(parts[0], [int(each) for each in parts[1].split(",")], why=why)


_Call = Callable[[Edits, Sequence[str], Mapping[str, Any], str], Any]
_OPTIONS: Final[Mapping[str, tuple[re.Pattern[str], str, _Call]]] = {
    "keep": (re.compile(r"(.+)", re.DOTALL), "a column", _of_columns("keep")),
    "drop": (re.compile(r"(.+)", re.DOTALL), "a column", _of_columns("drop")),
    "replace": (re.compile(r"(.+?)=(.+)", re.DOTALL), "zip=region", _of_columns("drop")),
    "missing": (
        re.compile(r"(.+):(learn|neutral)", re.DOTALL),
        "income:neutral or income:learn",
        _of_columns("missing"),
    ),
    "monotone": (re.compile(r"(.+?):(?:(.+):)?(increasing|decreasing)", re.DOTALL), "age:increasing", _monotone),
    "no_pair": (re.compile(r"(.+?),(.+)", re.DOTALL), "age,sex", _of_columns("no_pair")),
    "special": (
        re.compile(r"(.+):([^:]+)", re.DOTALL),
        "income:-1",
        lambda made, parts, labels, why: made.special(parts[0], _number_or_text(parts[1]), why=why),  # type: ignore[arg-type]
    ),
    "split": (
        re.compile(r"(.+?):(.+)", re.DOTALL),
        "age:45",
        lambda made, parts, labels, why: made.split(parts[0], _number_or_text(parts[1]), why=why),
    ),
    "merge": (re.compile(r"(.+):(\d+(?:,\d+)+)", re.DOTALL), "age:2,3", _merge),
    "points": (re.compile(r"(.+?):(\d+)=(.+)", re.DOTALL), "age:4=-0.3", _points),
    "pair": (re.compile(r"(.+?),(.+)", re.DOTALL), "age,sex", _of_columns("pair")),
}
"""How each option is written, an example, and what it appends to the edits."""
