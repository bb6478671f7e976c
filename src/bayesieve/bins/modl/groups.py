# SPDX-License-Identifier: BSD-3-Clause
"""Optimal groups of values, for each of many contingency tables."""

from collections.abc import Sequence

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve.bins.modl.grouping import Grouping, group_values
from bayesieve.bins.modl.rules import PartitionRules
from bayesieve.bins.modl.tables import Tables
from bayesieve.bins.modl.value_group_space import NO_LIMIT, Limits

__all__ = ["find_groups", "find_groups_numpy"]


def _limits(rules: PartitionRules, unit: float) -> Limits:
    """Return the limits in units."""
    return Limits(rules.least_units(unit), NO_LIMIT if rules.max_bins is None else rules.max_bins)


def find_groups(
    tables: Tables, rules: PartitionRules, fixed_first: Sequence[bool] | None = None, n_threads: int = 1
) -> list[Grouping]:
    """Return the best grouping of each table, with the compiled core if it is available.

    Parameters
    ----------
    tables : Tables
        One table per column.
    rules : PartitionRules
        The prior and the constraints.
    fixed_first : sequence of bool, one per table, optional
        Whether the first row is *missing*, with its own group unless a single group is optimal.
    n_threads : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.bins.modl.prior import KhiopsPrior
    >>> counts = np.array([[9, 0], [1, 9], [8, 1], [0, 8], [9, 0], [0, 9]])
    >>> find_groups(Tables.stack([counts]), PartitionRules(KhiopsPrior()))[0].groups
    array([0, 1, 0, 1, 0, 1], dtype=int32)
    """
    if core is None:
        warn_if_missing()
        return find_groups_numpy(tables, rules, fixed_first)
    limits = _limits(rules, tables.unit)
    groups, summaries = core.modl_groups(
        tables.counts,
        tables.offsets,
        tables.unit,
        rules.prior.name,
        rules.prior.n_attributes,
        np.array([False] * len(tables) if fixed_first is None else fixed_first, dtype=np.uint8),
        limits.min_size,
        limits.max_bins,
        n_threads,
    )
    return [
        Grouping(groups[begin:end], *row)
        for begin, end, row in zip(tables.offsets[:-1], tables.offsets[1:], summaries.tolist(), strict=True)
    ]


def find_groups_numpy(
    tables: Tables, rules: PartitionRules, fixed_first: Sequence[bool] | None = None
) -> list[Grouping]:
    """Specification of `find_groups`, and its fallback without the compiled core."""
    tables.check()
    limits = _limits(rules, tables.unit)
    fixed = [False] * len(tables) if fixed_first is None else fixed_first
    return [group_values(tables[t], tables.unit, rules.prior, bool(fixed[t]), limits) for t in range(len(tables))]
