# SPDX-License-Identifier: BSD-3-Clause
"""The prior and the constraints of optimal partitions."""

from dataclasses import dataclass
from math import ceil

from bayesieve.bins.modl.prior import Prior

__all__ = ["PartitionRules"]


@dataclass(frozen=True)
class PartitionRules:
    """The prior and the constraints of a partition.

    Attributes
    ----------
    prior : Prior
        The structure costs.
    min_size : float
        The minimum weight of a bin, unless there is only one; the bin of missing values may be smaller.
    max_bins : int or None
        The maximum number of bins, missing values included.
    """

    prior: Prior
    min_size: float = 0.0
    max_bins: int | None = None

    def least_units(self, unit: float) -> int:
        """Return the minimum weight of a bin in units; more than 2^62, which no table has, is as much as that."""
        return ceil(min(self.min_size / unit, 2.0**62))
