"""Columns given by users: names, positions, masks or a scikit-learn column selector."""

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from bayesieve.exceptions import ParameterError

__all__ = ["resolve_columns"]


def resolve_columns(columns: Any, names: Sequence[str], parameter: str, table: Any = None) -> list[int]:
    """Return the positions of the given columns, in table order and without duplicates.

    Parameters
    ----------
    columns : None, str, int, iterable of str or int, boolean mask, or callable
        A callable gets ``table``, the user's own data frame, and returns names or positions.
    names : sequence of str
        All column names.
    parameter : str
        The parameter that is being read, for messages.
    table : object
        The argument of the callable.
    """
    if columns is None:
        return []
    if isinstance(columns, Callable):  # type: ignore[arg-type]
        columns = columns(table)
    if isinstance(columns, str | Integral):
        columns = [columns]
    if not isinstance(columns, Iterable):
        raise ParameterError(f"{parameter} must be column names or positions, got {columns!r}.")
    entries = list(columns)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        if len(entries) != len(names):
            raise ParameterError(
                f"{parameter} is a mask of {len(entries)} entries; {len(names)} are expected, one per column."
            )
        return [j for j, entry in enumerate(entries) if entry]
    position = {name: j for j, name in enumerate(names)}
    return sorted({_position(entry, position, parameter) for entry in entries})


def _position(entry: Any, position: dict[str, int], parameter: str) -> int:
    n_columns = len(position)
    if isinstance(entry, Integral):
        if not -n_columns <= int(entry) < n_columns:
            raise ParameterError(f"{parameter} names column {entry}, but the table has {n_columns} columns.")
        return int(entry) % n_columns
    if not isinstance(entry, str) or entry not in position:
        near = _nearest(str(entry), position)
        raise ParameterError(f"{parameter} names the column {entry!r}, which the table does not have{near}")
    return position[entry]


def _nearest(entry: str, position: dict[str, int]) -> str:
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in position}
    close = [folded[name] for name in get_close_matches(entry.casefold(), folded, n=1)]
    return f"; did you mean {close[0]!r}?" if close else "."
