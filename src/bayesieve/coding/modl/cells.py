"""What a search for intervals works on: cells in a row, and the prices of cutting between them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.modl.cost import part_costs
from bayesieve.coding.modl.factorial import log_factorial_cost

__all__ = ["Cells", "pool_violators", "pure_runs"]

Ints = NDArray[np.int64]

_TABULATED: Final = 2**20


@dataclass(frozen=True)
class Cells:
    """Cells of positive weight, in order.

    Attributes
    ----------
    counts : int64 array of shape (n_cells, n_classes)
        Weight of each class in each cell, in units.
    unit : float
    structure : int64 array of shape (n_cells + 1,)
        ``structure[k]`` is what it costs to say that there are k intervals and where; its first entry has no meaning.
    limit : int
        The largest number of intervals, at least 1.
    least : int
        The least weight of an interval, in units. One interval with everything is always allowed.
    detours : int
        How many intervals more and fewer than the cheapest merge the search begins from as well.
    """

    counts: Ints
    unit: float
    structure: Ints
    limit: int
    least: int
    detours: int = 0

    @cached_property
    def _tables(self) -> tuple[Ints, Ints] | None:
        """Log-factorials of every weight below the total, without and with classes; None if they are too many."""
        total, other_classes = int(self.counts.sum()), float(self.counts.shape[1] - 1)
        if total > _TABULATED:
            return None
        weights = np.arange(total + 1) * self.unit
        return log_factorial_cost(weights), log_factorial_cost(weights + other_classes) - log_factorial_cost(
            other_classes
        )

    def bin_costs(self, counts: Ints) -> Ints:
        """Return what intervals with these counts cost, structure left out."""
        if self._tables is None:
            preparation, data = part_costs(counts, self.unit)
            return preparation + data
        plain, with_classes = self._tables
        costs: Ints = with_classes[counts.sum(axis=-1)] - plain[counts].sum(axis=-1)
        return costs

    def cost(self, cuts: Ints) -> int:
        """Return the cost of the partition with these cuts (numbers of cells to their left)."""
        counts = np.add.reduceat(self.counts, np.append(0, cuts), axis=0)
        return int(self.bin_costs(counts).sum() + self.structure[len(counts)])


def pure_runs(counts: Ints) -> Ints:
    """Return where runs of cells begin that no optimal cut separates: neighbors that have one class, the same.

    Boullé 2006: an optimal cut never separates two rows of one class.
    """
    pure = (counts > 0).sum(axis=1) == 1
    inside = pure[1:] & pure[:-1] & (counts.argmax(axis=1)[1:] == counts.argmax(axis=1)[:-1])
    return np.flatnonzero(np.append(True, ~inside)).astype(np.int64)


def pool_violators(counts: Ints, direction: int) -> Ints:
    """Return where blocks begin between which the share of the second of two classes only rises (1) or only falls (-1).

    Any partition of such blocks is monotone. Neighbors are pooled while they are in the wrong order.
    """
    starts: list[int] = []
    blocks: list[tuple[int, int]] = []
    for start, (first, second) in enumerate(counts.tolist()):
        block = (first, second)
        while blocks and direction * (blocks[-1][1] * block[0] - block[1] * blocks[-1][0]) > 0:
            last = blocks.pop()
            block, start = (last[0] + block[0], last[1] + block[1]), starts.pop()
        blocks.append(block)
        starts.append(start)
    return np.array(starts, dtype=np.int64)
