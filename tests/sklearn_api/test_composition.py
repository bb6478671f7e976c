"""Inside scikit-learn: pipelines, searches, metadata routing, copies, representations; no rows are kept."""

import io
import pickle
import re

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from cases import plain_bayes
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.utils import estimator_html_repr

from bayesieve import BoostClassifier, BoostSelector, NaiveBayesSelector, SelectiveNaiveBayes, VoteClassifier

BOTH = pytest.mark.parametrize("kind", [NaiveBayesSelector, plain_bayes])


def make_data(n_rows=150, seed=0):
    return make_classification(n_rows, n_features=6, n_informative=3, n_redundant=1, random_state=seed)


X, Y = make_data()
WEIGHTS = np.random.default_rng(1).integers(0, 4, len(Y))
GROUPS = np.arange(len(Y)) // 10


def make(kind, **parameters):
    """Return an estimator that searches all six columns, the weak ones too."""
    return kind(**({"discretizer": "equal_frequency"} | parameters))


def same_state(one, other):
    assert one.path_ == other.path_
    assert one.why_ == other.why_
    assert one.support_.tolist() == other.support_.tolist()
    for key, values in one.cv_results_.items():
        np.testing.assert_array_equal(values, other.cv_results_[key])


@BOTH
def test_clone_gives_the_same_fit(kind):
    parameters = {"search": "floating", "criterion": "log_loss", "n_features": (1, 3), "scoring": ["auc"], "keep": [0]}
    estimator = make(kind, **parameters).fit(X, Y)
    copied = clone(estimator)
    assert copied.get_params() == estimator.get_params()
    assert not hasattr(copied, "path_")
    same_state(copied.fit(X, Y), estimator)


@BOTH
def test_refit_equals_a_fresh_fit(kind):
    rows, labels = make_data(90, seed=3)
    refitted = make(kind, cv=3).fit(pd.DataFrame(X).add_prefix("c"), Y).fit(rows, labels)
    same_state(refitted, make(kind, cv=3).fit(rows, labels))
    assert not hasattr(refitted, "feature_names_in_")


@pytest.mark.parametrize("copy", ["pickle", "joblib"])
@BOTH
def test_copies_through_files(kind, copy):
    fitted = make(kind, cv=3).fit(X, Y)
    if copy == "pickle":
        copied = pickle.loads(pickle.dumps(fitted))
    else:
        file = io.BytesIO()
        joblib.dump(fitted, file)
        file.seek(0)
        copied = joblib.load(file)
    same_state(copied, fitted)
    if kind is plain_bayes:
        np.testing.assert_array_equal(copied.predict_proba(X), fitted.predict_proba(X))
    else:
        np.testing.assert_array_equal(copied.transform(X), fitted.transform(X))


def test_grid_search_over_search_and_criterion():
    grid = {"search": ["forward", "backward", "floating"], "criterion": ["brier", "auc"]}
    found = GridSearchCV(make(plain_bayes, cv=0), grid, cv=3).fit(X, Y)
    assert len(found.cv_results_["params"]) == 6
    assert not np.isnan(found.cv_results_["mean_test_score"]).any()
    same_state(found.best_estimator_, make(plain_bayes, cv=0, **found.best_params_).fit(X, Y))
    assert found.score(X, Y) > 0.7


def test_grid_search_does_not_depend_on_the_number_of_processes():
    grid = {"n_features": [1, 2]}
    one, two = (GridSearchCV(make(plain_bayes, cv=0), grid, cv=3, n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_cross_val_predict_equals_fits_by_hand():
    model = make(plain_bayes, cv=0, n_features=2)
    splits = list(GroupKFold(3).split(X, Y, GROUPS))
    expected = np.zeros((len(Y), 2))
    for fitting, scored in splits:
        expected[scored] = clone(model).fit(X[fitting], Y[fitting]).predict_proba(X[scored])
    np.testing.assert_array_equal(cross_val_predict(model, X, Y, cv=splits, method="predict_proba"), expected)


def test_pipeline_after_a_column_transformer():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X).add_prefix("n").assign(town=rng.choice(["a", "b", "c"], len(Y)))
    prepare = ColumnTransformer(
        [("numbers", StandardScaler(), [f"n{i}" for i in range(6)]), ("towns", OrdinalEncoder(), ["town"])]
    ).set_output(transform="pandas")
    pipeline = make_pipeline(prepare, make(NaiveBayesSelector, n_features=2), GaussianNB()).fit(frame, Y)
    names = pipeline[:-1].get_feature_names_out()
    assert len(names) == 2
    assert set(names) <= set(prepare.get_feature_names_out())
    assert set(pipeline[1].path_.order) == set(names)
    assert pipeline.predict(frame).shape == Y.shape


def test_fit_parameters_through_a_pipeline_without_routing():
    pipeline = make_pipeline(make(NaiveBayesSelector, cv=3), GaussianNB())
    pipeline.fit(X, Y, naivebayesselector__sample_weight=WEIGHTS, naivebayesselector__groups=GROUPS)
    same_state(pipeline[0], make(NaiveBayesSelector, cv=3).fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS))


def test_cross_val_score_without_routing():
    model = make(plain_bayes, cv=3, n_features=2)
    scores = cross_val_score(model, X, Y, cv=3, params={"sample_weight": WEIGHTS, "groups": GROUPS})
    folds = sklearn.model_selection.check_cv(3, Y, classifier=True).split(X, Y)
    expected = [
        clone(model).fit(X[a], Y[a], sample_weight=WEIGHTS[a], groups=GROUPS[a]).score(X[b], Y[b]) for a, b in folds
    ]
    assert scores.tolist() == expected


def test_routing_reaches_the_selector_in_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        selector = make(NaiveBayesSelector, cv=3).set_fit_request(sample_weight=True, groups=True)
        final = GaussianNB().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(selector, final).fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS)
    same_state(pipeline[0], make(NaiveBayesSelector, cv=3).fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS))
    unweighted = make(NaiveBayesSelector, cv=3).fit(X, Y)
    assert pipeline[0].path_ != unweighted.path_


def test_routing_through_a_grid_search():
    grid = {"n_features": [1, 2]}
    with sklearn.config_context(enable_metadata_routing=True):
        model = make(plain_bayes, cv=3).set_fit_request(sample_weight=True, groups=True)
        model.set_score_request(sample_weight=False)
        found = GridSearchCV(model, grid, cv=GroupKFold(3)).fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS)
    best = make(plain_bayes, cv=3, **found.best_params_)
    same_state(found.best_estimator_, best.fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS))


def test_routing_refuses_what_was_not_requested():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="sample_weight"),
    ):
        make_pipeline(NaiveBayesSelector(), GaussianNB()).fit(X, Y, sample_weight=WEIGHTS)


@BOTH
def test_html_before_and_after_fit(kind):
    estimator = kind(criterion="auc", cv=0)
    assert type(kind()).__name__ in estimator_html_repr(estimator)
    fitted = estimator.fit(X, Y)
    assert type(kind()).__name__ in estimator_html_repr(fitted)
    assert type(kind()).__name__ in fitted._repr_html_inner()
    assert "criterion='auc'" in repr(fitted)


@BOTH
def test_tags_tell_the_truth(kind):
    tags = sklearn.utils.get_tags(kind())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert tags.input_tags.sparse
    assert tags.target_tags.required


def arrays_in(thing, seen):
    """Yield every array and sequence length within an object, whatever holds it."""
    if id(thing) in seen or isinstance(thing, str | bytes | int | float | bool | type(None) | type):
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing.shape
        inner = thing.ravel().tolist() if thing.dtype == object else []
    elif isinstance(thing, dict):
        inner = [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        yield (len(thing),)
        inner = list(thing)
    else:
        inner = [vars(thing)] if hasattr(thing, "__dict__") else []
    for part in inner:
        yield from arrays_in(part, seen)


@pytest.mark.parametrize("discretizer", ["equal_frequency", "modl"])
@pytest.mark.parametrize("cv", [0, 0.3, 3])
@BOTH
def test_fitted_objects_hold_no_rows(kind, cv, discretizer):
    n_rows = 997  # no other length is a multiple of this prime
    data, target = make_data(n_rows)
    fitted = kind(cv=cv, discretizer=discretizer, scoring=["auc"]).fit(data, target)
    shapes = list(arrays_in(fitted.__dict__, set()))
    assert len(shapes) > 10
    assert not [shape for shape in shapes if any(size >= n_rows // 4 for size in shape)]


@BOTH
def test_pickles_do_not_grow_with_the_rows(kind):
    small, large = (
        len(pickle.dumps(make(kind, n_features=3, cv=2).fit(*make_data(n_rows)))) for n_rows in (200, 20_000)
    )
    assert large < 1.2 * small


def test_pattern_of_the_version_is_that_of_the_package():
    import bayesieve

    assert re.match(r"\d+\.\d+\.\d+", bayesieve.__version__)


@pytest.mark.parametrize("kind", [SelectiveNaiveBayes, VoteClassifier, BoostSelector, BoostClassifier])
def test_a_classifier_selects_for_another_one(kind):
    table = pd.DataFrame(X).add_prefix("c")
    pipeline = make_pipeline(kind(n_features=2), GaussianNB()).fit(table, Y)
    model = pipeline[0]
    assert model.get_support().sum() == model.n_features_ == 2
    names = model.get_feature_names_out().tolist()
    assert names == table.columns[model.get_support()].tolist() == sorted(model.feature_weights_)
    pd.testing.assert_frame_equal(
        kind(n_features=2).set_output(transform="pandas").fit_transform(table, Y), table[names]
    )
    np.testing.assert_array_equal(pipeline.predict(table), GaussianNB().fit(table[names], Y).predict(table[names]))
    assert model.inverse_transform(table[names].to_numpy()).shape == table.shape


@pytest.mark.parametrize("kind", [SelectiveNaiveBayes, VoteClassifier, BoostSelector, BoostClassifier])
def test_weights_are_aligned_with_the_features(kind):
    table = pd.DataFrame(X).add_prefix("c")
    model = kind(n_features=2).fit(table, Y)
    assert model.weights_.shape == model.feature_importances_.shape == (6,)
    assert ((model.weights_ != 0) == model.get_support()).all()
    assert model.feature_weights_ == {
        name: model.weights_[table.columns.get_loc(name)] for name in model.feature_weights_
    }
