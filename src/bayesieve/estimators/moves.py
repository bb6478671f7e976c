"""What the user's parameters allow the search to move."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, NoReturn

from bayesieve.data import resolve_columns
from bayesieve.exceptions import ClippedSelectionWarning, DataError, ParameterError
from bayesieve.search import Ground, Stopping, Unit

__all__ = ["make_ground", "make_stopping"]


def make_ground(estimator: Any, names: Sequence[str], n_parts: Sequence[int], X: Any, *, full: bool) -> Ground:
    """Return the units that may move, in tie order, where the search starts and what must stay.

    Constant columns and those in ``drop`` do not take part, unless ``keep`` names them.
    """
    keep, dropped, start = (
        set(resolve_columns(getattr(estimator, parameter), names, parameter, X))
        for parameter in ("keep", "drop", "start_from")
    )
    for parameter, wanted in (("keep", keep), ("start_from", start)):
        if both := wanted & dropped:
            raise ParameterError(f"Column {names[min(both)]!r} is both in {parameter} and in drop.")
    moving = [j for j in range(len(names)) if j in keep | start or (j not in dropped and n_parts[j] > 1)]
    if not moving:
        _refuse_nothing(names, dropped)
    units = _units(estimator.feature_groups, names, set(moving), X)
    locked = [u for u, unit in enumerate(units) if keep & set(unit.columns)]
    if full and estimator.start_from is None:
        begin = list(range(len(units)))
    else:
        begin = [u for u, unit in enumerate(units) if start & set(unit.columns)]
    began = list(dict.fromkeys([*locked, *begin]))
    barred = {j: "in drop" if j in dropped else "constant" for j in set(range(len(names))) - set(moving)}
    return Ground(tuple(units), tuple(names), tuple(began), frozenset(locked), barred)


def _refuse_nothing(names: Sequence[str], dropped: set[int]) -> NoReturn:
    constant = [name for j, name in enumerate(names) if j not in dropped]
    if not constant:
        raise ParameterError(f"drop names all {len(names)} columns; at least one must be left to select.")
    raise DataError(f"Every column that may be selected is constant (for instance {constant[0]!r}).")


def _units(groups: Mapping[str, Any] | None, names: Sequence[str], moving: set[int], X: Any) -> list[Unit]:
    """Return groups and single columns, ordered by their first column."""
    unit_of: dict[int, Unit] = {}
    for name, wanted in (groups or {}).items():
        members = resolve_columns(wanted, names, f"feature_groups[{name!r}]", X)
        for j in members:
            if j in unit_of:
                raise ParameterError(f"Column {names[j]!r} is in two feature_groups: {unit_of[j].name!r} and {name!r}.")
            unit_of[j] = Unit(str(name), tuple(k for k in members if k in moving))
    units = [unit_of.get(j) or Unit(names[j], (j,)) for j in sorted(moving)]
    return list(dict.fromkeys(units))


def make_stopping(n_features: Any, tol: float | None, where: Ground) -> Stopping:
    """Turn ``n_features`` into sizes."""
    n_columns = sum(len(unit.columns) for unit in where.units)
    n_locked = sum(len(where.units[u].columns) for u in where.locked)
    if n_features == "auto":
        return Stopping(n_locked, n_columns, tol=tol)
    if n_features == "all":
        return Stopping(n_columns, n_columns, forced=True, tol=tol)
    if isinstance(n_features, tuple):
        smallest, largest = _bounds(n_features, n_columns)
    elif isinstance(n_features, Integral):
        smallest = largest = int(n_features)
    else:
        smallest = largest = max(1, round(float(n_features) * n_columns))
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
