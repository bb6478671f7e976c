"""The class that a threshold looks for, and probabilities along the path."""

import numpy as np
import polars as pl
import pytest

from bayesieve import SelectiveNaiveBayes, load
from bayesieve.exceptions import ParameterError


def lenders(n_rows=400):
    rng = np.random.default_rng(0)
    bad = rng.random(n_rows) < 0.3
    X = pl.DataFrame({"debt": bad + rng.normal(size=n_rows), "job": np.where(bad, 1, 0) + rng.integers(3, size=n_rows)})
    return X, np.where(bad, "bad", "good")


@pytest.mark.parametrize("threshold", ["f1", ("recall", 0.8), ("precision", 0.6), 0.3])
def test_the_first_class_is_looked_for_as_the_second_would_be(threshold, tmp_path):
    X, y = lenders()
    model = SelectiveNaiveBayes(threshold=threshold, pos_label="bad").fit(X, y)
    renamed = SelectiveNaiveBayes(threshold=threshold).fit(X, np.where(y == "bad", "z", "good"))
    assert ((model.predict(X) == "bad") == (renamed.predict(X) == "z")).all()
    assert (model.threshold_.recall, model.threshold_.precision) == (
        renamed.threshold_.recall,
        renamed.threshold_.precision,
    )
    model.save(tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == model.predict(X)).all()


def test_another_prior_moves_the_cut_with_the_positive_class():
    X, y = lenders()
    plain, shifted = (
        SelectiveNaiveBayes(threshold=("recall", 0.8), pos_label="bad", class_prior=prior).fit(X, y)
        for prior in (None, {"bad": 0.6, "good": 0.4})
    )
    assert (plain.predict(X) == shifted.predict(X)).all()


def test_a_class_that_is_not_there_is_refused():
    X, y = lenders()
    with pytest.raises(ParameterError, match="pos_label is 'ugly'"):
        SelectiveNaiveBayes(pos_label="ugly").fit(X, y)


@pytest.mark.parametrize("settings", [{}, {"search": "forward", "weights": "none", "bins": "best"}])
def test_stages_are_what_the_selected_copies_predict(settings):
    X, y = lenders()
    model = SelectiveNaiveBayes(**settings).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert [size for size, _ in stages] == model.cv_results_["n_features"].tolist()
    for size, chances in stages:
        assert np.array_equal(chances, model.select(size).predict_proba(X))
