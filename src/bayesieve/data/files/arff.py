# SPDX-License-Identifier: BSD-3-Clause
"""ARFF, Weka's format: a header that declares columns, then dense or sparse rows."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Any

from bayesieve.data.files.arff_header import Attribute, override_attributes, parse_attribute
from bayesieve.data.files.arff_values import split_sparse, split_values
from bayesieve.data.files.plain_text import decode
from bayesieve.data.files.text_columns import check_types
from bayesieve.data.files.typed_frame import TypedValues, build_typed_frame
from bayesieve.exceptions import DataError

__all__ = ["parse_arff"]

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
    columns = zip(override_attributes(declared, types), zip(*rows, strict=True), strict=True)
    typed = {attribute.name: _typed(attribute, values, numbers, path) for attribute, values in columns}
    return build_typed_frame(typed, ("polars", "pandas"))


def _declared(lines: Lines, path: Path) -> list[Attribute]:
    attributes = []
    for number, line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@attribute":
            try:
                attributes.append(parse_attribute(line))
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


def _rows(lines: Lines, attributes: Sequence[Attribute], path: Path) -> list[Row]:
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
    row = split_values(line)
    if len(row) != n_columns:
        weighted = len(row) == n_columns + 1 and (row[-1] or "").startswith("{")
        hint = "; weights of rows are not supported" if weighted else ""
        raise ValueError(f"{len(row)} values where {n_columns} columns are declared{hint}")
    return row


def _sparse_row(line: str, defaults: Row) -> Row:
    if not line.endswith("}") or "}," in line.replace(" ", ""):
        raise ValueError("a sparse row must end with one closing brace")
    row = list(defaults)
    entries = split_sparse(line[1:-1])
    for position, value in entries:
        if position >= len(row):
            raise ValueError(f"the sparse row names column {position}, counted from 0, of {len(row)}")
        row[position] = value
    if any(later <= earlier for (earlier, _), (later, _) in pairwise(entries)):
        raise ValueError("the columns of a sparse row must increase")
    return row


def _typed(attribute: Attribute, values: Sequence[str | None], numbers: Sequence[int], path: Path) -> TypedValues:
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


def _number(value: str, _: Attribute) -> float | None:
    try:
        if "_" in value:  # Python's float would read 1_000
            raise ValueError
        number = float(value)
    except ValueError:
        raise ValueError(f"is numeric, but holds {value!r}") from None
    return None if isnan(number) else number


def _level(value: str, attribute: Attribute) -> str:
    if value not in attribute.level_set:
        raise ValueError(f"holds {value!r}, which is not one of its {len(attribute.levels)} declared levels")
    return value


def _date(value: str, attribute: Attribute) -> datetime:
    try:
        moment = datetime.strptime(value, attribute.form)
    except ValueError:
        raise ValueError(f"holds {value!r}, which is not a date in its declared format") from None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


_CONVERTERS: dict[str, Callable[[str, Attribute], Any]] = {
    "numeric": _number,
    "integer": _number,
    "string": lambda value, _: value,
    "nominal": _level,
    "date": _date,
}
