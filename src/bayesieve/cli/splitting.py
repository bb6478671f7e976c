"""The columns of a file that a command works on, and the target."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from bayesieve.data import pick_columns, resolve_columns, split_target
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["split_columns"]


def split_columns(frame: Any, names: Sequence[str], target: str, columns: Sequence[str]) -> tuple[Any, NDArray[Any]]:
    """Return the wanted columns and the target, of the rows that have one."""
    (place,) = resolve_columns(target, names, "--target")
    wanted = resolve_columns(columns, names, "--column") or [j for j in range(len(names)) if j != place]
    if place in wanted:
        raise ParameterError(f"--column names {target!r}, which is the target; name another column.")
    if not wanted:
        raise DataError(f"There is no column besides the target {target!r}.")
    X, y = split_target(pick_columns(frame, [*wanted, place]), len(wanted))
    if not len(y):
        raise DataError(f"The target {target!r} is missing in every row; name another column as --target.")
    return X, y
