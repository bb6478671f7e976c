# SPDX-License-Identifier: BSD-3-Clause
"""Column declarations of ARFF files."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from bayesieve.data.files.arff_values import java_format, split_values, unquote

__all__ = ["Attribute", "override_attributes", "parse_attribute"]

_DECLARATION = re.compile(
    r"""@attribute\s+(?P<name>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\s{'"][^\s{]*)\s*(?P<type>.*)""", re.I | re.DOTALL
)
_NOMINAL = re.compile(r"""\{((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^}'"])*)\}\s*(?:%.*)?""", re.DOTALL)
_PLAIN = re.compile(r"([a-z]+)\s*(?:%.*)?", re.I)
_DATE = re.compile(r"""date(?:\s+('[^']*'|"[^"]*"|[^\s%'"]+))?\s*(?:%.*)?""", re.I)

_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "integer", "string": "string"}
_ISO = "yyyy-MM-dd'T'HH:mm:ss"


@dataclass(frozen=True)
class Attribute:
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


def parse_attribute(declaration: str) -> Attribute:
    """Read one line that begins with ``@attribute``; a ValueError names the fault."""
    match = _DECLARATION.fullmatch(declaration.strip())
    if match is None:
        raise ValueError("@attribute needs a name and a type")
    name, kind_text = unquote(match["name"]), match["type"].strip()
    if kind_text.startswith("{"):
        return Attribute(name, "nominal", _levels(name, kind_text))
    date = _DATE.fullmatch(kind_text)
    if date:
        pattern = date[1] or _ISO
        return Attribute(name, "date", form=java_format(pattern[1:-1] if pattern[0] in "'\"" else pattern))
    plain = _PLAIN.fullmatch(kind_text)
    word = plain[1].lower() if plain else kind_text
    if word == "relational":
        raise ValueError(f"the column {name!r} is relational, a table in each row, which is not supported")
    if word not in _KINDS:
        raise ValueError(
            f"the column {name!r} has the type {kind_text!r}; "
            "numeric, real, integer, string, date or {...} is expected"
        )
    return Attribute(name, _KINDS[word])


def override_attributes(attributes: Iterable[Attribute], types: Mapping[str, str]) -> list[Attribute]:
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
    levels = tuple("?" if level is None else level for level in split_values(match[1]))
    repeated = [level for level, count in Counter(levels).items() if count > 1]
    if repeated:
        raise ValueError(f"the column {name!r} declares the level {repeated[0]!r} more than once")
    return levels
