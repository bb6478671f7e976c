"""Naive Bayes: the evidence of a row is the log-prior plus one table entry per column.

    score_c = log P(c) + sum_j w_j log P(x_j | c),      P(v | c) = (n_vc + a) / (n_c + a B)

with B bins in the column and the pseudo-count a. Entries are rounded once to multiples of 2^-40 and added as
integers, so that adding a column and removing it again is the identity to the last bit, in any order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive, to_fixed
from bayesieve.coding import Partition
from bayesieve.exceptions import DataError
from bayesieve.models.base import Evidence, Tables

__all__ = ["NaiveBayes"]

_LARGEST_SCORE = 2**62


@dataclass(frozen=True)
class NaiveBayes:
    """Naive Bayes with pseudo-count ``smoothing``; ``"auto"`` is 1 / (N + 1), N the sum of the weights."""

    smoothing: float | str = "auto"
    kernel: ClassVar[str] = "evidence"
    adds_evidence: ClassVar[bool] = True

    def kernel_arguments(self, n_columns: int) -> NDArray[np.int64]:
        """Return an empty array."""
        return np.empty(0, dtype=np.int64)

    def learn(
        self,
        counts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        mass: NDArray[np.int64],
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return log-probabilities in fixed point; *unseen* has 0, and classes without rows have equal entries."""
        class_weight = mass * unit
        pseudo = self._pseudo(mass, unit)
        sizes = np.diff(offsets)
        n_bins = np.repeat(sizes - 1, sizes)[:, None]
        entries = to_fixed(log_positive((counts * unit + pseudo) / (class_weight + pseudo * n_bins)))
        entries[offsets[1:] - 1] = 0
        return Tables(self.start(mass, unit), entries, offsets, log_bayes_factor=_log_bayes_factors(partitions))

    def start(self, mass: NDArray[np.int64], unit: float) -> NDArray[np.int64]:
        """Return the log-priors in fixed point."""
        weight = np.where(mass > 0, mass * unit, self._pseudo(mass, unit))
        return to_fixed(log_positive(weight / float(int(mass.sum()) * unit)))

    def idle(self, tables: Tables, counts: NDArray[np.int64], unit: float) -> NDArray[np.bool_]:
        """Return none: uninformative columns already have a single bin."""
        return np.zeros(len(tables.offsets) - 1, dtype=bool)

    def refuse(self, tables: Tables) -> None:
        """Raise if the scores of all columns together could overflow."""
        if len(tables.entries) == 0:
            return
        extreme = np.maximum.reduceat(np.abs(tables.entries).max(axis=1), tables.offsets[:-1]).astype(np.float64)
        if extreme.sum() >= _LARGEST_SCORE:
            raise DataError(
                f"The scores of {len(extreme)} columns exceed 64 bits; use a larger smoothing or fewer columns."
            )

    def _pseudo(self, mass: NDArray[np.int64], unit: float) -> float:
        if not isinstance(self.smoothing, str):
            return float(self.smoothing)
        return 1.0 / (float(int(mass.sum()) * unit) + 1.0)

    def begin(self, start: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
        """Return the log-priors for each row, shape (n_classes, n_samples)."""
        return np.repeat(start[:, None], n_rows, axis=1)

    def shift(
        self, state: NDArray[np.int64], j: int, table: NDArray[Any], codes: NDArray[Any], before: float, after: float
    ) -> NDArray[np.int64]:
        """Return the state with the weight of a column changed; the order of changes does not matter."""
        change = _weighted(table, after) - _weighted(table, before)
        shifted: NDArray[np.int64] = state + change.T[:, codes]
        return shifted

    def predictions(self, state: NDArray[np.int64]) -> Evidence:
        """Return the state as evidence."""
        return Evidence(state)


def _weighted(table: NDArray[np.int64], weight: float) -> NDArray[np.int64]:
    """Return rint(w x table), the same integers whenever the weight is the same."""
    if weight == 1.0:
        return table
    rounded: NDArray[np.int64] = np.rint(weight * table).astype(np.int64)
    return rounded


def _log_bayes_factors(partitions: Sequence[Partition]) -> NDArray[np.float64]:
    """Return the cost that each partition saves against a single bin, without construction; 0 if it has no cost."""
    saved = np.zeros(len(partitions))
    for j, partition in enumerate(partitions):
        cost, level = getattr(partition, "cost", None), partition.level
        if cost is not None and level is not None and level < 1.0:
            saved[j] = cost.total * level / (1.0 - level) + cost.construction
    return saved
