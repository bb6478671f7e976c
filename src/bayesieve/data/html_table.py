# SPDX-License-Identifier: BSD-3-Clause
"""A small table as HTML, for notebooks."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["html_table"]

_MOST_ROWS = 30


def html_table(caption: str, columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as a table with a caption; of more than 30 rows, the first ones and how many are left."""
    rows = list(zip(*columns.values(), strict=True))
    head = "".join(f"<th>{escape(str(name))}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_MOST_ROWS])
    left = len(rows) - _MOST_ROWS
    more = f'<tr><td colspan="{len(columns)}">… and {left} more</td></tr>' if left > 0 else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"
    )


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4g}</td>'
    return f"<td>{escape(str(value))}</td>"
