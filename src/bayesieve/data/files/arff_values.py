# SPDX-License-Identifier: BSD-3-Clause
"""The values of ARFF: separated by commas, quoted where needed, a bare question mark where missing."""

import re
from collections.abc import Iterator
from datetime import datetime

__all__ = ["java_format", "split_sparse", "split_values", "unquote"]

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


def split_values(text: str) -> list[str | None]:
    """Return the values of a dense row or of a nominal declaration; a ValueError names the fault."""
    if "'" not in text and '"' not in text:
        return [None if value == "?" else value for value in map(str.strip, text.split(","))]
    return [_plain(*match.group(1, 2, 3)) for match in _scan(_DENSE, text)]


def split_sparse(text: str) -> list[tuple[int, str | None]]:
    """Return the positions and values of a sparse row, which is given without its braces."""
    return [(int(match[1]), _plain(*match.group(2, 3, 4))) for match in _scan(_SPARSE, text)] if text.strip() else []


def unquote(text: str) -> str:
    """Return a value without its quotes, if it has any."""
    return split_values(text)[0] or "?"


def java_format(pattern: str) -> str:
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
