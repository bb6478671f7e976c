"""The prior probability of each number of blocks, for the average over partitions.

With I blocks of n elementary bins in order, the prior cost of one of these partitions is

    prior(I) = U(I-1 | n-1) + log C(n-1, I-1)  for intervals,   U(I-1 | n-1) + log B(n, I)  for groups,

for I up to 24, or up to one per 64 rows, with U the universal code and B the number of groupings.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from bayesieve._native.elementary import exp_nonpositive
from bayesieve._typing import Floats, Ints
from bayesieve.coding.modl.bell import log_bell
from bayesieve.coding.modl.factorial import COST_ONE, log_factorial
from bayesieve.coding.modl.tables import Tables
from bayesieve.coding.modl.universal import code_lengths, log_normalizer

__all__ = ["partition_priors"]


_MAX_BLOCKS: Final = 24  # of a small table: blocks of a row or two cost no more than a single block, and follow noise
_ROWS_PER_BLOCK: Final = 64  # in larger tables


def partition_priors(tables: Tables, ordered: Sequence[bool]) -> Floats:
    """Return exp(-prior(I)) of the tables, stacked, with I from 1 to the number of bins of each."""
    totals = np.append(0, np.cumsum(tables.counts.sum(axis=1)))[tables.offsets]
    max_blocks = np.maximum(_MAX_BLOCKS, np.diff(totals) * tables.unit // _ROWS_PER_BLOCK).astype(np.int64)
    sizes = np.diff(tables.offsets)
    each = zip(sizes.tolist(), ordered, np.minimum(sizes, max_blocks).tolist(), strict=True)
    return np.concatenate([np.empty(0), *(_prior(n, bool(is_ordered), blocks) for n, is_ordered, blocks in each)])


@cache
def _prior(n: int, ordered: bool, max_blocks: int) -> Floats:
    """Return exp(-prior(I)) for I = 1 .. n, 0 for more than `max_blocks` blocks; a single block needs no code."""
    prior = _full_prior(n, ordered).copy()
    prior[max_blocks:] = 0.0
    return prior


@cache
def _full_prior(n: int, ordered: bool) -> Floats:
    if n < 2:
        return np.ones(n)
    others = np.arange(1, n)
    room = 1 << n.bit_length()  # a power of two, so that few tables are computed
    code = (log_normalizer(n - 1) + _codes(room)[1:n]) / COST_ONE
    if ordered:
        factorials = _log_factorials(room)
        ways = factorials[n - 1] - factorials[others] - factorials[n - 1 - others]
    else:
        ways = np.array([log_bell(n, int(groups)) for groups in others + 1])
    return np.append(1.0, exp_nonpositive(-np.maximum(code + ways, 0.0)))


@cache
def _log_factorials(end: int) -> Floats:
    return log_factorial(np.arange(end))


@cache
def _codes(end: int) -> Ints:
    """Return the universal code of each number below ``end`` without its normalizer; 0 has the code of 1."""
    return code_lengths(np.maximum(np.arange(end), 1))
