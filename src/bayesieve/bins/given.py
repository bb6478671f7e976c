# SPDX-License-Identifier: BSD-3-Clause
"""Bins that are given: finest bins that are cut where these end, and which of these each finest bin is in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.binning_rule import CodingRule
from bayesieve.bins.partition import Intervals, Partition
from bayesieve.bins.summary import LabelWeights, Summary
from bayesieve.data import Scale, Values
from bayesieve.exceptions import DataError

__all__ = ["CutBins", "place_bins"]


@dataclass(frozen=True)
class CutBins(CodingRule):
    """Another rule, whose intervals are also cut where given ones end, and around special values.

    Attributes
    ----------
    rule : CodingRule
        Learns the bins.
    given : mapping of str to Partition
        The given bins, by column.
    """

    rule: CodingRule
    given: Mapping[str, Partition]

    @property
    def blind(self) -> bool:  # type: ignore[override]
        """Whether the bins do not depend on the target."""
        return self.rule.blind

    def for_table(self, n_columns: int) -> "CutBins":
        """Return the rule for a table of a number of columns."""
        return replace(self, rule=self.rule.for_table(n_columns))

    def has_single_bin(self, weights: LabelWeights, unit: float) -> NDArray[np.bool_]:
        """Return which columns certainly have a single bin: one that is cut may have more."""
        return np.zeros(len(weights.total), dtype=bool)

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        learned = self.rule.learn_all(summaries, n_threads)
        return [
            _cut(summary, own, self.given.get(summary.name)) for own, summary in zip(learned, summaries, strict=True)
        ]


def _cut(summary: Summary, partition: Partition, given: Partition | None) -> Partition:
    """Return intervals that are also cut where given ones end, each with a value."""
    if not (isinstance(partition, Intervals) and isinstance(given, Intervals)):
        return partition
    special = np.array(given.special, dtype=np.float64)
    bounds = np.unique(np.concatenate([partition.bounds, given.bounds, special, np.nextafter(special, -np.inf)]))
    values = np.sort(np.asarray(summary.labels, dtype=np.float64)[summary.mass > 0])
    n_below = values.searchsorted(bounds, side="right")
    bounds = bounds[(np.diff(n_below, prepend=0) > 0) & (n_below < len(values))]
    joined = partition.joined
    if joined is not None:  # the interval that ends where that of missing values ended
        ends = np.append(partition.bounds, np.inf)
        joined = int(bounds.searchsorted(ends[joined]))
    return replace(partition, bounds=bounds, joined=joined, counts=None, level=None, cost=None)


def place_bins(column: Values, finest: Partition, given: Partition) -> Ints:
    """Return the given bin that holds each finest bin of a column; values that fit none are refused."""
    name, inner, outer = column.name, finest.bins_of(column), given.bins_of(column)
    if getattr(given, "scale", Scale.numeric) == Scale.numeric and type(finest) is not type(given):
        raise DataError(f"Column {name!r} holds values of another kind than those that the model was fitted to.")
    if not getattr(finest, "missing", False):
        inner, outer = inner[:-1], outer[:-1]
    known = inner < finest.n_bins
    inner, outer = inner[known], outer[known]
    if (outer == given.n_bins).any():
        raise DataError(f"Column {name!r} has values, or missing ones, that the model does not have.")
    places = np.full(finest.n_bins, getattr(given, "other", None) or 0, dtype=np.int64)  # of a pool without values
    places[inner] = outer
    if (places[inner] != outer).any():
        raise DataError(f"Column {name!r} has rare categories that are binned together, but not in the model.")
    return places
