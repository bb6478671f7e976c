"""Weights become integers of one unit, exactly where they can be."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayesieve.data import read_weights
from bayesieve.exceptions import DataError


def test_none_is_one_each():
    weights = read_weights(None, 3)
    assert (weights.units.tolist(), weights.unit, weights.total) == ([1, 1, 1], 1.0, 3.0)


def test_a_number_is_for_every_row():
    assert read_weights(2, 3).units.tolist() == [2, 2, 2]


@given(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=9).filter(any))
def test_whole_numbers_are_kept(values):
    weights = read_weights(values, len(values))
    assert weights.units.tolist() == values
    assert weights.unit == 1.0
    assert weights.total == sum(values)
    assert weights.take(np.array([0])).units.tolist() == values[:1]


@given(st.lists(st.floats(0, 1e300, allow_subnormal=False), min_size=1, max_size=9).filter(any))
def test_others_are_within_one_unit(values):
    weights = read_weights(values, len(values))
    assert 0 < weights.unit < np.inf
    assert np.log2(weights.unit) % 1 == 0
    assert (weights.units[np.array(values) > 0] > 0).all()
    assert (weights.units[np.array(values) == 0] == 0).all()
    assert weights.units.max() <= 2**31
    error = np.abs(weights.units * weights.unit - np.array(values))
    assert (error <= weights.unit).all()


def test_the_smallest_float_is_a_weight():
    weights = read_weights([5e-324, 0.0], 2)
    assert weights.units.tolist() == [1, 0]
    assert weights.unit > 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], r"has shape \(2,\) and the table has 3 rows"),
        ([[1], [2], [3]], r"has shape \(3, 1\)"),
        ([1, -1, 1], "negative"),
        ([0, 0, 0], "zero for every row"),
        ([1, np.nan, 1], "missing or infinite"),
        ([1, np.inf, 1], "missing or infinite"),
        ([1e308, 1e308, 1e308], "adds up to more than the largest float"),
        (["a", "b", "c"], "must hold numbers"),
    ],
)
def test_refused_weights(values, message):
    with pytest.raises(DataError, match=message):
        read_weights(values, 3)
