"""Columns become integer codes."""

from bayesieve.coding.codes import CodeBuilder, Codes
from bayesieve.coding.counting import count_codes
from bayesieve.coding.equal import EqualFrequency, EqualWidth
from bayesieve.coding.groups import Groups
from bayesieve.coding.intervals import Intervals
from bayesieve.coding.partition import Partition, with_counts
from bayesieve.coding.rule import CodingRule, DistinctValues, warn_of_pools
from bayesieve.coding.summary import Summary, sum_by_part

__all__ = [
    "CODING_RULES",
    "CodeBuilder",
    "Codes",
    "CodingRule",
    "DistinctValues",
    "EqualFrequency",
    "EqualWidth",
    "Groups",
    "Intervals",
    "Partition",
    "Summary",
    "count_codes",
    "sum_by_part",
    "warn_of_pools",
    "with_counts",
]

CODING_RULES: dict[str | None, CodingRule] = {
    "equal_frequency": EqualFrequency(),
    "equal_width": EqualWidth(),
    None: DistinctValues(),
}
