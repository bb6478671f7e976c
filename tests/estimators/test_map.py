"""The log loss with the prior of the subset, from the estimator's side: one cost on every rows and in every report."""

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.datasets import make_classification

from bayesieve import SelectiveNaiveBayes
from bayesieve.search import SEARCHES

X, Y = make_classification(240, 9, n_informative=4, n_redundant=1, random_state=1)
N_COLUMNS = X.shape[1]


def fit(weights=None, **parameters):
    given = {
        "criterion": "map",
        "discretizer": "equal_frequency",
        "cv": 0,
        "bins": "best",
        "weights": "none",
    }
    return SelectiveNaiveBayes(**(given | parameters)).fit(X, Y, weights)


def prior(size, n_columns=N_COLUMNS):
    choices = gammaln(n_columns + size) - gammaln(size + 1) - gammaln(n_columns)
    return np.log(n_columns + 1) + choices


def surprise(model, rows=slice(None)):
    log_p = model.predict_log_proba(X[rows])
    return -log_p[np.arange(len(log_p)), Y[rows]]


@pytest.mark.parametrize("search", SEARCHES)
def test_the_score_is_the_cost_of_each_row(search):
    model = fit(search=search)
    visit = model.path_.of_size(model.n_features_)
    cost = surprise(model).sum() + prior(model.n_features_)
    assert -visit.score == pytest.approx(cost / len(Y), abs=1e-9)
    assert visit.split_scores == (visit.score,)


@pytest.mark.parametrize("scale", [1.0, 0.25, 3.0])
def test_weights_count_as_rows(scale):
    weights = (np.arange(len(Y)) % 4) * scale
    model = fit(weights)
    cost = (surprise(model) * weights).sum() + prior(model.n_features_)
    assert -model.path_.of_size(model.n_features_).score == pytest.approx(cost / weights.sum(), abs=1e-9)


def test_heavier_rows_afford_more_columns():
    sizes = [fit(np.full(len(Y), weight), smoothing=1e-3).n_features_ for weight in (2.0**-2, 1.0, 2.0**10)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize("cv", [3, 0.4])
def test_scored_rows_pay_together(cv):
    """Every fold pays what the mean pays, and N is the weight of all scored rows."""
    how = {"cv": cv, "n_features": 3, "random_state": 0}
    model, rows_alone = fit(**how, scoring=["log_loss"]), len(Y) if cv == 3 else round(0.4 * len(Y))
    results = model.cv_results_
    expected = results["mean_test_log_loss"] - [prior(k) / rows_alone for k in results["n_features"]]
    np.testing.assert_allclose(results["mean_test_score"], expected, atol=1e-12)


def test_rows_that_several_folds_score_count_once():
    halves = [(np.arange(0, 240, 2), np.arange(1, 240, 2)), (np.arange(1, 240, 2), np.arange(0, 240, 2))]
    once, thrice = fit(cv=halves, n_features=2), fit(cv=halves * 3, n_features=2)
    np.testing.assert_allclose(once.path_.scores, thrice.path_.scores, atol=1e-14)


def test_it_can_be_reported_beside_another_criterion():
    log_loss, by_map = fit(criterion="log_loss", scoring=["map"], n_features=4), fit(n_features=4)
    assert [step.column for step in log_loss.path_.steps] == [step.column for step in by_map.path_.steps]
    np.testing.assert_array_equal(log_loss.cv_results_["mean_test_map"], by_map.cv_results_["mean_test_score"])


def test_reasons_weigh_the_prior_too():
    model = fit()
    chosen = [name for name, entry in model.why_.items() if entry["selected"]]
    assert 0 < len(chosen) < N_COLUMNS
    for name, entry in model.why_.items():
        assert (entry["gain"] > 0) == (name in chosen)
        alone = fit(start_from=[int(name.removeprefix("x"))], n_features=1)
        assert entry["score_alone"] == alone.path_.phases[0].score


def test_noise_is_not_selected():
    rng = np.random.default_rng(0)
    noise, labels = rng.integers(0, 3, (300, 30)).astype(float), rng.integers(0, 2, 300)
    how = {"bins": "best", "weights": "none", "discretizer": None, "cv": 0}
    model = SelectiveNaiveBayes("fast-forward-backward", "map", **how)
    with pytest.warns(UserWarning, match="No column improves map"):
        assert model.fit(noise, labels).n_features_ == 0
