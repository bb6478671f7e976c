# SPDX-License-Identifier: BSD-3-Clause
"""Fayyad and Irani's cuts as a coding rule."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesieve.bins.binning_rule import CodingRule, Summary, distinct_groups
from bayesieve.bins.mdlp import MdlpRules, find_mdlp_cuts
from bayesieve.bins.modl.values import TableTraits
from bayesieve.bins.partition import Partition
from bayesieve.bins.value_table import ValueTable, stack

__all__ = ["MDLP"]


@dataclass(frozen=True)
class MDLP(CodingRule):
    """Intervals of numbers by recursive entropy cuts; missing values and each category have their own bin.

    Attributes
    ----------
    max_bins : int or None
        The maximum number of bins, the one of missing values included.
    min_bin_size : float
        The minimum weight of an interval.
    """

    max_bins: int | None = None
    min_bin_size: float = 0.0

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        numeric = [isinstance(summary.labels, np.ndarray) and bool(summary.mass.any()) for summary in summaries]
        tables = [ValueTable.of(summary) for summary, is_numeric in zip(summaries, numeric, strict=True) if is_numeric]
        traits = [TableTraits(fixed_first=table.missing) for table in tables]
        rules = MdlpRules(self.min_bin_size, self.max_bins)
        cuts = iter(find_mdlp_cuts(stack(tables), rules, traits, n_threads) if tables else [])
        numeric_tables = iter(tables)
        return [
            next(numeric_tables).intervals(next(cuts)) if is_numeric else distinct_groups(summary)
            for summary, is_numeric in zip(summaries, numeric, strict=True)
        ]
