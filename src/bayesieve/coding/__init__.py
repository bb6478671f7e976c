"""Columns become integer codes."""

from bayesieve.coding.codes import Codes, encode_table
from bayesieve.coding.counting import count_codes
from bayesieve.coding.equal import EqualFrequency, EqualWidth
from bayesieve.coding.partition import Groups, Intervals, Partition
from bayesieve.coding.rule import CodingRule, DistinctValues, warn_of_pools

__all__ = [
    "CODING_RULES",
    "Codes",
    "CodingRule",
    "DistinctValues",
    "EqualFrequency",
    "EqualWidth",
    "Groups",
    "Intervals",
    "Partition",
    "count_codes",
    "encode_table",
    "warn_of_pools",
]

CODING_RULES: dict[str | None, CodingRule] = {
    "equal_frequency": EqualFrequency(),
    "equal_width": EqualWidth(),
    None: DistinctValues(),
}
