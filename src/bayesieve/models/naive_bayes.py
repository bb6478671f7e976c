# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes: the evidence of a row is the log-prior plus one table entry per column.

    score_c = log P(c) + sum_j w_j log P(x_j | c),      P(v | c) = (n_vc + a) / (n_c + a B)

with B bins in the column and the pseudo-count a. Entries are rounded once to multiples of 2^-40 and added as
integers, so that adding a column and removing it again is the identity to the last bit, in any order.

`AveragedBins` has tables that are averages over all partitions of a column, instead of the counts of one. Codes are
elementary bins. The entries of a bin are its curve (`bayesieve.bins.modl.average`); the values of a nominal column
are first sorted by their class rates, so that similar ones are neighbors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import Partition, has_order
from bayesieve.bins.merge import principal_order
from bayesieve.bins.modl.average import average_partitions
from bayesieve.bins.modl.code_lengths import LARGEST_TOTAL
from bayesieve.bins.modl.tables import Tables as Contingency
from bayesieve.exact import fixed_logs, in_nats, to_fixed
from bayesieve.exceptions import DataError
from bayesieve.models.model import Evidence, Tables, add_entries

__all__ = ["AveragedBins", "NaiveBayes", "by_class_rate"]

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
        entries = fixed_logs((counts * unit + pseudo) / (class_weight + pseudo * n_bins))
        entries[offsets[1:] - 1] = 0
        return Tables(self.start(mass, unit), entries, offsets, log_bayes_factor=_log_bayes_factors(partitions))

    def start(self, mass: NDArray[np.int64], unit: float) -> NDArray[np.int64]:
        """Return the log-priors in fixed point."""
        weight = np.where(mass > 0, mass * unit, self._pseudo(mass, unit))
        return fixed_logs(weight / float(int(mass.sum()) * unit))

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
        shifted = state.copy()
        add_entries(shifted, change, codes)
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


_LEAST_LOG_BAYES_FACTOR: Final = -4.0  # e^-4: odds of 1 to 55

_LEAST_SLOPE: Final = 2.0  # the penalty of a certainly informative column at weight 1


@dataclass(frozen=True)
class AveragedBins(NaiveBayes):
    """Naive Bayes on averaged bins; ``pseudo`` is the pseudo-count of each block of bins."""

    pseudo: float = 2.0

    def learn(
        self,
        counts: Ints,
        offsets: Ints,
        mass: Ints,
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return the log-likelihoods of each bin, up to a constant per bin; the entries of *unseen* are 0."""
        rows, starts = _in_order(partitions, counts, offsets)
        while int(mass.sum()) * unit > LARGEST_TOTAL:  # scaled down, which hardly changes an average
            unit /= 2
        tables = Contingency(np.ascontiguousarray(counts[rows]), starts, unit)
        ordered = [has_order(partition) for partition in partitions]
        averages = average_partitions(tables, ordered, self.pseudo, n_threads)
        entries, lowered = np.zeros_like(counts), np.zeros_like(counts)
        entries[rows], lowered[rows] = to_fixed(averages.curves), to_fixed(averages.lowered)
        return Tables(self.start(mass, unit), entries, offsets, lowered, averages.log_bayes_factors)

    def idle(self, tables: Tables, counts: Ints, unit: float) -> NDArray[np.bool_]:
        """Return which columns have a low log Bayes factor, or a weight that would stay 0.

        The slope of the log-likelihood in a column's weight is at most the sum over rows of the entry of their class
        minus the smallest entry of the bin; a constant per class does not matter, because the start is free.
        """
        assert tables.log_bayes_factor is not None
        begins = tables.offsets[:-1]
        entries = in_nats(tables.entries)
        sizes = np.diff(tables.offsets)
        heaviest = _largest_in(counts.sum(axis=1), tables.offsets)
        entries = entries - np.repeat(entries[heaviest], sizes, axis=0)
        slope = ((entries - entries.min(axis=1, keepdims=True)) * counts).sum(axis=1) * unit
        reach = np.add.reduceat(slope, begins) if len(begins) else np.empty(0)
        return np.asarray((tables.log_bayes_factor < _LEAST_LOG_BAYES_FACTOR) | (reach <= _LEAST_SLOPE))


def _in_order(partitions: Sequence[Partition], counts: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the bins of each column in their order, without *unseen*, and where each column begins among them."""
    places = np.arange(len(offsets))
    starts = offsets - places
    rows = np.arange(starts[-1]) + np.repeat(places[:-1], np.diff(starts))
    for partition, first, (begin, end) in zip(partitions, offsets.tolist(), pairwise(starts.tolist()), strict=False):
        if not has_order(partition):
            rows[begin:end] = first + by_class_rate(counts[first : first + end - begin])
        elif getattr(partition, "missing", False):
            rows[begin:end] = np.roll(rows[begin:end], 1)
    return rows, starts


def by_class_rate(counts: Ints) -> NDArray[np.intp]:
    """Return the bins in the order of their class shares; with two classes, of the share of the second.

    Bins with the same shares are in the order of their counts, the largest first: the order in which bins are given
    does not matter.
    """
    by_counts = np.lexsort((*-counts.T, -counts.sum(axis=1)))
    own = counts[by_counts]
    total = own.sum(axis=1)
    overall = own.sum(axis=0) / max(1, int(total.sum()))
    shares = np.where(total[:, None] > 0, own / np.maximum(total, 1)[:, None], overall)
    return np.asarray(by_counts[principal_order(shares - overall, total)])


def _largest_in(values: Ints, offsets: Ints) -> NDArray[np.intp]:
    """Return the position of the first largest value of each block."""
    sizes = np.diff(offsets)
    block = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((np.arange(len(values)), -values, block))
    return order[offsets[:-1]]
