"""The classifier of today's defaults: thresholds, priors, importances, edges of the data."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV, cross_val_score
from tables import three_classes, two_classes

from bayesieve import SelectiveNaiveBayes
from bayesieve._native import available
from bayesieve.data import read_table
from bayesieve.exceptions import (
    ClippedSelectionWarning,
    NothingSelectedWarning,
    ParameterError,
    UnreachedFloorWarning,
    UnseenValuesWarning,
)

KINDS = ("penalized", "fractional", "averaged", "none")


def held_out_log_odds(X, y, n_folds=5):
    """Return log-odds of rows by models without weights that did not see them, in the order of the rows."""
    log_odds = np.empty(len(y))
    columns = SelectiveNaiveBayes(weights="none", bins="best", cv=n_folds).fit(X, y).path_.order
    for fitting, scored in StratifiedKFold(n_folds).split(X, y):
        model = SelectiveNaiveBayes(weights="none", bins="best", cv=0, keep=list(columns), n_features=len(columns)).fit(
            X.iloc[fitting], y[fitting]
        )
        log_odds[scored] = np.diff(model.predict_log_proba(X.iloc[scored]), axis=1)[:, 0]
    return log_odds


def quality(name, accepted, positive):
    a, b = int((accepted & positive).sum()), int((accepted & ~positive).sum())
    c, d = int(positive.sum()) - a, int((~positive).sum()) - b
    if name == "chi2":
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        return Fraction((a * d - b * c) ** 2, margins) if margins and a * d > b * c else Fraction(0)
    if name == "ber":
        return Fraction(a, a + c) - Fraction(b, b + d)
    return Fraction(2 * a, 2 * a + b + c)


class TestThreshold:
    X, y = two_classes(200)
    positive = y == "yes"
    how = {"weights": "none", "bins": "best"}  # noqa: RUF012

    @pytest.mark.parametrize("name", ["chi2", "ber", "f1"])
    def test_the_best_cut_of_rows_that_tables_do_not_know(self, name):
        log_odds = held_out_log_odds(self.X, self.y)
        found = SelectiveNaiveBayes(threshold=name, **self.how).fit(self.X, self.y).threshold_.cut / 2.0**40
        best = max(quality(name, log_odds > cut, self.positive) for cut in np.append(log_odds, -np.inf))
        assert quality(name, log_odds > found, self.positive) == best

    def test_a_floor_of_recall_is_kept_with_confidence(self):
        log_odds = held_out_log_odds(self.X, self.y)
        threshold = SelectiveNaiveBayes(threshold=("recall", 0.8), **self.how).fit(self.X, self.y).threshold_
        accepted = log_odds > threshold.cut / 2.0**40
        assert threshold.recall >= 0.8
        assert threshold.recall == pytest.approx(accepted[self.positive].mean())
        assert threshold.precision == pytest.approx(self.positive[accepted].mean())
        assert threshold.interval[0] < threshold.recall < threshold.interval[1]

    @pytest.mark.parametrize("weights", KINDS)
    @pytest.mark.parametrize("threshold", ["chi2", "ber", "f1", ("recall", 0.9)])
    def test_predict_cuts_where_it_says(self, threshold, weights):
        model = SelectiveNaiveBayes(threshold=threshold, weights=weights).fit(self.X, self.y)
        start, tables = model.scorecard_.start, model.explain(self.X, classes=("yes", "no"))
        assert len(start) == 2
        log_odds = np.array([decision.log_odds for decision in tables])
        assert_array_equal(model.predict(self.X) == "yes", log_odds > model.threshold_.cut / 2.0**40)

    def test_a_probability(self):
        model = SelectiveNaiveBayes(threshold=0.3).fit(self.X, self.y)
        assert_array_equal(model.predict(self.X) == "yes", model.predict_proba(self.X)[:, 1] > 0.3)

    def test_another_prior_leaves_a_cut_in_its_place(self):
        plain, other = (
            SelectiveNaiveBayes(threshold="ber", class_prior=prior).fit(self.X, self.y) for prior in (None, [0.9, 0.1])
        )
        assert_array_equal(plain.predict(self.X), other.predict(self.X))
        assert (plain.predict_proba(self.X)[:, 1] > other.predict_proba(self.X)[:, 1]).all()

    def test_only_the_chosen_subset_is_warned_of(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            SelectiveNaiveBayes(threshold=("precision", 0.75)).fit(self.X, self.y)
        with pytest.warns(UnreachedFloorWarning) as caught:
            SelectiveNaiveBayes(threshold=("precision", 0.999)).fit(self.X, self.y)
        assert len(caught) == 1

    def test_more_than_two_classes(self):
        with pytest.raises(ParameterError, match="is for two classes; this target has 3"):
            SelectiveNaiveBayes(threshold="ber").fit(*three_classes(100))


@pytest.mark.parametrize("weights", KINDS)
def test_class_prior(weights):
    X, y = three_classes()
    plain = SelectiveNaiveBayes(weights=weights).fit(X, y)
    prior = {"mid": 1.0, "low": 3.0, "high": 1.0}
    other = SelectiveNaiveBayes(weights=weights, class_prior=prior).fit(X, y)
    ratio = np.array([prior[label] for label in plain.classes_]) / 5 / (np.unique(y, return_counts=True)[1] / len(y))
    evidence = plain.scorecard_.evidence(0, [np.empty(0, dtype=int)] * plain.n_features_)
    assert evidence.scores.shape == (3, 0)
    odds = np.array([[d.log_odds for d in plain.explain(X, classes=(label, "low"))] for label in ("high", "mid")])
    shifted = np.array([[d.log_odds for d in other.explain(X, classes=(label, "low"))] for label in ("high", "mid")])
    expected = np.log(ratio[[0, 2]] / ratio[1])
    assert_allclose(shifted - odds, np.repeat(expected[:, None], len(y), axis=1), atol=1e-9)
    assert_array_equal(other.class_prior["low"], 3.0)


@pytest.mark.parametrize("prior", [[0.5], [0.5, -1], {"yes": 1}, {"yes": 1, "no": "x"}, [[1, 2]]])
def test_bad_class_priors(prior):
    with pytest.raises(ParameterError, match=r"class_prior must be a positive number for each of the classes \['no'"):
        SelectiveNaiveBayes(class_prior=prior).fit(*two_classes(60))


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_importances_are_mean_contributions(make, weights):
    X, y = make()
    model = SelectiveNaiveBayes(weights=weights).fit(X, y)
    sizes = np.zeros(X.shape[1])
    for card in model.scorecard_.tables:
        j = list(X.columns).index(card.name)
        column = read_table(X).column(j)
        scores = card.table[card.partition.bins_of(column)[column.ids]] / 2.0**40
        scores = scores - scores.mean(axis=1, keepdims=True)
        sizes[j] = np.abs(scores - scores.mean(axis=0)).mean(axis=0).sum()
    assert_allclose(model.feature_importances_, sizes / sizes.sum(), atol=1e-9)


@pytest.mark.skipif(not available(), reason="there is no compiled core that could differ")
@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_backends_and_threads_have_the_same_bits(make, weights):
    X, y = make(150)
    # Each kind of weights has both ways of scoring, one for each number of classes.
    for cv in draws([("auto", 0)[(make is two_classes) ^ (KINDS.index(weights) % 2)]], ("auto", 0)):
        fits = [
            SelectiveNaiveBayes(weights=weights, cv=cv, backend=backend, n_jobs=n_jobs).fit(X, y)
            for backend, n_jobs in (("reference", 1), ("native", 1), ("auto", 3))
        ]
        for fit in fits[1:]:
            assert (fit.path_, fit.why_) == (fits[0].path_, fits[0].why_)
            assert_array_equal(fit.weights_, fits[0].weights_)
            assert_array_equal(fit.predict_proba(X), fits[0].predict_proba(X))


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_a_weight_of_k_is_k_copies(make, weights):
    X, y = make(120)
    times = np.arange(120) % 4
    rows = np.repeat(np.arange(120), times)
    model = SelectiveNaiveBayes(weights=weights, cv=0)
    weighted = model.fit(X, y, times).predict_proba(X)
    assert_allclose(model.fit(X.iloc[rows], y[rows]).predict_proba(X), weighted, atol=1e-9)


@pytest.mark.parametrize("weights", KINDS)
def test_rows_of_weight_zero_are_not_there(weights):
    X, y = two_classes(150)
    there = np.arange(150) < 120
    model = SelectiveNaiveBayes(weights=weights)
    weighted = model.fit(X, y, there.astype(float)).predict_proba(X)
    assert_array_equal(model.fit(X[there], y[there]).predict_proba(X), weighted)


class TestSizes:
    X, y = two_classes(400)

    @pytest.mark.parametrize("weights", KINDS)
    @pytest.mark.parametrize(("wanted", "sizes"), [(2, "2"), (0.4, "2"), ((1, 2), "12"), ((None, 1), "01"), (0, "0")])
    def test_how_many(self, wanted, sizes, weights):
        model = SelectiveNaiveBayes(weights=weights, n_features=wanted).fit(self.X, self.y)
        assert str(model.n_features_) in sizes
        assert model.support_.sum() == len(model.feature_weights_) == model.n_features_

    def test_columns_without_weight_cannot_be_had(self):
        with pytest.warns(ClippedSelectionWarning, match="n_features=5 cannot be reached: the other columns have"):
            SelectiveNaiveBayes(n_features=5).fit(self.X, self.y)

    def test_every_size_of_the_path_has_weights_of_its_own(self):
        model = SelectiveNaiveBayes().fit(self.X, self.y)
        for k in model.cv_results_["n_features"].tolist():
            if k:
                one = model.select(k)
                alone = SelectiveNaiveBayes(n_features=k).fit(self.X, self.y)
                assert (one.support_ == alone.support_).all() or one.path_.of_size(k) != alone.path_.of_size(k)
                assert_allclose(one.predict_proba(self.X).sum(axis=1), 1.0)
        with pytest.raises(ParameterError, match="fit with n_features=77"):
            model.select(77)

    def test_one_standard_error(self):
        best = SelectiveNaiveBayes(n_features=(None, None)).fit(self.X, self.y)
        assert SelectiveNaiveBayes(one_se=True).fit(self.X, self.y).n_features_ <= best.n_features_

    @pytest.mark.parametrize("weights", KINDS)
    def test_keep_and_drop(self, weights):
        model = SelectiveNaiveBayes(weights=weights, keep="noise", drop=["size"]).fit(self.X, self.y)
        assert "noise" in model.path_.order
        assert "size" not in model.path_.order
        assert model.why_["size"]["reason"] == "left out by drop"
        assert model.why_["noise"]["reason"] == "in keep"

    def test_what_only_searches_understand(self):
        with pytest.raises(ParameterError, match="needs a search, but with weights='penalized'"):
            SelectiveNaiveBayes(feature_groups={"a": ["size", "flag"]}).fit(self.X, self.y)


@pytest.mark.parametrize("weights", ["penalized", "fractional", "none"])
def test_noise_gives_the_class_frequencies(weights):
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(300, 3)), np.arange(300) % 3 == 0
    with pytest.warns(NothingSelectedWarning):
        model = SelectiveNaiveBayes(weights=weights, bins="best").fit(X, y)
    assert model.feature_weights_ == {}
    assert model.feature_importances_.tolist() == [0.0] * 3
    assert_allclose(model.predict_proba(X), [[2 / 3, 1 / 3]] * 300, atol=1e-3)


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
@pytest.mark.parametrize("weights", KINDS)
def test_a_class_of_one_row(weights):
    X, y = two_classes(100)
    alone = np.where(np.arange(100) == 17, "yes", "no")
    rare = SelectiveNaiveBayes(weights=weights).fit(X, alone).predict_proba(X)[:, 1]
    assert rare[np.arange(100) != 17].mean() < 0.1
    third = SelectiveNaiveBayes(weights=weights).fit(X, np.where(alone == "yes", "new", y)).predict_proba(X)
    assert_allclose(third.sum(axis=1), 1.0)
    assert np.isfinite(third).all()


def test_evidence_of_thousands_of_columns():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = (y[:, None] ^ (rng.random((40, 3_000)) < 0.02)).astype(np.float64)
    every = {"keep": np.ones(3_000, dtype=bool), "max_time": 0}  # without a search, and without its reasons
    how = {"weights": "none", "bins": "best", "cv": 0, "discretizer": None}
    model = SelectiveNaiveBayes(**how, **every).fit(X, y)
    assert model.n_features_ == 3_000
    p, log_p = model.predict_proba(X), model.predict_log_proba(X)
    assert np.isfinite(p).all()
    assert np.isfinite(log_p).all()
    assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert log_p.min() < -3_000


def test_many_unseen_values_are_warned_of_once():
    X, y = two_classes()
    model = SelectiveNaiveBayes(keep=["color", "flag"]).fit(X, y)
    new = X.assign(color=np.where(np.arange(len(X)) % 4 == 0, "violet", X["color"].fillna("red")))
    with pytest.warns(UnseenValuesWarning, match=r"training did not have in 'color' \(25% of rows\)") as caught:
        model.predict_proba(new)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(X.assign(color=np.where(np.arange(len(X)) % 20 == 0, "violet", "red")))


def test_inside_scikit_learn_with_data_frames():
    X, y = two_classes(200)
    assert cross_val_score(SelectiveNaiveBayes(), X, y, cv=3, scoring="roc_auc").min() > 0.7
    calibrated = CalibratedClassifierCV(SelectiveNaiveBayes(n_features=2), cv=3).fit(X, y)
    assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    tuned = TunedThresholdClassifierCV(SelectiveNaiveBayes(n_features=2), cv=3).fit(X, y)
    assert set(tuned.predict(X)) <= {"yes", "no"}


def test_labels_of_any_kind():
    X, y = two_classes(100)
    for labels in (y == "yes", np.where(y == "yes", 7, -2), pd.Series(y, dtype="category")):
        model = SelectiveNaiveBayes(n_features=1).fit(X, labels)
        assert set(model.predict(X)) <= set(np.asarray(labels).tolist())


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")  # of searches without time
@pytest.mark.parametrize("weights", ["penalized", "fractional", "averaged"])
def test_no_time(weights):
    model = SelectiveNaiveBayes(weights=weights, max_time=0).fit(*two_classes(100))
    assert not model.path_.complete
    assert_allclose(model.predict_proba(two_classes(100)[0]).sum(axis=1), 1.0)


def test_a_fold_whose_rows_all_have_weight_zero():
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.warns(NothingSelectedWarning):
        model = SelectiveNaiveBayes().fit(X, np.arange(6), sample_weight=[0, 1, 1, 1, 1, 1])
    assert np.isfinite(model.predict_proba(X)).all()
