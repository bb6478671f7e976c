# SPDX-License-Identifier: BSD-3-Clause
"""The files that pages are made of, and their hashes for the content security policy."""

import base64
import hashlib
from pathlib import Path

__all__ = ["content_hash", "read_part"]

_FOLDER = Path(__file__).parent / "page"


def read_part(name: str) -> str:
    """Return the text of a file."""
    return (_FOLDER / name).read_text(encoding="utf-8").strip()


def content_hash(text: str) -> str:
    """Return the source expression that allows a script or style of this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
