"""What an optimal partition is, for all tables of a call."""

from dataclasses import dataclass

from bayesieve.coding.modl.prior import Prior

__all__ = ["PartitionRules"]


@dataclass(frozen=True)
class PartitionRules:
    """The prior, and bounds of a partition.

    Attributes
    ----------
    prior : Prior
    min_size : float
        The least weight of a part, unless there is only one; that of missing values may be smaller.
    max_bins : int or None
        The largest number of parts, missing values included.
    """

    prior: Prior
    min_size: float = 0.0
    max_bins: int | None = None
