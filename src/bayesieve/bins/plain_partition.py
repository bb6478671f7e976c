# SPDX-License-Identifier: BSD-3-Clause
"""Serialization of partitions to plain data for JSON, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesieve.bins.binning_rule import MAX_BINS
from bayesieve.bins.modl.rule import PartitionCost
from bayesieve.bins.partition import Counts, Groups, Intervals, Partition, is_numeric
from bayesieve.data import Scale
from bayesieve.data.document import Entry, label_from_plain, label_to_plain
from bayesieve.exceptions import ModelFileError

__all__ = ["partition_from_plain", "partition_to_plain"]

_SHARED = ("scale", "missing", "joined", "counts", "level", "cost")
_COSTS = ("construction", "preparation", "data")


def partition_to_plain(partition: Partition, name: str) -> dict[str, Any]:
    """Return the partition of a column as numbers, strings, lists and dicts."""
    if isinstance(partition, Intervals):
        own: dict[str, Any] = {
            "kind": "intervals",
            "bounds": partition.bounds.tolist(),
            "special": [float(value) for value in partition.special],
        }
    elif isinstance(partition, Groups):
        owner = f"Column {name!r}"
        own = {
            "kind": "groups",
            "groups": [[label_to_plain(label, owner) for label in group] for group in partition.groups],
            "other": partition.other,
        }
        own |= {"ordered": True} if partition.ordered else {}
    else:
        raise ModelFileError(
            f"Column {name!r} has bins of type {type(partition).__name__}, which a model file cannot hold; "
            "use one of the named discretizers."
        )
    return own | {
        "scale": partition.scale.value,
        "missing": bool(partition.missing),
        "joined": partition.joined,
        "counts": _counts_to_plain(partition.counts),
        "level": None if partition.level is None else float(partition.level),
        "cost": _cost_to_plain(partition.cost, name),
    }


def partition_from_plain(entry: Entry) -> Partition:
    """Return the partition at an entry of a document; errors name the place of the fault."""
    kind = entry.value.get("kind") if isinstance(entry.value, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        raise ModelFileError(f"{entry.place} must be a partition of kind {' or '.join(map(repr, _READERS))}.")
    return _READERS[kind](entry)


def _read_intervals(entry: Entry) -> Intervals:
    fields = entry.fields("kind", "bounds", "special", *_SHARED)
    bounds, special = fields["bounds"].numbers(), fields["special"].numbers().tolist()
    if (bounds[1:] <= bounds[:-1]).any():
        fields["bounds"].refuse("increasing numbers")
    if len(set(special)) < len(special):
        fields["special"].refuse("distinct numbers")
    missing = fields["missing"].flag()
    n_bins = _check_size(entry, len(bounds) + 1 + len(special) + missing)
    return Intervals(
        bounds,
        missing,
        joined=fields["joined"].optional(lambda joined: joined.whole(0, len(bounds))),
        special=tuple(special),
        **_read_measures(fields, n_bins),
    )


def _read_groups(entry: Entry) -> Groups:
    marked = ("ordered",) if isinstance(entry.value, dict) and "ordered" in entry.value else ()
    fields = entry.fields("kind", "groups", "other", *marked, *_SHARED)
    other = fields["other"].value
    groups = tuple(_read_group(group, other, g) for g, group in enumerate(fields["groups"].items()))
    if len({label for group in groups for label in group}) < sum(map(len, groups)):
        raise ModelFileError(f"{fields['groups'].place} has a label twice.")
    if fields["scale"].value != "numeric" and not all(is_numeric(label) for group in groups for label in group):
        fields["scale"].refuse("'numeric', since some labels are not numbers")
    missing = fields["missing"].flag()
    n_bins = _check_size(entry, len(groups) + missing)

    def group_index(entry: Entry) -> int:
        return entry.whole(0, len(groups) - 1)

    return Groups(
        groups,
        missing,
        joined=fields["joined"].optional(group_index),
        other=fields["other"].optional(group_index),
        ordered=any(fields[name].flag() for name in marked),
        **_read_measures(fields, n_bins),
    )


def _read_group(entry: Entry, other: Any, number: int) -> tuple[Any, ...]:
    """Return the labels of a group; the one of values that are not listed may have none."""
    labels = tuple(label_from_plain(item) for item in entry.items())
    if not labels and other != number:
        entry.refuse("a list of at least one label")
    return labels


_READERS: dict[str, Callable[[Entry], Partition]] = {"intervals": _read_intervals, "groups": _read_groups}


def _read_measures(fields: dict[str, Entry], n_bins: int) -> dict[str, Any]:
    return {
        "scale": Scale(fields["scale"].choice(*(scale.value for scale in Scale))),
        "counts": fields["counts"].optional(lambda counts: _read_counts(counts, n_bins)),
        "level": fields["level"].optional(Entry.number),
        "cost": fields["cost"].optional(_read_cost),
    }


def _check_size(entry: Entry, n_bins: int) -> int:
    if n_bins > MAX_BINS:
        raise ModelFileError(f"{entry.place} has {n_bins} bins; at most {MAX_BINS} are expected.")
    return n_bins


def _counts_to_plain(counts: Counts | None) -> dict[str, Any] | None:
    if counts is None:
        return None
    is_integer = counts.dtype.kind == "i"
    return {"type": "int" if is_integer else "float", "n_classes": counts.shape[1], "bins": counts.tolist()}


def _read_counts(entry: Entry, n_bins: int) -> Counts:
    fields = entry.fields("type", "n_classes", "bins")
    is_integer = fields["type"].choice("int", "float") == "int"
    n_classes = fields["n_classes"].whole(1, MAX_BINS)
    rows = fields["bins"].rows(n_bins, n_classes, Entry.wholes if is_integer else Entry.numbers)
    shaped = np.array(rows).reshape(n_bins, n_classes)
    counts: Counts = shaped.astype(np.int64) if is_integer else shaped.astype(np.float64)
    if (counts < 0).any():
        fields["bins"].refuse("weights of 0 or more")
    return counts


def _cost_to_plain(cost: Any, name: str) -> dict[str, float] | None:
    if cost is None:
        return None
    if not isinstance(cost, PartitionCost):
        raise ModelFileError(
            f"Column {name!r} has a cost of type {type(cost).__name__}, which a model file cannot hold."
        )
    return {share: float(getattr(cost, share)) for share in _COSTS}


def _read_cost(entry: Entry) -> PartitionCost:
    fields = entry.fields(*_COSTS)
    return PartitionCost(*(fields[share].number() for share in _COSTS))
