# SPDX-License-Identifier: BSD-3-Clause
"""Discretization: coding rules learn the bins of columns, and columns become integer codes."""

from bayesieve.bins.binning_rule import BinLearner, CodingRule, ColumnBins, DistinctValues, LearnedBins, warn_of_pools
from bayesieve.bins.codes import CodeBuilder, CodedRows, Codes, count_codes
from bayesieve.bins.edited import Edited
from bayesieve.bins.equal_bins import EqualFrequency, EqualWidth
from bayesieve.bins.finest_bins import FinestBins, JoinedBins
from bayesieve.bins.indicator import SIDES, Indicator, IndicatorMerger, threshold_words
from bayesieve.bins.mdlp import MDLP
from bayesieve.bins.merge import merge_bins, n_mergeable
from bayesieve.bins.modl.rule import MODL, PartitionCost
from bayesieve.bins.partition import (
    Groups,
    Intervals,
    Partition,
    has_order,
    in_weights,
    short_description,
    with_classes,
    with_counts,
    with_scale,
)
from bayesieve.bins.plain_partition import partition_from_plain, partition_to_plain
from bayesieve.bins.summary import Summary, occurring, sum_by_bin

__all__ = [
    "CODING_RULES",
    "MDLP",
    "MODL",
    "SIDES",
    "BinLearner",
    "CodeBuilder",
    "CodedRows",
    "Codes",
    "CodingRule",
    "ColumnBins",
    "DistinctValues",
    "Edited",
    "EqualFrequency",
    "EqualWidth",
    "FinestBins",
    "Groups",
    "Indicator",
    "IndicatorMerger",
    "Intervals",
    "JoinedBins",
    "LearnedBins",
    "Partition",
    "PartitionCost",
    "Summary",
    "count_codes",
    "has_order",
    "in_weights",
    "merge_bins",
    "n_mergeable",
    "occurring",
    "partition_from_plain",
    "partition_to_plain",
    "short_description",
    "sum_by_bin",
    "threshold_words",
    "warn_of_pools",
    "with_classes",
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
