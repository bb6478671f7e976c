"""The report as an object."""

import json
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from report.report_cases import ODD, evaluated, evaluated_with_pairs, odd_table, product_table
from scipy.sparse import csr_matrix
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

from bayesieve import (
    BoostSelector,
    NaiveBayesSelector,
    Report,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    check_data,
)
from bayesieve.exceptions import DataError, OutputError, ParameterError
from bayesieve.report import render_page
from bayesieve.report.chart import Steps, step_plot
from bayesieve.report.formats import percent
from bayesieve.report.selected import describe_bins
from bayesieve.report.what_if import describe_what_if


@pytest.fixture(scope="module")
def report_case():
    model, X, predictions, context, content = evaluated()
    y = model.classes_[predictions.target]
    return (
        Report.from_estimator(SelectiveNaiveBayes(keep=model.keep), X, y, context=context, compare=False),
        content,
        X,
        y,
    )


def test_it_is_what_the_command_line_would_write(report_case):
    report, content, *_ = report_case
    assert report.summary == content.as_json()
    assert report.html == render_page(content)
    assert str(report) == report.verdict == report.summary["verdict"]


def test_it_is_written_whole_with_a_file_of_its_numbers(report_case, tmp_path):
    report, content, *_ = report_case
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    assert json.loads((tmp_path / "page.report.json").read_text()) == content.as_json()
    with pytest.raises(ParameterError, match="HTML file"):
        report.save(tmp_path / "page.json")
    with pytest.raises(OutputError, match="does not exist"):
        report.save(tmp_path / "nowhere" / "page.html")


def test_a_notebook_gets_one_frame_from_which_nothing_escapes(report_case):
    report, *_ = report_case
    shown = report._repr_html_()
    assert ODD in unescape(unescape(json.dumps(report.summary))).replace('\\"', '"')
    found = re.fullmatch(r'<iframe srcdoc="([^"<>]*)" sandbox="allow-scripts allow-downloads" [^<>]*></iframe>', shown)
    assert unescape(found[1]) == report.html


def test_the_context_follows_from_the_parameters():
    X, y = odd_table(n_noise=3)
    labels = X.to_series(0).to_frame().with_columns(bought=y)["bought"]
    estimator = SelectiveNaiveBayes(threshold=("recall", 0.8), n_features=2)
    context = Report.from_estimator(estimator, X, labels, cv=3, compare=False).summary["context"]
    assert (context["target"], context["goal"], context["floor"]) == ("bought", "recall", 0.8)
    assert context["positive"] == 1  # as in scikit-learn, whichever class is rarer
    swapped = estimator.set_params(pos_label=np.unique(y)[0])
    assert Report.from_estimator(swapped, X, y, cv=3, compare=False).summary["context"]["positive"] == 0
    assert not hasattr(estimator, "path_")


def test_an_array_has_columns_without_names():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    X = rng.normal(size=(120, 4)) + 2 * y[:, None] * (np.arange(4) < 2)
    report = Report.from_estimator(SelectiveNaiveBayes(cv=0), X, y, cv=2, compare=False)
    assert report.summary["columns"]["name"] == ["x0", "x1", "x2", "x3"]
    assert report.summary["context"]["positive"] is None


def test_what_cannot_be_reported_is_refused_before_the_folds(report_case):
    _, _, X, y = report_case
    with pytest.raises(ParameterError, match="got NaiveBayesSelector"):
        Report.from_estimator(NaiveBayesSelector(), X, y)
    fitted = SelectiveNaiveBayes(n_features=3, keep=X.columns[0]).fit(X, y)
    with pytest.raises(DataError, match="selects 3 columns that differ from the 1 of the fitted one"):
        Report.from_estimator(fitted.select(1), X, y)
    with pytest.raises(DataError, match="has 3 rows; cv=5 needs at least 5"):
        Report.from_estimator(SelectiveNaiveBayes(), X[:20], np.arange(20) < 3)
    with pytest.raises(ParameterError, match="cv must be"):
        Report.from_estimator(SelectiveNaiveBayes(), X, y, cv=1)
    foreign = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    with pytest.raises(ParameterError, match="are those of a transformer"):
        Report.from_estimator(SelectiveNaiveBayes(bins="best", discretizer=foreign), X[:, :1], y)


ESTIMATORS = {
    "scorecard": ScorecardClassifier(n_features="best"),
    "esnb": SelectiveNaiveBayes.esnb(),
    "chi2 of votes": VoteClassifier("majority", threshold="chi2"),
    "many bins": VoteClassifier(discretizer=None, n_features=2),
    "confidence": BoostSelector(),
    "brier": BoostSelector("brier", replace=True),
    "boosted bins": BoostSelector("logit", discretizer=None, n_features=2),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_classifier_has_a_report(name):
    X, y = odd_table(n_noise=3)
    estimator = ESTIMATORS[name]
    summary = Report.from_estimator(estimator, X, y, cv=3, compare=False).summary
    titles = {"brier": "Brier score", "boosted bins": "log loss"}
    if name in titles:
        assert summary["search"]["criterion"] == titles[name]
        assert summary["model"]["score_alone"] == f"The decrease of the {titles[name]} of a model with this column only"
    model = estimator.__class__(**estimator.get_params(deep=False)).fit(X, y)
    selected = {X.columns.index(name) for name in model.scorecard_.names}
    assert selected
    assert set(np.flatnonzero(summary["columns"]["selected"]).tolist()) == selected
    assert {bins["column"] for bins in summary["bins"]} == set(summary["redundancy"]["columns"]) == selected
    assert all(len(bins["labels"]) >= 2 for bins in summary["bins"])
    assert summary["model"]["estimator"] == type(model).__name__
    assert not summary["model"]["weighted"]  # all weights are 1
    sizes = [size["n_columns"] for size in summary["sizes"]]
    assert sizes == [size for size, _ in model.staged_predict_proba(X)]
    assert all(size["optimistic"]["log_loss"] > 0 for size in summary["sizes"])
    # The threshold of the report is that of the model's own decisions.
    positive = summary["context"]["positive"]
    threshold = summary["decision"]["threshold"]
    probability = model.predict_proba(X)[:, positive]
    clear = np.abs(probability - threshold) > 1e-4
    assert np.array_equal((probability > threshold)[clear], (model.predict(X) == model.classes_[positive])[clear])


def test_a_model_without_a_form_says_why():
    X, y = odd_table(n_rows=120, n_noise=1)
    report = Report.from_estimator(VoteClassifier(n_features=2), X, y, cv=2, compare=False, what_if=True)
    sentence = "There is no form: the scores of this VoteClassifier do not add up over columns."
    assert report.summary["what_if"] == {"left_out": sentence}
    assert sentence in report.html
    assert 'id="what-if-fields"' not in report.html


def test_the_form_has_columns_that_are_in_pairs_alone():
    model, X, *_ = evaluated_with_pairs()
    form = describe_what_if(model, X, 1, 0.5)
    assert X.columns[-1] not in [table.name for table in model.scorecard_.tables]
    by_name = {column.name: column for column in form.columns}
    assert by_name[X.columns[-1]].scores is None
    assert by_name[X.columns[-1]].bins.bounds == [0.0]
    assert [[form.columns[k].name for k in pair.columns] for pair in form.pairs] == [
        [X.columns[0], X.columns[1]],
        [X.columns[-1], "gap"],
    ]


def test_a_scorecard_is_shown_as_it_is():
    X, y = product_table()
    report = Report.from_estimator(ScorecardClassifier(), X, y, cv=3)
    summary = report.summary
    model = ScorecardClassifier().fit(X, y)
    card, positive = model.scorecard_, summary["context"]["positive"]
    sign = 1 if positive == 1 else -1
    assert not summary["model"]["weighted"]
    for bins in summary["bins"]:
        table = card[X.columns[bins["column"]]]
        assert len(bins["labels"]) == table.partition.n_bins
        points = (table.table[:-1, 1] - table.table[:-1, 0]) / 2**40
        assert bins["points"] == pytest.approx(sign * points, abs=1e-5)
    (pair,), (own,) = summary["pairs"], card.pairs
    assert [X.columns[j] for j in pair["columns"]] == list(own.names) == ["a", "b"]
    assert [len(each) for each in pair["labels"]] == list(own.n_bins)
    points = (own.table[:-1, :-1, 1] - own.table[:-1, :-1, 0]) / 2**40
    (shown,) = pair["classes"]
    assert shown["class"] == positive
    assert np.array(shown["contribution"]) == pytest.approx(sign * points, abs=1e-5)
    assert np.sum(pair["counts"]) == len(X)
    (term,) = (term for term in summary["terms"] if len(term["columns"]) == 2)
    assert term["log_bayes_factor"] > 10
    assert 0.1 < term["gain"] < 0.5
    reasons = dict(zip(summary["columns"]["name"], summary["columns"]["reason"], strict=True))
    assert reasons["c again"] == "the same values, up to order, as 'c'"
    assert "points" in report.html


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_size_has_the_share_that_it_keeps_and_its_error(n_classes):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    y = np.digitize(2.0 * X["a"] + X["b"] + rng.logistic(size=300), [-1.0, 1.0][: n_classes - 1])
    kept = {each.n_features: each for each in ScorecardClassifier(n_pairs=0).fit(X, y).selection_.shares}
    report = Report.from_estimator(ScorecardClassifier(n_pairs=0), X, y, cv=3)
    for size in report.summary["sizes"]:
        own = kept[size["n_columns"]]
        assert size["kept"] == {"mean": own.share, "standard_error": own.standard_error}
        assert f'{percent(own.share)}<small class="quiet"> ± {percent(own.standard_error)}' in report.html
    assert "as the selection measured it" in report.html
    without = Report.from_estimator(SelectiveNaiveBayes(), X, y, cv=3)
    assert not any("kept" in size for size in without.summary["sizes"])
    assert "as the selection measured it" not in without.html


def test_points_of_a_scorecard_have_its_standard_errors():
    X, y = product_table()
    model = ScorecardClassifier().fit(X, y)
    for bins in describe_bins(model, X, 1):
        errors = model.scorecard_[X.columns[bins.column]].errors[:-1]
        assert bins.standard_error == pytest.approx(errors.max(axis=1), rel=1e-4)
    page = Report.from_estimator(model, X, y, cv=2, compare=False).html
    assert "95% credible intervals of the points" in page
    assert "standard error" in page


def test_points_of_each_class_have_the_standard_errors_of_a_scorecard():
    X, y = product_table()
    y = np.where(y == "yes", "yes", np.where(X["c"].to_numpy() > 0, "rising", "falling"))
    model = ScorecardClassifier("best").fit(X, y)
    for bins in describe_bins(model, X, None):
        table = model.scorecard_[X.columns[bins.column]]
        for c in range(3):
            own = [errors[c] for errors in bins.standard_error]
            assert own == pytest.approx(table.contribution_errors(c), rel=1e-4)
    page = Report.from_estimator(model, X, y, cv=2, compare=False).html
    assert "Shaded: 95% credible intervals of the points" in page
    assert 'class="band k2"' in page


def test_points_have_the_standard_errors_of_their_information():
    X, y = product_table()
    model = SelectiveNaiveBayes(bins="best", weights="none", cv=0).fit(X, y)
    positive = 1
    p = model.predict_proba(X)[:, positive]
    for bins in describe_bins(model, X, positive):
        table = model.scorecard_[X.columns[bins.column]]
        values = X[table.name].to_numpy()
        codes = np.searchsorted(table.partition.bounds, values)
        for code, error in enumerate(bins.standard_error):
            inside = p[codes == code]
            assert error == pytest.approx(1 / np.sqrt((inside * (1 - inside)).sum()), rel=1e-4)


def test_a_naive_bayes_shows_the_bins_and_points_that_it_uses():
    X, y = odd_table(n_noise=3)
    model = SelectiveNaiveBayes().fit(X, y)
    explained = {
        each.column: each.log_odds
        for each in model.explain(X[:1], classes=tuple(model.classes_[::-1]))[0].contributions
    }
    for bins in describe_bins(model, X, 1):
        table = model.scorecard_[X.columns[bins.column]]
        assert len(bins.points) == table.partition.n_bins
        assert min(abs(point - explained[table.name]) for point in bins.points) < 1e-5


def numbers_table(n_rows=200):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_rows)
    return rng.normal(size=(n_rows, 5)) + 1.5 * y[:, None] * (np.arange(5) < 2), y


def test_a_pipeline_and_a_search_are_reported_by_the_classifier_inside():
    X, y = numbers_table()
    plain = Report.from_estimator(SelectiveNaiveBayes(n_features=2, cv=0), X, y, cv=3, compare=False).summary
    pipeline = make_pipeline(StandardScaler(), SelectiveNaiveBayes(n_features=2, cv=0))
    piped = Report.from_estimator(pipeline, X, y, cv=3).summary
    assert piped["columns"]["selected"] == plain["columns"]["selected"]
    for one, other in zip(piped["sizes"], plain["sizes"], strict=True):  # only the order of values counts
        assert one["held_out"]["auc"]["mean"] == pytest.approx(other["held_out"]["auc"]["mean"], abs=0.005)
    assert piped["reproduce"]["command"].startswith("Report.from_estimator(Pipeline(")
    assert len(piped["comparison"]["models"]) == 3
    search = GridSearchCV(pipeline, {"selectivenaivebayes__n_features": [1, 2]}, cv=2)
    found = Report.from_estimator(search, X, y, cv=3, compare=False).summary
    best = search.fit(X, y).best_params_["selectivenaivebayes__n_features"]
    assert sum(found["columns"]["selected"]) == best
    assert "GridSearchCV" in found["reproduce"]["command"]


def test_a_sparse_matrix_is_reported_as_the_same_numbers_in_an_array():
    X, y = numbers_table()
    X = np.where(X > 1, X.round(1), 0.0)
    X[:3, 4] = np.nan
    estimator = SelectiveNaiveBayes(n_features=2, cv=0)
    dense, sparse = (
        Report.from_estimator(estimator, table, y, cv=3, compare=False).summary for table in (X, csr_matrix(X))
    )
    for key in ("sizes", "bins", "redundancy", "data"):
        assert dense[key] == sparse[key]
    assert dense["columns"]["n_distinct"] == sparse["columns"]["n_distinct"]
    assert dense["columns"]["n_missing"] == sparse["columns"]["n_missing"] == [0, 0, 0, 0, 3]


def test_findings_of_the_data_check_are_in_the_report():
    rng = np.random.default_rng(0)
    y = rng.random(120) < 0.4
    X = pd.DataFrame({"dose": y + rng.normal(size=120), "same": "<b>", "left": "x", "n": rng.permutation(120)})
    X["text"] = ["<i>" if i == 7 else str(i % 10) for i in range(120)]
    report = Report.from_estimator(ScorecardClassifier(drop="left", n_pairs=0), X, y, cv=2, compare=False)
    texts = [finding["text"] for finding in report.summary["findings"]["shown"]]
    assert texts == [str(each) for each in check_data(X, y).findings if each.column != "left"]
    assert "Column 'text': 119 of 120 values are numbers, but row 8 has '<i>'; it is read as categories." in texts
    assert all(text in unescape(report.html) for text in texts)
    assert "'<i>'" not in report.html
    none = Report.from_estimator(ScorecardClassifier(n_pairs=0), X[["dose"]], y, cv=2, compare=False)
    assert "Nothing was found in the columns that would spoil a fit." in none.html


def test_ticks_do_not_run_into_the_label_of_missing_values():
    bounds = [100.0, 150.0, 196.0]
    for labels, n_bins in ((["", "", "", "", "missing"], 5), (["", "", "", ""], 4)):
        page = str(
            step_plot(Steps(bounds, [[0.0, 1.0, 2.0, 3.0, 0.5][:n_bins]], None, [1.0] * n_bins, labels), "x", "y")
        )
        ticks = re.findall(r'<text x="([\d.]+)" y="207" text-anchor="middle">(\w+)</text>', page)
        places = sorted((float(place), text) for place, text in ticks)
        assert len(places) >= 3
        for (left, before), (right, after) in pairwise(places):
            assert right - left > 3.2 * (len(before) + len(after)), (before, after)


def test_a_report_of_the_command_line_has_its_date_and_one_of_python_is_the_same_twice():
    *_, content = evaluated()
    assert "Made " not in render_page(content)
    dated = replace(content, reproduce=replace(content.reproduce, made="2026-11-17T11:29:30+00:00"))
    assert "Made 2026-11-17 11:29 UTC." in render_page(dated)


def test_columns_of_0_and_1_are_bars_and_integers_have_integer_ticks():
    rng = np.random.default_rng(0)
    flag, number = rng.integers(2, size=600), rng.integers(0, 30, size=600)
    y = np.where(rng.logistic(size=600) < 2.0 * flag - 1 + (number - 15) / 5, "yes", "no")
    X = pl.DataFrame({"flag": flag, "number": number})
    model = ScorecardClassifier(n_features=2, n_pairs=0)
    report = Report.from_estimator(model, X, y, cv=2, compare=False, what_if=True)
    by_name = {X.columns[bins["column"]]: bins for bins in report.summary["bins"]}
    assert by_name["flag"]["labels"] == ["0", "1"]
    assert "bounds" not in by_name["flag"]
    assert by_name["number"]["value_range"] == [0.0, 29.0]
    assert by_name["number"]["are_integers"]
    assert "Contribution of flag by value" not in report.html
    assert "Contribution of number by value" in report.html
    assert [column["are_integers"] for column in report.summary["what_if"]["columns"]] == [True, True]
