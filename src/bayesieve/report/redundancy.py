# SPDX-License-Identifier: BSD-3-Clause
"""Pairwise redundancy of the selected columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import read_table
from bayesieve.filters import ClassTables
from bayesieve.filters.univariate import symmetric_uncertainty
from bayesieve.fit.memory_learning import sampled_rows
from bayesieve.report.rounding import rounded

__all__ = ["describe_redundancy", "use_matrix"]

_MOST_COLUMNS = 14


def describe_redundancy(model: Any, X: Any) -> dict[str, Any]:
    """Return the symmetric uncertainty of each two of the most important columns, by their optimal bins.

    2 I(a; b) / (H(a) + H(b)) is 0 if two columns are independent, and 1 if each determines the other. A thousand rows,
    evenly spread over the table, are enough for that.
    """
    table = read_table(X)
    place = {name: j for j, name in enumerate(model.column_names_)}
    shares = model.feature_importances_
    names = sorted(model.scorecard_.names, key=lambda name: (-shares[place[name]], place[name]))[:_MOST_COLUMNS]
    rows = sampled_rows(table.n_rows)
    codes = []
    for name in names:
        column = table.column(place[name])
        codes.append(model.partitions_[name].bins_of(column)[column.ids[rows]])
    matrix = [[rounded(_association(a, b)) for b in codes[:i]] for i, a in enumerate(codes)]
    return {"columns": [place[name] for name in names], "matrix": matrix}


def use_matrix(columns: dict[str, list[Any]], redundancy: dict[str, Any]) -> dict[str, list[Any]]:
    """Give the columns of the matrix their largest entry there, so that one number is shown for two columns."""
    places, matrix = redundancy["columns"], redundancy["matrix"]
    for i, j in enumerate(places):
        entries = [(matrix[max(i, k)][min(i, k)], -k) for k in range(len(places)) if k != i]
        if entries and columns["redundancy"][j] is not None:
            value, k = max(entries)
            columns["redundancy"][j], columns["redundant_with"][j] = value, places[-k]
    return columns


def _association(a: NDArray[np.intp], b: NDArray[np.intp]) -> float:
    counts = np.zeros((int(a.max()) + 1, int(b.max()) + 1), dtype=np.int64)
    np.add.at(counts, (a, b), 1)
    return float(symmetric_uncertainty(ClassTables.stack([counts], counts.sum(axis=0)))[0])
