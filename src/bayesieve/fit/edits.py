# SPDX-License-Identifier: BSD-3-Clause
"""What an expert changes of a fitted scorecard: a list of edits with reasons, as data, and the file that holds it."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite, isnan
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, Self, overload

from bayesieve.data import write_atomically
from bayesieve.data.document import Entry, canonical, label_from_plain, label_to_plain, parse_strictly
from bayesieve.exceptions import EditError, ModelFileError
from bayesieve.fit.column_settings import MISSING, read_direction

__all__ = ["MOST_POINTS", "Change", "Edit", "Edits", "edits_from_plain"]

_FORMAT, _VERSION = "bayesieve edits", 1
MOST_POINTS: Final = 10.0
"""Points that can be set, in nats: odds of 22,000."""
_KINDS: Final = (
    "merge", "split", "group", "special", "points", "monotone", "missing", "keep", "drop", "pair", "no_pair",
)  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """One change of a model.

    Attributes
    ----------
    kind : str
        The name of the method of `Edits` that made it.
    columns : tuple of str
        The column, or the two columns of a pair.
    values : mapping
        What else the method was given, as plain values.
    why, author, time : str
        The reason, who made it, and when (UTC).
    """

    kind: str
    columns: tuple[str, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    author: str = ""
    time: str = ""

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.values.items() if value is not None)
        return f"{self.kind} {' × '.join(self.columns)}{': ' if values else ''}{values}"

    def to_plain(self) -> dict[str, Any]:
        """Return the edit as strings, numbers, lists and dicts."""
        texts = {name: text for name in ("why", "author", "time") if (text := getattr(self, name))}
        return {"kind": self.kind, "columns": list(self.columns), "values": _to_plain(dict(self.values)), **texts}


@dataclass(frozen=True)
class Change:
    """What an edit changed, compared with the model without it and all later ones.

    Attributes
    ----------
    edit : Edit
        The edit.
    log_loss_before, log_loss, difference, error : float
        The out-of-fold log loss per row before and after, what it rose by, and the standard error of that. Before the
        first edit, it is that of the unedited terms fitted to the same rows. NaN without a refit.
    decisions : int
        Rows whose predicted class changed.
    """

    edit: Edit
    log_loss_before: float
    log_loss: float
    difference: float
    error: float
    decisions: int

    def to_plain(self) -> dict[str, Any]:
        """Return the edit and what it changed as strings, numbers, lists and dicts; None for what is not known."""
        names = ("log_loss_before", "log_loss", "difference", "error")
        numbers = {name: None if isnan(value := float(getattr(self, name))) else value for name in names}
        return {"edit": self.edit.to_plain(), **numbers, "decisions": int(self.decisions)}


class Edits(Sequence[Edit]):
    """Changes that an expert makes to a fitted `ScorecardClassifier`: a list that can be saved, reviewed and replayed.

    Each method appends an edit and returns the list. Columns are given by their names, and bins by their numbers in
    ``model.scorecard_[name].partition``, from 0, as they are after the edits before; so does `bayesieve show`. Each
    takes a reason, ``why``, which the model file, the report and the model card keep.

    Parameters
    ----------
    edits : iterable of Edit, default=()
        Edits to begin with.
    author : str, default=""
        Who makes the edits that are appended.

    Examples
    --------
    >>> from bayesieve import Edits
    >>> edits = Edits(author="credit risk")
    >>> _ = edits.merge("age", [2, 3], why="too few rows")
    >>> print(edits.points("age", bin=0, points=-0.3))
    merge age: bins=[2, 3]
    points age: bin=0, points=-0.3
    """

    def __init__(self, edits: Iterable[Edit] = (), *, author: str = "") -> None:
        self._edits, self.author = list(edits), author

    def merge(self, column: str, bins: Sequence[int], *, why: str = "") -> Self:
        """Make one bin of several: neighbors, or groups of categories. Points that were set for them are given up."""
        if isinstance(bins, str) or len(set(bins)) < 2:
            raise EditError(f"merge of {column!r} needs two bins at least, got {bins!r:.60}.")
        return self._add("merge", (column,), {"bins": sorted({_number(each, column) for each in bins})}, why)

    def split(self, column: str, at: Any, *, why: str = "") -> Self:
        """Divide a bin: values up to ``at``, a number, a date or an ordered category, are in the first half."""
        return self._add("split", (column,), {"at": _item(at)}, why)

    def group(self, column: str, groups: Sequence[Sequence[Any]], *, why: str = "") -> Self:
        """Give the bins of a column of categories: lists of categories, each category once."""
        return self._add("group", (column,), {"groups": [list(map(_item, each)) for each in groups]}, why)

    def special(self, column: str, value: float, *, why: str = "") -> Self:
        """Let a number have its own bin, apart from the order of the others, such as -1 for "unknown"."""
        return self._add("special", (column,), {"value": _real(value, "special", column)}, why)

    def points(self, column: str, bin: int, points: float | Mapping[Any, float], *, why: str = "") -> Self:
        """Set the points of a bin: log-odds of the positive class; of more classes, a mapping of each to its points."""
        place = _number(bin, column)
        given = points.items() if isinstance(points, Mapping) else [(None, points)]
        for _, each in given:
            if abs(_real(each, "points", column)) > MOST_POINTS:
                raise EditError(f"points of {column!r} must be from -{MOST_POINTS:g} to {MOST_POINTS:g}, got {each!r}.")
        plain = [[_item(label), float(each)] for label, each in given] if isinstance(points, Mapping) else float(points)
        return self._add("points", (column,), {"bin": place, "points": plain}, why)

    def monotone(self, column: str, direction: str | Mapping[Any, str], *, why: str = "") -> Self:
        """Let points only rise ("increasing") or only fall with the value; of more classes, those of one class."""
        if isinstance(direction, Mapping):
            pairs = [[_item(label), each] for label, each in direction.items()]
            return self._add("monotone", (column,), {"direction": pairs}, why)
        read_direction(direction, f"monotone of {column!r}")
        return self._add("monotone", (column,), {"direction": direction}, why)

    def missing(self, column: str, how: str, *, why: str = "") -> Self:
        """Let missing values add nothing ("neutral"), or have points of their own ("learn")."""
        if how not in MISSING:
            raise EditError(f"missing of {column!r} must be 'learn' or 'neutral', got {how!r:.60}.")
        return self._add("missing", (column,), {"how": how}, why)

    def keep(self, column: str, *, why: str = "") -> Self:
        """Add a column to the model."""
        return self._add("keep", (column,), {}, why)

    def drop(self, column: str, instead: str | None = None, *, why: str = "") -> Self:
        """Take a column, and its pairs, out of the model; another one may be added ``instead``."""
        return self._add("drop", (column,), {"instead": instead}, why)

    def pair(self, first: str, second: str, *, why: str = "") -> Self:
        """Let two columns have a table together; those that are not in the model are added to it."""
        return self._add("pair", (first, second), {}, why)

    def no_pair(self, first: str, second: str, *, why: str = "") -> Self:
        """Take the table of a pair out of the model."""
        return self._add("no_pair", (first, second), {}, why)

    def __len__(self) -> int:
        return len(self._edits)

    @overload
    def __getitem__(self, place: int) -> Edit: ...
    @overload
    def __getitem__(self, place: slice) -> "Edits": ...
    def __getitem__(self, place: int | slice) -> "Edit | Edits":
        found = self._edits[place]
        return found if isinstance(found, Edit) else Edits(found, author=self.author)

    def __iter__(self) -> Iterator[Edit]:
        return iter(self._edits)

    def __add__(self, other: "Edits") -> "Edits":
        return Edits([*self, *other], author=self.author)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edits) and self._edits == other._edits

    __hash__ = None  # type: ignore[assignment]  # it is a list

    def __repr__(self) -> str:
        return f"Edits({len(self)})"

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def to_plain(self) -> list[dict[str, Any]]:
        """Return the edits as strings, numbers, lists and dicts."""
        return [each.to_plain() for each in self]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the edits to a JSON file."""
        content = {"format": _FORMAT, "version": _VERSION, "edits": self.to_plain()}
        write_atomically(path, canonical(content) + b"\n", "The file of edits", EditError)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Edits":
        """Return the edits of a file that `save` wrote."""
        name = f"The file {str(path)!r}"
        try:
            document = Entry(parse_strictly(Path(path).read_bytes().decode()), "the document")
            fields = document.fields("format", "version", "edits")
            fields["format"].choice(_FORMAT)
            fields["version"].whole(1, _VERSION)
            return edits_from_plain(fields["edits"])
        except OSError as error:
            raise EditError(f"{name} cannot be read: {error.strerror}.") from None
        except ModelFileError as error:
            raise EditError(f"{name} holds no edits: {error}") from None
        except (ValueError, RecursionError):
            raise EditError(f"{name} holds no edits: it is not a JSON document.") from None

    def _add(self, kind: str, columns: tuple[str, ...], values: dict[str, Any], why: str) -> Self:
        for name in (*columns, *(values[key] for key in ("instead",) if values.get(key) is not None)):
            if not isinstance(name, str):
                raise EditError(f"{kind} names a column by its name, a string, got {name!r:.60}.")
        if len(set(columns)) < len(columns):
            raise EditError(f"{kind} needs two different columns, got {columns[0]!r} twice.")
        time = datetime.now(UTC).isoformat(timespec="seconds")
        edit = Edit(kind, columns, values, str(why), self.author, time)
        edit.to_plain()  # raises where a value cannot be saved
        self._edits.append(edit)
        return self


def edits_from_plain(entry: Entry) -> Edits:
    """Return the edits of a document."""
    return Edits(map(_edit_from_plain, entry.items()))


def _edit_from_plain(entry: Entry) -> Edit:
    present = entry.value if isinstance(entry.value, dict) else {}
    optional = [name for name in ("why", "author", "time") if name in present]
    fields = entry.fields("kind", "columns", "values", *optional)
    kind = fields["kind"].choice(*_KINDS)
    columns = tuple(item.text() for item in fields["columns"].items())
    if len(columns) != 1 + (kind in ("pair", "no_pair")):
        fields["columns"].refuse("one column, or the two of a pair")
    values = {name: _from_plain(item) for name, item in fields["values"].members().items()}
    made = _again(Edits(), kind, columns, values, fields["values"])
    return Edit(kind, columns, made.values, **{name: fields[name].text() for name in optional})


def _again(edits: Edits, kind: str, columns: tuple[str, ...], values: dict[str, Any], entry: Entry) -> Edit:
    """Return an edit with values that its method has checked."""
    given = dict(values)
    try:
        for name in ("points", "direction"):
            if isinstance(given.get(name), list):
                given[name] = dict(given[name])
        made: Edits = getattr(edits, kind)(*columns, **given)
        return made[0]
    except (TypeError, ValueError) as error:
        entry.refuse(f"what {kind!r} needs ({error})")


def _to_plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _to_plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_to_plain(each) for each in value]
    return None if value is None else label_to_plain(value, "The edit")


def _from_plain(entry: Entry) -> Any:
    if isinstance(entry.value, list):
        return [_from_plain(item) for item in entry.items()]
    return None if entry.value is None else label_from_plain(entry)


def _item(label: Any) -> Any:
    """Return a label of NumPy as one of Python."""
    return label.item() if hasattr(label, "item") else label


def _number(place: object, column: str) -> int:
    if not isinstance(place, Integral) or isinstance(place, bool) or place < 0:
        raise EditError(f"A bin of {column!r} is given by its number, from 0, got {place!r:.60}.")
    return int(place)


def _real(value: object, kind: str, column: str) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not isfinite(value):
        raise EditError(f"{kind} of {column!r} must be a finite number, got {value!r:.60}.")
    return float(value)
