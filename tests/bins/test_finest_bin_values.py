"""The values that bins stand for, against plain means and quantiles of each column."""

import numpy as np
import pandas as pd
import pytest

from bayesieve.bins import ColumnBins
from bayesieve.bins.finest_bins import find_bin_values
from bayesieve.data import Strata, read_table


def plain(values, weights, bin_of_value):
    """Return the mean of each bin and the values at 1 % and 99 %, from the median in units of a power of two."""
    order = np.argsort(values, kind="stable")
    values, weights, bins = values[order], weights[order], bin_of_value[order]
    sums = np.cumsum(weights)
    low, middle, high = (values[np.searchsorted(sums, np.ceil(q * sums[-1]))] for q in (0.01, 0.5, 0.99))
    largest = np.abs(values / 4 - middle / 4).max()
    unit = 2.0 ** np.frexp(largest)[1] if largest else 1.0
    relative = (values / 4 - middle / 4) / unit
    means = [np.average(relative[bins == b], weights=weights[bins == b]) for b in range(bins.max() + 1)]
    return means, ((low / 4 - middle / 4) / unit, (high / 4 - middle / 4) / unit)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_values_of_bins_are_weighted_means(scale):
    rng = np.random.default_rng(5)
    n_rows = 700
    table = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows).round(1) * scale,
            "name": rng.choice(["x", "y", "z"], n_rows),
            "skewed": rng.exponential(size=n_rows).round(2) * scale - 0.3 * scale,
            "constant": np.full(n_rows, 7.0 * scale),
        }
    )
    table.loc[::9, "skewed"] = np.nan
    weights = rng.integers(1, 6, n_rows)
    batch = read_table(table).batch(0, 4)
    counts = batch.count(Strata((np.arange(n_rows) % 2).astype(np.int32), 2, weights))
    column_bins, expected = [], []
    for name, column in zip(table, batch.columns, strict=True):
        bins = np.arange(len(column.labels)) * 5 // len(column.labels)
        bins = np.unique(bins, return_inverse=True)[1]
        column_bins.append(ColumnBins(None, np.append(bins, bins.max() + 1), np.zeros((bins.max() + 3, 2))))
        known = column.ids < len(column.labels)
        values = None if name == "name" else table[name].to_numpy()[known]
        expected.append(None if values is None else plain(values, weights[known], bins[column.ids[known]]))
    found = find_bin_values(batch, counts, column_bins)
    assert found[1] is None
    for each, wanted in zip(found, expected, strict=True):
        if wanted is not None:
            means, ends = wanted
            assert each[0] == pytest.approx(means, abs=1e-12)
            assert each[1] == pytest.approx(ends, abs=1e-12)
            assert np.abs(each[0]).max() < 1


def test_categories_alone_have_no_values():
    batch = read_table(pd.DataFrame({"name": ["x", "y"]})).batch(0, 1)
    counts = batch.count(Strata(np.zeros(2, dtype=np.int32), 1, None))
    assert find_bin_values(batch, counts, [None]) == [None]
