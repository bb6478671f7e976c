# SPDX-License-Identifier: BSD-3-Clause
"""A transformer of scikit-learn as a coding rule: a clone per numeric column; each distinct output is a code."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bayesieve.bins import CodingRule, DistinctValues, Groups, Partition, Summary
from bayesieve.bins.binning_rule import distinct_groups
from bayesieve.bins.partition import as_ordered
from bayesieve.data import Values
from bayesieve.data.column import index_numbers
from bayesieve.estimators._types import Transformer
from bayesieve.exceptions import DataError

__all__ = ["TransformerRule"]

_MOST_ROWS = 1e6


@dataclass(frozen=True)
class TransformedValues:
    """The outputs of a fitted transformer as bins; missing values do not go through it, but may come out of it."""

    transformer: Transformer
    groups: Groups
    level: None = None

    @property
    def n_bins(self) -> int:
        """Number of bins, that of missing values included."""
        return self.groups.n_bins

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value."""
        distinct, place = index_numbers(_outputs(self.transformer, column.name, as_ordered(column)))
        bins = self.groups.bins_of(Values(column.name, distinct))
        return np.append(bins[place], bins[-1])

    def describe(self, code: int) -> str:
        """Return a description of a bin."""
        return self.groups.describe(code)


@dataclass(frozen=True)
class TransformerRule(CodingRule):
    """Codes numeric columns by clones of ``transformer``; the values of nominal columns stay apart."""

    transformer: Transformer

    def learn(self, summary: Summary) -> Partition:
        """Fit a clone on a column's values, each repeated by its weight."""
        present = np.flatnonzero(summary.mass)
        if not isinstance(summary.labels, np.ndarray) or len(present) < 2:  # nothing to divide
            return DistinctValues().learn(summary)
        times = _repeats(summary)
        labels, classes = np.nonzero(times)
        rows = np.repeat(np.arange(len(labels)), times[labels, classes])
        fitted = clone(self.transformer).fit(summary.labels[labels[rows], None], classes[rows])
        distinct, place = index_numbers(_outputs(fitted, summary.name, summary.labels))
        sums = np.zeros((len(distinct) + 1, summary.counts.shape[1]), dtype=np.int64)
        np.add.at(sums, np.append(place, len(distinct)), summary.counts)
        groups = distinct_groups(Summary(summary.name, distinct, sums, summary.unit))
        return TransformedValues(fitted, groups)


def _repeats(summary: Summary) -> NDArray[np.int64]:
    """Return the repetitions of each value per class: its weight rounded, at least 1, about a million in all."""
    weights = summary.counts[:-1] * summary.unit
    weights = weights * min(1.0, _MOST_ROWS / weights.sum())
    return np.where(weights > 0, np.maximum(np.rint(weights), 1), 0).astype(np.int64)


def _outputs(transformer: Transformer, name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(numbers):
        return numbers
    outputs = transformer.transform(numbers[:, None])
    outputs = np.asarray(outputs.toarray() if hasattr(outputs, "toarray") else outputs, dtype=np.float64)
    if outputs.shape != (len(numbers), 1):
        raise DataError(
            f"The discretizer turned column {name!r} of shape ({len(numbers)}, 1) into shape {outputs.shape}; "
            "one output per value is expected, for instance with encode='ordinal'."
        )
    return np.ascontiguousarray(outputs[:, 0])
