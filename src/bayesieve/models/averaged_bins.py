"""Naive Bayes whose table is an average over all partitions of a column, not the counts of one.

Codes are elementary parts. What a part says is its curve (`bayesieve.coding.modl.average`); the values of a nominal
column are put in the order of their class rates first, so that similar ones are neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import to_fixed
from bayesieve.coding import Groups, Partition
from bayesieve.coding.modl.average import average_partitions
from bayesieve.coding.modl.factorial import LARGEST_TOTAL
from bayesieve.coding.modl.tables import Tables as Contingency
from bayesieve.models.base import Tables
from bayesieve.models.evidence import in_nats
from bayesieve.models.main_order import main_order
from bayesieve.models.naive_bayes import NaiveBayes

__all__ = ["AveragedBins", "by_class_rate"]

Ints = NDArray[np.int64]

_LEAST_EVIDENCE: Final = -4.0  # e^-4: one of 55 against the column
_LEAST_PULL: Final = 2.0  # what a certainly informative column is charged for, at weight 1


@dataclass(frozen=True)
class AveragedBins(NaiveBayes):
    """Naive Bayes on averaged bins; ``pseudo`` is the weight of the class shares in a block of parts."""

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
        """Return what each part says of each class, up to a constant of the part; *unseen* says nothing."""
        rows, starts = _in_order(partitions, counts, offsets)
        while int(mass.sum()) * unit > LARGEST_TOTAL:  # in proportion, which an average can bear
            unit /= 2
        tables = Contingency(np.ascontiguousarray(counts[rows]), starts, unit)
        ordered = [not isinstance(partition, Groups) for partition in partitions]
        averages = average_partitions(tables, ordered, self.pseudo, n_threads)
        entries, lowered = np.zeros_like(counts), np.zeros_like(counts)
        entries[rows], lowered[rows] = to_fixed(averages.curves), to_fixed(averages.lowered)
        return Tables(self.start(mass, unit), entries, offsets, lowered, averages.log_bayes_factors)

    def idle(self, tables: Tables, counts: Ints, unit: float) -> NDArray[np.bool_]:
        """Tell of columns with hardly any evidence, and of those that could not pull a weight from zero.

        The slope of the log-likelihood in a column's weight is at most the sum over rows of what the column says for
        their class, less the least that it says for any; a constant a class does not matter, because the start is free.
        """
        assert tables.log_bayes_factor is not None
        begins = tables.offsets[:-1]
        said = in_nats(tables.entries)
        sizes = np.diff(tables.offsets)
        heaviest = _largest_in(counts.sum(axis=1), tables.offsets)
        said = said - np.repeat(said[heaviest], sizes, axis=0)
        pull = ((said - said.min(axis=1, keepdims=True)) * counts).sum(axis=1) * unit
        reach = np.add.reduceat(pull, begins) if len(begins) else np.empty(0)
        return np.asarray((tables.log_bayes_factor < _LEAST_EVIDENCE) | (reach <= _LEAST_PULL))


def _in_order(partitions: Sequence[Partition], counts: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the parts of each column in their order, *unseen* left out, and where each column begins among them."""
    places = np.arange(len(offsets))
    starts = offsets - places
    rows = np.arange(starts[-1]) + np.repeat(places[:-1], np.diff(starts))
    for partition, first, (begin, end) in zip(partitions, offsets.tolist(), pairwise(starts.tolist()), strict=False):
        if isinstance(partition, Groups):
            rows[begin:end] = first + by_class_rate(counts[first : first + end - begin])
        elif getattr(partition, "missing", False):
            rows[begin:end] = np.roll(rows[begin:end], 1)
    return rows, starts


def by_class_rate(counts: Ints) -> NDArray[np.intp]:
    """Return the parts in the order of their class shares; with two classes, of the share of the second."""
    total = counts.sum(axis=1)
    overall = counts.sum(axis=0) / max(1, int(total.sum()))
    shares = np.where(total[:, None] > 0, counts / np.maximum(total, 1)[:, None], overall)
    return main_order(shares - overall, total)


def _largest_in(values: Ints, offsets: Ints) -> NDArray[np.intp]:
    """Return where the first largest value of each block stands."""
    sizes = np.diff(offsets)
    block = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((np.arange(len(values)), -values, block))
    return order[offsets[:-1]]
