"""The kernel and its twin give the same integers, by planes, arrays and hash tables, with any number of threads."""

import numpy as np
import pytest
from filters.brute_filters import entropy
from filters.filter_cases import random_rows

from bayesieve._native import core
from bayesieve.filters.joint_counts import JointSums, JointSumsNumpy
from bayesieve.filters.univariate import FixedLogs

needs_core = pytest.mark.skipif(core is None, reason="there is no compiled core")


@needs_core
@pytest.mark.parametrize("largest", [3, 9, 12, 300, 5000])
def test_core_equals_twin(largest):
    rng = np.random.default_rng(largest)
    for _ in range(40):
        rows, columns, _, _ = random_rows(rng, largest=largest)
        everything = np.arange(len(columns))
        one, two, twin = JointSums(rows), JointSums(rows, 2), JointSumsNumpy(rows)
        for other in everything.tolist():
            for with_class in (False, True):
                expected = twin.sums(other, everything, with_class=with_class)
                for counter in (one, two):
                    found = counter.sums(other, everything, with_class=with_class)
                    np.testing.assert_array_equal(found[0], expected[0])
                    assert (found[1] is None) == (not with_class)
                    if with_class:
                        np.testing.assert_array_equal(found[1], expected[1])


def test_twin_is_entropy():
    rng = np.random.default_rng(1)
    for _ in range(60):
        rows, columns, weights, target = random_rows(rng)
        logs, (a, b) = rows.logs, (columns[0], columns[-1])
        pairs, triples = JointSumsNumpy(rows).sums(len(columns) - 1, np.array([0]), with_class=True)
        assert logs.nats(logs.of_total - pairs)[0] == pytest.approx(entropy(weights, a, b), abs=1e-12)
        assert logs.nats(logs.of_total - triples)[0] == pytest.approx(entropy(weights, a, b, target), abs=1e-12)


def test_more_rows_than_a_word_and_many_classes():
    rng = np.random.default_rng(2)
    for n_rows in (63, 64, 65, 1000):
        rows, _, _, _ = random_rows(rng, n_columns=3)
        codes = np.array([rng.integers(0, 5, n_rows) for _ in range(3)], dtype=np.uint8)
        target = np.sort(rng.integers(0, 20, n_rows)).astype(np.int32)
        changed = rows.codes.__class__(codes, rows.codes.wide[:0, :0].reshape(0, n_rows), np.arange(3), np.full(3, 5))
        rows = rows.__class__(changed, target, np.ones(n_rows, dtype=np.int64), 20)
        expected = JointSumsNumpy(rows).sums(0, np.arange(3), with_class=True)
        found = (JointSums if core else JointSumsNumpy)(rows).sums(0, np.arange(3), with_class=True)
        np.testing.assert_array_equal(found, expected)


@needs_core
def test_core_refuses_what_is_out_of_range():
    rows, columns, _, _ = random_rows(np.random.default_rng(3), n_columns=3)
    counter = JointSums(rows)
    with pytest.raises(ValueError, match="positions of columns"):
        counter.sums(len(columns), np.arange(1), with_class=False)
    with pytest.raises(ValueError, match="positions of columns"):
        counter.sums(0, np.array([-1]), with_class=False)
    backwards = rows.__class__(rows.codes, rows.target[::-1].copy(), rows.weights, rows.n_classes)
    if rows.target[0] != rows.target[-1]:
        with pytest.raises(ValueError, match="sorted by class"):
            JointSums(backwards)


@pytest.mark.parametrize("total", [1, 2, 1000, 10**6, 2**40, 2**61])
def test_logs_are_close_for_any_weight(total):
    logs = FixedLogs(total)
    parts = np.array([total // 2, total - total // 2])
    expected = -sum(n / total * np.log(n / total) for n in parts.tolist() if n)
    assert logs.nats(np.array([logs.of_total - logs.of(parts).sum()]))[0] == pytest.approx(expected, abs=1e-12)
