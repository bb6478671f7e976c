"""Weights of labels and of parts, recounted row by row in Python's integers."""

import numpy as np
import pytest

from bayesieve._native import available
from bayesieve.coding import Summary, count_labels, sum_by_part
from bayesieve.coding.summary import count_labels_numpy
from bayesieve.data import Column, Target


def recount(ids, target, weights, n_labels, n_classes):
    counts = [[0] * n_classes for _ in range(n_labels + 1)]
    for label, c, weight in zip(ids.tolist(), target.tolist(), weights, strict=True):
        counts[label][c] += weight
    return counts


def draw_weights(rng, kind, n_rows):
    """Return weights and what they are as Python's integers."""
    if kind == "none":
        return None, [1] * n_rows
    high = {"small": 5, "large": 2**31, "beyond floats": 2**57}[kind]
    weights = rng.integers(0, high, n_rows)
    if kind == "beyond floats":
        weights |= 1  # the last bit is what floats would lose
    return weights, weights.tolist()


@pytest.mark.parametrize("kind", ["none", "small", "large", "beyond floats"])
def test_labels_by_recounting(kind):
    rng = np.random.default_rng(0)
    for _ in range(300):
        n_rows, n_labels, n_classes = (int(rng.integers(low, 30)) for low in (0, 0, 1))
        ids = rng.integers(0, n_labels + 1, n_rows).astype(np.int32)
        target = rng.integers(0, n_classes, n_rows).astype(np.int32)
        weights, as_integers = draw_weights(rng, kind, n_rows)
        column = Column("a", tuple(range(n_labels)), ids)
        labels = Target(np.arange(n_classes), target)
        for count in (count_labels, count_labels_numpy):
            counts = count(column, np.arange(n_rows), labels, weights)
            assert counts.dtype == np.int64
            assert counts.shape == (n_labels + 1, n_classes)
            assert counts.tolist() == recount(ids, target, as_integers, n_labels, n_classes)


def test_some_rows_are_counted_in_any_order_and_as_often_as_they_are_named():
    rng = np.random.default_rng(2)
    column = Column("a", tuple(range(9)), rng.integers(0, 10, 50).astype(np.int32))
    for _ in range(50):
        rows = rng.integers(0, 50, 30)
        target = Target(np.arange(3), rng.integers(0, 3, 30).astype(np.int32))
        expected = recount(column.ids[rows], target.codes, [1] * 30, 9, 3)
        assert count_labels(column, rows, target, None).tolist() == expected


@pytest.mark.parametrize("rows", [[3], [-1]])
def test_rows_outside_the_column_are_refused(rows):
    column = Column("a", (1.0,), np.zeros(3, dtype=np.int32))
    with pytest.raises((ValueError, IndexError) if not available() else ValueError):
        count_labels(column, np.array([*rows, 9]), Target(np.arange(2), np.zeros(2, dtype=np.int32)), None)


@pytest.mark.parametrize("weight", [2**53 - 1, 2**53, 2**53 + 1, 2**60 + 1])
def test_one_cell_at_the_end_of_exact_floats(weight):
    column = Column("a", (1.0,), np.zeros(3, dtype=np.int32))
    target = Target(np.arange(2), np.ones(3, dtype=np.int32))
    counts = count_labels(column, np.arange(3), target, np.array([weight, 1, 1]))
    assert counts.tolist() == [[0, weight + 2], [0, 0]]
    sums = sum_by_part(np.zeros(80, dtype=np.intp), np.array([[weight]] + [[1]] * 79), 1)
    assert sums.tolist() == [[weight + 79]]


@pytest.mark.parametrize("high", [2, 2**31, 2**55])
@pytest.mark.parametrize("most", [8, 200])
def test_parts_by_recounting(high, most):
    rng = np.random.default_rng(1)
    for _ in range(200):
        n_labels, n_classes, n_codes = int(rng.integers(1, most)), int(rng.integers(1, 5)), int(rng.integers(1, 12))
        parts = rng.integers(0, n_codes, n_labels)
        counts = rng.integers(0, high, (n_labels, n_classes)) // n_labels
        expected = [[0] * n_classes for _ in range(n_codes)]
        for part, row in zip(parts.tolist(), counts.tolist(), strict=True):
            expected[part] = [a + b for a, b in zip(expected[part], row, strict=True)]
        sums = sum_by_part(parts, counts, n_codes)
        assert sums.dtype == np.int64
        assert sums.tolist() == expected


def test_mass_leaves_missing_out():
    summary = Summary("a", ("x", "y"), np.array([[1, 2], [0, 0], [0, 3]]), 1.0)
    assert summary.mass.tolist() == [3, 0]
    assert summary.missing
    assert not Summary("a", ("x",), np.array([[1, 2], [0, 0]]), 1.0).missing
