# SPDX-License-Identifier: BSD-3-Clause
"""Score tables with fewer bins: neighboring bins of similar scores are merged by Ward's rule.

Scores are compared minus their mean over the classes, which changes no probability. The score of a merged bin is the
mean of its bins, weighted by their rows. Bins of special and of missing values are kept.
"""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import has_order
from bayesieve.bins.merge import mean_scores, merge_bins, n_mergeable, principal_order, ward_blocks
from bayesieve.exact import in_nats
from bayesieve.exceptions import ParameterError
from bayesieve.models.scorecard import Scorecard, ScoreTable

__all__ = ["merge_table", "simplify_scorecard", "simplify_table"]


def simplify_scorecard(card: Scorecard, max_bins: int) -> Scorecard:
    """Return a scorecard with at most ``max_bins`` bins per column, where they can be merged."""
    if not isinstance(max_bins, Integral) or max_bins < 2:
        raise ParameterError(f"max_bins must be an integer of 2 or more, got {max_bins!r}.")
    return replace(card, tables=tuple(simplify_table(table, int(max_bins)) for table in card.tables))


def simplify_table(table: ScoreTable, max_bins: int) -> ScoreTable:
    """Return a table of at most ``max_bins`` bins, or as few as its special values leave.

    Parameters
    ----------
    table : ScoreTable
        The table of a column, with the counts of its bins.
    max_bins : int
        At least 2.
    """
    n_bins, n_free = table.partition.n_bins, n_mergeable(table.partition)
    if n_bins <= max_bins:
        return table
    if not n_free:
        raise ParameterError(
            f"Column {table.name!r} has {n_bins} bins made by a transformer, which cannot be merged; "
            f"max_bins={n_bins} or more is expected."
        )
    points = table.table.reshape(n_bins + 1, -1)  # a boosted model has one number per bin
    centered = in_nats(points[:n_free])
    if centered.shape[1] > 1:
        centered = centered - centered.mean(axis=1, keepdims=True)
    free = table.bin_mass[:n_free]
    ordered = has_order(table.partition)
    order = np.arange(n_free) if ordered else principal_order(centered - mean_scores(centered, free), free)
    ends = ward_blocks(centered[order], free[order], max(1, max_bins - (n_bins - n_free)))
    return merge_table(table, [block.tolist() for block in np.split(order, ends)])


def merge_table(table: ScoreTable, blocks: Sequence[Sequence[int]]) -> ScoreTable:
    """Return a table whose bins are blocks of the bins that can be merged, and the bins that are kept."""
    n_bins, n_free = table.partition.n_bins, n_mergeable(table.partition)
    points, free = table.table.reshape(n_bins + 1, -1), table.bin_mass[:n_free]
    partition, new = merge_bins(table.partition, blocks)
    scores = np.zeros((partition.n_bins + 1, points.shape[1]), dtype=np.int64)
    scores[new[n_free:]] = points[n_free:]
    for k, block in enumerate(blocks):
        own = list(block)
        scores[k] = np.rint(mean_scores(points[own].astype(np.float64), free[own]))
    errors = None if table.errors is None else _merged_errors(table, blocks, new, in_nats(scores))
    scores = scores.reshape(-1, *table.table.shape[1:])
    return ScoreTable(table.name, partition, scores, table.weight, getattr(partition, "counts", None), errors)


def _merged_errors(table: ScoreTable, blocks: Sequence[Sequence[int]], new: NDArray[np.intp], scores: Floats) -> Floats:
    """Return the standard errors of merged bins: a row's score differs from that of its own bin as well."""
    assert table.errors is not None
    squares, errors = table.errors**2 + (in_nats(table.table) - scores[new]) ** 2, np.zeros_like(scores)
    errors[new] = table.errors
    for k, block in enumerate(blocks):
        errors[k] = mean_scores(squares[list(block)], table.bin_mass[list(block)]) ** 0.5
    return errors
