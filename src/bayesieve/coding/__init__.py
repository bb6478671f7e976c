"""Columns become integer codes."""

from bayesieve.coding.codes import CodeBuilder, Codes
from bayesieve.coding.counting import count_codes
from bayesieve.coding.edited import Edited
from bayesieve.coding.finest_bins import FinestBins
from bayesieve.coding.equal_bins import EqualFrequency, EqualWidth
from bayesieve.coding.groups import Groups
from bayesieve.coding.indicator import SIDES, Indicator, threshold_words
from bayesieve.coding.intervals import Intervals
from bayesieve.coding.mdlp_rule import MDLP
from bayesieve.coding.merged_bins import merge_bins, n_mergeable
from bayesieve.coding.modl.rule import MODL, PartitionCost
from bayesieve.coding.partition import Partition, in_weights, with_counts, with_scale
from bayesieve.coding.plain import partition_from_plain, partition_to_plain
from bayesieve.coding.rule import CodingRule, DistinctValues, warn_of_pools
from bayesieve.coding.summary import Summary, occurring, sum_by_bin
from bayesieve.coding.value_counts import Grid, SketchedValues, merge_values, count_values
from bayesieve.coding.bin_learner import ColumnBins, BinLearner

__all__ = [
    "CODING_RULES",
    "MDLP",
    "MODL",
    "SIDES",
    "CodeBuilder",
    "Codes",
    "CodingRule",
    "DistinctValues",
    "Edited",
    "FinestBins",
    "EqualFrequency",
    "EqualWidth",
    "Grid",
    "Groups",
    "Indicator",
    "Intervals",
    "ColumnBins",
    "Partition",
    "PartitionCost",
    "SketchedValues",
    "Summary",
    "BinLearner",
    "count_codes",
    "in_weights",
    "merge_bins",
    "merge_values",
    "n_mergeable",
    "occurring",
    "partition_from_plain",
    "partition_to_plain",
    "sum_by_bin",
    "count_values",
    "threshold_words",
    "warn_of_pools",
    "with_counts",
    "with_scale",
]

CODING_RULES: dict[str | None, CodingRule] = {
    "equal_frequency": EqualFrequency(),
    "equal_width": EqualWidth(),
    "modl": MODL(),
    "mdlp": MDLP(),
    None: DistinctValues(),
}
