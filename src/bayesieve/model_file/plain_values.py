# SPDX-License-Identifier: BSD-3-Clause
"""Constructor parameters as plain data, and back: nothing that would need code to be built again."""

from collections.abc import Mapping
from typing import Any

from bayesieve.data.document import Entry, label_from_plain, label_to_plain
from bayesieve.exceptions import ModelFileError
from bayesieve.fit.column_settings import Column

__all__ = ["keep_plain", "value_from_plain", "value_to_plain"]


def keep_plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a model file can hold; the others are splitters, transformers and the like."""
    return {name: value for name, value in parameters.items() if _is_plain(name, value)}


def value_to_plain(value: Any, owner: str) -> Any:
    """Return a parameter's value as JSON can hold it; tuples, mappings and columns are objects with one key."""
    if value is None:
        return None
    if isinstance(value, list):
        return [value_to_plain(each, owner) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [value_to_plain(each, owner) for each in value]}
    if isinstance(value, dict):
        pairs = [[value_to_plain(key, owner), value_to_plain(each, owner)] for key, each in value.items()]
        return {"dict": pairs}
    if isinstance(value, Column):
        return {"column": {name: value_to_plain(each, owner) for name, each in value.given().items()}}
    return label_to_plain(value, owner)


def value_from_plain(entry: Entry) -> Any:
    """Return the value that a document holds."""
    if entry.value is None:
        return None
    if isinstance(entry.value, list):
        return [value_from_plain(item) for item in entry.items()]
    if isinstance(entry.value, dict) and entry.value.keys() == {"tuple"}:
        return tuple(value_from_plain(item) for item in entry.fields("tuple")["tuple"].items())
    if isinstance(entry.value, dict) and entry.value.keys() == {"dict"}:
        pairs = [value_from_plain(item) for item in entry.fields("dict")["dict"].items()]
        try:
            return dict(pairs)
        except (TypeError, ValueError):
            entry.refuse("pairs of a key and a value")
    if isinstance(entry.value, dict) and entry.value.keys() == {"column"}:
        fields = entry.fields("column")["column"]
        try:
            return Column(**{name: value_from_plain(item) for name, item in fields.members().items()})
        except TypeError:
            fields.refuse("fields of a column")
    return label_from_plain(entry)


def _is_plain(name: str, value: Any) -> bool:
    try:
        value_to_plain(value, name)
    except (ModelFileError, RecursionError):
        return False
    return True
