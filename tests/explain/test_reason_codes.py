"""Reason codes: the class that they are for, and the reference that points are compared with."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import ParameterError

REFERENCES = ("mean", "best", "neutral")
N = 1500


def applicants(seed=0):
    """Return applicants and whether they default; three in a hundred have an education without defaults."""
    rng = np.random.default_rng(seed)
    late = rng.integers(0, 4, N)
    limit = rng.normal(size=N).round(2)
    education = rng.choice(["school", "college", "rare"], N, p=[0.5, 0.47, 0.03])
    log_odds = -1.0 + 1.2 * (late - 1.5) - 0.8 * limit - 4.0 * (education == "rare")
    X = pd.DataFrame({"late": late, "limit": limit, "education": education, "noise": rng.normal(size=N).round(2)})
    X.loc[::37, "limit"] = np.nan
    return X, (rng.random(N) < 1 / (1 + np.exp(-log_odds))).astype(int)


X, Y = applicants()
MODEL = ScorecardClassifier(n_pairs=[("late", "limit")], keep="education").fit(X, Y)


def brute_reasons(model, X, adverse, reference, n_reasons):
    """Return the reasons of each row by the definition, from the explanations of single rows."""
    other = next(label for label in model.classes_.tolist() if label != adverse)
    points = [{term.column: term.log_odds for term in row.contributions} for row in model.explain(X, (adverse, other))]
    card = model.scorecard()
    sign = 1 if adverse == model.pos_label_ else -1
    found = []
    for row in points:
        moved = {}
        for name, own in row.items():
            bins = card[card["column"] == name]
            base = {
                "mean": sign * np.average(bins["points"], weights=bins["count"]),
                "best": (sign * bins["points"]).min(),
                "neutral": 0.0,
            }[reference]
            moved[name] = own - base
        order = sorted(
            [name for name in dict.fromkeys(card["column"]) if name], key=lambda name: -round(moved[name], 9)
        )
        names = [name for name in order if moved[name] > 1e-9][:n_reasons]
        found.append([*names, *[None] * (min(n_reasons, len(order)) - len(names))])
    return found


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("adverse", [0, 1])
def test_reasons_are_those_of_the_definition(adverse, reference):
    for model in (MODEL, SelectiveNaiveBayes(bins="best", weights="none", cv=0).fit(X, Y)):
        rows = X.iloc[:60]
        found = model.reason_codes(rows, 3, adverse=adverse, reference=reference)
        assert found.pop("adverse").tolist() == [adverse] * 60
        assert found.astype(object).where(found.notna(), None).to_numpy().tolist() == brute_reasons(
            model, rows, adverse, reference, 3
        )


def test_they_are_for_the_positive_class():
    bad = pd.DataFrame({"late": [3], "limit": [2.0], "education": ["college"], "noise": [0.0]})
    assert MODEL.reason_codes(bad).iloc[0].dropna().tolist()[:2] == [1, "late"]
    assert "limit" not in MODEL.reason_codes(bad).iloc[0].tolist()
    good = ScorecardClassifier(n_pairs=0, pos_label=0).fit(X, Y)
    assert good.reason_codes(bad).iloc[0].dropna().tolist()[:2] == [0, "limit"]
    words = ScorecardClassifier(n_pairs=0, pos_label="a bad one").fit(X, np.where(Y == 1, "a bad one", "z good"))
    assert words.reason_codes(bad).iloc[0].dropna().tolist()[:2] == ["a bad one", "late"]


def test_a_rare_best_bin_is_no_reason_for_all_the_others():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"late": rng.integers(0, 2, N), "education": X["education"]})
    chance = np.where(table["education"] == "rare", 0.02, 0.4 + 0.2 * table["late"])
    model = ScorecardClassifier(n_pairs=0, keep=["late", "education"]).fit(table, (rng.random(N) < chance).astype(int))
    first = {each: model.reason_codes(table, 1, reference=each)["reason 1"] for each in REFERENCES}
    assert (first["best"] == "education").mean() > 0.9
    assert (first["mean"][table["late"] == 1] == "late").mean() > 0.95


def test_a_model_without_columns_has_no_reasons():
    with pytest.warns(match="so none is selected"):
        model = ScorecardClassifier().fit(X[["noise"]], np.arange(N) % 2)
    assert model.reason_codes(X[["noise"]].head(2)).columns.tolist() == ["adverse"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"adverse": 2}, r"adverse is 2; the classes are \[0, 1\]"),
        ({"reference": "worst"}, "reference must be one of mean, best, neutral, got 'worst'"),
        ({"n_reasons": 0}, "n_reasons must be 1 or more, got 0"),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        MODEL.reason_codes(X, **given)


def test_reasons_are_in_the_library_of_the_rows():
    rows = pl.from_pandas(X)
    assert isinstance(MODEL.reason_codes(rows), pl.DataFrame)
    assert isinstance(MODEL.reason_codes(X), pd.DataFrame)
    of_polars = ScorecardClassifier(n_pairs=0, n_features=2).fit(rows.select("late", "limit"), Y)
    assert isinstance(of_polars.reason_codes(X), pd.DataFrame)
