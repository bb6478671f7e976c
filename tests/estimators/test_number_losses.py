"""Counts, amounts and rates: losses, links and exposures of a ScorecardRegressor."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve import ScorecardRegressor, load
from bayesieve.exceptions import DataError, ParameterError


def claims(n_rows, seed=0):
    """Return columns, counts, exposures and the true rate."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"age": rng.uniform(18, 80, n_rows), "town": rng.choice(["a", "b"], n_rows), "noise": rng.random(n_rows)}
    )
    rate = np.exp(-1.0 + 0.03 * (50.0 - X["age"].to_numpy()) + 0.8 * (X["town"] == "b").to_numpy())
    exposure = rng.uniform(0.1, 2.0, n_rows)
    return X, rng.poisson(rate * exposure).astype(float), exposure, rate


@pytest.fixture(scope="module")
def policies():
    return claims(2500)


@pytest.fixture(scope="module")
def frequency(policies):
    X, y, exposure, _ = policies
    return ScorecardRegressor(loss="poisson", n_pairs=0).fit(X, y, exposure=exposure)


def test_rates_of_counts_are_found(policies, frequency):
    X, _, _, _ = policies
    assert frequency.link_ == "log"
    assert sorted(each.name for each in frequency.scorecard_.tables) == ["age", "town"]
    _, _, _, rate = policies
    assert np.sqrt(np.mean(np.log(frequency.predict(X) / rate) ** 2)) < 0.2
    factors = frequency.scorecard()
    town = factors[factors["column"] == "town"].set_index("bin")["factor"]
    assert_allclose(town["b"] / town["a"], np.exp(0.8), rtol=0.15)


def test_an_exposure_multiplies_predictions_and_may_be_a_column(policies, frequency):
    X, y, exposure, _ = policies
    assert_allclose(frequency.predict(X, exposure=exposure), exposure * frequency.predict(X), rtol=1e-15)
    with_column = X.assign(years=exposure)
    named = ScorecardRegressor(loss="poisson", n_pairs=0, exposure="years").fit(with_column, y)
    assert_array_equal(named.predict(with_column), frequency.predict(X, exposure=exposure))
    assert named.why_["years"]["selected"] is False
    months = ScorecardRegressor(loss="poisson", n_pairs=0).fit(X, y, exposure=12.0 * exposure)
    assert_allclose(12.0 * months.predict(X), frequency.predict(X), rtol=1e-9)
    total = frequency.predict(X, exposure=exposure).sum()
    assert_allclose(total, y.sum(), rtol=0.02)


def test_explanations_multiply_to_predictions(policies, frequency, tmp_path):
    X, _, _, _ = policies
    for explained, prediction in zip(frequency.explain(X[:10]), frequency.predict(X[:10]), strict=True):
        assert_allclose(explained.start * np.prod([each.factor for each in explained.contributions]), prediction)
        assert "×" in str(explained)
    frequency.save(tmp_path / "model.json")
    assert_array_equal(load(tmp_path / "model.json").predict(X), frequency.predict(X))


def test_twins_and_units_give_the_same_model(policies, frequency):
    X, y, exposure, _ = policies
    twin = ScorecardRegressor(loss="poisson", n_pairs=0, backend="reference").fit(X, y, exposure=exposure)
    assert_array_equal(twin.predict(X), frequency.predict(X))
    rng = np.random.default_rng(0)
    amounts = rng.gamma(2.0, 1.0 / frequency.predict(X[:600]))
    X = X[:600]
    for loss in ("gamma", "tweedie"):
        dollars = ScorecardRegressor(loss=loss, n_pairs=0).fit(X, amounts)
        cents = ScorecardRegressor(loss=loss, n_pairs=0).fit(X, 100.0 * amounts)
        assert_allclose(cents.predict(X) / 100.0, dollars.predict(X), rtol=1e-11)


def test_amounts_and_sums_with_zeros_are_predicted():
    X, y, exposure, rate = claims(2000, seed=1)
    rng = np.random.default_rng(0)
    sums = np.array([rng.gamma(2.0, 0.5, int(n)).sum() for n in y])
    model = ScorecardRegressor(loss="tweedie", power=1.6, n_pairs=0).fit(X, sums, exposure=exposure)
    assert np.corrcoef(np.log(model.predict(X)), np.log(rate))[0, 1] > 0.95
    amounts = rng.gamma(5.0, rate / 5.0)
    severity = ScorecardRegressor(loss="gamma", n_pairs=0).fit(X, amounts)
    assert np.sqrt(np.mean(np.log(severity.predict(X) / rate) ** 2)) < 0.1
    assert severity.score(X, amounts) > 0.6


def test_the_link_of_squared_errors_is_chosen_out_of_fold():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    product = np.exp(X[:, 0] + 0.5 * X[:, 1]) * (1.0 + 0.2 * rng.normal(size=800)).clip(0.1)
    total = 20.0 + 2.0 * X[:, 0] + X[:, 1] + rng.normal(size=800)
    assert ScorecardRegressor(n_pairs=0).fit(X, product).link_ == "log"
    assert ScorecardRegressor(n_pairs=0).fit(X, total).link_ == "identity"
    assert ScorecardRegressor(n_pairs=0, link="log").fit(X, total).link_ == "log"
    assert ScorecardRegressor(n_pairs=0, link="identity").fit(X, product).link_ == "identity"
    assert ScorecardRegressor(n_pairs=0).fit(X, product - 1.0).link_ == "identity"


@pytest.mark.parametrize(
    ("loss", "target", "message"),
    [
        ("gamma", lambda y: y, "use loss='tweedie'"),
        ("poisson", lambda y: y - 1.0, "numbers of 0 or more"),
        ("tweedie", lambda y: -y - 1.0, "numbers of 0 or more"),
        ("poisson", lambda y: 0.0 * y, "0 in every row"),
    ],
)
def test_targets_that_a_loss_does_not_have_are_refused(loss, target, message):
    X, y, _, _ = claims(100)
    with pytest.raises(DataError, match=message):
        ScorecardRegressor(loss=loss).fit(X, target(y))


def test_exposures_that_cannot_be_are_refused():
    X, y, exposure, _ = claims(200)
    poisson = ScorecardRegressor(loss="poisson", n_pairs=0)
    for wrong in (-exposure, exposure[:-1], np.where(exposure > 1, np.nan, exposure), 0.0 * exposure):
        with pytest.raises(DataError):
            poisson.fit(X, y, exposure=wrong)
    with pytest.raises(ParameterError, match="log link"):
        ScorecardRegressor().fit(X, y, exposure=exposure)
    with pytest.raises(ParameterError, match="identity"):
        ScorecardRegressor(loss="poisson", link="identity").fit(X, y)
    empty = np.where(y == 0.0, 0.0, exposure)
    with pytest.warns(UserWarning, match="are left out"):
        assert np.isfinite(poisson.fit(X, y, exposure=empty).predict(X)).all()


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_amounts_are_predicted(scale):
    X, _, _, rate = claims(300)
    predicted = ScorecardRegressor(loss="gamma", n_pairs=0).fit(X, scale * rate).predict(X)
    assert_allclose(predicted / scale, rate, rtol=0.5)
