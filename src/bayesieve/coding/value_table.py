"""A column's summary as the contingency table that searches take, and their cuts as intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.bounds import readable_between
from bayesieve.coding.intervals import Intervals
from bayesieve.coding.modl.factorial import LARGEST_TOTAL
from bayesieve.coding.modl.tables import Tables
from bayesieve.coding.summary import Summary, occurring

__all__ = ["ValueTable", "stack"]

Ints = NDArray[np.int64]

_NO_BOUNDS = np.empty(0)


@dataclass(frozen=True)
class ValueTable:
    """The values of a column that have weight, missing values first if they have.

    Attributes
    ----------
    summary : Summary
        Of the whole column.
    places : array
        Which labels have weight.
    missing : bool
        Whether the first row is that of missing values.
    counts : int64 array of shape (missing + len(places), n_classes)
        Weight of each row in each class.
    """

    summary: Summary
    places: NDArray[np.intp]
    missing: bool
    counts: Ints

    @staticmethod
    def of(summary: Summary) -> "ValueTable":
        """Leave out what has no weight."""
        occurs = occurring(summary.counts)
        missing, places = bool(occurs[-1]), occurs[:-1].nonzero()[0]
        rows = np.append(len(summary.labels), places) if missing else places
        return ValueTable(summary, places, missing, summary.counts[rows])

    def intervals(self, cuts: Ints, level: float | None = None, cost: Any = None) -> Intervals:
        """Return the intervals of an ordered column, given how many rows stand to the left of each cut."""
        if not len(cuts):  # most columns of a wide table
            return Intervals(_NO_BOUNDS, False, joined=0 if self.missing else None, level=level, cost=cost)
        labels = np.asarray(self.summary.labels)[self.places]
        inner = cuts[cuts > self.missing] - self.missing
        bounds = readable_between(labels[inner - 1], labels[inner])
        own = self.missing and len(inner) < len(cuts)  # a cut between missing values and the lowest number
        return Intervals(bounds, own, joined=0 if self.missing and not own else None, level=level, cost=cost)


def stack(tables: Sequence[ValueTable]) -> Tables:
    """Return the tables as one; weights of more than 2^30 in all are taken in proportion, which cuts can bear."""
    unit = tables[0].summary.unit
    heaviest = max((int(table.counts.sum()) for table in tables), default=0)
    while heaviest * unit > LARGEST_TOTAL:
        unit /= 2
    return Tables.stack([table.counts for table in tables], unit)
