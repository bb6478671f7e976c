"""A classifier survives its file: its predictions, to the last bit, and its description."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from draws import meetings
from numpy.testing import assert_array_equal
from pair_models import make_model
from plain_cases import signed
from sklearn.base import clone
from tables import three_classes, two_classes

import bayesieve
from bayesieve import BoostSelector, SelectiveNaiveBayes, VoteClassifier
from bayesieve.exceptions import DataError, ModelFileError, ParameterError

KEPT = ("classes_", "support_", "feature_importances_", "n_features_", "n_features_in_")


def through_a_file(model, folder):
    model.save(folder / "model.json")
    return bayesieve.load(folder / "model.json")


def check_same(back, model, X):
    assert type(back) is SelectiveNaiveBayes
    for name in ("predict", "predict_proba", "predict_log_proba"):
        assert_array_equal(getattr(back, name)(X), getattr(model, name)(X))
    assert back.explain(X) == model.explain(X)
    for name in KEPT:
        assert_array_equal(getattr(back, name), getattr(model, name))
    for name in ("feature_weights_", "threshold_", "path_", "why_"):
        assert getattr(back, name) == getattr(model, name)
    assert hasattr(back, "feature_names_in_") == hasattr(model, "feature_names_in_")
    assert back.get_params() == model.get_params()
    for name in model.feature_weights_:
        assert_array_equal(back.partitions_[name].counts, model.partitions_[name].counts)
    one, other = back.scorecard(), model.scorecard()
    assert type(one) is type(other)
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize("weights", ["penalized", "fractional", "averaged", "none"])
@pytest.mark.parametrize(("make", "bins"), meetings([two_classes, three_classes], ["averaged", "best"]))
def test_mixed_tables(tmp_path, make, bins, weights):
    X, y = make()
    model = SelectiveNaiveBayes(bins=bins, weights=weights, cv=0).fit(X, y)
    assert model.n_features_ > 1
    check_same(through_a_file(model, tmp_path), model, X)


@pytest.mark.parametrize("threshold", ["bayes", "chi2", 0.3, ("recall", 0.9)])
def test_thresholds_and_priors(tmp_path, threshold):
    X, y = two_classes()
    model = SelectiveNaiveBayes(threshold=threshold, class_prior={"no": 0.8, "yes": 0.2}).fit(X, y)
    check_same(through_a_file(model, tmp_path), model, X)


def test_a_sparse_table_without_names(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = sp.csr_matrix((rng.random((200, 80)) < 0.1 + 0.2 * (np.arange(80) < 5) * y[:, None]) * rng.random((200, 80)))
    model = SelectiveNaiveBayes().fit(X, y)
    check_same(through_a_file(model, tmp_path), model, X)


def test_a_selection_and_a_simplified_copy(tmp_path):
    X, y = two_classes()
    model = SelectiveNaiveBayes().fit(X, y)
    for other in (model.select(1), model.simplify(3)):
        check_same(through_a_file(other, tmp_path), other, X)


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
def test_an_empty_selection(tmp_path):
    X, y = two_classes()
    model = SelectiveNaiveBayes(n_features=0).fit(X, y)
    check_same(through_a_file(model, tmp_path), model, X)


def test_fractional_weights_of_rows(tmp_path):
    X, y = two_classes()
    model = SelectiveNaiveBayes(cv=0).fit(X, y, np.arange(len(y)) % 4 * 0.25)
    check_same(through_a_file(model, tmp_path), model, X)


def test_a_loaded_model_is_a_scikit_learn_estimator(tmp_path):
    X, y = two_classes()
    back = through_a_file(SelectiveNaiveBayes(n_features=2).fit(X, y), tmp_path)
    assert_array_equal(pickle.loads(pickle.dumps(back)).predict_proba(X), back.predict_proba(X))
    assert clone(back).get_params() == back.get_params()
    again = clone(back).fit(X, y)
    assert again.path_ == back.path_
    assert back.fit(X, y).select(1).n_features_ == 1


def test_what_a_file_does_not_keep_is_said(tmp_path):
    X, y = two_classes()
    back = through_a_file(SelectiveNaiveBayes().fit(X, y), tmp_path)
    for ask in (lambda: back.cv_results_, lambda: back.simplify(3).cv_results_):
        with pytest.raises(AttributeError, match="from a file or is a simplified copy"):
            ask()
    for ask in (lambda: back.select(1), lambda: list(back.staged_predict_proba(X)), lambda: back.simplify(3).select(1)):
        with pytest.raises(ParameterError, match="from a file or is a simplified copy"):
            ask()
    with pytest.raises(AttributeError, match="no attribute 'nonsense_'"):
        _ = back.nonsense_


def test_headers_and_types_are_checked(tmp_path):
    X, y = two_classes()
    back = through_a_file(SelectiveNaiveBayes(keep=["size", "color"]).fit(X, y), tmp_path)
    with pytest.raises(DataError, match="The table has no column 'size', which the model uses"):
        back.predict(X.rename(columns={"size": "length"}))
    with pytest.raises(DataError, match="The table has no column 'size', which the model uses"):
        back.predict(X.drop(columns="size"))
    with pytest.raises(DataError, match="Column 'size' was numeric in training and now holds 'big'"):
        back.predict(X.assign(size="big"))
    with pytest.raises(DataError, match=r"Column 'color' had labels such as .* now holds numbers"):
        back.predict(X.assign(color=1.5))


def test_parameters_that_need_code_are_left_at_their_defaults(tmp_path):
    X, y = two_classes()
    model = SelectiveNaiveBayes(cv=[(np.arange(150), np.arange(150, 300))], keep=lambda X: ["size"]).fit(X, y)
    back = through_a_file(model, tmp_path)
    assert (back.keep, back.cv) == (None, "auto")
    assert_array_equal(back.predict_proba(X), model.predict_proba(X))


def test_not_fitted(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        SelectiveNaiveBayes().save(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda model: model["parameters"].update(nonsense=1), "parameters that SelectiveNaiveBayes does not have"),
        (lambda model: model["summary"].pop("path"), "summary has no 'path'"),
        (lambda model: model["summary"].update(selected=[0, 0]), "positions of the columns that have score tables"),
        (lambda model: model["summary"].update(importances=[0.5]), "list of 2 numbers"),
        (lambda model: model.update(class_mass=[1.0, -1.0]), "list of 2 weights"),
        (lambda model: model["summary"]["why"]["entries"].clear(), "an entry for each column"),
        (lambda model: model["cards"][0]["partition"].update(counts=None), "must have counts of 2 classes"),
        (lambda model: model.update(threshold=None), "threshold must be an object"),
    ],
)
def test_a_forged_file_is_refused(tmp_path, change, message):
    X, y = two_classes()
    path = tmp_path / "model.json"
    SelectiveNaiveBayes(n_features=2).fit(X, y).save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document["model"])
    path.write_bytes(signed(document))
    with pytest.raises(ModelFileError, match=message):
        bayesieve.load(path)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pairs(tmp_path, n_classes):
    X, _, _, model = make_model(n_classes)
    back = through_a_file(model, tmp_path)
    check_same(back, model, X)
    assert [(each.names, each.log_bayes_factor, each.gain) for each in back.scorecard_.pairs] == [
        (each.names, each.log_bayes_factor, each.gain) for each in model.scorecard_.pairs
    ]
    for one, other in zip(back.scorecard_.pairs, model.scorecard_.pairs, strict=True):
        assert_array_equal(one.table, other.table)
        assert_array_equal(one.counts, other.counts)
    check_same(through_a_file(back.simplify(3), tmp_path), model.simplify(3), X)


@pytest.fixture(scope="module")
def saved_pairs(tmp_path_factory):
    """Return the file of a model with pairs."""
    path = tmp_path_factory.mktemp("pairs") / "model.json"
    make_model()[3].save(path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda pair: pair.pop("table"), r"model.pairs\[0\] has no 'table'"),
        (lambda pair: pair.update(extra=1), "unknown 'extra'"),
        (lambda pair: pair.update(columns=["age"]), r"pairs\[0\].columns must be the names of two columns"),
        (lambda pair: pair.update(columns=["age", "age"]), "must be the names of two columns"),
        (lambda pair: pair.update(columns=["age", "no one"]), "must be the name of a column, got 'no one'"),
        (lambda pair: pair.update(columns=["noise", "income"]), "has the same two columns twice"),
        (lambda pair: pair["partitions"].pop(), "must be a list of two partitions"),
        (lambda pair: pair["table"].pop(), r"pairs\[0\].table must be a list of 5"),
        (lambda pair: pair["table"][1].pop(), r"table\[1\] must be 3 lists of 2 values each"),
        (lambda pair: pair["table"][1][1].append(0), r"table\[1\] must be 3 lists of 2 values each"),
        (lambda pair: pair["table"][0][0].__setitem__(0, 0.5), r"table\[0\]\[0\] must be a list of 64-bit integers"),
        (lambda pair: pair["table"][-1][0].__setitem__(0, 1), "must end with zeros"),
        (lambda pair: pair["table"][0][-1].__setitem__(0, 1), "must end with zeros"),
        (lambda pair: pair["table"][0][0].__setitem__(0, 2**62), "scores whose sum exceeds 64 bits"),
        (lambda pair: pair["counts"]["cells"][0][0].__setitem__(0, -1), "must be weights of 0 or more"),
        (lambda pair: pair["counts"]["cells"].pop(), "counts.cells must be a list of 4"),
        (lambda pair: pair["counts"].update(type="text"), "must be 'int' or 'float'"),
        (lambda pair: pair.update(counts=None), "pair 'age × region' must have counts"),
        (lambda pair: pair.update(gain="much"), "gain must be a finite number, got 'much'"),
        (lambda pair: pair.update(log_bayes_factor=True), "log_bayes_factor must be a finite number"),
    ],
)
def test_a_forged_pair_is_refused(tmp_path, saved_pairs, change, message):
    path, document = tmp_path / "model.json", json.loads(saved_pairs)
    change(document["model"]["pairs"][0])
    path.write_bytes(signed(document))
    with pytest.raises(ModelFileError, match=message):
        bayesieve.load(path)


@pytest.mark.parametrize("estimator", [BoostSelector(), VoteClassifier()])
def test_other_models_have_no_pairs(tmp_path, estimator):
    X, y, _, model = make_model()
    model.save(tmp_path / "pairs.json")
    pairs = json.loads((tmp_path / "pairs.json").read_text(encoding="utf-8"))["model"]["pairs"]
    estimator.fit(X, y).save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    if isinstance(estimator, BoostSelector):  # one number per cell
        pairs = [each | {"table": [[[0]] * len(row) for row in each["table"]], "counts": None} for each in pairs]
    document["model"]["pairs"] = pairs
    (tmp_path / "model.json").write_bytes(signed(document))
    with pytest.raises(ModelFileError, match=f"pairs of columns, which a {type(estimator).__name__} does not have"):
        bayesieve.load(tmp_path / "model.json")


def test_the_frame_is_of_the_library_of_the_training_table(tmp_path):
    X, y = two_classes()
    back = through_a_file(SelectiveNaiveBayes(n_features=1).fit(X, y), tmp_path)
    assert isinstance(back.path_.to_frame(), pd.DataFrame)
