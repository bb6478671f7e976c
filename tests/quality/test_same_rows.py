"""One fact in several columns: values of the same rows, against sets of rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesieve import Report, ScorecardClassifier, check_data
from bayesieve.quality import find_shared_rows
from bayesieve.report.shared_facts import SharedFact, describe_shared_facts, shared_fact_sentences


def brute_force(ids, fewest):
    """Return the columns of each set of rows that a value of several columns has, and the number of rows."""
    n_rows = len(ids[0])
    columns = {}
    for j, column in enumerate(ids):
        for value in np.unique(column):
            rows = frozenset(np.flatnonzero(column == value).tolist())
            if max(20, 0.01 * n_rows) <= len(rows) <= n_rows - max(20, 0.01 * n_rows):
                columns.setdefault(rows, []).append(j)
    found = sorted(((tuple(of), len(rows)) for rows, of in columns.items() if len(of) >= fewest))
    found.sort(key=lambda each: (-len(each[0]), -each[1], each[0]))
    kept = []
    for of, n in found:
        if not any(set(of) <= set(other) for other, _ in kept):
            kept.append((of, n))
    return kept


@pytest.mark.parametrize("fewest", [2, 3])
def test_shared_rows_are_those_of_the_sets(fewest):
    n_found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.integers(60, 3000))
        facts = [rng.random(n_rows) < rng.choice([0.005, 0.1, 0.3, 0.9]) for _ in range(3)]
        ids = []
        for _ in range(int(rng.integers(1, 9))):
            column = rng.integers(0, rng.choice([2, 3, 40]), n_rows)
            if rng.random() < 0.8:
                column = np.where(facts[rng.integers(3)], int(column.max()) + 1, column)
            ids.append(np.unique(column, return_inverse=True)[1].astype(np.int32))
        found = find_shared_rows(ids, fewest)
        assert [(each.columns, each.n_rows) for each in found] == brute_force(ids, fewest)
        for each in found:
            rows = [ids[j] == value for j, value in zip(each.columns, each.values, strict=True)]
            assert all(np.array_equal(own, rows[0]) for own in rows)
        n_found += len(found)
    assert n_found > 10


def services(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    none = rng.random(n_rows) < 0.25
    X = pd.DataFrame({"line": np.where(none, "No", rng.choice(["DSL", "Fiber"], n_rows))})
    for name in ("security", "backup", "support"):
        X[name] = np.where(none, "No internet service", rng.choice(["Yes", "No"], n_rows))
    X["tests"] = np.where(none, np.nan, rng.normal(size=n_rows))
    X["age"] = rng.integers(20, 80, n_rows)
    score = -1.5 * none + 0.8 * (X["security"] == "Yes") + 0.8 * (X["backup"] == "No") + 0.02 * (X["age"] - 50)
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(-score))).astype(int), none


def test_a_check_finds_the_fact_and_offers_a_group():
    X, _, none = services()
    (found,) = (each for each in check_data(X).findings if each.kind == "one fact")
    assert str(found) == (
        f"Column 'line': 'No' occurs in the same {none.sum()} rows as 'No internet service' of 'security', 'backup', "
        "'support' and 1 more: one fact in 5 columns, whose points for it add up."
    )
    assert found.advice == (
        "--feature-group no_internet_service=line,security,backup,support,tests selects them together or not at all"
    )


def test_columns_without_a_common_fact_have_no_such_finding():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 3, (500, 6)), columns=list("abcdef"))
    X["copy"] = X["again"] = X["a"]  # copies have a finding of their own
    X["two"] = np.where(X["b"] == 1, 7, rng.integers(10, 20, 500))  # two columns are too few
    assert {each.kind for each in check_data(X).findings} == {"duplicate"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"line": None}, "it is missing in the same 150 rows as in 'b', 'c'"),
        ({"line": -9}, "-9 occurs in the same 150 rows as missing values of 'b', 'c'"),
    ],
)
def test_missing_values_and_numbers_are_facts(change, words):
    rng = np.random.default_rng(2)
    rows = np.arange(600) % 4 == 0
    X = pd.DataFrame({name: rng.normal(size=600) for name in ("line", "b", "c")})
    for name in X:
        X.loc[rows, name] = change.get(name, np.nan) if change.get(name) is not None else np.nan
    (found,) = (each for each in check_data(X).findings if each.kind == "one fact")
    assert words in str(found)
    assert found.advice.startswith("--feature-group line_group=line,b,c ")


def test_a_report_adds_the_points_of_a_fact():
    X, y, none = services(1500)
    model = ScorecardClassifier(keep=list(X.columns), n_pairs=0, pos_label=1).fit(X, y)
    report = Report.from_estimator(model, X, y, cv=2, compare=False)
    (fact,) = report.summary["shared_facts"]
    assert fact["n_rows"] == none.sum()
    row = model.explain(X[none].head(1))[0]
    sign = 1 if row.favored == 1 else -1
    added = {each.column: sign * each.log_odds for each in row.contributions}
    assert len(fact["columns"]) >= 3
    assert fact["points"] == pytest.approx([added[name] for name in fact["columns"]], abs=1e-6)
    assert f"have the same {none.sum()} rows; together their points are {sum(fact['points']):+.2f}." in report.html


def test_a_fact_is_one_sentence():
    fact = SharedFact(["net", "age", *"abcd"], ["No", "<= 5", *"wxyz"], 1200, [-0.5, 0.2, 0.0, 0.0, 0.0, -0.01])
    assert shared_fact_sentences([fact]) == [
        "One fact: net = No, age <= 5, a = w, b = x and 2 more columns have the same 1,200 rows; together their points "
        "are -0.31."
    ]

    held_out = replace(fact, columns=["net", "age"], labels=["No", "<= 5"], points=[0.1, 0.2], are_held_out=True)
    assert shared_fact_sentences([held_out]) == [
        "One fact: net = No and age <= 5 have the same 1,200 held-out rows; together their points are +0.30."
    ]


def test_a_fact_of_held_out_rows_counts_these():
    X, y, none = services(1500)
    model = ScorecardClassifier(keep=list(X.columns), n_pairs=0, pos_label=1).fit(X[:1000], y[:1000])
    (fact,) = describe_shared_facts(model, X[1000:], 1, "held-out")
    assert fact.n_rows == none[1000:].sum()
    assert fact.are_held_out
