"""The share of columns or pairs that have an effect: the maximum of its likelihood."""

import numpy as np
import pytest

from bayesieve.search.effect_share import effect_share


def share_within(factors, least, most):
    """Return the share between two bounds, as the search for pairs asks for it."""
    return effect_share(factors, most, (least, most), n_rounds=500, tolerance=1e-6)


def test_the_share_of_pairs_is_the_maximum_of_its_likelihood():
    factors = np.concatenate([np.full(900, -1.0), np.full(100, 6.0)])
    shares = np.linspace(1e-4, 0.5, 20000)
    prior = 0.5 * np.log(shares) + 0.5 * np.log1p(-shares)
    likelihood = 900 * np.log1p(shares * np.expm1(-1.0)) + 100 * np.log1p(shares * np.expm1(6.0)) + prior
    assert share_within(factors, 1e-6, 0.5) == pytest.approx(shares[likelihood.argmax()], rel=0.01)
    assert share_within(factors, 1e-6, 0.01) == 0.01
    assert share_within(np.full(50, -3.0), 0.02, 0.2) == 0.02


@pytest.mark.parametrize("scale", [1.0, 2.0, 20.0])
def test_the_share_of_interacting_pairs_by_its_formula(scale):
    factors = np.random.default_rng(2).normal(-0.5 * scale, scale, size=200)
    share = 0.5
    for _ in range(2000):
        odds = share * np.exp(factors)
        share = ((odds / (odds + 1.0 - share)).sum() + 0.5) / 201.0
    assert share_within(factors, 1e-9, 0.5) == pytest.approx(share, rel=1e-4)
