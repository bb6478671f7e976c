"""Models of ONNX, run by onnxruntime, give the probabilities and the classes of the model in Python."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from pair_models import make_model

from bayesieve import BoostSelector, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier
from bayesieve.exceptions import ExportError
from bayesieve.export import export_onnx, onnx_inputs


def mixed(n_rows=300, n_classes=2, seed=0):
    """Return numbers, whole numbers, categories, booleans and dates, and a target that depends on all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    amount = (y + rng.normal(scale=0.8, size=n_rows)).round(2)
    amount[rng.random(n_rows) < 0.1] = np.nan
    town = np.array(["York", "Łódź", "emoji 🦊", "c", "d"], dtype=object)[(2 * y + rng.integers(3, size=n_rows)) % 5]
    town[rng.random(n_rows) < 0.1] = None
    columns = {
        "amount": amount,
        "town": town,
        "whole": y * 2 + rng.integers(4, size=n_rows),
        "flag": rng.random(n_rows) < 0.3 + 0.4 * (y == 1),
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(60, size=n_rows) + 20 * y, unit="D"),
    }
    return pd.DataFrame(columns), np.array(["no", "yes", "maybe"])[y]


def new_rows(X):
    """Return the rows, and others with unseen and missing values, infinitely large ones, and values at the bounds."""
    strange = X.head(4).copy()
    strange["amount"] = [1e300, -1e300, np.nan, 0.0]
    strange["town"] = ["never seen", None, "York", ""]
    strange["whole"] = [100, -5, 3, 2]
    return pd.concat([X, strange], ignore_index=True)


def run(model, X, **options):
    session = onnxruntime.InferenceSession(export_onnx(model, **options), providers=["CPUExecutionProvider"])
    return session.run(["label", "probabilities"], onnx_inputs(model, X, **options))


def assert_same(model, X, **options):
    label, probabilities = run(model, X, **options)
    assert np.abs(probabilities - model.predict_proba(X)).max() < 1e-12
    assert label.tolist() == model.predict(X).tolist()


MODELS = {
    "scorecard": ScorecardClassifier(),
    "averaged bins": SelectiveNaiveBayes(),
    "best bins": SelectiveNaiveBayes(bins="best", weights="none"),
    "each value a bin": SelectiveNaiveBayes(discretizer=None, bins="best", weights="none", drop=["day"]),
    "any vote": VoteClassifier("any", cv=0),
    "majority": VoteClassifier("majority", cv=0, discretizer="equal_frequency", n_features=3),
    "all votes": VoteClassifier("all", cv=0),
    "two votes": VoteClassifier(2, cv=0, pos_label="no"),
    "confidence": BoostSelector(cv=0),
    "logit": BoostSelector("logit", cv=0),
    "brier": BoostSelector("brier", cv=0),
    "floor of recall": SelectiveNaiveBayes(threshold=("recall", 0.9)),
    "probability": SelectiveNaiveBayes(threshold=0.3, pos_label="no"),
}


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_and_classes(name):
    X, y = mixed()
    model = MODELS[name].fit(X, y)
    assert_same(model, new_rows(X))


def test_three_classes_and_pairs():
    X, y = mixed(n_classes=3)
    assert_same(SelectiveNaiveBayes().fit(X, y), new_rows(X))
    for n_classes in (2, 3):
        X, _, _, model = make_model(n_classes)
        assert model.scorecard_.pairs
        X.loc[0, "region"], X.loc[1, "age"] = None, np.nan
        assert_same(model, X)


def test_files_and_what_cannot_be_exported(tmp_path):
    X, y = mixed()
    model = SelectiveNaiveBayes().fit(X, y)
    content = export_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == content
    with pytest.raises(ExportError, match="the category 'York', which stands for a missing value"):
        export_onnx(model, missing_text="York")
    assert_same(model, new_rows(X), missing_text="(none)")
    with pytest.raises(ExportError, match="fit without calibration"):
        export_onnx(SelectiveNaiveBayes(calibration="isotonic", cv=2).fit(X, y))
