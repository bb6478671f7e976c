# SPDX-License-Identifier: BSD-3-Clause
"""Importances of the columns and of the terms of a scorecard: how much their contributions vary over the rows."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.exact import in_nats
from bayesieve.models.scorecard import PairTable, ScoreTable

__all__ = ["importances", "term_importances"]


def importances(
    tables: Sequence[ScoreTable], position: Mapping[str, int], pairs: Sequence[PairTable] = ()
) -> NDArray[np.float64]:
    """Return the mean absolute deviation of each column's contribution to the log-odds; they sum to one.

    The contributions of an additive score are its Shapley values; that of a pair is divided equally between its two
    columns. With more than two classes, the mean over classes of the contribution to each class against the others; of
    a table with one entry per bin, that entry. ``position`` gives the place of each column of the table.
    """
    shares = np.zeros(len(position))
    for each in tables:
        shares[position[each.name]] = _deviation(each)
    for pair in pairs:
        shares[[position[name] for name in pair.names]] += 0.5 * _deviation(pair)
    return _normalized(shares)


def term_importances(tables: Sequence[ScoreTable], pairs: Sequence[PairTable] = ()) -> NDArray[np.float64]:
    """Return the same for terms: first each column's own table, then each pair; they sum to one."""
    terms: list[ScoreTable | PairTable] = [*tables, *pairs]
    return _normalized(np.array([_deviation(each) for each in terms], dtype=np.float64))


def _deviation(term: ScoreTable | PairTable) -> float:
    """Return the mean absolute deviation of a term's contribution from its mean, summed over classes."""
    if isinstance(term, PairTable):
        mass = term.cell_mass.astype(np.float64).ravel()
        entries = term.table[:-1, :-1].reshape(len(mass), -1)
    else:
        mass = term.bin_mass.astype(np.float64)
        entries = term.table[: len(mass)].reshape(len(mass), -1)
    total, by_row = mass.sum(), mass[:, None]
    if not total > 0:
        return 0.0
    contributions = in_nats(entries)
    if contributions.shape[1] > 1:
        contributions = contributions - contributions.mean(axis=1, keepdims=True)
    contributions = contributions - (by_row * contributions).sum(axis=0) / total
    return float((by_row * np.abs(contributions)).sum(axis=0).sum()) / float(total)


def _normalized(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    total = shares.sum()
    return shares / total if total > 0 else shares
