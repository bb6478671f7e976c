"""A classifier whose scorecard has pairs: it predicts, explains and becomes a table as the sum of all terms."""

import warnings
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pair_models import make_model, make_pair, make_rows, pair_scores, with_pairs

from bayesieve import SelectiveNaiveBayes
from bayesieve.data import read_table
from bayesieve.exceptions import UnseenValuesWarning
from bayesieve.models import Evidence

UNSEEN = defaultdict(float)
CLASSES = pytest.mark.parametrize("n_classes", [2, 3])


def plain_scores(model, X):
    """Return the scores of the tables alone, by loops over rows."""
    card = model.scorecard_
    scores = np.repeat(card.start[:, None], len(X), axis=1)
    for each in card.tables:
        column = read_table(X[[each.name]]).column(0)
        codes = each.partition.bins_of(column)[column.ids]
        for i, code in enumerate(codes):
            scores[:, i] += each.table[code]
    return scores


@CLASSES
def test_predictions_add_the_cells_of_pairs(n_classes):
    X, _, plain, model = make_model(n_classes)
    card = model.scorecard_
    scores = plain_scores(plain, X) + pair_scores(X, card.pairs, n_classes)
    assert_array_equal(model.predict_proba(X), card.probabilities(Evidence(scores, of_model=True)).T)
    assert_array_equal(model.predict_log_proba(X), card.log_probabilities(Evidence(scores, of_model=True)).T)
    assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=0)])
    assert not np.array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_without_pairs_nothing_changes():
    X, _, plain, _ = make_model()
    assert_array_equal(with_pairs(plain, ()).predict_proba(X), plain.predict_proba(X))


def test_each_column_is_read_once():
    X, _, _, model = make_model()
    reads = []
    original = type(read_table(X)).columns_at

    def columns_at(table, places):
        reads.extend(places)
        return original(table, places)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(read_table(X)), "columns_at", columns_at)
        model.predict_proba(X)
        model_reads, reads[:] = sorted(reads), []
        list(model.staged_predict_proba(X))
    assert model_reads == [0, 1, 2, 3]
    assert sorted(reads) == [0, 1, 2, 3]


@CLASSES
def test_stages_have_their_pairs(n_classes):
    X, y = make_rows(n_classes=n_classes)
    model = SelectiveNaiveBayes(weights="none").fit(X, y)
    sizes = [size for size, _ in model.staged_predict_proba(X)]
    pairs = [make_pair(X, y), make_pair(X, y, ("income", "region"), seed=2)]
    candidates = {
        columns: replace(each, pairs=tuple(pairs[: each.n_features]))
        for columns, each in model.selection_.candidates.items()
    }
    model.selection_ = replace(model.selection_, candidates=candidates)
    assert len(sizes) > 1
    for size, probabilities in model.staged_predict_proba(X):
        assert_array_equal(probabilities, model.select(size).predict_proba(X))
        assert len(model.select(size).scorecard_.pairs) == min(size, 2)


def test_columns_of_pairs_are_selected():
    _, _, plain, model = make_model()
    assert plain.scorecard_.names == ["age"]
    assert model.support_.tolist() == [True] * 4
    assert model.n_features_ == 4
    assert (model.feature_importances_ > 0).all()
    assert_allclose(model.feature_importances_.sum(), 1.0)


def test_unseen_values_of_pairs_add_nothing_and_warn_once():
    X, _, plain, model = make_model(names=(("age", "region"),))
    new = X.assign(region="abroad")
    with pytest.warns(UnseenValuesWarning, match=r"'region' \(100% of rows\)") as caught:
        p = model.predict_proba(new)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(p, plain.predict_proba(new))


@CLASSES
def test_contributions_of_pairs_are_terms_of_their_own(n_classes):
    X, _, plain, model = make_model(n_classes)
    pair = model.scorecard_.pairs[1]
    labels = tuple(model.classes_.tolist()[:2])
    for i, (each, before) in enumerate(zip(model.explain(X, labels), plain.explain(X, labels), strict=True)):
        assert_allclose(each.log_odds, each.prior + sum(term.log_odds for term in each.contributions), atol=1e-9)
        by_name = {term.column: term for term in each.contributions}
        assert len(each.contributions) == len(plain.scorecard_.tables) + 2
        assert all(by_name[term.column] == term for term in before.contributions)
        term = by_name["noise × income"]
        row = X.iloc[[i]]
        difference = np.subtract(*pair_scores(row, [pair], n_classes)[:2, 0]) / 2**40
        assert_allclose(term.log_odds, difference)
        income = X["income"][i]
        assert term.value == (X["noise"][i], None if np.isnan(income) else income)
        assert term.columns == pair.names
        assert term.bin == " × ".join(term.bins)


def test_explanations_are_readable():
    X, _, _, model = make_model(names=(("age", "income"),))
    row = X.assign(income=np.nan).head(1)
    explanations = model.explain(row, ("yes", "no"))
    age = X["age"][0]
    assert f"age × income = {age:g} × missing (> 60 × missing)" in str(explanations[0])
    frame = explanations.to_frame()
    (cell,) = frame[frame["column"] == "age × income"].to_dict("records")
    assert (cell["value"], cell["bin"]) == (f"{age:g} × missing", "> 60 × missing")


def test_calibrated_classifiers_have_pairs():
    X, _, plain, model = make_model(calibration="beta")
    card = model.scorecard_
    scores = plain_scores(plain, X) + pair_scores(X, card.pairs, 2)
    assert card.calibration is not None
    assert_array_equal(model.predict_proba(X), card.probabilities(Evidence(scores, of_model=True)).T)


@CLASSES
def test_points_of_the_scorecard_add_up_to_the_probabilities(n_classes):
    X, y, _, model = make_model(n_classes)
    frame = model.scorecard(None)
    suffixes = [""] if n_classes == 2 else [f" {label}" for label in model.classes_]
    records = {(row["column"], row["bin"]): row for row in frame.to_dict("records")}
    points = np.array(
        [
            [
                records["", "intercept"][f"points{suffix}"]
                + sum(records.get((term.column, term.bin), UNSEEN)[f"points{suffix}"] for term in each.contributions)
                for suffix in suffixes
            ]
            for each in model.explain(X)
        ]
    )
    points = np.column_stack([np.zeros(len(X)), points]) if n_classes == 2 else points
    p, n = np.exp(points) / np.exp(points).sum(axis=1, keepdims=True), len(y)
    assert_allclose(model.predict_proba(X), (n * p + 0.5 / n_classes) / (n + 0.5), atol=1e-9)
    cells = frame[frame["column"] == "age × region"]
    assert len(cells) == 8
    known = X["region"].isin(["north", "east", "south"])
    assert_allclose(cells["count"].sum(), known.sum())
    (cell,) = cells[cells["bin"] == "<= 30 × south"].to_dict("records")
    rows = (X["age"] <= 30) & (X["region"] == "south")
    assert cell["count"] == rows.sum()
    rate = "rate" if n_classes == 2 else f"rate {model.classes_[1]}"
    assert_allclose(cell[rate], (y[rows] == model.classes_[1]).mean())


def test_simplified_copies_keep_pairs():
    X, _, plain, model = make_model()
    simple = model.simplify(3)
    assert simple.scorecard_.pairs == model.scorecard_.pairs
    scores = plain_scores(plain.simplify(3), X) + pair_scores(X, model.scorecard_.pairs, 2)
    assert_array_equal(simple.predict_proba(X), simple.scorecard_.probabilities(Evidence(scores)).T)
    assert_allclose(simple.feature_importances_.sum(), 1.0)
