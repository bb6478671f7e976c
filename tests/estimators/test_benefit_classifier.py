"""Decisions with costs, around any classifier."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

from bayesieve import BenefitClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import DataError, ParameterError

COST = 0.68


def campaign(seed, n=3000):
    """Donors: the more often they gave, the more probable and the smaller the next gift."""
    generator = np.random.default_rng(seed)
    often, last = generator.normal(size=n), np.exp(generator.normal(2.3, 0.6, size=n))
    p = 1 / (1 + np.exp(2.8 - often))
    y = (generator.random(n) < p).astype(int)
    mean = 0.8 * last * np.exp(-0.3 * often)
    gifts = np.where(y == 1, mean * np.exp(generator.normal(0, 0.2, size=n)), np.nan)
    return pd.DataFrame({"often": often, "last": last}), y, gifts, p * mean * np.exp(0.02)


def numbers(model, *columns):
    return make_pipeline(make_column_transformer(("passthrough", list(columns))), model)


def donors(**changes):
    return BenefitClassifier(LogisticRegression(), LinearRegression(), **({"cost": COST} | changes))


def test_the_rule_is_probability_times_amount():
    X, y, gifts, _ = campaign(0)
    fitted = donors().fit(X, y, amounts=gifts)
    p = LogisticRegression().fit(X, y).predict_proba(X)[:, 1]
    amount = LinearRegression().fit(X[y == 1], gifts[y == 1]).predict(X).clip(min=0)
    expected = fitted.expected_benefit(X)
    np.testing.assert_allclose(expected, np.column_stack([np.zeros(len(X)), p * amount - COST]), atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(X), (expected[:, 1] > 0).astype(int))
    new, truth, brought, _ = campaign(1)
    profit = fitted.realized_benefit(new, truth, amounts=brought)
    mailed = fitted.predict(new) == 1
    assert profit.total == pytest.approx(np.nansum(brought[mailed]) - COST * mailed.sum())
    assert profit.n_acted == mailed.sum()
    assert profit.low < profit.total < profit.high
    curve = fitted.profit_curve(new, truth, brought)
    assert curve.total[curve.n_acted == mailed.sum()] == pytest.approx(profit.total)
    assert curve.total[-1] == pytest.approx(np.nansum(brought) - COST * len(new))


def test_a_weight_of_k_is_k_copies_in_the_same_fold():
    X, y, gifts, _ = campaign(6, 300)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    copies, fold = np.repeat(np.arange(len(y)), weights), np.arange(len(y)) % 3
    by_weights, by_copies = (
        [(np.flatnonzero(f != k), np.flatnonzero(f == k)) for k in range(3)] for f in (fold, fold[copies])
    )
    weighted = donors(heckman=True, cv=by_weights).fit(X, y, sample_weight=weights, amounts=gifts)
    copied = donors(heckman=True, cv=by_copies).fit(X.iloc[copies], y[copies], amounts=gifts[copies])
    np.testing.assert_allclose(weighted.expected_benefit(X), copied.expected_benefit(X), atol=1e-4)  # L-BFGS


def test_profits_beat_mailing_everyone_and_come_near_the_truth():
    X, y, gifts, _ = campaign(2)
    new, _, _, true_value = campaign(3)
    mailed = donors().fit(X, y, amounts=gifts).predict(new) == 1
    ours, everyone, best = (np.sum((true_value - COST)[who]) for who in (mailed, ..., true_value > COST))
    assert everyone < ours < best
    assert ours - everyone > 0.8 * (best - everyone)


def test_heckman_gives_the_regressor_what_unseen_models_say():
    X, y, gifts, _ = campaign(4, n=600)
    seen = {}

    class Regressor(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            seen["X"] = X
            return super().fit(X, y, sample_weight)

    fitted = BenefitClassifier(LogisticRegression(), Regressor(), cost=COST, heckman=True).fit(X, y, amounts=gifts)
    assert list(seen["X"].columns) == ["often", "last", "probability"]
    assert len(seen["X"]) == y.sum()
    own = LogisticRegression().fit(X, y).predict_proba(X[y == 1])[:, 1]
    assert 0 < np.abs(own - seen["X"]["probability"]).max() < 0.1
    assert fitted.expected_benefit(X.iloc[::-1]).shape == (600, 2)
    pairs = [(pl.from_pandas(X), fitted.expected_benefit(X)), (X.to_numpy(), None)]
    for table, wanted in pairs:
        again = donors(heckman=True).fit(table, y, amounts=gifts).expected_benefit(table)
        if wanted is not None:
            np.testing.assert_allclose(again, wanted, atol=1e-9)


def test_amounts_from_a_column():
    X, y, gifts, _ = campaign(5, n=400)
    estimator = numbers(LogisticRegression(), "often", "last")
    fitted = BenefitClassifier(estimator, "last", cost=COST).fit(X, y)
    p = fitted.predict_proba(X)[:, 1]
    np.testing.assert_allclose(fitted.expected_benefit(X)[:, 1], p * X["last"] - COST, atol=1e-12)
    hole = X.copy()
    hole.loc[hole.index[3], "last"] = np.nan
    fitted = BenefitClassifier(SelectiveNaiveBayes(), "last", cost=COST).fit(X, y)
    with pytest.raises(DataError, match=r"'last', is missing in 1 of 400 rows, first in row 4; the amount of every"):
        fitted.predict(hole)  # rows are counted from 1, as on the command line
    with pytest.raises(ParameterError, match="is the column of amounts; leave out"):
        BenefitClassifier(estimator, "last").fit(X, y, amounts=gifts)
    with pytest.raises(ParameterError, match="lost"):
        BenefitClassifier(SelectiveNaiveBayes(), "lost").fit(X, y).predict(X)


def test_a_matrix_for_three_classes_and_two_actions():
    X, y = sklearn.datasets.load_iris(return_X_y=True)
    matrix = [[0, 0, 0], [-1, -1, 3]]
    fitted = BenefitClassifier(LogisticRegression(max_iter=500), benefit_matrix=matrix).fit(X, y)
    p = fitted.predict_proba(X)
    np.testing.assert_array_equal(fitted.predict(X), (4 * p[:, 2] > 1).astype(int))
    assert fitted.actions_.tolist() == [0, 1]
    chosen = fitted.predict(X)
    assert fitted.realized_benefit(X, y).total == sum(matrix[a][c] for a, c in zip(chosen, y, strict=True))
    plain = BenefitClassifier(LogisticRegression(max_iter=500)).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), p.argmax(axis=1))


def test_benefits_of_each_row():
    X, y, _, _ = campaign(6, n=500)
    benefits = np.zeros((500, 2, 2))
    benefits[:, 1] = np.column_stack([np.full(500, -COST), X["last"] - COST])
    fitted = BenefitClassifier(LogisticRegression()).fit(X, y, benefits=benefits)
    p = fitted.predict_proba(X)[:, 1]
    np.testing.assert_allclose(fitted.expected_benefit(X, benefits)[:, 1], p * X["last"] - COST, atol=1e-12)
    # Rows without a benefit of their own have the mean of the class.
    mean = X["last"][y == 1].mean()
    np.testing.assert_allclose(fitted.expected_benefit(X)[:, 1], p * mean - COST, atol=1e-12)
    assert fitted.realized_benefit(X, y, benefits=benefits).n_acted == (p * X["last"] > COST).sum()


def test_metadata_is_routed():
    X, y, gifts, _ = campaign(7, n=300)
    weights = np.where(y == 1, 2.0, 1.0)
    direct = donors().fit(X, y, sample_weight=weights, amounts=gifts)
    assert not np.allclose(direct.predict_proba(X), donors().fit(X, y, amounts=gifts).predict_proba(X))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = BenefitClassifier(
            LogisticRegression().set_fit_request(sample_weight=True), LinearRegression(), cost=COST
        ).fit(X, y, sample_weight=weights, amounts=gifts)
        chain = make_pipeline(
            make_column_transformer(("passthrough", ["often", "last"])), donors().set_fit_request(amounts=True)
        )
        chain.fit(X, y, amounts=gifts)
    np.testing.assert_allclose(routed.predict_proba(X), direct.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(chain.predict(X), donors().fit(X, y, amounts=gifts).predict(X))


def test_a_cost_above_every_benefit_means_nobody():
    X, y, gifts, _ = campaign(8, n=300)
    fitted = donors(cost=1e6).fit(X, y, amounts=gifts)
    assert not fitted.predict(X).any()
    profit = fitted.realized_benefit(X, y, amounts=gifts)
    assert (profit.total, profit.low, profit.high, profit.n_acted) == (0, 0, 0, 0)
    assert donors(cost=-1.0).fit(X, y, amounts=gifts).predict(X).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda y, gifts: gifts.__setitem__(np.flatnonzero(y)[1], np.nan), "positive class, is not a finite number"),
        (lambda y, gifts: gifts.__setitem__(np.flatnonzero(y)[1], -5.0), r"is negative \(-5.0\)"),
    ],
)
def test_amounts_that_cannot_be(change, words):
    X, y, gifts, _ = campaign(9, n=300)
    change(y, gifts)
    with pytest.raises(DataError, match=words):
        donors().fit(X, y, amounts=gifts)


def test_refusals():
    X, y, gifts, _ = campaign(9, n=300)
    with pytest.raises(DataError, match="one number per row, 300; got the shape"):
        donors().fit(X, y, amounts=gifts[:5])
    with pytest.raises(DataError, match="needs fit"):
        donors().fit(X, y)
    with pytest.raises(ParameterError, match="benefit_matrix and amounts both define"):
        donors(benefit_matrix=np.eye(2)).fit(X, y, amounts=gifts)
    few = np.append(np.flatnonzero(y)[:1], np.flatnonzero(y == 0))
    with pytest.raises(DataError, match="two rows of each class"):
        donors(heckman=True).fit(X.iloc[few], y[few], amounts=gifts[few])
    with pytest.raises(DataError, match="depends on amounts"):
        donors().fit(X, y, amounts=gifts).realized_benefit(X, y)
    with pytest.raises(DataError, match="label 7"):
        donors().fit(X, y, amounts=gifts).realized_benefit(X, np.full(300, 7), amounts=gifts)
    with pytest.raises(ParameterError, match="two actions; there are 3"):
        BenefitClassifier(LogisticRegression(), benefit_matrix=np.zeros((3, 2))).fit(X, y).profit_curve(X, y)


def test_nobody_ever_gave():
    X, _, gifts, _ = campaign(9, n=300)
    with pytest.raises(DataError, match="Amounts are for two classes, and 1 occurred"):
        BenefitClassifier(sklearn.dummy.DummyClassifier(), LinearRegression()).fit(X, np.zeros(300), amounts=gifts)


def test_few_donors_and_many_folds():
    X, y, gifts, _ = campaign(9, n=300)
    few = np.append(np.flatnonzero(y)[:3], np.flatnonzero(y == 0))
    fitted = donors(heckman=True, cv=10).fit(X.iloc[few], y[few], amounts=gifts[few])
    assert np.isfinite(fitted.expected_benefit(X)).all()
