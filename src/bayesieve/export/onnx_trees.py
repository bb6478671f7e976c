# SPDX-License-Identifier: BSD-3-Clause
"""Score tables as an ensemble of trees, one per column or pair: their leaves are the entries of the tables.

Thresholds, numbers and leaves are doubles, so that each row gets the bins that it has in Python, and sums of multiples
of 2^-40 are exact. onnxruntime finds the leaves of all trees in one pass over the rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Groups, Intervals

__all__ = ["Steps", "TreeEnsemble", "code_steps", "number_steps"]

Steps = tuple[NDArray[np.float64], NDArray[np.intp]]
"""Increasing thresholds, and one code more: of numbers up to each threshold, and of all others, NaN among them."""


def number_steps(partition: Intervals | Groups) -> Steps:
    """Return the codes of a column of numbers as a step function."""
    if isinstance(partition, Intervals):
        bounds, single = partition.bounds.tolist(), list(partition.special)
    else:
        bounds, single = [], [float(value) for group in partition.groups for value in group]
    # A value with a bin of its own is alone in the interval from the double below it.
    cuts = np.unique([*bounds, *single, *np.nextafter(single, -np.inf), np.inf])
    codes = _codes_of(partition, np.append(cuts, np.nan))
    last = np.append(np.flatnonzero(np.diff(codes)), len(codes) - 1)
    return cuts[last[:-1]], codes[last]


def _codes_of(partition: Intervals | Groups, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the code of each number; NaN is a missing value."""
    if isinstance(partition, Intervals):
        return partition.code_numbers(numbers)
    unseen = partition.n_bins
    new = unseen if partition.other is None else partition.other
    absent = unseen if partition.joined is None else partition.joined
    group_of = {float(value): g for g, group in enumerate(partition.groups) for value in group}
    codes = np.array([group_of.get(number, new) for number in numbers.tolist()], dtype=np.intp)
    codes[np.isnan(numbers)] = unseen - 1 if partition.missing else absent
    return codes


def code_steps(n_codes: int) -> Steps:
    """Return codes, given as doubles, as a step function of themselves."""
    return np.arange(n_codes - 1, dtype=np.float64), np.arange(n_codes)


class TreeEnsemble:
    """Nodes and leaves of all trees; the operation is that of version 5 of ai.onnx.ml."""

    def __init__(self, n_targets: int) -> None:
        self._n_targets = n_targets
        self._roots: list[int] = []
        self._features: list[int] = []
        self._splits: list[float] = []
        self._children: list[list[tuple[int, bool]]] = []  # of each node, by the test: (position, is it a leaf)
        self._leaves: list[float] = []
        self._targets: list[int] = []

    def __len__(self) -> int:
        return len(self._roots)

    def add(self, axes: Sequence[tuple[int, Steps]], entries: NDArray[np.float64], target: int) -> None:
        """Add a tree.

        Parameters
        ----------
        axes : sequence of (int, Steps)
            The features that are read, one after the other, and their steps.
        entries : array with one axis per feature
            The leaf of each combination of codes.
        target : int
            The output to which leaves are added.
        """
        root, is_leaf = self._grow(axes, entries, target)
        self._roots.append(self._branch(axes[0][0], np.inf, [(root, True), (root, True)]) if is_leaf else root)

    def attributes(self, onnx: Any) -> dict[str, Any]:
        """Return the attributes of the operation."""

        def tensor(values: Any, dtype: Any) -> Any:
            return onnx.numpy_helper.from_array(np.array(values, dtype=dtype))

        (yes, yes_leaf), (no, no_leaf) = (zip(*side, strict=True) for side in zip(*self._children, strict=True))
        return {
            "n_targets": self._n_targets,
            "tree_roots": self._roots,
            "nodes_featureids": self._features,
            "nodes_splits": tensor(self._splits, np.float64),
            "nodes_modes": tensor(np.zeros(len(self._splits)), np.uint8),  # at most
            "nodes_truenodeids": yes,
            "nodes_trueleafs": [int(leaf) for leaf in yes_leaf],
            "nodes_falsenodeids": no,
            "nodes_falseleafs": [int(leaf) for leaf in no_leaf],
            "leaf_targetids": self._targets,
            "leaf_weights": tensor(self._leaves, np.float64),
        }

    def _grow(self, axes: Sequence[tuple[int, Steps]], entries: NDArray[np.float64], target: int) -> tuple[int, bool]:
        """Add the nodes of some axes; return the position of the topmost one, and whether it is a leaf."""
        if not axes:
            self._leaves.append(float(entries))
            self._targets.append(target)
            return len(self._leaves) - 1, True
        (feature, (cuts, codes)), *rest = axes

        def between(low: int, high: int) -> tuple[int, bool]:
            if low == high:
                return self._grow(rest, entries[codes[low]], target)
            middle = (low + high) // 2
            node = self._branch(feature, cuts[middle], [])
            self._children[node] += [between(low, middle), between(middle + 1, high)]
            return node, False

        return between(0, len(cuts))

    def _branch(self, feature: int, split: float, children: list[tuple[int, bool]]) -> int:
        self._features.append(feature)
        self._splits.append(float(split))
        self._children.append(children)
        return len(self._splits) - 1
