"""Amounts on the bins of the classifier: what is fitted, what it decides, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV

from bayesieve import BenefitClassifier, SelectiveNaiveBayes, load
from bayesieve.exceptions import ExportError, ModelFileError, ParameterError
from bayesieve.export import export_sql, scorecard_csv

COST = 0.68


def campaign(seed, n=1500):
    """Donors: the more often they gave, the more probable and the smaller the next gift."""
    generator = np.random.default_rng(seed)
    often, last = generator.normal(size=n), np.exp(generator.normal(2.3, 0.6, size=n))
    p = 1 / (1 + np.exp(2.0 - often - 0.3 * np.log(last)))
    y = (generator.random(n) < p).astype(int)
    mean = 0.8 * last * np.exp(-0.3 * often)
    gifts = np.where(y == 1, mean * np.exp(generator.normal(0, 0.2, size=n)), np.nan)
    return pd.DataFrame({"often": often, "last": last}), y, gifts, p * mean * np.exp(0.02)


X, Y, GIFTS, _ = campaign(0)
INNER = SelectiveNaiveBayes(
    search="forward", bins="best", weights="none", discretizer="equal_frequency", keep=["often", "last"]
)


def fitted(**changes):
    return BenefitClassifier(INNER, **({"amount": "bins", "cost": COST} | changes)).fit(X, Y, amounts=GIFTS)


def test_amounts_are_a_ridge_regression_on_the_bins_of_positive_rows():
    model = fitted()
    bins = []
    for name in ("often", "last"):
        codes = np.searchsorted(model.estimator_.partitions_[name].bounds, X[name])  # a bound is in the lower bin
        bins.append(np.eye(codes.max() + 1)[codes])
    table = np.hstack(bins)
    ridge = RidgeCV(alphas=np.logspace(-2, 4, 25)).fit(table[Y == 1], GIFTS[Y == 1])
    np.testing.assert_allclose(model.expected_amount(X), ridge.predict(table).clip(min=0), atol=1e-5)
    assert model.expected_amount(X)[Y == 1].mean() == pytest.approx(GIFTS[Y == 1].mean(), rel=1e-3)


def test_decisions_beat_one_threshold_for_all_rows():
    new, _, _, true_value = campaign(1)
    by_row = fitted().predict(new) == 1
    by_mean = fitted(amount=None).predict(new) == 1
    mean = GIFTS[Y == 1].mean()
    np.testing.assert_array_equal(by_mean, fitted().predict_proba(new)[:, 1] * mean > COST)
    values = [float((true_value - COST)[who].sum()) for who in (by_row, by_mean, np.ones(len(new), dtype=bool))]
    assert values[0] > max(values[1:])


def test_weights_count_as_copies():
    weights = np.random.default_rng(2).integers(1, 3, len(Y))
    copies = np.repeat(np.arange(len(Y)), weights)
    mean = BenefitClassifier(INNER, cost=COST).fit(X, Y, weights, amounts=GIFTS)
    assert mean.expected_amount(X[:1])[0] == pytest.approx(np.nanmean(GIFTS[copies]), abs=1e-5)


def test_what_has_no_bins_or_no_form_in_a_file_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="needs the bins of a classifier of bayesieve, and LogisticRegression"):
        BenefitClassifier(LogisticRegression(), "bins").fit(X, Y, amounts=GIFTS)
    with pytest.raises(ParameterError, match="heckman=True needs amounts before the classifier has bins"):
        fitted(heckman=True)
    with pytest.raises(ParameterError, match="rename the column"):
        BenefitClassifier(INNER, "bins").fit(X.rename(columns={"last": "bins"}), Y, amounts=GIFTS)
    by_regressor = fitted(amount=LinearRegression())
    with pytest.raises(ModelFileError, match="not the amounts of a LinearRegression"):
        by_regressor.save(tmp_path / "m.json")
    with pytest.raises(ExportError, match="with amounts of type LearnedAmount cannot be exported as SQL"):
        export_sql(by_regressor)
    foreign = BenefitClassifier(LogisticRegression(), cost=COST).fit(X, Y, amounts=GIFTS)
    with pytest.raises(ModelFileError, match="LogisticRegression is not a classifier of bayesieve"):
        foreign.save(tmp_path / "m.json")
    with pytest.raises(ParameterError, match="A LogisticRegression has no explanations"):
        foreign.explain(X)


def test_a_matrix_is_saved_and_not_exported(tmp_path):
    matrix = [[0.0, 0.0], [-COST, 9.0], [-2.0, 12.0]]
    model = BenefitClassifier(INNER, benefit_matrix=matrix).fit(X, Y)
    model.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    np.testing.assert_array_equal(again.expected_benefit(X), model.expected_benefit(X))
    assert again.actions_.tolist() == [0, 1, 2]
    assert again.explain(X[:1])[0].amount is None
    with pytest.raises(ExportError, match="with a benefit_matrix cannot be exported as a scorecard"):
        scorecard_csv(model)
    with_column = BenefitClassifier(INNER, "last", cost=COST).fit(X, Y)
    with_column.save(tmp_path / "c.json")
    np.testing.assert_array_equal(load(tmp_path / "c.json").predict(X), with_column.predict(X))
