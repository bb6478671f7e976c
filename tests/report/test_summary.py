"""The summary of a report against direct computation."""

import json
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from time import process_time
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from report.report_cases import METRICS, evaluated, evaluated_with_pairs, odd_table
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.report import ReportContext, format_label, predict_outer_folds, render_page, summarize
from bayesieve.report.model_type import describe_model
from bayesieve.report.redundancy import describe_stability
from bayesieve.report.summary import plain

ALLOWED = set(
    [
        "html",
        "ul",
        "li",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "header",
        "div",
        "span",
        "nav",
        "button",
        "main",
        "section",
        "p",
        "h1",
        "h2",
        "h3",
        "b",
        "small",
        "i",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "label",
        "select",
        "option",
        "input",
        "output",
        "details",
        "summary",
        "figure",
        "figcaption",
        "svg",
        "g",
        "line",
        "polyline",
        "path",
        "rect",
        "circle",
        "text",
        "article",
        "pre",
        "script",
    ]
)


class Tags(HTMLParser):
    """Elements and attributes of a page, and its text."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attributes)

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module", params=[2, 4])
def case(request):
    return evaluated(request.param)


def outer_models(model, X, y):
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(y)), y):
        yield SelectiveNaiveBayes(keep=model.keep).fit(X[train], y[train]), X[test], y[test]


def test_json_can_hold_it_and_nothing_is_missing(case):
    *_, content = case
    summary = content.as_json()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_a_record_leaves_out_only_what_is_none_by_default():
    @dataclass(frozen=True)
    class Inner:
        class_: int
        threshold: float | None

    @dataclass(frozen=True)
    class Outer:
        parts: list[Inner]
        by_name: dict[str, Inner]
        profit: float | None = None
        cost: float | None = None

    record = Outer([Inner(0, None)], {"one": Inner(1, 0.5)}, cost=0.0)
    assert plain(record) == {
        "parts": [{"class": 0, "threshold": None}],
        "by_name": {"one": {"class": 1, "threshold": 0.5}},
        "cost": 0.0,
    }


def test_held_out_scores_are_those_of_models_that_were_fitted_without_the_rows(case):
    model, X, predictions, _, content = case
    summary = content.as_json()
    y = model.classes_[predictions.target]
    selected = next(size for size in summary["sizes"] if size["selected"])
    smaller = summary["sizes"][1]
    for size, pick in ((selected, lambda outer: outer), (smaller, lambda outer: outer.select(smaller["n_columns"]))):
        folds = {name: [] for name in ("accuracy", "log_loss", "auc", "brier")}
        for outer, rows, truth in outer_models(model, X, y):
            chances = pick(outer).predict_proba(rows)
            folds["log_loss"].append(log_loss(truth, chances, labels=model.classes_))
            folds["accuracy"].append(accuracy_score(truth, model.classes_[chances.argmax(axis=1)]))
            if len(model.classes_) == 2:
                folds["auc"].append(roc_auc_score(truth, chances[:, 1]))
                folds["brier"].append(brier_score_loss(truth == model.classes_[1], chances[:, 1]))
        for name, scores in folds.items():
            if scores:
                assert size["held_out"][name]["mean"] == pytest.approx(np.mean(scores), rel=1e-5)
                error = np.std(scores, ddof=1) / np.sqrt(5)
                assert size["held_out"][name]["standard_error"] == pytest.approx(error, rel=1e-4, abs=1e-9)


def test_curves_count_rows(case):
    model, _, predictions, _, content = case
    summary = content.as_json()
    for size in summary["sizes"]:
        probabilities = predictions.probabilities(None if size["selected"] else size["n_columns"])
        assert np.sum(size["confusion"]) == len(predictions.target)
        for curve in size["curves"]:
            chances, positive = probabilities[:, curve["class"]], predictions.target == curve["class"]
            assert curve["threshold"] == sorted(curve["threshold"], reverse=True)
            for cut, true, false in zip(
                curve["threshold"], curve["true_positives"], curve["false_positives"], strict=True
            ):
                assert true == np.sum(chances[positive] > cut)
                assert false == np.sum(chances[~positive] > cut)
            groups = curve["calibration"]
            assert sum(groups["n_rows"]) == len(positive)
            observed = np.dot(groups["observed"], groups["n_rows"])
            assert observed == pytest.approx(positive.sum(), rel=1e-4)
    assert len(summary["sizes"]) == len(model.cv_results_["n_features"])


def test_columns_are_those_of_the_model_and_the_table(case):
    model, X, predictions, _, content = case
    summary = content.as_json()
    columns = summary["columns"]
    assert columns["name"] == X.columns
    assert columns["selected"] == model.support_.tolist()
    assert [weight is not None for weight in columns["weight"]] == columns["selected"]
    assert columns["reason"] == [model.why_[name]["reason"] for name in X.columns]
    assert columns["n_missing"] == [X[name].null_count() for name in X.columns]
    assert columns["n_distinct"] == [X[name].drop_nulls().n_unique() for name in X.columns]
    assert columns["n_folds_selected"] == [
        sum(name in fold.columns for fold in predictions.folds) for name in X.columns
    ]
    assert columns["warning"][3] == "Every row has a different value; is it an identifier?"
    for bins in summary["bins"]:
        assert np.sum(bins["counts"]) == len(X)
        assert len(bins["labels"]) == len(bins["counts"])


def test_two_equal_columns_are_redundant_and_a_leak_is_seen():
    X, y = odd_table()
    doubled = X.with_columns(X.to_series(0).alias("again"), pl.Series("leak", y))
    model = SelectiveNaiveBayes(scoring=METRICS, keep=[X.columns[0], "again"]).fit(doubled, y)
    summary = summarize(
        model, doubled, predict_outer_folds(model, doubled, y), ReportContext("y", positive=model.classes_[1])
    ).as_json()
    places = summary["redundancy"]["columns"]
    one, other = sorted([places.index(0), places.index(doubled.columns.index("again"))])
    assert summary["redundancy"]["matrix"][other][one] == 1
    assert "almost perfectly" in summary["columns"]["warning"][-1]


def test_page_holds_the_summary_and_nothing_of_it_is_markup(case):
    *_, content = case
    summary = content.as_json()
    page = render_page(content)
    inside = page.split('id="summary">')[1].split("</script>")[0]
    held = json.loads(inside)
    assert [size["curves"] for size in held["sizes"]] == [size["curves"] for size in summary["sizes"]]
    assert held["fields"][0]["values"] == summary["columns"]["name"]
    assert not set("<>&") & set(inside)
    reader = Tags()
    reader.feed(page)
    assert reader.tags <= ALLOWED
    assert not {name for name in reader.attributes if name.startswith("on") or name == "style"}
    assert summary["verdict"] in reader.text
    for name in summary["columns"]["name"]:
        assert name in reader.text
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "content=\"default-src 'none'; script-src 'sha256-" in unescape(page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_two_thousand_columns_are_less_than_half_a_megabyte():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    informative = {f"a column with a rather long name {j}": rng.normal(size=60) + y for j in range(150)}
    noise = {f"another column with a long name, number {j}": rng.normal(size=60) for j in range(1850)}
    X = pl.DataFrame({**informative, **noise})
    model = SelectiveNaiveBayes("forward", n_features=150, keep=list(informative), weights="none", scoring=METRICS)
    model.set_params(bins="best", cv=0)
    predictions = predict_outer_folds(model.fit(X, y), X, y, 2)
    page = render_page(summarize(model, X, predictions, ReportContext("y", positive=1)))
    assert model.n_features_ == 150
    assert len(page.encode()) < 500_000


@pytest.mark.parametrize("n_classes", [2, 4])
def test_pairs_are_those_of_the_scorecard(n_classes):
    model, *_, content = evaluated_with_pairs(n_classes)
    summary = content.as_json()
    names, labels = summary["columns"]["name"], [format_label(label) for label in model.classes_.tolist()]
    by_names = {pair.names: pair for pair in model.scorecard_.pairs}
    assert len(summary["pairs"]) == 2
    for described in summary["pairs"]:
        pair = by_names[tuple(names[j] for j in described["columns"])]
        assert described["counts"] == pair.cell_mass.tolist()
        assert [len(each) for each in described["labels"]] == list(pair.n_bins)
        assert len(described["classes"]) == (1 if n_classes == 2 else 4)
        for each in described["classes"]:
            c, points = each["class"], pair.table[:-1, :-1] / 2**40
            other = points[..., 1 - c] if n_classes == 2 else points.mean(axis=2)
            assert_allclose(each["contribution"], points[..., c] - other, rtol=1e-5, atol=1e-9)
            counts = pair.counts[..., c] / np.where(pair.cell_mass > 0, pair.cell_mass, np.nan)
            assert_allclose(np.array(each["rate"], dtype=float), counts, rtol=1e-5)
    if n_classes == 2:
        assert labels[summary["pairs"][0]["classes"][0]["class"]].startswith("yes")


def test_terms_are_columns_and_pairs():
    model, *_, content = evaluated_with_pairs()
    summary = content.as_json()
    terms, names = summary["terms"], summary["columns"]["name"]
    assert_allclose(sum(term["importance"] for term in terms), 1.0, rtol=1e-5)
    assert len(terms) == len(model.scorecard_.tables) + 2
    assert [term["importance"] for term in terms] == sorted((term["importance"] for term in terms), reverse=True)
    pairs = [term for term in terms if len(term["columns"]) == 2]
    assert {(term["log_bayes_factor"], term["gain"]) for term in pairs} == {(5.5, 0.0125)}
    assert {term["gain"] for term in terms if len(term["columns"]) == 1} == {None}
    for j, share in enumerate(summary["columns"]["importance"]):
        parts = [term["importance"] / len(term["columns"]) for term in terms if j in term["columns"]]
        assert_allclose(share, sum(parts), rtol=1e-4), names[j]


def test_without_pairs_there_are_no_terms():
    *_, content = evaluated()
    summary = content.as_json()
    assert (summary["terms"], summary["pairs"]) == ([], [])


def test_a_large_table_is_summarized_and_drawn_in_three_seconds_of_processor_time():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=32_561)
    X = pl.DataFrame({f"column {j}": (rng.normal(size=len(y)) + 0.3 * y).round(1) for j in range(14)})
    model = SelectiveNaiveBayes("forward", n_features=14, weights="none", bins="best", cv=0, scoring=METRICS).fit(X, y)
    predictions = predict_outer_folds(model, X, y, 5)
    start = process_time()
    page = render_page(summarize(model, X, predictions, ReportContext("y", positive=1)))
    assert process_time() - start < 3
    assert len(page) < 500_000


@pytest.mark.parametrize(("columns", "n_with"), [([(), ("a",), ("a", "b")], 2), ([(), ()], 0)])
def test_scores_of_folds_with_columns_are_not_those_of_a_model_without(columns, n_with):
    folds = [SimpleNamespace(columns=each) for each in columns]
    model = SimpleNamespace(scorecard_=SimpleNamespace(columns=()))
    notes = describe_stability(model, SimpleNamespace(n_train=None, folds=folds)).notes
    assert [note.partition(":")[0] for note in notes] == (
        [f"The model has no columns, but {n_with} of the {len(folds)} folds selected some"] if n_with else []
    )


def test_the_note_on_selection_scores_states_what_they_are():
    """The search of a scorecard compares models with pairs: an interaction of two columns shows in its scores."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(600) < 0.1)
    model = ScorecardClassifier().fit(X, y)
    assert model.pairs_ == [("x0", "x1")]
    assert model.selection_.best.visit.score > -0.55
    assert "columns and pairs" in describe_model(model).selection_score
