"""What the user's parameters allow the search to move."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from bayesieve.coding import Partition
from bayesieve.data import resolve_columns
from bayesieve.exceptions import ClippedSelectionWarning, ParameterError
from bayesieve.search import FeatureGroup, SearchSpace, Stopping

__all__ = ["ColumnOptions", "in_order", "in_order_of_level", "make_space", "make_stopping", "read_column_options"]


@dataclass(frozen=True)
class ColumnOptions:
    """What the user says of single columns, as positions in the table."""

    keep: frozenset[int]
    drop: frozenset[int]
    start: frozenset[int]

    @property
    def wanted(self) -> frozenset[int]:
        """Columns that take part even if they say nothing."""
        return self.keep | self.start


def read_column_options(estimator: Any, names: Sequence[str], X: Any) -> ColumnOptions:
    """Resolve ``keep``, ``drop`` and ``start_from``."""
    keep, dropped, start = (
        frozenset(resolve_columns(getattr(estimator, parameter, None), names, parameter, X))
        for parameter in ("keep", "drop", "start_from")
    )
    for parameter, wanted in (("keep", keep), ("start_from", start)):
        if both := wanted & dropped:
            raise ParameterError(f"Column {names[min(both)]!r} is both in {parameter} and in drop.")
    if len(dropped) == len(names):
        raise ParameterError(f"drop names all {len(names)} columns; at least one must be left to select.")
    return ColumnOptions(keep, dropped, start)


def make_space(
    estimator: Any, names: Sequence[str], columns: Sequence[int], wishes: ColumnOptions, X: Any, *, full: bool
) -> SearchSpace:
    """Return the units that may move, in tie order, where the search starts and what must stay.

    ``columns`` are the table's columns that take part; units and names are in their terms. ``full``: the search starts
    from all of them, unless ``start_from`` says otherwise.
    """
    groups = {
        str(name): resolve_columns(wanted, names, f"feature_groups[{name!r}]", X)
        for name, wanted in (getattr(estimator, "feature_groups", None) or {}).items()
    }
    _refuse_overlap(groups, names)
    place = {int(j): k for k, j in enumerate(columns)}
    units = _units(groups, [names[j] for j in columns], place)
    keep, start = ({place[j] for j in wished} for wished in (wishes.keep, wishes.start))
    locked = [u for u, unit in enumerate(units) if keep & set(unit.columns)]
    if full and estimator.start_from is None:
        begin = list(range(len(units)))
    else:
        begin = [u for u, unit in enumerate(units) if start & set(unit.columns)]
    began = list(dict.fromkeys([*locked, *begin]))
    return SearchSpace(tuple(units), tuple(names[j] for j in columns), tuple(began), frozenset(locked))


def in_order_of_level(where: SearchSpace, partitions: Sequence[Partition]) -> SearchSpace:
    """Return the ground with the most informative units first, a group by its best column; equals stay in order.

    Of additions that tie the more informative column then enters, of removals the less informative leaves.
    """
    levels = [partition.level or 0.0 for partition in partitions]
    best = [max(levels[j] for j in unit.columns) for unit in where.groups]
    return in_order(where, sorted(range(len(best)), key=lambda u: -best[u]))


def in_order(where: SearchSpace, order: Sequence[int]) -> SearchSpace:
    """Return the ground with its units in another order."""
    place = {u: k for k, u in enumerate(order)}
    return replace(
        where,
        groups=tuple(where.groups[u] for u in order),
        start=tuple(place[u] for u in where.start),
        locked=frozenset(place[u] for u in where.locked),
    )


def _refuse_overlap(groups: Mapping[str, Sequence[int]], names: Sequence[str]) -> None:
    owner: dict[int, str] = {}
    for name, members in groups.items():
        if not members:
            raise ParameterError(f"feature_groups[{name!r}] has no columns.")
        for j in members:
            if j in owner:
                raise ParameterError(f"Column {names[j]!r} is in two feature_groups: {owner[j]!r} and {name!r}.")
            owner[j] = name


def _units(groups: Mapping[str, Sequence[int]], names: Sequence[str], place: Mapping[int, int]) -> list[FeatureGroup]:
    """Return groups and single columns, ordered by their first column."""
    unit_of: dict[int, FeatureGroup] = {}
    for name, members in groups.items():
        moving = tuple(place[j] for j in members if j in place)
        unit_of |= dict.fromkeys(moving, FeatureGroup(name, moving))
    return list(dict.fromkeys(unit_of.get(k) or FeatureGroup(names[k], (k,)) for k in range(len(names))))


def make_stopping(n_features: Any, tol: float | None, where: SearchSpace) -> Stopping:
    """Turn ``n_features`` into sizes."""
    n_columns = sum(len(unit.columns) for unit in where.groups)
    n_locked = sum(len(where.groups[u].columns) for u in where.locked)
    if n_features == "auto":
        return Stopping(n_locked, n_columns, tol=tol)
    if n_features == "all":
        return Stopping(n_columns, n_columns, forced=True, tol=tol)
    if isinstance(n_features, tuple):
        smallest, largest = _bounds(n_features, n_columns)
    elif isinstance(n_features, Integral):
        smallest = largest = int(n_features)
    else:
        smallest = largest = min(n_columns, max(1, round(float(n_features) * n_columns)))
    if smallest > n_columns or (largest > n_columns and isinstance(n_features, Integral)):
        warnings.warn(
            f"n_features={n_features!r} is more than the {n_columns} columns that can be selected; all are taken.",
            ClippedSelectionWarning,
            stacklevel=6,
        )
    if largest < n_locked:
        raise ParameterError(f"n_features={n_features!r} is less than the {n_locked} columns in keep.")
    return Stopping(max(n_locked, min(smallest, n_columns)), min(largest, n_columns), forced=True, tol=tol)


def _bounds(n_features: tuple[Any, ...], n_columns: int) -> tuple[int, int]:
    whole = all(bound is None or (isinstance(bound, Integral) and int(bound) >= 0) for bound in n_features)
    if len(n_features) != 2 or not whole:
        raise ParameterError(f"n_features={n_features!r}: a pair (smallest, largest) of numbers or None is expected.")
    smallest = 0 if n_features[0] is None else int(n_features[0])
    largest = max(smallest, n_columns) if n_features[1] is None else int(n_features[1])
    if smallest > largest:
        raise ParameterError(f"n_features={n_features!r}: the smallest size is above the largest.")
    return smallest, largest
