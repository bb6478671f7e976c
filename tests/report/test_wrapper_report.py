"""The report of a selector that refits an estimator: the search in outer folds, as a page and as plain data."""

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from bayesieve import Report, WrapperSelector
from bayesieve.exceptions import ParameterError

SELECTOR = WrapperSelector(GaussianNB(), scoring=["accuracy", "neg_log_loss"], n_features=2, cv=2)


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:200, :5].rename(columns={"mean radius": "<script>radius"}), y.iloc[:200]


@pytest.fixture(scope="module")
def report(rows):
    return Report.from_estimator(SELECTOR, *rows, cv=3)


def test_scores_are_those_of_the_search_without_the_fold(rows, report):
    X, y = rows
    expected, selected = [], []
    for training, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        fold = clone(SELECTOR).fit(X.iloc[training], y.iloc[training])
        selected += fold.get_feature_names_out().tolist()
        model = GaussianNB().fit(fold.transform(X.iloc[training]), y.iloc[training])
        expected.append(accuracy_score(y.iloc[test], model.predict(fold.transform(X.iloc[test]))))
    (chosen,) = [size for size in report.summary["sizes"] if size["selected"]]
    assert chosen["held_out"]["accuracy"]["mean"] == pytest.approx(np.mean(expected), abs=1e-4)
    error = np.std(expected, ddof=1) / np.sqrt(3)
    assert chosen["held_out"]["accuracy"]["standard_error"] == pytest.approx(error, abs=1e-4)
    fitted = clone(SELECTOR).fit(X, y)
    assert sorted(chosen["columns"]) == sorted(fitted.get_feature_names_out())
    assert chosen["optimistic"]["accuracy"] == pytest.approx(fitted.path_.best_by_size()[2].score, abs=1e-4)
    for column in report.summary["columns"]:
        assert column["n_folds"] == selected.count(column["name"])
    assert [step["column"] for step in report.summary["path"]] == [step.column for step in fitted.path_.steps]
    assert "2 of 5 features selected for GaussianNB: cross-validated accuracy 0." in report.verdict


def test_the_page_is_complete_and_escapes_names(report, tmp_path):
    class Parser(HTMLParser):
        tags: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag, attrs):
            self.tags.append(tag)

    parser = Parser()
    parser.feed(report.html)
    assert parser.tags.count("svg") == 2
    assert parser.tags.count("table") == 3
    assert "script" not in parser.tags
    assert "&lt;script&gt;radius" in report.html
    assert "log loss (lower is better)" in report.html
    report.save(tmp_path / "selection.html")
    assert json.loads((tmp_path / "selection.report.json").read_text())["verdict"] == report.verdict
    assert repr(report) == f"Report({report.verdict})"


def test_regressors_groups_and_weights(rows):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X, y = X.iloc[:120, :4], y.iloc[:120]
    groups = np.arange(120) // 4
    selector = WrapperSelector(LinearRegression(), scoring="neg_mean_absolute_error", cv=3)
    report = Report.from_estimator(selector, X, y, cv=2, groups=groups, sample_weight=np.ones(120))
    assert report.summary["metrics"]["neg_mean_absolute_error"]["title"] == "mean absolute error"
    assert all(size["held_out"]["neg_mean_absolute_error"]["mean"] > 0 for size in report.summary["sizes"])
    with pytest.raises(ParameterError, match="takes groups and sample_weight; got 'times'"):
        Report.from_estimator(selector, X, y, times=pd.Series(groups))
    with pytest.raises(ParameterError, match="cv must be 2 or more"):
        Report.from_estimator(SELECTOR, *rows, cv=1)
