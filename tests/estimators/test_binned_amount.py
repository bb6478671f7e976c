"""Amounts on bins of columns: what is fitted, what it decides, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

from bayesieve import BenefitClassifier, SelectiveNaiveBayes, load
from bayesieve.datasets import make_donors
from bayesieve.exceptions import ExportError, ModelFileError, ParameterError, UnseenValuesWarning
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


def stagewise(bins, y, rows, n_steps):
    """Plain specification: residuals of all rows, and a matrix of 0 and 1 per column; the amounts after each step."""
    amounts = np.full(len(y), y[rows].mean())
    yield amounts
    for _ in range(n_steps):
        left = (y - amounts)[rows]
        best, gain = None, 0.0
        for matrix in bins:
            n, sums = matrix[rows].sum(axis=0), left @ matrix[rows]
            reduced = (sums**2 - n * (left**2).mean()) @ (1 / (n + 20))
            if reduced > gain:
                best, gain = matrix @ (0.1 * sums / (n + 20)), reduced
        if best is None:
            return
        amounts = amounts + best
        yield amounts


def test_amounts_are_stagewise_least_squares_on_tenths_of_the_positive_rows():
    given, gifts = X[Y == 1].reset_index(drop=True), GIFTS[Y == 1]
    bins = []
    for name in ("often", "last"):
        order = np.sort(given[name])
        cuts = np.rint(len(order) * np.arange(1, 10) / 10 - 1e-9).astype(int)
        codes = np.searchsorted((order[cuts - 1] + order[cuts]) / 2, given[name])
        bins.append(np.eye(10)[codes])
    folds = np.argsort(np.argsort(gifts, kind="stable")) % 10
    errors = np.zeros(401)
    for k in range(10):
        tested = np.flatnonzero(folds == k)
        path = [((gifts - a)[tested] ** 2).sum() for a in stagewise(bins, gifts, np.flatnonzero(folds != k), 400)]
        errors += np.pad(path, (0, 401 - len(path)), mode="edge")
    expected = list(stagewise(bins, gifts, np.arange(len(gifts)), int(errors.argmin())))[-1]
    np.testing.assert_allclose(fitted().expected_amount(given), expected.clip(min=0), atol=1e-4)


def test_mailing_by_amounts_earns_clearly_more_than_a_letter_to_everyone():
    train, test = make_donors(6000, 1), make_donors(3000, 101)
    model = BenefitClassifier(SelectiveNaiveBayes(), "bins", cost=COST)
    model.fit(train.data, train.target, amounts=train.amounts)
    value = test.probabilities * test.expected_amounts - COST
    assert value[model.predict(test.data) == 1].sum() > 1.15 * value.sum() > 0
    assert 1 <= len(model.amount_.model.tables) <= 32
    one_threshold = model.predict_proba(test.data)[:, 1] * train.amounts[train.target == 1].mean() > COST
    assert value[one_threshold].sum() < value.sum()


def test_columns_that_the_classifier_must_not_use_have_no_amounts():
    without = BenefitClassifier(clone(INNER).set_params(keep=None, drop=["last"]), "bins", cost=COST)
    assert [table.name for table in without.fit(X, Y, amounts=GIFTS).amount_.model.tables] == ["often"]


def test_random_amounts_and_few_rows_give_the_mean():
    noise = pd.DataFrame({"id": [f"v{i}" for i in range(len(Y))]}), np.random.default_rng(0).normal(9, 1, len(Y))
    by_name = BenefitClassifier(DummyClassifier(), "bins", cost=COST).fit(noise[0], Y, amounts=noise[1])
    assert by_name.amount_.model.tables == ()
    few = np.flatnonzero(Y == 1)[19:]
    table, labels, gifts = X.drop(index=few), np.delete(Y, few), np.delete(GIFTS, few)
    model = BenefitClassifier(INNER, "bins", cost=COST).fit(table, labels, amounts=gifts)
    assert model.expected_amount(X)[0] == pytest.approx(gifts[labels == 1].mean(), abs=1e-5)


def test_a_value_that_is_unseen_in_training_adds_nothing():
    city = np.where(Y == 1, np.where(np.nanmedian(GIFTS) < GIFTS, "large", "small"), "none")
    model = BenefitClassifier(DummyClassifier(), "bins", cost=COST).fit(pd.DataFrame({"city": city}), Y, amounts=GIFTS)
    (table,) = model.amount_.model.tables
    assert table.table[-1] == 0
    assert (table.table[:-1] != 0).any()
    with pytest.warns(UnseenValuesWarning, match="add nothing"):
        unseen = model.expected_amount(pd.DataFrame({"city": ["elsewhere"]}))
    assert unseen[0] == pytest.approx(np.nanmean(GIFTS), abs=1e-6)


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


def test_what_is_no_column_or_has_no_form_in_a_file_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="heckman=True gives a regressor the probability as a feature"):
        fitted(heckman=True)
    with pytest.raises(ParameterError, match="rename the column"):
        BenefitClassifier(INNER, "bins").fit(X.rename(columns={"last": "bins"}), Y, amounts=GIFTS)
    by_regressor = fitted(amount=LinearRegression())
    with pytest.raises(ModelFileError, match="not the amounts of a LinearRegression"):
        by_regressor.save(tmp_path / "m.json")
    with pytest.raises(ExportError, match="with amounts of a LinearRegression cannot be exported as SQL"):
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
