# SPDX-License-Identifier: BSD-3-Clause
"""What is required of single columns, on the command line and in a file: ``--column age:monotone=increasing``."""

import csv
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bayesieve.exceptions import ParameterError
from bayesieve.fit.column_settings import FIELDS, LISTS, NUMBERS
from bayesieve.report import format_label

__all__ = ["read_column_options", "read_columns_file", "with_class_labels"]

_FIRST_FIELD: Final = re.compile(rf"(.+?):((?:{'|'.join(FIELDS)})=.*)", re.DOTALL)
_FIELD: Final = re.compile(r"(\w+)=(.*)", re.DOTALL)


def read_column_options(
    texts: Sequence[str], path: Path | None = None, ordered: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the fields of each column: those of ``--columns FILE``, replaced by ``--ordered`` and ``--column``."""
    columns = {} if path is None else read_columns_file(path)
    for text in ordered:
        name, sign, values = text.partition("=")
        if not (name and sign and values):
            raise ParameterError(f"--ordered must be a column and its values, such as size=small,large, got {text!r}.")
        columns.setdefault(name, {})["ordered"] = next(csv.reader([values], skipinitialspace=True))
    for text in texts:
        name, fields = _read_option(text)
        own = columns.setdefault(name, {})
        own.update(fields)
    return columns


def _read_option(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name of a column and its fields, given ``NAME:FIELD=VALUE,...``; a list has commas, too."""
    match = _FIRST_FIELD.fullmatch(text)
    if match is None:
        raise ParameterError(
            f"--column must be a column, a colon and its fields, such as age:monotone=increasing, got {text!r}; "
            f"fields are {', '.join(FIELDS)}."
        )
    fields: dict[str, list[str]] = {}
    name = ""
    for part in match[2].split(","):
        field = _FIELD.fullmatch(part)
        if field is not None and (field[1] in FIELDS or name not in LISTS):
            name = field[1]
            if name not in FIELDS:
                raise ParameterError(
                    f"--column {text!r} has the unknown field {name!r}; fields are {', '.join(FIELDS)}."
                )
            if name in fields:
                raise ParameterError(f"--column {text!r} has the field {name!r} twice.")
            fields[name] = [field[2]]
        else:
            fields[name].append(part)
    return match[1], {name: _value(name, values, text) for name, values in fields.items()}


def _value(name: str, values: list[str], text: str) -> Any:
    if name in LISTS:
        return values
    if len(values) > 1:
        raise ParameterError(f"--column {text!r} has {values[1]!r}, which is not a field and its value.")
    if name in NUMBERS and values[0].isdecimal():
        return int(values[0])
    label, colon, direction = values[0].rpartition(":")
    return {label: direction} if name == "monotone" and colon else values[0]


def read_columns_file(path: Path) -> dict[str, dict[str, Any]]:
    """Read a JSON or TOML file with an object of fields for each column."""
    is_toml = path.suffix.lower() == ".toml"
    try:
        text = path.read_text(encoding="utf-8")
        columns = tomllib.loads(text) if is_toml else json.loads(text)
    except OSError as error:
        raise ParameterError(f"--columns {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"--columns {path} is not valid {'TOML' if is_toml else 'JSON'}: {error}.") from None
    if not isinstance(columns, dict) or not all(isinstance(fields, dict) for fields in columns.values()):
        raise ParameterError(f"--columns {path} must have an object of fields for each column.")
    return columns


def with_class_labels(columns: Mapping[str, Mapping[str, Any]], classes: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Return the columns with labels of classes in place of the texts that they are written as."""
    labels = {format_label(label): label for label in classes}

    def of_class(value: Any) -> Any:
        return {labels.get(text, text): each for text, each in value.items()} if isinstance(value, dict) else value

    return {name: {field: of_class(value) for field, value in fields.items()} for name, fields in columns.items()}
