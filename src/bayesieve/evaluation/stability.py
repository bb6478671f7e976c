# SPDX-License-Identifier: BSD-3-Clause
"""Stability of a selection: similarity of the subsets that were selected on different folds."""

from collections.abc import Sequence, Set
from itertools import combinations
from math import nan
from statistics import fmean

__all__ = ["jaccard", "kuncheva"]


def jaccard(subsets: Sequence[Set[int]]) -> float:
    """Return the mean Jaccard index over pairs of subsets: 1 for two empty subsets, NaN without a pair."""
    pairs = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(subsets, 2)]
    return fmean(pairs) if pairs else nan


def kuncheva(subsets: Sequence[Set[int]], n_columns: int) -> float:
    """Return the mean over pairs of Kuncheva's consistency index (2007): 0 is chance, 1 is the same columns always.

    (r p - k²) / (k (p - k)), with r columns in common of k out of p. For subsets of
    different sizes k and l the index is (r p - k l) / (p min(k, l) - k l), which is the same for k = l. NaN if a subset
    is empty or has all columns.
    """
    indices = []
    for a, b in combinations(subsets, 2):
        smaller, larger = sorted((len(a), len(b)))
        if smaller == 0 or larger == n_columns:
            return nan
        indices.append((len(a & b) * n_columns - smaller * larger) / (n_columns * smaller - smaller * larger))
    return fmean(indices) if indices else nan
