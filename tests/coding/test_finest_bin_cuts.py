"""Cuts of the finest bins: the compiled functions and their specifications give the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bayesieve.coding.finest_bins import readable_between, readable_between_numpy, slot_cuts, slot_cuts_numpy


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
    assert slot_cuts_numpy(np.array([1, 1, 1, 90, 1, 1, 1, 1]), 4).tolist() == [3, 4, 7]
    assert slot_cuts_numpy(np.full(6, 5), 3).tolist() == [2, 4]


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1.0, 1e5, 1e300])
def test_readable_bounds_are_as_specified(scale):
    rng = np.random.default_rng(int(np.log10(scale)) + 300)
    left = rng.normal(size=300) * scale
    gaps = np.abs(left) * 10.0 ** rng.integers(-17, 1, 300)
    right = np.maximum(np.nextafter(left, np.inf), left + gaps)
    bounds = readable_between(left, right)
    assert_array_equal(bounds, readable_between_numpy(left, right))
    assert np.all((left <= bounds) & (bounds < right))


def test_a_readable_bound_has_as_few_digits_as_possible():
    left, right = np.array([1.23456, 19.0, -2.0, 1e-9]), np.array([1.3, 31.0, 2.0, 3e-9])
    assert readable_between_numpy(left, right).tolist() == [1.27, 25.0, 0.0, 2e-9]
