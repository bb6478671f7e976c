"""Bounds lie between their neighbors, and are as short as a number near the middle can be."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from draws import draws
from hypothesis import example, given, strategies as st

from bayesieve.bins.finest_bins import between, readable_between, readable_between_numpy

LARGEST = float(np.finfo(float).max)
TINY = 5e-324
floats = st.floats(allow_nan=False, allow_infinity=False)
decimals = st.decimals(-1000, 1000, places=3).map(float)
neighbors = st.tuples(floats, floats) | st.tuples(decimals, decimals)


def readable(left, right):
    return float(readable_between(np.array([left]), np.array([right]))[0])


def n_digits(number):
    """Return the number of significant digits of the shortest decimal that is this float."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


@pytest.mark.parametrize(
    ("left", "right", "bound"),
    [
        (1, 2, 1.5),
        (0.7, 0.9, 0.8),
        (1.6, 1.7, 1.65),
        (999, 1001, 1000),
        (1234, 1300, 1270),  # the middle is 1267, and 6.6 to either side are near enough
        (-2, -1, -1.5),
        (-3, 5, 1),
        (-1, 1, 0),
        (1e300, 3e300, 2e300),
        (0.123456, 0.123457, 0.1234565),
    ],
)
def test_by_hand(left, right, bound):
    assert readable(left, right) == bound


@given(neighbors)
@example((-LARGEST, LARGEST))
@example((np.nextafter(LARGEST, 0), LARGEST))
@example((0.0, TINY))
@example((-TINY, 0.0))
@example((TINY, 2 * TINY))
@example((-TINY, TINY))
@example((1.0, np.nextafter(1.0, 2)))
def test_both_neighbours_stay_on_their_sides(pair):
    left, right = sorted(pair)
    if left == right:
        return
    for bound in (readable(left, right), float(between(np.array([left]), np.array([right]))[0])):
        assert left <= bound < right  # values up to a bound are left of it
        adjacent = np.nextafter(left, right) == right
        assert bound == left if adjacent else left <= bound


@given(st.tuples(decimals, decimals))
def test_no_number_near_the_middle_is_shorter(pair):
    left, right = sorted(pair)
    if left == right:
        return
    bound = readable(left, right)
    middle, reach = Fraction(left) / 2 + Fraction(right) / 2, (Fraction(right) - Fraction(left)) / 10
    assert abs(Fraction(bound) - middle) <= reach * Fraction(1001, 1000)
    for digits in range(1, n_digits(bound)):
        nearest = Fraction(Decimal(f"{float(middle):.{digits - 1}e}"))
        assert abs(nearest - middle) >= reach * Fraction(999, 1000)


@given(st.lists(floats, min_size=2, max_size=10, unique=True))
def test_bounds_of_a_column_increase(values):
    distinct = np.array(sorted(set(np.array(values) + 0.0)))
    if len(distinct) > 1:
        bounds = readable_between(distinct[:-1], distinct[1:])
        assert np.searchsorted(bounds, distinct).tolist() == list(range(len(distinct)))


def test_adjacent_floats_at_every_magnitude():
    left = np.ldexp(np.random.default_rng(0).uniform(0.5, 1, 400), np.linspace(-1070, 1020, 400).astype(int))
    left = np.concatenate([left, -left])
    assert readable_between(left, np.nextafter(left, np.inf)).tolist() == left.tolist()


@pytest.mark.parametrize("seed", range(draws(3, 30)))
def test_the_core_has_the_bits_of_the_specification(seed):
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.integers(-25, 25, 600)
    near_powers = sizes * (1.0 + rng.normal(size=600) * 10.0 ** rng.integers(-17, 0, 600))
    few_digits = rng.integers(-9999, 9999, 600) / 10.0 ** rng.integers(0, 8, 600)
    left = np.concatenate([near_powers, -near_powers, few_digits])
    right = left + np.abs(left) * 10.0 ** rng.integers(-17, 1, len(left)) + 0.0
    apart = right > left
    found = readable_between(left[apart], right[apart])
    np.testing.assert_array_equal(found, readable_between_numpy(left[apart], right[apart]))


def test_no_bounds():
    assert readable_between(np.empty(0), np.empty(0)).tolist() == []
