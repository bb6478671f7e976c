"""The prior and the constraints of optimal partitions."""

from dataclasses import dataclass

from bayesieve.coding.modl.prior import Prior

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
