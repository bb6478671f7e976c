"""Averaged bins: tables in which a row does not count for itself."""

import numpy as np
import pytest

from bayesieve.bins import FinestBins, Groups, Intervals, Summary
from bayesieve.models import AveragedBins


def tables_of(codes, y, partition, n_classes):
    counts = np.zeros((partition.n_bins + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (codes, y), 1)
    offsets = np.array([0, len(counts)])
    return AveragedBins().learn(counts, offsets, np.bincount(y, minlength=n_classes), 1.0, [partition])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_left_out_of_its_part(n_classes):
    """The posterior of partitions and the class shares are those of all rows, so that this is near and not exact."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, 400)
    x = rng.normal(size=400) + y
    labels, ids = np.unique(x, return_inverse=True)
    counts = np.zeros((len(labels) + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (ids, y), 1)
    partition = FinestBins(n_intervals=8).learn(Summary("x", labels, counts, 1.0))
    codes = partition.bounds.searchsorted(x)
    tables = tables_of(codes, y, partition, n_classes)
    kept = np.ones(400, dtype=bool)
    for i in range(0, 400, 23):
        kept[i] = False
        really = tables_of(codes[kept], y[kept], partition, n_classes).entries[codes[i]]
        kept[i] = True
        left_out = tables.without_own(int(y[i])).entries[codes[i]]
        both = np.array([really - really.mean(), left_out - left_out.mean()]) / 2.0**40
        np.testing.assert_allclose(both[1], both[0], atol=0.05)
        whole = tables.entries[codes[i]]
        assert left_out[y[i]] < whole[y[i]]
        assert (np.delete(left_out, y[i]) == np.delete(whole, y[i])).all()


def test_columns_together_as_each_alone():
    """Columns with and without missing values, and nominal ones, whose parts are ordered by their class rates."""
    rng = np.random.default_rng(3)
    kinds = [Intervals(np.arange(4.0), missing) for missing in (False, True)]
    kinds += [Groups((("p",), ("q",), ("r",)), missing) for missing in (False, True)]
    partitions = [kinds[k] for k in rng.integers(0, 4, 30)]
    counts = [np.append(rng.integers(0, 40, (each.n_bins, 2)), [[0, 0]], axis=0) for each in partitions]
    mass = np.array([500, 500])
    offsets = np.cumsum([0, *map(len, counts)])
    together = AveragedBins().learn(np.concatenate(counts), offsets, mass, 1.0, partitions)
    for k, (partition, own) in enumerate(zip(partitions, counts, strict=True)):
        n = partition.n_bins
        if isinstance(partition, Groups):
            order = np.argsort(own[:n, 1] / own[:n].sum(axis=1), kind="stable")
        else:
            order = np.roll(np.arange(n), 1) if partition.missing else np.arange(n)
        plain = Intervals(np.arange(n - 1.0), False)  # the same parts, put in order by hand
        alone = AveragedBins().learn(np.append(own[order], [[0, 0]], axis=0), np.array([0, n + 1]), mass, 1.0, [plain])
        entries = together.entries[offsets[k] : offsets[k + 1]]
        assert (entries[n] == 0).all()
        if not isinstance(partition, Groups):  # the prior of groups is another
            np.testing.assert_array_equal(entries[order], alone.entries[:n])
            assert together.log_bayes_factor[k] == alone.log_bayes_factor[0]
        else:
            log_odds = entries[order, 1] - entries[order, 0]
            assert (np.diff(log_odds) >= 0).all()
