# SPDX-License-Identifier: BSD-3-Clause
"""Subsets of each size from one fitted selector."""

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["subsets_of_sizes"]


def subsets_of_sizes(selector: Any, names: Sequence[str], sizes: Sequence[int] | None) -> list[list[int]]:
    """Return the columns of each size, in the order of their selection.

    A ``ranking_`` without ties gives every size; a ``path_`` gives the best visited subset of a size, or else of the
    next smaller size that was visited; any other selector has its own selection only. Without sizes, its own selection.
    """
    selection = _selection(selector, names)
    if sizes is None:
        return [selection]
    ranking = getattr(selector, "ranking_", None)
    if ranking is not None and np.array_equal(np.sort(ranking), np.arange(1, len(names) + 1)):
        order = np.argsort(ranking).tolist()
        return [order[:size] for size in sizes]
    path = getattr(selector, "path_", None)
    if path is None:
        return [selection]
    position = {name: j for j, name in enumerate(names)}
    visited = {size: [position[name] for name in visit.columns] for size, visit in path.best_by_size().items()}
    return [visited[_nearest(list(visited), size)] for size in sizes]


def _selection(selector: Any, names: Sequence[str]) -> list[int]:
    """Return the selector's own selection, in the order of its path if it has one."""
    support = np.flatnonzero(selector.get_support()).tolist()
    path = getattr(selector, "path_", None)
    order = {name: k for k, name in enumerate(path.order)} if path is not None else {}
    return sorted(support, key=lambda j: (order.get(names[j], len(order)), j))


def _nearest(visited: Sequence[int], size: int) -> int:
    """Return the largest visited size up to a size, or else the smallest one."""
    return max((each for each in visited if each <= size), default=min(visited))
