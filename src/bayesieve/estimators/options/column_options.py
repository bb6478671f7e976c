"""Columns that a user names: to keep, to drop, to start from, to move together."""

from collections.abc import Mapping, Sequence

from bayesieve.data import resolve_columns
from bayesieve.estimators._types import ColumnsLike, TableLike
from bayesieve.exceptions import ParameterError
from bayesieve.training.options import ColumnOptions

__all__ = ["read_column_options"]


def read_column_options(
    names: Sequence[str],
    X: TableLike,
    keep: ColumnsLike,
    drop: ColumnsLike,
    start_from: ColumnsLike = None,
    feature_groups: Mapping[str, ColumnsLike] | None = None,
) -> ColumnOptions:
    """Resolve ``keep``, ``drop``, ``start_from`` and ``feature_groups`` to positions in the table."""
    given = {"keep": keep, "drop": drop, "start_from": start_from}
    kept, dropped, start = (
        frozenset(resolve_columns(columns, names, parameter, X)) for parameter, columns in given.items()
    )
    for parameter, columns in (("keep", kept), ("start_from", start)):
        if both := columns & dropped:
            raise ParameterError(f"Column {names[min(both)]!r} is both in {parameter} and in drop.")
    if len(dropped) == len(names):
        raise ParameterError(f"drop names all {len(names)} columns; at least one must be left to select.")
    groups = {
        str(name): tuple(resolve_columns(columns, names, f"feature_groups[{name!r}]", X))
        for name, columns in (feature_groups or {}).items()
    }
    _refuse_overlap(groups, names)
    return ColumnOptions(kept, dropped, None if start_from is None else start, groups)


def _refuse_overlap(groups: Mapping[str, Sequence[int]], names: Sequence[str]) -> None:
    owner: dict[int, str] = {}
    for name, members in groups.items():
        if not members:
            raise ParameterError(f"feature_groups[{name!r}] has no columns.")
        for j in members:
            if j in owner:
                raise ParameterError(f"Column {names[j]!r} is in two feature_groups: {owner[j]!r} and {name!r}.")
            owner[j] = name
