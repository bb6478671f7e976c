# SPDX-License-Identifier: BSD-3-Clause
"""A column's bins as plain data, for programs."""

from collections.abc import Sequence
from typing import Any

from bayesieve.bins import Groups, Intervals, Partition
from bayesieve.data import Scale

__all__ = ["column_document"]


def column_document(name: str, partition: Partition) -> dict[str, Any]:
    """Return a column's bins, counts and costs in types that JSON has."""
    cost: Any = getattr(partition, "cost", None)
    return {
        "name": name,
        "kind": _kind(partition),
        "level": partition.level,
        "cost": cost and {term: getattr(cost, term) for term in ("construction", "preparation", "data", "total")},
        "bins": [_bin(partition, code) for code in range(partition.n_bins)],
    }


def _kind(partition: Partition) -> str:
    if isinstance(partition, Groups) and not partition.groups:
        return "empty"
    return str(partition.scale) if isinstance(partition, Intervals) else "categorical"


def _bin(partition: Any, code: int) -> dict[str, Any]:
    """Return a bin's bounds or values, whether missing and unseen values belong to it, and its counts per class.

    Bounds are ``[low, high]``, low excluded and high included, null where there is none; bounds of dates and times are
    text. A bin of missing values alone has neither bounds nor values.
    """
    alone = partition.missing and code == partition.n_bins - 1
    described: dict[str, Any] = {} if alone else _content(partition, code)
    described["missing"] = alone or code == partition.joined
    described["counts"] = partition.counts[code].tolist()
    return described


def _content(partition: Any, code: int) -> dict[str, Any]:
    if isinstance(partition, Groups):
        return {"values": [_plain(value) for value in partition.groups[code]], "unseen": code == partition.other}
    inner = partition.bounds.tolist()
    if partition.scale is not Scale.numeric:
        inner = [partition.scale.words(bound) for bound in inner]
    bounds: Sequence[float | str | None] = [None, *inner, None]
    return {"bounds": bounds[code : code + 2]}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else str(value)
