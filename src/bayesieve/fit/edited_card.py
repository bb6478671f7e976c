# SPDX-License-Identifier: BSD-3-Clause
"""A scorecard after an edit without a refit: the points of the edited terms change, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition
from bayesieve.bins.merge import n_mergeable
from bayesieve.exact import to_fixed
from bayesieve.fit.edit_layout import Layout, class_points, refuse
from bayesieve.fit.edits import Edit
from bayesieve.models import Scorecard, ScoreTable
from bayesieve.models.simplify import merge_table

__all__ = ["CountBins", "edit_card"]

CountBins = Callable[[str, Partition], NDArray[Any]]
"""Returns the weight of the rows of each class in the bins of a column."""


def edit_card(card: Scorecard, edit: Edit, after: Layout, positive: int, count: CountBins | None) -> Scorecard:
    """Return a scorecard after an edit, given the layout after it.

    ``positive`` is the number of the positive class; ``count`` asks the rows, which bins with new borders need.
    """
    if edit.kind == "drop" and edit.values["instead"] is None:
        (name,) = edit.columns
        tables = tuple(table for table in card.tables if table.name != name)
        if not tables:
            refuse(edit, "it leaves no column in the model")
        return replace(card, tables=tables, pairs=tuple(pair for pair in card.pairs if name not in pair.names))
    if edit.kind == "no_pair":
        return replace(card, pairs=tuple(pair for pair in card.pairs if set(pair.names) != set(edit.columns)))
    if edit.kind not in _TABLES:
        refuse(edit, "it needs a refit: give X, y and refit=True")
    (name,) = edit.columns
    table = _TABLES[edit.kind](card[name], edit, after, card, positive)
    if table.counts is None:
        if count is None:
            refuse(edit, "rows must be counted in new bins: give X and y")
        counts = count(name, table.partition)
        partition: Any = table.partition
        table = replace(table, partition=replace(partition, counts=counts), counts=counts)
    return replace(card, tables=tuple(table if each.name == name else each for each in card.tables))


def _merged(table: ScoreTable, edit: Edit, after: Layout, card: Scorecard, positive: int) -> ScoreTable:
    bins = edit.values["bins"]
    blocks = [[b] for b in range(n_mergeable(table.partition)) if b not in bins[1:]]
    blocks[bins[0]] = bins
    return merge_table(table, blocks)


def _set(table: ScoreTable, edit: Edit, after: Layout, card: Scorecard, positive: int) -> ScoreTable:
    place, labels = edit.values["bin"], card.classes.tolist()
    points = table.table.copy()
    points[place] = to_fixed(class_points(after.held[table.name][place], labels, positive))
    errors = table.errors
    if errors is not None:
        errors = errors.copy()
        errors[place] = 0.0
    return replace(table, table=points, errors=errors)


def _divided(table: ScoreTable, edit: Edit, after: Layout, card: Scorecard, positive: int) -> ScoreTable:
    """Return a table in which a bin has become two with its points."""
    old, new = table.partition, after.bins[table.name]
    assert new is not None
    places = _places(old, new, edit)
    errors = None if table.errors is None else table.errors[places]
    return ScoreTable(table.name, new, table.table[places], table.weight, None, errors)


def _places(old: Partition, new: Any, edit: Edit) -> list[int]:
    """Return the bin of which each new one is a part, *unseen* last."""
    n, value = old.n_bins, edit.values.get("value")
    if value is not None:  # a special value has the points of its interval, and comes after the other special ones
        place = int(new.bounds.searchsorted(value))
        last = len(new.bounds) + len(new.special)
        return [*range(last), place, *range(last, n + 1)]
    n_free = n_mergeable(new)
    ends = [_end(new, g) for g in range(n_free)]
    first = next(b for b in range(n_free) if b + 1 == n_free or ends[b] != _end(old, b))
    return [*range(first + 1), *range(first, n + 1)]


def _end(partition: Any, place: int) -> Any:
    """Return the last value of a bin."""
    if hasattr(partition, "bounds"):
        return partition.bounds[place] if place < len(partition.bounds) else np.inf
    return partition.groups[place][-1] if partition.groups[place] else None


_TABLES: Final[Mapping[str, Callable[[ScoreTable, Edit, Layout, Scorecard, int], ScoreTable]]] = {
    "merge": _merged,
    "points": _set,
    "split": _divided,
    "special": _divided,
}
