# SPDX-License-Identifier: BSD-3-Clause
"""ARFF, Weka's format: a header that declares columns, then dense or sparse rows.

SciPy's reader has neither text nor sparse rows. Below are first the values (separated by commas, quoted where needed, a
bare question mark where missing), then the declarations, then the rows.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Any

from bayesieve.data.files.plain_text import decode
from bayesieve.data.files.text_columns import check_types
from bayesieve.data.frames import TypedValues, build_typed_frame
from bayesieve.exceptions import DataError

__all__ = ["parse_arff"]

_ONE = r"""(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|([^,'"][^,]*?|))"""
_DENSE = re.compile(rf"\s*{_ONE}\s*(,|$)", re.DOTALL)
_SPARSE = re.compile(rf"\s*(\d+)\s+{_ONE}\s*(,|$)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

# Java's SimpleDateFormat, as far as Python has the same fields; quoted text is literal.
_JAVA_FIELD = re.compile(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+")
_JAVA_LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "Z": "%z",
    "XXX": "%z",
}


def _split_values(text: str) -> list[str | None]:
    """Return the values of a dense row or of a nominal declaration; a ValueError names the fault."""
    if "'" not in text and '"' not in text:
        return [None if value == "?" else value for value in map(str.strip, text.split(","))]
    return [_plain(*match.group(1, 2, 3)) for match in _scan(_DENSE, text)]


def _split_sparse(text: str) -> list[tuple[int, str | None]]:
    """Return the positions and values of a sparse row, which is given without its braces."""
    return [(int(match[1]), _plain(*match.group(2, 3, 4))) for match in _scan(_SPARSE, text)] if text.strip() else []


def _unquote(text: str) -> str:
    """Return a value without its quotes, if it has any."""
    return _split_values(text)[0] or "?"


def _java_format(pattern: str) -> str:
    """Translate a date format to Python's; a ValueError names the field that has no counterpart."""
    fields = []
    for match in _JAVA_FIELD.finditer(pattern):
        literal, letter = match.group(1, 2)
        if letter and match[0] not in _JAVA_LETTERS:
            raise ValueError(f"the date format {pattern!r} has the field {match[0]!r}, which is not supported")
        fields.append(_JAVA_LETTERS[match[0]] if letter else (match[0] if literal is None else literal or "'"))
    form = "".join(fields)
    datetime(2000, 1, 1).strftime(form)
    return form


def _scan(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    end = 0
    while True:
        match = pattern.match(text, end)
        if match is None:
            raise ValueError(f"a value cannot be read from {text[end : end + 20]!r} on; is a quote missing?")
        yield match
        if not match[pattern.groups]:
            return
        end = match.end()


def _plain(single: str | None, double: str | None, bare: str | None) -> str | None:
    quoted = single if single is not None else double
    if quoted is not None:
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), quoted, flags=re.DOTALL)
    return None if bare == "?" else bare


_DECLARATION = re.compile(
    r"""@attribute\s+(?P<name>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\s{'"][^\s{]*)\s*(?P<type>.*)""", re.I | re.DOTALL
)
_NOMINAL = re.compile(r"""\{((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^}'"])*)\}\s*(?:%.*)?""", re.DOTALL)
_PLAIN = re.compile(r"([a-z]+)\s*(?:%.*)?", re.I)
_DATE = re.compile(r"""date(?:\s+('[^']*'|"[^"]*"|[^\s%'"]+))?\s*(?:%.*)?""", re.I)

_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "integer", "string": "string"}
_ISO = "yyyy-MM-dd'T'HH:mm:ss"


@dataclass(frozen=True)
class _Attribute:
    """A declared column: a kind of `TypedValues`, with the levels of a nominal one and the format of a date."""

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    form: str = ""

    @cached_property
    def level_set(self) -> frozenset[str]:
        """The levels as a set, for fast lookup."""
        return frozenset(self.levels)

    @property
    def default(self) -> str | None:
        """The value of a sparse row that does not list this column; None (missing) for text and dates."""
        if self.kind == "nominal":
            return self.levels[0]
        return "0" if self.kind in ("numeric", "integer") else None


def _parse_attribute(declaration: str) -> _Attribute:
    """Read one line that begins with ``@attribute``; a ValueError names the fault."""
    match = _DECLARATION.fullmatch(declaration.strip())
    if match is None:
        raise ValueError("@attribute needs a name and a type")
    name, kind_text = _unquote(match["name"]), match["type"].strip()
    if kind_text.startswith("{"):
        return _Attribute(name, "nominal", _levels(name, kind_text))
    date = _DATE.fullmatch(kind_text)
    if date:
        pattern = date[1] or _ISO
        return _Attribute(name, "date", form=_java_format(pattern[1:-1] if pattern[0] in "'\"" else pattern))
    plain = _PLAIN.fullmatch(kind_text)
    word = plain[1].lower() if plain else kind_text
    if word == "relational":
        raise ValueError(f"the column {name!r} is relational, a table in each row, which is not supported")
    if word not in _KINDS:
        raise ValueError(
            f"the column {name!r} has the type {kind_text!r}; "
            "numeric, real, integer, string, date or {...} is expected"
        )
    return _Attribute(name, _KINDS[word])


def _override_attributes(attributes: Iterable[_Attribute], types: Mapping[str, str]) -> list[_Attribute]:
    """Apply the user's types; nominal columns are categorical already and keep their levels."""
    changed = []
    for attribute in attributes:
        kind = types.get(attribute.name)
        if kind == "numeric" and attribute.kind != "integer":
            attribute = replace(attribute, kind="numeric")
        elif kind == "categorical" and attribute.kind != "nominal":
            attribute = replace(attribute, kind="string")
        changed.append(attribute)
    return changed


def _levels(name: str, kind_text: str) -> tuple[str, ...]:
    match = _NOMINAL.fullmatch(kind_text)
    if match is None:
        raise ValueError(f"the levels of the column {name!r} do not end with a closing brace")
    levels = tuple("?" if level is None else level for level in _split_values(match[1]))
    repeated = [level for level, count in Counter(levels).items() if count > 1]
    if repeated:
        raise ValueError(f"the column {name!r} declares the level {repeated[0]!r} more than once")
    return levels


Lines = Sequence[tuple[int, str]]
Row = list[str | None]


def parse_arff(content: bytes, path: Path, types: Mapping[str, str]) -> Any:
    """Return a polars frame, or a pandas one without polars; nominal columns keep their declared levels.

    A sparse row lists only values other than 0, or other than a nominal column's first level; unlisted text and dates
    are missing.
    """
    text = decode(content, path)
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("%")]
    start = next((i for i, (_, line) in enumerate(lines) if line.lower() == "@data"), None)
    if start is None:
        raise DataError(f"{path} has no line @data, after which rows begin; it is not ARFF, or the file is truncated.")
    declared = _declared(lines[:start], path)
    check_types(types, [attribute.name for attribute in declared])
    rows = _rows(lines[start + 1 :], declared, path)
    numbers = [number for number, _ in lines[start + 1 :]]
    columns = zip(_override_attributes(declared, types), zip(*rows, strict=True), strict=True)
    typed = {attribute.name: _typed(attribute, values, numbers, path) for attribute, values in columns}
    return build_typed_frame(typed, ("polars", "pandas"))


def _declared(lines: Lines, path: Path) -> list[_Attribute]:
    attributes = []
    for number, line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@attribute":
            try:
                attributes.append(_parse_attribute(line))
            except ValueError as error:
                raise DataError(f"{path}: line {number}: {error}.") from None
        elif keyword != "@relation":
            raise DataError(f"{path}: line {number} begins with {keyword[:20]!r}; @attribute or @data was expected.")
    if not attributes:
        raise DataError(f"{path} declares no columns before @data.")
    repeated = [name for name, count in Counter(one.name for one in attributes).items() if count > 1]
    if repeated:
        raise DataError(f"{path} declares the column {repeated[0]!r} more than once; names must be unique.")
    return attributes


def _rows(lines: Lines, attributes: Sequence[_Attribute], path: Path) -> list[Row]:
    if not lines:
        raise DataError(f"{path} declares {len(attributes)} columns but has no rows.")
    defaults = [attribute.default for attribute in attributes]
    rows = []
    for number, line in lines:
        try:
            rows.append(_sparse_row(line, defaults) if line.startswith("{") else _dense_row(line, len(defaults)))
        except ValueError as error:
            cut = "; the file seems truncated" if number == lines[-1][0] else ""
            raise DataError(f"{path}: line {number}: {error}{cut}.") from None
    return rows


def _dense_row(line: str, n_columns: int) -> Row:
    row = _split_values(line)
    if len(row) != n_columns:
        weighted = len(row) == n_columns + 1 and (row[-1] or "").startswith("{")
        hint = "; weights of rows are not supported" if weighted else ""
        raise ValueError(f"{len(row)} values where {n_columns} columns are declared{hint}")
    return row


def _sparse_row(line: str, defaults: Row) -> Row:
    if not line.endswith("}") or "}," in line.replace(" ", ""):
        raise ValueError("a sparse row must end with one closing brace")
    row = list(defaults)
    entries = _split_sparse(line[1:-1])
    for position, value in entries:
        if position >= len(row):
            raise ValueError(f"the sparse row names column {position}, counted from 0, of {len(row)}")
        row[position] = value
    if any(later <= earlier for (earlier, _), (later, _) in pairwise(entries)):
        raise ValueError("the columns of a sparse row must increase")
    return row


def _typed(attribute: _Attribute, values: Sequence[str | None], numbers: Sequence[int], path: Path) -> TypedValues:
    convert = _CONVERTERS[attribute.kind]
    converted: list[Any] = []
    for number, value in zip(numbers, values, strict=True):
        try:
            converted.append(None if value is None else convert(value, attribute))
        except ValueError as error:
            raise DataError(f"{path}: line {number}: the column {attribute.name!r} {error}.") from None
    if attribute.kind == "integer" and all(isinstance(value, float) and value.is_integer() for value in converted):
        return TypedValues("integer", [int(value) for value in converted])
    kind = "numeric" if attribute.kind == "integer" else attribute.kind
    return TypedValues(kind, converted, attribute.levels)


def _number(value: str, _: _Attribute) -> float | None:
    try:
        if "_" in value:  # Python's float would read 1_000
            raise ValueError
        number = float(value)
    except ValueError:
        raise ValueError(f"is numeric, but holds {value!r}") from None
    return None if isnan(number) else number


def _level(value: str, attribute: _Attribute) -> str:
    if value not in attribute.level_set:
        raise ValueError(f"holds {value!r}, which is not one of its {len(attribute.levels)} declared levels")
    return value


def _date(value: str, attribute: _Attribute) -> datetime:
    try:
        moment = datetime.strptime(value, attribute.form)
    except ValueError:
        raise ValueError(f"holds {value!r}, which is not a date in its declared format") from None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


_CONVERTERS: dict[str, Callable[[str, _Attribute], Any]] = {
    "numeric": _number,
    "integer": _number,
    "string": lambda value, _: value,
    "nominal": _level,
    "date": _date,
}
