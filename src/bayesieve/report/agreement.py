"""How much the chosen columns say of each other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import read_table
from bayesieve.report.brief import brief
from bayesieve.training.labeled_rows import sampled_rows

__all__ = ["describe_agreement"]

_MOST_COLUMNS = 14


def describe_agreement(model: Any, X: Any) -> dict[str, Any]:
    """Return the symmetric uncertainty of each two of the most important columns, by their best bins.

    2 I(a; b) / (H(a) + H(b)) is 0 if two columns are independent, and 1 if each tells the other. A thousand rows,
    evenly spread over the table, are enough for that.
    """
    table = read_table(X)
    place = {name: j for j, name in enumerate(model.column_names_)}
    shares = model.feature_importances_
    names = sorted(model.weights_, key=lambda name: (-shares[place[name]], place[name]))[:_MOST_COLUMNS]
    rows = sampled_rows(table.n_rows)
    codes = []
    for name in names:
        column = table.column(place[name])
        codes.append(model.partitions_[name].bins_of(column)[column.ids[rows]])
    matrix = [[brief(_symmetric_uncertainty(a, b)) for b in codes[:i]] for i, a in enumerate(codes)]
    return {"columns": [place[name] for name in names], "matrix": matrix}


def _symmetric_uncertainty(a: NDArray[np.intp], b: NDArray[np.intp]) -> float:
    width = int(b.max()) + 1
    single = _entropy(np.bincount(a)) + _entropy(np.bincount(b))
    joint = _entropy(np.bincount(a * width + b))
    return max(0.0, 2.0 * (single - joint) / single) if single > 0 else 0.0


def _entropy(counts: NDArray[np.intp]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
