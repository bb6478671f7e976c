"""The simulated mailing: frozen numbers, the published margins, and a truth that adds up."""

import json
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from bayesieve.datasets import make_donors
from bayesieve.datasets.donors import PARAMETERS
from bayesieve.exceptions import ParameterError


@pytest.fixture(scope="module")
def campaign():
    return make_donors(20_000, random_state=3)


def test_parameters_are_frozen():
    """They were set before any model was fitted: whoever changes them must measure every claim again."""
    text = json.dumps(PARAMETERS, sort_keys=True)
    assert sha256(text.encode()).hexdigest() == "8dbb9acde93857b04c3239b26fceb765eb14dfb0b1b2977c61a243b923c2e573"


def test_published_margins(campaign):
    assert campaign.data.shape == (20_000, 478)
    assert list(campaign.data.columns) == campaign.feature_names
    assert campaign.probabilities.mean() == pytest.approx(0.0508, abs=0.001)
    gave = campaign.target == 1
    assert ((campaign.amounts > 0) == gave).all()
    gifts = campaign.amounts[gave]
    assert gifts.min() >= 1
    assert gifts.max() <= 500
    assert gifts.mean() == pytest.approx(15.6, abs=1.5)
    assert np.median(gifts) < gifts.mean()
    assert np.corrcoef(campaign.probabilities, campaign.expected_amounts)[0, 1] < -0.3
    everyone = (campaign.probabilities * campaign.expected_amounts - campaign.cost).mean()
    assert everyone == pytest.approx(0.12, abs=0.02)


def test_the_truth_is_true(campaign):
    """Answers and gifts are as frequent and as large as in the true model, also where it is extreme."""
    p, m = campaign.probabilities, campaign.expected_amounts
    for part in np.array_split(np.argsort(p), 4):
        expected, spread = p[part].sum(), np.sqrt((p[part] * (1 - p[part])).sum())
        assert abs(campaign.target[part].sum() - expected) < 4 * spread
    gave = campaign.target == 1
    ratio = campaign.amounts[gave] / m[gave]
    assert ratio.mean() == pytest.approx(1.0, abs=4 * ratio.std() / np.sqrt(gave.sum()))


def test_columns_are_light_mixed_and_redundant(campaign):
    data = campaign.data
    kinds = {str(dtype) for dtype in data.dtypes}
    assert kinds == {"float32", "category"}
    assert 0.1 < data.isna().to_numpy().mean() < 0.3
    averages = data[[name for name in data.columns if name.startswith(("POP", "HH", "EC"))]]
    assert averages.shape[1] > 60
    closest = np.abs(averages.corr().to_numpy() - np.eye(averages.shape[1])).max(axis=1)
    assert np.median(closest) > 0.7
    assert set(campaign.hand_selected) <= set(data.columns)


def test_same_seed_same_people():
    one, two, other = make_donors(300, 5), make_donors(300, 5), make_donors(300, 6)
    pd.testing.assert_frame_equal(one.data, two.data)
    np.testing.assert_array_equal(one.amounts, two.amounts)
    assert not one.data["AVGGIFT"].equals(other.data["AVGGIFT"])
    # What another machine should find too: whole numbers only, so that a last bit does not matter.
    dollars = one.data[["RAMNTALL", "LASTGIFT", "NGIFTALL", "NUMPROM", "LASTDATE"]].astype(int).to_numpy()
    assert dollars.sum(axis=0).tolist() == [36321, 5299, 2955, 16921, 2870532]
    with pytest.raises(ParameterError, match="n_rows must be positive, got 0"):
        make_donors(0)
