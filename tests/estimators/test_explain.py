"""Decisions taken apart: contributions add up to the log-odds of the probabilities that are predicted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import plain_bayes

from bayesieve import RowExplanationDisplay, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import ParameterError, UnseenValuesWarning
from bayesieve.explain.row_explanation import VISIBLE


def table(rng, n_rows=200):
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(1),
            "color": rng.choice(["red", "green", "blue"], n_rows),
            "noise": rng.normal(size=n_rows),
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    score = frame["size"].fillna(1.0) + (frame["color"] == "red") + rng.normal(size=n_rows) * 0.3
    return frame, np.array(["low", "mid", "high"])[np.digitize(score, [0.0, 1.0])]


@pytest.fixture(scope="module")
def fitted():
    frame, y = table(np.random.default_rng(0))
    return frame, plain_bayes(n_features=2).fit(frame, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", [ScorecardClassifier(n_pairs=0), SelectiveNaiveBayes()])
def test_the_last_log_odds_are_those_of_the_probabilities(estimator, n_classes):
    frame, y = table(np.random.default_rng(0))
    y = y if n_classes == 3 else y == "high"
    model = estimator.fit(frame, y)
    log_probabilities, place = model.predict_log_proba(frame), {label: c for c, label in enumerate(model.classes_)}
    smoothed = 0
    for row, decision in zip(log_probabilities, model.explain(frame), strict=True):
        expected = row[place[decision.favored]] - row[place[decision.other]]
        title, value = decision.sums()[-1]
        assert value == pytest.approx(expected, abs=1e-9 if title != "sum" else VISIBLE)
        assert (title == "sum") == (abs(decision.log_odds - expected) < VISIBLE)  # a difference that none sees puzzles
        assert decision.log_odds == pytest.approx(decision.prior + sum(e.log_odds for e in decision.contributions))
        if title != "sum":
            smoothed += 1
            assert title == "kept away from certainty"
            assert f"kept away from certainty {expected:+.3f}" in str(decision)
            assert "kept away from certainty" in decision._repr_html_()
    assert smoothed > 0


def test_contributions_add_up_to_the_log_odds_of_the_probabilities(fitted):
    frame, model = fitted
    log_probabilities = model.predict_log_proba(frame)
    place = {label: c for c, label in enumerate(model.classes_)}
    decisions = model.explain(frame)
    assert len(decisions) == len(frame)
    for row, decision in zip(log_probabilities, decisions, strict=True):
        expected = row[place[decision.favored]] - row[place[decision.other]]
        assert decision.log_odds == pytest.approx(expected, abs=1e-9)
        parts = decision.prior + sum(each.log_odds for each in decision.contributions)
        assert decision.log_odds == pytest.approx(parts, abs=1e-9)


def test_the_predicted_class_is_compared_with_the_next(fitted):
    frame, model = fitted
    order = np.argsort(-model.predict_proba(frame), axis=1, kind="stable")
    decisions = model.explain(frame)
    assert [decision.favored for decision in decisions] == model.predict(frame).tolist()
    assert [decision.other for decision in decisions] == model.classes_[order[:, 1]].tolist()
    assert all(decision.log_odds >= 0 for decision in decisions)


def test_any_two_classes(fitted):
    frame, model = fitted
    there = model.explain(frame, classes=("low", "high"))
    back = model.explain(frame, classes=("high", "low"))
    assert {(d.favored, d.other) for d in there} == {("low", "high")}
    assert [d.log_odds for d in there] == [-d.log_odds for d in back]


@pytest.mark.parametrize("classes", [("low", "low"), ("low", "none"), ("low",)])
def test_other_classes_are_refused(fitted, classes):
    frame, model = fitted
    with pytest.raises(ParameterError, match="classes must be two of"):
        model.explain(frame, classes=classes)


def test_values_parts_and_order(fitted):
    frame, model = fitted
    selected = {name for name, chosen in zip(frame.columns, model.support_, strict=True) if chosen}
    for i, decision in enumerate(model.explain(frame)):
        sizes = [abs(each.log_odds) for each in decision.contributions]
        assert sizes == sorted(sizes, reverse=True)
        assert {each.column for each in decision.contributions} == selected
        for each in decision.contributions:
            value = frame[each.column].iloc[i]
            assert each.value == value or (each.value is None and pd.isna(value))
            assert each.bin in {model.partitions_[each.column].describe(c) for c in range(9)}
            assert (each.bin == "missing") == (each.value is None)


def test_what_training_never_saw_adds_nothing(fitted):
    frame, model = fitted
    new = frame.head(1).assign(color="purple")
    with pytest.warns(UnseenValuesWarning, match=r"training did not have in 'color' \(100% of rows\)"):
        (decision,) = model.explain(new)
    (share,) = [each for each in decision.contributions if each.column == "color"]
    assert (share.bin, share.log_odds) == ("unseen", 0.0)


def test_as_words_and_as_a_frame(fitted):
    frame, model = fitted
    decisions = model.explain(frame.head(3))
    lines = str(decisions[0]).splitlines()
    assert len(lines) == 3 + model.n_features_
    assert "intercept" in lines[2]
    shown = decisions.to_frame("polars")
    assert isinstance(shown, pl.DataFrame)
    assert len(shown) == 3 * model.n_features_
    assert shown["row"].to_list() == sorted(shown["row"].to_list())


def test_a_picture_has_a_bar_for_each_column(fitted):
    pytest.importorskip("matplotlib").use("Agg")
    frame, model = fitted
    display = RowExplanationDisplay.from_estimator(model, frame.head(1))
    assert len(display.ax_.patches) == model.n_features_ + 1
    assert display.explanation == model.explain(frame.head(1))[0]
