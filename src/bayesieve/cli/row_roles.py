# SPDX-License-Identifier: BSD-3-Clause
"""Columns that say something about rows: groups, weights and times."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import is_number, list_values, pick_columns, read_table, resolve_columns
from bayesieve.exceptions import ParameterError

__all__ = ["RowRoles"]


@dataclass(frozen=True)
class RowRoles:
    """The columns of groups, weights and times, which are not features, and a file of test rows."""

    group: str | None = None
    weight: str | None = None
    time: str | None = None
    test: Path | None = None

    def check(self) -> None:
        """Refuse options that exclude each other."""
        by = [name for name, value in (("--test", self.test), ("--time", self.time), ("--group", self.group)) if value]
        if len(by) > 1:
            raise ParameterError(f"{by[0]} and {by[1]} hold out rows in different ways; give one of the two.")

    def split(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """Return the table without these columns, and what they say: ``groups``, ``sample_weight`` and ``times``."""
        names = read_table(X).names
        readers = (("group", "groups", _groups), ("weight", "sample_weight", _weights), ("time", "times", _times))
        places, values = [], {}
        for role, argument, read in readers:
            if (name := getattr(self, role)) is not None:
                (place,) = resolve_columns(name, names, f"--{role}")
                places.append(place)
                values[argument] = read(X, place, name)
        if not places:
            return X, {}
        rest = [j for j in range(len(names)) if j not in places]
        if not rest:
            raise ParameterError("No column is left as a feature besides those of --group, --weight and --time.")
        return pick_columns(X, rest), values

    def without_roles(self, columns: Sequence[str]) -> list[str]:
        """Return columns without those that are not features anyway."""
        return [name for name in columns if name not in (self.group, self.weight, self.time)]


def _groups(X: Any, place: int, name: str) -> NDArray[Any]:
    """Return the number of each row's group; a row without one is a group of its own."""
    values = list_values(X, place)
    number: dict[Any, int] = {}
    return np.array(
        [number.setdefault(("row", i) if value is None else value, len(number)) for i, value in enumerate(values)]
    )


def _weights(X: Any, place: int, name: str) -> NDArray[np.float64]:
    values = list_values(X, place)
    for row, value in enumerate(values, 1):
        if value is None or not is_number(value) or not 0 <= float(value) < float("inf"):
            raise ParameterError(
                f"--weight names {name!r}; its row {row} has {value!r}, a number of 0 or more expected."
            )
    return np.array(values, dtype=np.float64)


def _times(X: Any, place: int, name: str) -> NDArray[np.float64]:
    column = read_table(X).column(place)
    if not column.ordered:
        raise ParameterError(f"--time names {name!r}, which is text; a column of numbers, dates or times is expected.")
    times = column.values
    if np.isnan(times).any():
        raise ParameterError(f"--time names {name!r}, which is missing in {int(np.isnan(times).sum()):,} rows.")
    return times
