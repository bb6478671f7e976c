"""Which columns a search may move, in which order ties are broken, and which sizes it goes through."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Final

from bayesieve.coding import Partition
from bayesieve.exceptions import ClippedSelectionWarning, ParameterError, warn_caller
from bayesieve.search import FeatureGroup, SearchSpace, Stopping
from bayesieve.training.options import ColumnOptions, SizeOption

__all__ = ["in_order", "in_order_of_level", "make_space", "make_stopping", "ranking_stop"]

_MOST_RANKED: Final = 50  # columns, where no number is asked for


def make_space(columns: ColumnOptions, names: Sequence[str], coded: Sequence[int], *, full: bool) -> SearchSpace:
    """Return the groups that may move, in tie order, where the search starts and what must stay.

    ``coded`` are the positions of the columns that take part; groups and names are in their terms. ``full``: the search
    starts from all of them, unless the options have another start.
    """
    place = {int(j): k for k, j in enumerate(coded)}
    groups = _groups(columns.groups, [names[j] for j in coded], place)
    keep, start = ({place[j] for j in some} for some in (columns.keep, columns.start or ()))
    locked = [g for g, group in enumerate(groups) if keep & set(group.columns)]
    if full and columns.start is None:
        begin = list(range(len(groups)))
    else:
        begin = [g for g, group in enumerate(groups) if start & set(group.columns)]
    began = list(dict.fromkeys([*locked, *begin]))
    return SearchSpace(tuple(groups), tuple(names[j] for j in coded), tuple(began), frozenset(locked))


def in_order_of_level(space: SearchSpace, partitions: Sequence[Partition]) -> SearchSpace:
    """Return the space with the groups of the highest level first, a group by its best column; equals stay in order.

    Of additions that tie the more informative column then enters, of removals the less informative leaves.
    """
    levels = [partition.level or 0.0 for partition in partitions]
    best = [max(levels[j] for j in group.columns) for group in space.groups]
    return in_order(space, sorted(range(len(best)), key=lambda g: -best[g]))


def in_order(space: SearchSpace, order: Sequence[int]) -> SearchSpace:
    """Return the space with its groups in another order."""
    place = {g: k for k, g in enumerate(order)}
    return replace(
        space,
        groups=tuple(space.groups[g] for g in order),
        start=tuple(place[g] for g in space.start),
        locked=frozenset(place[g] for g in space.locked),
    )


def _groups(groups: Mapping[str, Sequence[int]], names: Sequence[str], place: Mapping[int, int]) -> list[FeatureGroup]:
    """Return groups and single columns, ordered by their first column."""
    group_of: dict[int, FeatureGroup] = {}
    for name, members in groups.items():
        moving = tuple(place[j] for j in members if j in place)
        group_of |= dict.fromkeys(moving, FeatureGroup(name, moving))
    return list(dict.fromkeys(group_of.get(k) or FeatureGroup(names[k], (k,)) for k in range(len(names))))


def make_stopping(n_features: SizeOption, tol: float | None, space: SearchSpace) -> Stopping:
    """Turn ``n_features`` into sizes."""
    n_columns, n_locked = sum(len(group.columns) for group in space.groups), _n_locked(space)
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
        warn_caller(
            f"n_features={n_features!r} is more than the {n_columns} columns that can be selected; all are taken.",
            ClippedSelectionWarning,
        )
    if largest < n_locked:
        raise ParameterError(f"n_features={n_features!r} is less than the {n_locked} columns in keep.")
    return Stopping(max(n_locked, min(smallest, n_columns)), min(largest, n_columns), forced=True, tol=tol)


def ranking_stop(stopping: Stopping, n_features: SizeOption, space: SearchSpace, stop: str) -> Stopping:
    """Return sizes that rank columns ("k"), all sizes or the first 50; or that end where nothing is gained ("gain")."""
    n_locked = _n_locked(space)
    if stop == "gain":
        smallest = stopping.smallest if isinstance(n_features, tuple) else n_locked
        return replace(stopping, smallest=smallest, forced=False)
    if n_features == "auto":
        largest = max(n_locked, min(_MOST_RANKED, stopping.largest))
        return replace(stopping, smallest=n_locked, largest=largest, forced=True)
    return stopping


def _n_locked(space: SearchSpace) -> int:
    return sum(len(space.groups[g].columns) for g in space.locked)


def _bounds(n_features: tuple[int | None, ...], n_columns: int) -> tuple[int, int]:
    valid = all(bound is None or (isinstance(bound, Integral) and int(bound) >= 0) for bound in n_features)
    if len(n_features) != 2 or not valid:
        raise ParameterError(f"n_features={n_features!r}: a pair (smallest, largest) of numbers or None is expected.")
    smallest = 0 if n_features[0] is None else int(n_features[0])
    largest = max(smallest, n_columns) if n_features[1] is None else int(n_features[1])
    if smallest > largest:
        raise ParameterError(f"n_features={n_features!r}: the smallest size is above the largest.")
    return smallest, largest
