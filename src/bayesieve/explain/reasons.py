# SPDX-License-Identifier: BSD-3-Clause
"""The reasons of all columns: a mapping that is also a table."""

from collections.abc import Mapping
from typing import Any

from bayesieve.data import build_frame
from bayesieve.data.files.table_output import html_table

__all__ = ["Reasons"]


class Reasons(dict[str, dict[str, Any]]):
    """For each column, whether it was selected, its scores, and the reason.

    Parameters
    ----------
    entries : mapping of str to dict, default=None
        The reasons by name.
    backend : str or None, default=None
        The data-frame library of the training table.
    """

    def __init__(self, entries: Mapping[str, dict[str, Any]] | None = None, backend: str | None = None) -> None:
        super().__init__(entries or {})
        self.backend = backend

    def to_frame(self) -> Any:
        """Return one row per column, the selected ones first, then by gain; in the library of the training table."""
        return build_frame(self._columns(), self.backend)

    def _columns(self) -> dict[str, list[Any]]:
        keys = list(next(iter(self.values()), {}))
        order = sorted(self, key=lambda name: (not self[name]["selected"], -(self[name]["gain"] or 0.0)))
        return {"column": list(order), **{key: [self[name].get(key) for name in order] for key in keys}}

    def __repr__(self) -> str:
        n_selected = sum(bool(entry["selected"]) for entry in self.values())
        return f"Reasons({n_selected} of {len(self)} columns selected; to_frame() has one row per column)"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self._columns())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.backend)
