# SPDX-License-Identifier: BSD-3-Clause
"""The input of interval searches: a sequence of cells, and the costs of its partitions."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import log_factorial_cost
from bayesieve.bins.modl.cost import bin_costs

__all__ = ["Cells", "pure_runs"]


_TABULATED: Final = 2**20


@dataclass(frozen=True)
class Cells:
    """Cells of positive weight, in order.

    Attributes
    ----------
    counts : int64 array of shape (n_cells, n_classes)
        Weight of each class in each cell, in units.
    unit : float
        A weight is ``counts * unit``.
    structure : int64 array of shape (n_cells + 1,)
        ``structure[k]`` is the cost of the number k of intervals and their bounds; ``structure[0]`` is not used.
    limit : int
        The maximum number of intervals, at least 1.
    least : int
        The minimum weight of an interval, in units. A single interval is always allowed.
    detours : int
        The search also starts from partitions with up to this many intervals more or fewer than the best merge.
    """

    counts: Ints
    unit: float
    structure: Ints
    limit: int
    least: int
    detours: int = 0

    @cached_property
    def _tables(self) -> tuple[Ints, Ints] | None:
        """Log-factorials of every weight up to the total, without and with classes; None if these are too many."""
        total, other_classes = int(self.counts.sum()), float(self.counts.shape[1] - 1)
        if total > _TABULATED:
            return None
        weights = np.arange(total + 1) * self.unit
        return log_factorial_cost(weights), log_factorial_cost(weights + other_classes) - log_factorial_cost(
            other_classes
        )

    def bin_costs(self, counts: Ints) -> Ints:
        """Return the costs of intervals with these counts, without the structure."""
        if self._tables is None:
            preparation, data = bin_costs(counts, self.unit)
            return preparation + data
        plain, with_classes = self._tables
        costs: Ints = with_classes[counts.sum(axis=-1)] - plain[counts].sum(axis=-1)
        return costs

    def cost(self, cuts: Ints) -> int:
        """Return the cost of the partition with these cuts (numbers of cells to their left)."""
        counts = np.add.reduceat(self.counts, np.append(0, cuts), axis=0)
        return int(self.bin_costs(counts).sum() + self.structure[len(counts)])


def pure_runs(counts: Ints) -> Ints:
    """Return the starts of runs of cells that no optimal cut separates: neighbors with only one, common class.

    Boullé 2006: an optimal cut never separates two rows of one class.
    """
    pure = (counts > 0).sum(axis=1) == 1
    inside = pure[1:] & pure[:-1] & (counts.argmax(axis=1)[1:] == counts.argmax(axis=1)[:-1])
    return np.flatnonzero(np.append(True, ~inside)).astype(np.int64)
