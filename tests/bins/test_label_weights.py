"""Weights of labels: the compiled function and its specification give the integers of a loop."""

import numpy as np
import pytest

from bayesieve._native import core
from bayesieve.bins.summary import weigh_labels, weigh_labels_numpy


@pytest.mark.parametrize("weigh", [weigh_labels, weigh_labels_numpy])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_weights_of_labels_by_a_loop(weigh, n_classes):
    rng = np.random.default_rng(n_classes)
    for high in (2, 50, 2**55):
        offsets = np.cumsum([0, *rng.integers(1, 40, 12)])
        counts = rng.integers(0, high, (int(offsets[-1]), n_classes))
        weights = weigh(counts, offsets)
        columns = weights.split(offsets, range(12))
        for begin, end, own in zip(offsets[:-1].tolist(), offsets[1:].tolist(), columns, strict=True):
            expected = [sum(row) for row in counts[begin:end].tolist()]
            assert own.of_label.tolist() == expected
            assert (own.total, own.largest) == (sum(expected), max(expected))
            assert own.n_values == sum(weight > 0 for weight in expected)


def test_no_columns_have_no_weights():
    for weigh in (weigh_labels, weigh_labels_numpy):
        assert [len(each) for each in weigh(np.empty((0, 2), dtype=np.int64), np.zeros(1, dtype=np.int64))] == [0] * 4


@pytest.mark.skipif(core is None, reason="there is no compiled core")
@pytest.mark.parametrize("offsets", [[], [0, 2], [1, 3], [0, 4, 3], [0, -1, 3]])
def test_core_refuses_offsets_beyond_the_counts(offsets):
    with pytest.raises(ValueError, match="offsets"):
        core.weigh_labels(np.ones((3, 2), dtype=np.int64), np.array(offsets, dtype=np.int64))
