# SPDX-License-Identifier: BSD-3-Clause
"""JSON documents with a checksum: what was changed since it was written is refused."""

import hashlib
import json
from typing import Any

__all__ = ["canonical", "is_sealed", "parse_strictly", "seal"]

_KEY = "checksum"


def parse_strictly(text: str | bytes, *, finite: bool = True) -> Any:
    """Return the document of a text; raises ValueError or RecursionError for what no file of ours holds."""
    return json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant if finite else None)


def canonical(content: Any, *, finite: bool = True) -> bytes:
    """Return the one form of a document that its checksum is of, whatever spaces and order of keys a file has."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=not finite, sort_keys=True, separators=(",", ":"))
    return text.encode()


def seal(content: dict[str, Any], *, finite: bool = True) -> dict[str, Any]:
    """Return a document with its checksum."""
    return {_KEY: _checksum(content, finite), **content}


def is_sealed(document: Any, *, finite: bool = True) -> bool:
    """Return whether a document has the checksum of its content."""
    if not isinstance(document, dict):
        return False
    content = {key: value for key, value in document.items() if key != _KEY}
    try:
        return bool(document.get(_KEY) == _checksum(content, finite))
    except (ValueError, RecursionError):  # what no file of ours holds: 1e999, an unpaired surrogate, a deep nest
        return False


def _checksum(content: Any, finite: bool) -> str:
    return "sha256:" + hashlib.sha256(canonical(content, finite=finite)).hexdigest()


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    distinct = dict(pairs)
    if len(distinct) < len(pairs):
        raise ValueError("a key twice")
    return distinct


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)
