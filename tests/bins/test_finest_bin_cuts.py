"""Cuts of the finest bins: the compiled functions and their specifications give the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bayesieve._native import core
from bayesieve.bins.finest_bins import readable_between, readable_between_numpy, slot_cuts, slot_cuts_numpy


def masses(rng):
    """Return masses of one to a few hundred values, of which some outweigh all others."""
    mass = rng.integers(1, rng.choice([2, 5, 1000]), rng.integers(2, 300), endpoint=True)
    heavy = rng.random(len(mass)) < rng.choice([0.0, 0.02, 0.3])
    return np.where(heavy, mass * 10_000, mass)


@pytest.mark.parametrize("seed", range(60))
def test_slots_are_cut_as_specified(seed):
    rng = np.random.default_rng(seed)
    mass = masses(rng)
    n_slots = int(rng.integers(1, len(mass)))
    cuts = slot_cuts(mass, n_slots)
    assert_array_equal(cuts, slot_cuts_numpy(mass, n_slots))
    assert np.all(np.diff(cuts) > 0)
    assert np.all((cuts > 0) & (cuts < len(mass)))


def test_values_that_fill_a_slot_are_alone_and_others_share():
    assert slot_cuts_numpy(np.array([1, 1, 1, 90, 1, 1, 1, 1]), 4).tolist() == [3, 4]
    assert slot_cuts_numpy(np.array([1, 1, 1, 90, 1, 1, 1, 1, 1, 1]), 4).tolist() == [3, 4, 7]
    assert slot_cuts_numpy(np.full(6, 5), 3).tolist() == [2, 4]


@pytest.mark.parametrize("n_values", [2, 3, 127, 128, 129, 1000])
def test_single_rows_are_cut_as_specified(n_values):
    for n_slots in (1, 2, 7, 64, 128):
        mass = np.ones(n_values, dtype=np.int64)
        assert_array_equal(
            slot_cuts(mass, n_slots), slot_cuts_numpy(mass, n_slots) if n_values > n_slots else mass[1:].cumsum()
        )


@pytest.mark.skipif(core is None, reason="there is no compiled core")
def test_mass_must_be_positive_and_must_not_overflow():
    for mass in ([1, 0], [1, -1], [2**61, 2**61], [2**62, 1], [-(2**63), 1]):
        with pytest.raises(ValueError, match="mass must be positive"):
            core.slot_cuts(np.array(mass), 1)
    assert core.slot_cuts(np.array([2**61, 2**61 - 1]), 1).tolist() == []


@pytest.mark.parametrize("scale", [1e-300, 1e-24, 1e-19, 1e-12, 1e-3, 1.0, 1e5, 1e19, 1e22, 1e300])
def test_readable_bounds_are_as_specified(scale):
    rng = np.random.default_rng(int(np.log10(scale)) + 300)
    left = rng.normal(size=300) * scale
    gaps = np.abs(left) * 10.0 ** rng.integers(-17, 1, 300)
    right = np.maximum(np.nextafter(left, np.inf), left + gaps)
    bounds = readable_between(left, right)
    assert_array_equal(bounds, readable_between_numpy(left, right))
    assert np.all((left <= bounds) & (bounds < right))


def test_readable_bounds_near_powers_of_ten_and_halves_of_a_digit_are_as_specified():
    rng = np.random.default_rng(3)
    powers = 10.0 ** rng.integers(-21, 22, 400)
    digits = rng.integers(0, 12, 400)
    middles = np.where(rng.random(400) < 0.5, powers, powers * (rng.integers(1, 100, 400) + 0.5))
    middles = middles * (1.0 + rng.choice([0.0, 1e-16, -1e-16, 1e-9, -1e-9], 400)) * rng.choice([1.0, -1.0], 400)
    gaps = np.abs(middles) * 10.0 ** -digits.astype(float)
    left, right = middles - gaps, np.maximum(np.nextafter(middles - gaps, np.inf), middles + gaps)
    assert_array_equal(readable_between(left, right), readable_between_numpy(left, right))


def test_a_readable_bound_has_as_few_digits_as_possible():
    left, right = np.array([1.23456, 19.0, -2.0, 1e-9]), np.array([1.3, 31.0, 2.0, 3e-9])
    assert readable_between_numpy(left, right).tolist() == [1.27, 25.0, 0.0, 2e-9]
