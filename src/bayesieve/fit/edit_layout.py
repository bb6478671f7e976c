# SPDX-License-Identifier: BSD-3-Clause
"""What edits make of a model's layout: the bins of its columns, the points that are set, its pairs and directions.

A layout is all that decides a refit, besides rows: edits in another order that come to the same layout come to the
same model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NoReturn

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins import Groups, Intervals, Partition, has_order
from bayesieve.bins.merge import merge_bins, n_mergeable
from bayesieve.data import Scale
from bayesieve.exceptions import EditError
from bayesieve.fit.edits import Edit
from bayesieve.models import Scorecard

__all__ = ["Layout", "apply_edit", "class_points", "layout_of", "refuse"]

Held = Mapping[int, float | Mapping[Any, float]]
"""The points that are set, by bin: of two classes the log-odds of the positive one, else of each class."""


@dataclass(frozen=True)
class Layout:
    """The terms of a model, and what is set in them.

    Attributes
    ----------
    bins : mapping of str to Partition or None
        The bins of each column; None where they are to be learned.
    held : mapping of str to mapping of int
        The points that are set, by column and bin.
    settings : mapping of str to mapping
        Fields of `Column` that edits have given, by column.
    pairs : tuple of tuples of two str
        The pairs.
    barred : mapping of str to str
        Columns of the training table that may be in no pair, and why.
    labels : tuple
        The class labels.
    names : frozenset of str
        All columns of the training table.
    """

    bins: Mapping[str, Partition | None]
    labels: tuple[Any, ...]
    names: frozenset[str]
    held: Mapping[str, Held] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()
    barred: Mapping[str, str] = field(default_factory=dict)

    def own(self, edit: Edit) -> Partition:
        """Return the bins of the column of an edit."""
        (name,) = edit.columns
        if name not in self.bins:
            refuse(edit, f"the model has no column {name!r}")
        partition = self.bins[name]
        assert partition is not None
        return partition

    def with_bins(self, name: str, partition: Partition, new: Sequence[int], lost: Sequence[int] = ()) -> "Layout":
        """Return the layout with other bins of a column, given the code of each old one; ``lost`` ones are free."""
        held = {new[b]: points for b, points in self.held.get(name, {}).items() if b not in lost}
        return replace(self, bins={**self.bins, name: partition}, held={**self.held, name: held})

    def filled(self, card: Scorecard) -> "Layout":
        """Return the layout with the bins that a refit has learned."""
        learned = {table.name: table.partition for table in card.tables}
        bins = {name: learned.get(name) if bins is None else bins for name, bins in self.bins.items()}
        return replace(self, bins={name: each for name, each in bins.items() if each is not None})


def layout_of(card: Scorecard, names: Sequence[str], barred: Mapping[str, str]) -> Layout:
    """Return the layout of a model without edits."""
    bins: dict[str, Partition | None] = {table.name: table.partition for table in card.tables}
    pairs = tuple(pair.names for pair in card.pairs)
    return Layout(bins, tuple(card.classes.tolist()), frozenset(names), pairs=pairs, barred=barred)


def apply_edit(layout: Layout, edit: Edit) -> Layout:
    """Return the layout after an edit; one that does not apply is refused."""
    return _APPLY[edit.kind](layout, edit)


def refuse(edit: Edit, why: str) -> NoReturn:
    """Raise: an edit does not apply."""
    raise EditError(f"The edit {str(edit)!r} does not apply: {why}.")


def _merge(layout: Layout, edit: Edit) -> Layout:
    partition, (name,), bins = layout.own(edit), edit.columns, edit.values["bins"]
    n_free = n_mergeable(partition)
    if bins[-1] >= n_free:
        what = f"column {name!r} has {n_free} bins that can be merged, 0 to {n_free - 1}"
        refuse(edit, f"{what}; those of special and missing values stay apart")
    if has_order(partition) and bins[-1] - bins[0] >= len(bins):
        refuse(edit, f"bins of {name!r} that are merged must be neighbors")
    blocks = [[b] for b in range(n_free) if b not in bins[1:]]
    blocks[bins[0]] = bins
    merged, new = merge_bins(partition, blocks)
    return layout.with_bins(name, merged, new.tolist(), bins)


def _split(layout: Layout, edit: Edit) -> Layout:
    partition, (name,), at = layout.own(edit), edit.columns, edit.values["at"]
    if isinstance(partition, Groups) and partition.ordered:
        return _split_levels(layout, edit, partition)
    if not isinstance(partition, Intervals):
        refuse(edit, f"column {name!r} has categories without an order; give its groups by group")
    bound = _bound(edit, partition)
    if bound in partition.bounds:
        refuse(edit, f"{at!r} already divides two bins of {name!r}")
    place = int(partition.bounds.searchsorted(bound))
    bounds = np.insert(partition.bounds, place, bound)
    joined = partition.joined if partition.joined is None or partition.joined < place else partition.joined + 1
    split = replace(partition, bounds=bounds, joined=joined, counts=None, level=None, cost=None)
    new = [b + (b > place) for b in range(partition.n_bins)]
    layout_after = layout.with_bins(name, split, new)
    held = dict(layout_after.held[name])
    if place in held:  # both halves keep the points that were set
        held[place + 1] = held[place]
    return replace(layout_after, held={**layout_after.held, name: held})


def _bound(edit: Edit, partition: Intervals) -> float:
    """Return where an edit splits, as the number that the column's values are."""
    at = edit.values["at"]
    try:
        if isinstance(at, str) and partition.scale != Scale.numeric:
            return float(np.datetime64(at, "us").astype(np.int64))
        bound = float(at)
    except (TypeError, ValueError):
        bound = np.nan
    if not np.isfinite(bound):
        refuse(edit, f"values of {edit.columns[0]!r} are {partition.scale.noun}, and {at!r} is none")
    return bound


def _split_levels(layout: Layout, edit: Edit, partition: Groups) -> Layout:
    (name,), at = edit.columns, edit.values["at"]
    place = next((g for g, group in enumerate(partition.groups) if at in group), None)
    if place is None:
        refuse(edit, f"column {name!r} has no category {at!r}")
    group = partition.groups[place]
    cut = group.index(at) + 1
    if cut == len(group):
        refuse(edit, f"{at!r} already divides two bins of {name!r}")
    groups = (*partition.groups[:place], group[:cut], group[cut:], *partition.groups[place + 1 :])
    new = [b + (b > place) for b in range(partition.n_bins)]
    joined, other = (None if code is None else new[code] for code in (partition.joined, partition.other))
    split = replace(partition, groups=groups, joined=joined, other=other, counts=None, level=None, cost=None)
    return layout.with_bins(name, split, new, [place])


def _group(layout: Layout, edit: Edit) -> Layout:
    partition, (name,) = layout.own(edit), edit.columns
    if not isinstance(partition, Groups) or partition.ordered:
        refuse(edit, f"column {name!r} has an order; use merge and split")
    groups = [tuple(group) for group in edit.values["groups"]]
    given = [value for group in groups for value in group]
    known = [value for group in partition.groups for value in group]
    if absent := [value for value in known if value not in given]:
        refuse(edit, f"it leaves out the category {absent[0]!r}")
    if unknown := [value for value in given if value not in known]:
        refuse(edit, f"column {name!r} has no category {unknown[0]!r}")
    if len(given) > len(set(given)) or not all(groups):
        refuse(edit, "each group needs a category, and each category has one group")
    other = partition.other
    if other is not None and not partition.groups[other]:  # the pool of unlisted values stays a group of its own
        groups.append(())
        other = len(groups) - 1
    elif other is not None:
        other = next(g for g, group in enumerate(groups) if partition.groups[other][0] in group)
    if partition.joined is not None:
        refuse(edit, f"missing values of {name!r} share the group of others, which group does not support yet")
    regrouped = Groups(tuple(groups), partition.missing, other=other, scale=partition.scale)
    same = {frozenset(group): g for g, group in enumerate(groups)}
    new = [same.get(frozenset(group), -1) for group in partition.groups] + [regrouped.n_bins - 1] * partition.missing
    return layout.with_bins(name, regrouped, new, [b for b, code in enumerate(new) if code < 0])


def _special(layout: Layout, edit: Edit) -> Layout:
    partition, (name,), value = layout.own(edit), edit.columns, float(edit.values["value"])
    if not isinstance(partition, Intervals) or partition.scale != Scale.numeric:
        refuse(edit, f"column {name!r} is not numeric")
    if value in partition.special:
        refuse(edit, f"{value:g} already has a bin of its own in {name!r}")
    last = len(partition.bounds) + 1 + len(partition.special)
    special = replace(partition, special=(*partition.special, value), counts=None, level=None, cost=None)
    return layout.with_bins(name, special, [b + (b >= last) for b in range(partition.n_bins)])


def _points(layout: Layout, edit: Edit) -> Layout:
    partition, (name,), bin, points = layout.own(edit), edit.columns, edit.values["bin"], edit.values["points"]
    if bin >= partition.n_bins:
        refuse(edit, f"column {name!r} has {partition.n_bins} bins, 0 to {partition.n_bins - 1}")
    held: float | dict[Any, float] = points
    if len(layout.labels) > 2:
        if not isinstance(points, list) or sorted(map(str, dict(points))) != sorted(map(str, layout.labels)):
            refuse(edit, f"points of each of the classes {list(layout.labels)!r:.80} are needed")
        held = dict(points)
    elif isinstance(points, list):
        refuse(edit, "points of two classes are one number, the log-odds of the positive class")
    if bin == partition.n_bins - 1 and layout.settings.get(name, {}).get("missing") == "neutral":
        refuse(edit, f"missing values of {name!r} are neutral: they have 0 points")
    return replace(layout, held={**layout.held, name: {**layout.held.get(name, {}), bin: held}})


def _monotone(layout: Layout, edit: Edit) -> Layout:
    partition, (name,) = layout.own(edit), edit.columns
    if not has_order(partition):
        refuse(edit, f"column {name!r} has categories without an order")
    direction = edit.values["direction"]
    if (len(layout.labels) > 2) != isinstance(direction, list):
        refuse(
            edit, "of more than two classes one has the direction, as in {'ill': 'increasing'}; of two, it is a word"
        )
    return _with_setting(layout, edit, "monotone", dict(direction) if isinstance(direction, list) else direction)


def _missing(layout: Layout, edit: Edit) -> Layout:
    layout.own(edit)
    return _with_setting(layout, edit, "missing", edit.values["how"])


def _with_setting(layout: Layout, edit: Edit, name: str, value: Any) -> Layout:
    (column,) = edit.columns
    barring = value != "learn"
    if barring and (own := [pair for pair in layout.pairs if column in pair]):
        first, second = own[0]
        refuse(edit, f"the column is in the pair {first} × {second}; take that out by no_pair first")
    settings = {**layout.settings, column: {**layout.settings.get(column, {}), name: value}}
    what = "is monotone" if name == "monotone" else "has missing values that are neutral"
    barred = {**layout.barred, column: what} if barring else layout.barred
    return replace(layout, settings=settings, barred=barred)


def _keep(layout: Layout, edit: Edit) -> Layout:
    (name,) = edit.columns
    if name in layout.bins:
        refuse(edit, f"column {name!r} is in the model")
    return _with_column(layout, edit, name)


def _with_column(layout: Layout, edit: Edit, name: str) -> Layout:
    if name not in layout.names:
        refuse(edit, f"the table has no column {name!r}")
    return replace(layout, bins={**layout.bins, name: layout.bins.get(name)})


def _drop(layout: Layout, edit: Edit) -> Layout:
    (name,), instead = edit.columns, edit.values["instead"]
    layout.own(edit)
    if instead is not None and instead in layout.bins:
        refuse(edit, f"column {instead!r} is in the model")
    pairs = tuple(pair for pair in layout.pairs if name not in pair)
    bins = {key: each for key, each in layout.bins.items() if key != name}
    held = {key: points for key, points in layout.held.items() if key != name}
    left = replace(layout, bins=bins, held=held, pairs=pairs)
    return left if instead is None else _with_column(left, edit, instead)


def _pair(layout: Layout, edit: Edit) -> Layout:
    first, second = edit.columns
    if {first, second} in map(set, layout.pairs):
        refuse(edit, "the model has this pair")
    for name in edit.columns:
        if name in layout.barred:
            refuse(edit, f"column {name!r} {layout.barred[name]}, so it can be in no pair")
        layout = layout if name in layout.bins else _with_column(layout, edit, name)
    return replace(layout, pairs=(*layout.pairs, (first, second)))


def _no_pair(layout: Layout, edit: Edit) -> Layout:
    pairs = tuple(pair for pair in layout.pairs if set(pair) != set(edit.columns))
    if len(pairs) == len(layout.pairs):
        refuse(edit, "the model has no such pair")
    return replace(layout, pairs=pairs)


_APPLY: Final[Mapping[str, Callable[[Layout, Edit], Layout]]] = {
    "merge": _merge,
    "split": _split,
    "group": _group,
    "special": _special,
    "points": _points,
    "monotone": _monotone,
    "missing": _missing,
    "keep": _keep,
    "drop": _drop,
    "pair": _pair,
    "no_pair": _no_pair,
}


def class_points(points: float | Mapping[Any, float], labels: Sequence[Any], positive: int) -> Floats:
    """Return the score of each class, in the order of labels, that points stand for: of two, the first has 0."""
    if isinstance(points, Mapping):
        scores = np.array([points[label] for label in labels])
        return np.asarray(scores - scores.mean())
    return np.array([0.0, points if positive == 1 else -points])
