"""A report as one self-contained HTML file."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from bayesieve.exceptions import OutputError

__all__ = ["render_page"]

_FOLDER = Path(__file__).parent / "page"
_SCRIPTS = (
    "elements.js",
    "chart.js",
    "size.js",
    "threshold.js",
    "bins.js",
    "pairs.js",
    "redundancy.js",
    "table.js",
    "main.js",
)


def render_page(summary: dict[str, Any]) -> str:
    """Return the page of a summary.

    All data of the user is in one JSON document, in which no character can end it, and is written by
    ``textContent`` alone. The content security policy allows the page's own script and style, by their hashes, and no
    network at all.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ModuleNotFoundError:
        raise OutputError("A report needs jinja2, which is not installed: pip install 'bayesieve[cli]'.") from None
    script = "\n".join(["'use strict';", *(_read(name) for name in _SCRIPTS)])
    style = _read("page.css")
    environment = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("page.html.j2").render(
        title=f"{summary['context']['target']}: {summary['context']['goal_title']}",
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'",
        script=script,
        style=style,
        summary=_inert(summary),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inert(summary: dict[str, Any]) -> str:
    """Return JSON without any character that has a meaning in HTML."""
    text = json.dumps(summary, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
