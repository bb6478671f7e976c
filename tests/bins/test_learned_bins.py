"""The bins of several columns are a sequence of the bins of each."""

import numpy as np
import pytest

from bayesieve.bins import ColumnBins, LearnedBins


def test_columns_by_place_from_both_ends():
    counts = np.arange(14).reshape(7, 2)
    bins = LearnedBins(["a", "b", "c"], [np.array([0]), np.array([1]), np.array([2])], np.array([0, 2, 5, 7]), counts)
    assert [each.counts.tolist() for each in bins] == [counts[:2].tolist(), counts[2:5].tolist(), counts[5:].tolist()]
    assert isinstance(bins[0], ColumnBins)
    for j in range(3):
        assert bins[j].counts.tolist() == bins[j - 3].counts.tolist() == list(bins)[j].counts.tolist()
    assert [each.partition for each in bins[1:]] == ["b", "c"]
    assert [each.partition for each in reversed(bins)] == ["c", "b", "a"]
    assert bins.take(np.array([0, 2])).counts.tolist() == [*counts[:2].tolist(), *counts[5:].tolist()]
    with pytest.raises(IndexError):
        bins[3]
