# SPDX-License-Identifier: BSD-3-Clause
"""Reader of the UCI tables: delimited text whose columns are declared as in their documentation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayesieve.data import TypedValues
from bayesieve.datasets.sample import Sample

__all__ = ["DeclaredTable"]

_MISSING = "?"


@dataclass(frozen=True)
class DeclaredTable:
    """Delimited text without types.

    Attributes
    ----------
    declaration : str
        One line per column, in the file's order: its name, and if it is nominal its codes after bars, each with a label
        if that differs from the code (``sex | 1 male | 2 female``). A name in parentheses is not a feature.
    target : str
        The column of the class; its codes are declared with the positive class last.
    separator : str, or None
        None for blanks.
    header : bool
        Whether the file begins with a line of names.
    """

    declaration: str
    target: str
    separator: str | None = ","
    header: bool = False

    @cached_property
    def columns(self) -> dict[str, dict[str, str]]:
        """Labels by code for each column, empty for numbers."""
        lines = [[cell.strip() for cell in line.split("|")] for line in self.declaration.strip().splitlines()]
        return {name: dict((code.split(None, 1) * 2)[:2] for code in codes) for name, *codes in lines}

    @property
    def feature_names(self) -> list[str]:
        """The columns other than the target and those in parentheses."""
        return [name for name in self.columns if name != self.target and not name.startswith("(")]

    @property
    def target_names(self) -> tuple[str, ...]:
        """The labels of the classes, the positive one last."""
        return tuple(self.columns[self.target].values())

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read an array if all features are numbers, otherwise typed columns."""
        lines = [line for line in contents[0].decode("latin-1").splitlines() if line.strip()][self.header :]
        rows = [[cell.strip() for cell in line.split(self.separator)] for line in lines]
        cells = dict(zip(self.columns, zip(*rows, strict=True), strict=True))
        position = {code: i for i, code in enumerate(self.columns[self.target])}
        target = np.array([position[code] for code in cells[self.target]], dtype=np.int64)
        features = {name: self._typed(name, cells[name]) for name in self.feature_names}
        if any(column.kind == "nominal" for column in features.values()):
            return Sample(features, target)
        return Sample(np.array([column.values for column in features.values()], dtype=np.float64).T.copy(), target)

    def _typed(self, name: str, cells: Sequence[str]) -> TypedValues:
        labels = self.columns[name]
        values: list[Any] = [None if cell == _MISSING else labels[cell] if labels else float(cell) for cell in cells]
        return TypedValues("nominal" if labels else "numeric", values, tuple(dict.fromkeys(labels.values())))
