# SPDX-License-Identifier: BSD-3-Clause
"""A coding rule with the user's own bins for some columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.binning_rule import CodingRule
from bayesieve.bins.partition import Groups, Intervals, Partition
from bayesieve.bins.summary import Summary
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["Edited"]


@dataclass(frozen=True)
class Edited(CodingRule):
    """Another coding rule, with the user's bins for some columns.

    Attributes
    ----------
    rule : CodingRule
        Learns the bins of the other columns.
    splits : mapping of column name to bounds, or to lists of values
        The user's bins.
    special : mapping of column name to numbers
        Values of ordered columns that have a bin each; the rule learns the bins of the others.
    """

    rule: CodingRule
    splits: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    special: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def for_table(self, n_columns: int) -> "Edited":
        """Return the rule for a table of `n_columns` columns."""
        return replace(self, rule=self.rule.for_table(n_columns))

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        free = [summary for summary in summaries if summary.name not in self.splits]
        learned = iter(self.rule.learn_all([self._without_special(summary) for summary in free], n_threads))
        return [
            self._with_special(
                summary.name,
                _user_partition(summary, self.splits[summary.name]) if summary.name in self.splits else next(learned),
            )
            for summary in summaries
        ]

    def _without_special(self, summary: Summary) -> Summary:
        special = self.special.get(summary.name, ())
        if not special or not isinstance(summary.labels, np.ndarray):
            return summary
        counts = summary.counts.copy()
        counts[:-1][np.isin(summary.labels, special)] = 0
        return replace(summary, counts=counts, known_weights=None)

    def _with_special(self, name: str, partition: Partition) -> Partition:
        special = self.special.get(name, ())
        if not special:
            return partition
        if isinstance(partition, Groups) and not partition.groups:  # no other value occurs
            return Intervals(np.empty(0), partition.missing, special=special, level=partition.level)
        if not isinstance(partition, Intervals):
            raise DataError(f"special_values names the column {name!r}, which is not numeric.")
        return replace(partition, special=special)


def _user_partition(summary: Summary, splits: Sequence[Any]) -> Partition:
    """Return the user's partition; missing values have a bin of their own if there are any."""
    if isinstance(summary.labels, np.ndarray):
        return Intervals(_bounds(summary.name, splits), summary.missing)
    groups = _groups(summary.name, splits)
    values = {value for group in groups for value in group}
    occurring = (label for label, mass in zip(summary.labels, summary.mass, strict=True) if mass)
    if absent := [label for label in occurring if label not in values]:
        raise ParameterError(f"user_splits[{summary.name!r}] leaves out the category {absent[0]!r}.")
    return Groups(groups, summary.missing)


def _bounds(name: str, splits: Sequence[Any]) -> NDArray[np.float64]:
    try:
        bounds = np.array(list(splits), dtype=np.float64)
    except (TypeError, ValueError):
        bounds = np.array(np.nan)
    if bounds.ndim != 1 or not np.isfinite(bounds).all():
        raise ParameterError(f"user_splits[{name!r}] must be a list of finite numbers, got {splits!r:.60}.")
    if (bounds[1:] <= bounds[:-1]).any():
        raise ParameterError(f"user_splits[{name!r}] must be increasing numbers, got {bounds.tolist()!r:.60}.")
    return bounds


def _groups(name: str, splits: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
    """Return the groups; a group of one category need not be a list."""
    try:
        if isinstance(splits, str):
            raise TypeError
        groups = tuple((each,) if isinstance(each, str) or not np.iterable(each) else tuple(each) for each in splits)
        n_values = len({value for group in groups for value in group})
    except TypeError:
        raise ParameterError(f"user_splits[{name!r}] must be lists of categories, got {splits!r:.60}.") from None
    if not all(groups):
        raise ParameterError(f"user_splits[{name!r}] has an empty list; a bin needs a category.")
    if n_values < sum(map(len, groups)):
        raise ParameterError(f"user_splits[{name!r}] names a category twice; each category has one bin.")
    return groups
