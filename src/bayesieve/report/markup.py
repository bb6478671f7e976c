# SPDX-License-Identifier: BSD-3-Clause
"""HTML and SVG as text in which whatever comes from the data is escaped, and the files that pages are made of."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, Literal

__all__ = ["Cell", "Markup", "content_hash", "heat_cell", "join", "read_part", "scrollable", "table", "tag", "within"]

_VOID = frozenset({"input", "meta", "br"})
_HEAT_LEVELS = 10  # classes of the style sheet
_FOLDER = Path(__file__).parent / "page"


class Markup(str):
    """Text that is markup already; any other text is escaped where it becomes part of an element."""

    __slots__ = ()


Cell = str | Markup | tuple[str | Markup, str]
"""The content of a table's cell, or its content and its class."""


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element.

    Parameters
    ----------
    name : str
        Name of the element.
    *children : objects
        Its content: `Markup` as it is, anything else as escaped text; None is nothing.
    **attributes : objects
        Its attributes; in names, a trailing underscore is dropped and others become hyphens. True is an attribute
        without a value, None and False leave it out.
    """
    # A page has thousands of elements; a list is joined sooner than what a generator yields.
    written = "".join([_attribute(key, value) for key, value in attributes.items()]) if attributes else ""
    content = f"{join(children)}</{name}>" if name not in _VOID else ""
    return Markup(f"<{name}{written}>{content}")


def join(children: Iterable[Any]) -> Markup:
    """Return several pieces of content as one."""
    return Markup("".join([_text(child) for child in children if child is not None]))


def _text(child: Any) -> str:
    return child if isinstance(child, Markup) else escape(str(child), quote=False)


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    return _written(name, value if value is True else str(value))


@lru_cache(maxsize=1 << 12)
def _written(name: str, value: str | Literal[True]) -> str:
    key = name.rstrip("_").replace("_", "-")
    return f" {key}" if value is True else f' {key}="{escape(value)}"'


def table(headings: Sequence[tuple[str, str]], rows: Iterable[Sequence[Cell]], file: str, **attributes: Any) -> Markup:
    """Return a table.

    Parameters
    ----------
    headings : sequence of pairs of str
        The title of each column, and what it means; the meaning is shown on hover and can be empty.
    rows : iterable of sequences of cells
        The cells of each row; the first one is the name of the row.
    file : str
        Name of the CSV file that a reader can download, without suffix; empty for none.
    **attributes : objects
        Attributes of the table.
    """
    head = tag("tr", *(tag("th", title, scope="col", title=meaning or None) for title, meaning in headings))
    body = (tag("tr", *(_cell(cell, i) for i, cell in enumerate(row))) for row in rows)
    made = tag("table", tag("thead", head), tag("tbody", *body), data_file=file or None, **attributes)
    return scrollable(made, file or "table")


def scrollable(content: Markup, label: str, kind: str = "scroll") -> Markup:
    """Return content that may be wider than the page, in a frame that the keyboard can scroll, too."""
    return tag("div", content, class_=kind, tabindex="0", role="region", aria_label=label)


def _cell(cell: Cell, place: int) -> Markup:
    content, kind = cell if isinstance(cell, tuple) else (cell, None)
    return tag("td" if place else "th", content, class_=kind, scope=None if place else "row")


def within(n_characters: int, pieces: Iterable[Markup]) -> list[Markup]:
    """Return the first pieces that together are not longer than this, but one at least."""
    kept: list[Markup] = []
    for piece in pieces:
        n_characters -= len(piece)
        if kept and n_characters < 0:
            break
        kept.append(piece)
    return kept


def heat_cell(name: str, value: float, largest: float, *children: Any, **attributes: Any) -> Markup:
    """Return an element with the color of a value: red above zero, blue below, in ten strengths."""
    level = round(_HEAT_LEVELS * min(1.0, abs(value) / largest)) if largest else 0
    return tag(name, *children, class_=f"heat {'p' if value > 0 else 'm'}{level}", **attributes)


def read_part(name: str) -> str:
    """Return the text of a file of the page: its style, a script, or its outline."""
    return (_FOLDER / name).read_text(encoding="utf-8").strip()


def content_hash(text: str) -> str:
    """Return the source expression that allows a script or style of this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
