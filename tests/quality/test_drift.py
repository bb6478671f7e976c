"""Drift of new rows, against formulas written out and against samples of one population."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes, drift, load
from bayesieve.data.document import Entry
from bayesieve.exceptions import DataError, ModelFileError, ParameterError
from bayesieve.model_file.training_record import TrainingRecord, group_scores
from bayesieve.quality.drift_result import ColumnDrift, Drift, MetricDrift
from bayesieve.quality.stability_index import drift_level, psi, psi_by_chance
from bayesieve.report import render_drift


def rows(n, seed, shift=0.0, new_town=0.0, missing=0.1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    age = np.where(y, 50, 42) + rng.normal(scale=8, size=n) + shift
    town = np.where(
        rng.random(n) < new_town, "<new>", np.where(y, rng.choice(list("aab"), n), rng.choice(list("bcc"), n))
    )
    X = pd.DataFrame({"noise": rng.normal(size=n), "age": np.where(rng.random(n) < missing, np.nan, age), "town": town})
    return X, np.where(y, "yes", "no")


X, Y = rows(2000, 0)
MODEL = SelectiveNaiveBayes(bins="best", weights="none", keep=["age", "town"]).fit(X, Y)


def test_the_index_is_the_sum_over_bins():
    new, _ = rows(700, 1, shift=6)
    found = {column.name: column for column in drift(MODEL, new).columns}
    partition = MODEL.scorecard_["age"].partition
    assert partition.n_bins <= 10
    edges = [-np.inf, *partition.bounds, np.inf]
    then, now = (
        np.array([*(((low < x) & (x <= high)).sum() for low, high in pairwise(edges)), np.isnan(x).sum()]) + 0.5
        for x in (X["age"].to_numpy(), new["age"].to_numpy())
    )
    p, q = then / then.sum(), now / now.sum()
    expected = sum((b - a) * np.log(b / a) for a, b in zip(p, q, strict=True))
    if len(found["age"].bins) == partition.n_bins:  # none was merged
        assert found["age"].psi == pytest.approx(expected, rel=1e-12)
    assert found["age"].level == "large"
    assert found["town"].level == "stable"
    assert found["age"].missing_then == pytest.approx(X["age"].isna().mean())
    assert found["age"].missing_now == pytest.approx(new["age"].isna().mean())
    assert sum(each.now for each in found["age"].bins) == pytest.approx(1.0)


def test_the_same_rows_have_no_drift_and_samples_little():
    assert all(column.psi == pytest.approx(0.0, abs=1e-12) for column in drift(MODEL, X).columns)
    levels = [column.level for seed in range(20, 30) for column in drift(MODEL, rows(60, seed)[0]).columns]
    assert set(levels) == {"stable"}


def test_an_index_exceeds_chance_once_in_a_hundred():
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(np.ones(8) * 5)
    then = rng.multinomial(5000, shares, 4000).astype(float)
    now = rng.multinomial(800, shares, 4000).astype(float)
    above = np.mean([psi(a, b) > psi_by_chance(a, b) for a, b in zip(then, now, strict=True)])
    assert 0.003 < above < 0.02


def test_unseen_categories_are_counted():
    new, _ = rows(400, 2, new_town=0.3)
    (town,) = [column for column in drift(MODEL, new).columns if column.name == "town"]
    assert town.unseen == pytest.approx((new["town"] == "<new>").mean())
    assert town.unseen_values == (("<new>", int((new["town"] == "<new>").sum())),)
    assert "&lt;new&gt;" in render_drift(drift(MODEL, new))
    assert "<new>" not in render_drift(drift(MODEL, new), source="<new>", model="<new>")


def test_scores_and_losses_are_compared_with_a_reference():
    (older, y1), (newer, y2) = rows(1500, 3), rows(1000, 4, shift=-8)
    found = drift(MODEL, newer, y2, reference=(older, y1))
    p1, p2 = MODEL.predict_proba(older), MODEL.predict_proba(newer)
    metrics = {metric.name: metric for metric in found.metrics}
    for name, of in (
        ("log_loss", lambda y, p: log_loss(y, p, labels=["no", "yes"])),
        ("auc", lambda y, p: roc_auc_score(y == "yes", p[:, 1])),
        ("accuracy", lambda y, p: np.mean(np.where(p[:, 1] > p[:, 0], "yes", "no") == y)),
    ):
        assert metrics[name].then == pytest.approx(of(y1, p1))
        assert metrics[name].now == pytest.approx(of(y2, p2))
    rates = {brier_score_loss(y2 == "yes", p2[:, 1]) * k for k in (1, 2)}
    assert any(metrics["brier"].now == pytest.approx(rate) for rate in rates)
    losses = -np.log(p2[np.arange(1000), (y2 == "yes").astype(int)])
    assert metrics["log_loss"].now_error == pytest.approx(losses.std() / 1000**0.5)
    assert metrics["log_loss"].change == "worse"
    (score,) = found.scores
    assert score.label == "yes"
    assert score.level == "large"
    assert score.now.n_rows.sum() == 1000
    assert score.then.mean == pytest.approx(p1[:, 1].mean())
    assert np.nansum(score.now.observed * score.now.n_rows) == pytest.approx((y2 == "yes").sum())
    assert "The log loss is worse beyond chance: it was" in found.verdict
    assert " ".join(found.verdict_sentences) == found.verdict
    same = drift(MODEL, older, y1, reference=(older, y1))
    assert {metric.change for metric in same.metrics} == {"same"}
    json.dumps(found.to_dict(), allow_nan=False)
    assert list(found.to_frame()["name"]) == [column.name for column in found.columns]


def test_pairs_and_more_classes_and_arrays():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1500, 3))
    crossed = ((values[:, 0] > 0) ^ (values[:, 1] > 0) ^ (rng.random(1500) < 0.05)).astype(int)
    model = ScorecardClassifier().fit(values, crossed)
    assert model.scorecard_.pairs
    found = drift(model, values + np.array([0, 2.0, 0]))
    assert {column.name: column.level for column in found.columns if column.name != "x2"} == {
        "x0": "stable",
        "x1": "large",
    }
    three = rng.integers(3, size=1500)
    values[:, 0] += three
    model = SelectiveNaiveBayes().fit(values, three)
    found = drift(model, values[:300], three[:300], reference=(values, three))
    assert [score.label for score in found.scores] == [0, 1, 2]
    assert len(found.metrics) == 4


def test_a_record_of_the_training_survives_the_file(tmp_path):
    older, y1 = rows(800, 8)
    p = MODEL.predict_proba(older)[:, 1]
    groups = {1: group_scores(p, y1 == "yes")}
    record = TrainingRecord("y", "a.csv", "", "fit", "2026", 800, "cross-validated", {"log_loss": (0.4, 0.01)}, groups)
    model = SelectiveNaiveBayes().fit(older, y1)
    model.training_record_ = record
    model.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json").training_record_
    assert replace(loaded, groups={}) == replace(record, groups={})
    for name in ("bounds", "n_rows", "predicted", "observed"):
        assert np.array_equal(getattr(loaded.groups[1], name), getattr(record.groups[1], name), equal_nan=True)
    plain = record.to_plain()
    for change in (
        {"n_rows": -1},
        {"target": 3},
        {"scores": {"log_loss": [0.4]}},
        {"groups": [{**plain["groups"][0], "class": 2}]},
        {"groups": [{**plain["groups"][0], "bounds": [0.5, 0.5]}]},
        {"groups": [{**plain["groups"][0], "n_rows": [1.0]}]},
        {"groups": [{**plain["groups"][0], "observed": [None]}]},
    ):
        with pytest.raises(ModelFileError, match=r"training\."):
            TrainingRecord.from_plain(Entry(plain | change, "training"), 2)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(DataError, match="y has the class 'maybe', which the model does not have"):
        drift(MODEL, X.head(2), ["yes", "maybe"])
    with pytest.raises(DataError, match="y has 1 labels and X has 2 rows"):
        drift(MODEL, X.head(2), ["yes"])
    with pytest.raises(ParameterError, match="drift needs a fitted classifier of this library, got dict"):
        drift({}, X)
    one_class = drift(MODEL, X[Y == "yes"].head(50), Y[Y == "yes"][:50])
    assert one_class.metrics == ()


def drifted(*columns, metrics=(), n_rows=1000, unseen=0.0):
    described = [
        ColumnDrift(name, index, chance, drift_level(index, chance), 0.0, 0.0, unseen, (), ())
        for name, index, chance in columns
    ]
    return Drift(n_rows, 5000.0, tuple(described), (), tuple(metrics), ())


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            [("a", 0.001, 0.002), ("b", 0.3, 0.4)],
            "No drift beyond chance in the 2 columns of the model: the largest PSI",
        ),
        (
            [("a", 0.09, 0.002), ("b", 0.001, 0.002)],
            "Small drift in 1 of the 2 columns of the model, beyond chance and below a PSI of 0.1: 'a' (0.090).",
        ),
        (
            [("a", 0.3, 0.002), ("b", 0.05, 0.002)],
            "Drift in 1 of the 2 columns of the model, by their PSI: 'a' (0.300); small drift, below 0.1, in 1 more.",
        ),
    ],
)
def test_columns_are_told_by_chance_first_and_then_by_the_usual_bounds(columns, sentence):
    assert drifted(*columns).verdict.startswith(sentence)


def test_the_verdict_names_each_score_that_has_changed():
    loss, area = MetricDrift("log_loss", 0.201, 0.003, 0.211, 0.01), MetricDrift("auc", 0.7618, 0.008, 0.7109, 0.01)
    same = MetricDrift("accuracy", 0.94, 0.002, 0.939, 0.004)
    verdict = drifted(("a", 0.001, 0.002), metrics=(area, same, loss)).verdict_sentences
    assert verdict[1:] == [
        "The log loss has not changed beyond chance: it was 0.201 ± 0.003 and is 0.211 ± 0.010.",
        "The ROC AUC is worse beyond chance: it was 0.762 ± 0.008 and is 0.711 ± 0.010.",
    ]
    by_name = {metric.name: metric.change for metric in (area, same, loss)}
    assert by_name == {"auc": "worse", "accuracy": "same", "log_loss": "same"}


def test_a_small_share_of_rows_is_a_number():
    assert "'a' in 1 row, no more than by chance." in drifted(("a", 0.0, 0.1), n_rows=4000, unseen=1 / 4000).verdict
    assert "'a' in 3 rows." in drifted(("a", 0.2, 0.1), n_rows=4000, unseen=3 / 4000).verdict
    assert "'a' in 0.1% of the rows." in drifted(("a", 0.2, 0.1), n_rows=4000, unseen=4 / 4000).verdict
    assert drifted(("a", 0.0, 0.1), unseen=1e-4).columns[0].unseen_share == "< 0.1%"


def test_unseen_categories_of_a_column_of_many_are_no_drift_by_themselves():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 3000)
    towns = np.array([f"t{k}" for k in rng.integers(0, 600, 3000)])  # three rows each, of 2,000
    table = pd.DataFrame({"town": towns, "x": rng.normal(size=3000) + y})
    model = ScorecardClassifier(keep=["town"], n_pairs=0).fit(table[:2000], y[:2000])
    same = drift(model, table[2000:])
    (town,) = (column for column in same.columns if column.name == "town")
    assert town.unseen > 0.02
    assert town.psi > 0.1
    assert town.level == "stable"
    assert same.verdict.startswith("No drift beyond chance")
    assert "% of the rows, no more than by chance." in same.verdict
    other = table[2000:].assign(town=lambda frame: np.where(rng.random(1000) < 0.7, "new", frame["town"]))
    assert drift(model, other).columns[0].level == "large"


def test_chance_is_that_of_the_largest_of_all_columns():
    """Of a hundred samples with twenty columns, one has a column beyond chance, and not twenty."""
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(np.ones(8) * 5)
    above = np.zeros(500)
    for sample in range(500):
        then, now = (rng.multinomial(n, shares, 20).astype(float) for n in (5000, 800))
        above[sample] = any(psi(a, b) > psi_by_chance(a, b, 20) for a, b in zip(then, now, strict=True))
    assert above.mean() < 0.03


def test_the_page_tells_what_is_not_known():
    new, labels = rows(400, 2)
    unlabeled, labeled = (render_drift(found) for found in (drift(MODEL, new), drift(MODEL, new, labels)))
    assert "of the training rows; the classes of the new rows are not known" in unlabeled
    assert "of the new rows; class yes" in labeled
    assert " then;" not in unlabeled
