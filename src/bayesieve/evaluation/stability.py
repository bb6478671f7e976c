"""How much a selection depends on the sample: likeness of the subsets that folds gave."""

from collections.abc import Sequence, Set
from itertools import combinations
from math import nan
from statistics import fmean

__all__ = ["jaccard", "kuncheva"]


def jaccard(subsets: Sequence[Set[int]]) -> float:
    """Return the mean over pairs of columns in common / columns of either, 1 of two empty subsets; NaN of no pair."""
    pairs = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(subsets, 2)]
    return fmean(pairs) if pairs else nan


def kuncheva(subsets: Sequence[Set[int]], n_columns: int) -> float:
    """Return the mean over pairs of Kuncheva's consistency index (2007): 0 is chance, 1 is always the same columns.

    (r p - k²) / (k (p - k)), with r columns in common of k out of p. Subsets of different sizes k and l are compared
    with what chance can give them at most, (r p - k l) / (p min(k, l) - k l), which is the same for k = l. NaN where
    nothing was left to choose: no column, or all of them.
    """
    found = []
    for a, b in combinations(subsets, 2):
        least, most = sorted((len(a), len(b)))
        if least == 0 or most == n_columns:
            return nan
        found.append((len(a & b) * n_columns - least * most) / (n_columns * least - least * most))
    return fmean(found) if found else nan
