"""Conventions that users of scikit-learn, notebooks and other tools rely on."""

import logging
import subprocess
import sys
from inspect import isclass, signature

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from tables import three_classes, two_classes

import bayesieve
from bayesieve import (
    BoostSelector,
    MODLDiscretizer,
    NaiveBayesSelector,
    Report,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    WrapperSelector,
    compare,
    evaluate,
)
from bayesieve.bins import Groups, Intervals
from bayesieve.exceptions import ParameterError

MODEL_OF_NUMBERS = make_pipeline(MODLDiscretizer(), HistGradientBoostingClassifier(max_iter=3))
CLASSIFIERS = [ScorecardClassifier(), SelectiveNaiveBayes(), VoteClassifier(cv=0), BoostSelector(cv=0)]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
def test_decision_function_has_the_sign_of_scikit_learn(classifier):
    X, y = two_classes()
    model = classifier.fit(X, y)
    scores, probability = model.decision_function(X), model.predict_proba(X)[:, 1]
    assert scores.shape == (len(y),)
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), probability, atol=1e-9)
    assert (model.classes_[(scores > 0).astype(int)] == model.predict(X)).all()
    assert roc_auc_score(y == model.classes_[1], scores) == pytest.approx(
        roc_auc_score(y == model.classes_[1], probability), abs=1e-9
    )


def test_decision_function_of_more_classes():
    X, y = three_classes()
    model = SelectiveNaiveBayes().fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (len(y), 3)
    assert (model.classes_[scores.argmax(axis=1)] == model.predict(X)).all()


@pytest.mark.parametrize("name", ["ScorecardClassifier", "NaiveBayesSelector", "MODLDiscretizer", "IndicatorGrid"])
def test_diagrams_link_to_the_reference(name):
    estimator = getattr(bayesieve, name)()
    link = estimator._get_doc_link()
    assert link.startswith("https://")
    assert link.endswith(f"/reference/generated/bayesieve.{name}.html")
    assert link in estimator._repr_html_()


def test_versions_are_shown(capsys):
    bayesieve.show_versions()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if "core" not in line)
    assert lines["bayesieve"] == bayesieve.__version__
    assert lines["numpy"] == np.__version__


def test_names_of_scorers_and_their_values():
    X, y = two_classes()
    y = (y == np.unique(y)[1]).astype(int)
    names = ["roc_auc", "neg_log_loss", "neg_brier_score", "accuracy", "balanced_accuracy"]
    folds = StratifiedKFold(3)
    options = {"n_features": 2, "discretizer": "equal_frequency", "keep": [0, 1], "cv": folds}
    found = NaiveBayesSelector(scoring=names, **options).fit(X, y).cv_results_
    plain = SelectiveNaiveBayes("forward", "brier", bins="best", weights="none", **options)
    for name in names:
        expected = cross_val_score(plain, X, y, scoring=name, cv=folds)
        assert found[f"mean_test_{name}"][-1] == pytest.approx(expected.mean(), abs=0.02), name
    assert "mean_test_auc" not in found
    with pytest.raises(ParameterError, match=r"unknown metric 'f3'; valid metrics are .*roc_auc"):
        NaiveBayesSelector(scoring="f3").fit(X, y)


def test_progress_is_logged(caplog):
    X, y = two_classes()
    NaiveBayesSelector(n_features=2, verbose=1, cv=0).fit(X, y)
    (record,) = [each for each in caplog.records if "step 2" in each.message]
    assert (record.name, record.levelno) == ("bayesieve", logging.INFO)


@pytest.mark.slow
def test_progress_goes_to_standard_error_unless_logging_is_set_up():
    program = (
        "import logging, sys, numpy as np; from bayesieve import NaiveBayesSelector\n"
        "X = np.arange(60.0).reshape(30, 2)\n"
        "selector = NaiveBayesSelector(n_features=1, verbose=1, cv=0, discretizer='equal_frequency')\n"
        "selector.fit(X, X[:, 0] > 30); print('set up', file=sys.stderr)\n"
        "logging.basicConfig(); logging.getLogger('bayesieve').setLevel(logging.WARNING)\n"
        "selector.fit(X, X[:, 0] > 30)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    before, after = result.stderr.split("set up")
    assert "step 1: +" in before
    assert "step 1: +" not in after


def test_reprs_are_short_and_notebooks_get_tables():
    X, y = two_classes()
    model = SelectiveNaiveBayes("forward", threshold=("recall", 0.9)).fit(X, y)
    evaluation = evaluate(NaiveBayesSelector(n_features=1), LogisticRegression(), (X, y), cv=2)
    objects = [model.path_, model.why_, model.explain(X[:5]), model.explain(X[:5])[0], evaluation]
    for each in objects:
        assert len(repr(each)) < 600
        assert each._repr_html_().count("<table>") >= 1
        assert "<script" not in each._repr_html_()
    assert repr(model.path_).startswith("SelectionPath(brier: ")
    assert repr(model.threshold_).startswith("Threshold(recall 0.9, probability ")
    methods = evaluate([NaiveBayesSelector(n_features=1), None], LogisticRegression(), (X, y), cv=2)
    comparison = compare(methods)
    assert len(repr(comparison)) < 200
    assert "mean rank" in comparison._repr_html_()


def test_reasons_are_a_table():
    X, y = two_classes()
    for model in (SelectiveNaiveBayes(), ScorecardClassifier(), WrapperSelector(MODEL_OF_NUMBERS, cv=2, n_features=1)):
        why = model.fit(X, y).why_
        frame = why.to_frame()
        assert type(frame) is type(X)
        assert sorted(frame["column"]) == sorted(why)
        selected = list(frame["selected"])
        assert selected == sorted(selected, reverse=True)
    for model, name in ((SelectiveNaiveBayes(cv=0), "log_loss_alone"), (ScorecardClassifier(), "log_loss_alone")):
        why = model.fit(X, y).why_
        alone = why.to_frame().set_index("column")[name].dropna()
        assert (alone > 0).all()  # a loss is itself, and not the score of which more is better
        assert alone.to_dict() == {column: -why[column]["score_alone"] for column in alone.index}


def test_report_shows_its_verdict():
    X, y = two_classes()
    report = Report.from_estimator(SelectiveNaiveBayes("forward", n_features=1), X, y, cv=2)
    assert repr(report) == f"Report({report.verdict})"


def test_signatures_are_readable():
    assert "ArrayLike | None" in str(signature(SelectiveNaiveBayes.fit))
    for name in bayesieve.__all__:
        public = getattr(bayesieve, name)
        methods = [getattr(public, each) for each in dir(public) if not each.startswith("_")] if isclass(public) else []
        for each in filter(callable, [public, *methods]):
            assert "numpy._typing" not in str(signature(each)), each


def test_fitted_models_and_bins_are_one_line():
    X, y = two_classes()
    model, vote = SelectiveNaiveBayes(cv=0).fit(X, y), bayesieve.VoteClassifier(cv=0).fit(X, y)
    assert repr(model.scorecard_) == f"Scorecard(2 classes, {len(model.scorecard_.tables)} columns)"
    assert repr(vote.scorecard_).startswith("VoteModel(2 classes, ")
    for each in (model.selection_, model.scorecard_.tables[0], model.scorecard_.tables[0].partition):
        assert "\n" not in repr(each)
        assert len(repr(each)) < 250
    assert repr(Intervals(np.array([1.5]), missing=True)) == "Intervals(3 bins: <= 1.5; > 1.5; missing)"
    assert repr(Groups((("a",), ("b" * 90,)), missing=False)) == f"Groups(2 bins: a; {'b' * 40}…)"
    assert model.threshold_._repr_html_() == f"<code>{model.threshold_!r}</code>"
