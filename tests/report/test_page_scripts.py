"""What the scripts of the page compute, without a browser: bins of values, and cells of CSV files."""

import json
from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from formula_cases import FORMULAS, PLAIN
from report.page_scripts import NODE, evaluate
from report.report_cases import MISSING_WORDS, evaluated_with_pairs, words_table

from bayesieve import ScorecardClassifier
from bayesieve.data.column import Scale
from bayesieve.report.what_if import describe_what_if

pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node.js")


def test_formulas_are_guarded_in_downloads():
    written = evaluate(["download.js"], f"{json.dumps([*FORMULAS, *PLAIN])}.map(inert)")
    assert written == [*(f"'{text}" for text in FORMULAS), *PLAIN]
    assert evaluate(["download.js"], 'quoted("+1,\\"x\\"")') == '"\'+1,""x"""'


def form_of(model, X):
    return {"whatIf": asdict(describe_what_if(model, X, 1, 0.5)), "labels": [str(each) for each in model.classes_]}


def test_categories_that_read_like_missing_values_are_categories():
    X, y = words_table()
    model = ScorecardClassifier(n_features=1).fit(X, y)
    rows = pl.DataFrame({"word": [*MISSING_WORDS, "some", None]})
    cells = json.dumps([*MISSING_WORDS, "some", ""])
    shown = evaluate(
        ["what_if.js"], f"{cells}.map((text) => predict([cellValue(model.columns[0].bins, text)]))", form_of(model, X)
    )
    probabilities = [each["probabilities"] for each in shown]
    assert len({row[1] for row in probabilities}) > 3
    np.testing.assert_allclose(probabilities, model.predict_proba(rows), atol=1e-8)
    assert [each["terms"][0]["value"] for each in shown] == [*MISSING_WORDS, "some", None]


def test_words_for_missing_values_are_missing_where_they_are_no_category():
    X, y = words_table()
    plain = X.with_columns(pl.col("word").replace(dict.fromkeys(MISSING_WORDS[1:], "other")))
    numbers = pl.Series("number", np.where(y, 1.0, 0.0) + np.arange(len(y)) % 3)
    table = plain.with_columns(numbers.set(numbers == 2.0, None))
    model = ScorecardClassifier(n_features=2).fit(table, y)
    codes = evaluate(
        ["what_if.js"],
        f"model.columns.map(({{ bins }}) => {json.dumps(['', *MISSING_WORDS])}"
        ".map((text) => binOf(bins, cellValue(bins, text)) === bins.missing))",
        form_of(model, table),
    )
    by_name = dict(zip([column["name"] for column in form_of(model, table)["whatIf"]["columns"]], codes, strict=True))
    assert all(by_name["number"])
    assert by_name["word"] == [True, False, *[True] * (len(MISSING_WORDS) - 1)]  # "none" is a category


@pytest.mark.parametrize(
    ("scale", "text", "number"),
    [
        ("date", "2024-02-29 10:05:06.123456", 1709201106123456),
        ("date", "1969-12-31 23:59:59.999999", -1),
        ("date", "2024-02-29 10:05", 1709201100000000),
        ("date", "2024-02-29", 1709164800000000),
        ("date", "2024-02-29 10:05:06.123456789", 1709201106123456.789),
        ("date", "2024-02-29T10:05:06.5Z", 1709201106500000),
        ("date", "2024-02-29T10:05:06.5+01:00", 1709197506500000),
        ("time", "10:05:06.123456", 36306123456),
        ("duration", "3 days, 0:00:05.000007", 259205000007),
        ("duration", "-4 days, 23:59:54.999993", -259205000007),
    ],
)
def test_times_are_exact_to_the_microsecond(scale, text, number):
    assert evaluate(["what_if.js"], f"numberOf({json.dumps(text)}, {scale!r})") == number
    shown = Scale(scale).words(number)  # what bins are labeled with
    assert evaluate(["what_if.js"], f"numberOf({json.dumps(shown)}, {scale!r})") == round(number)


def test_a_time_that_is_none_has_no_number():
    assert (
        evaluate(["what_if.js"], '["soon", "2024-13-01", "10:xx", ""].map((text) => numberOf(text, "date"))')
        == [None] * 4
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_pair_of_which_one_value_is_given_has_the_mean_of_its_bin(n_classes):
    model, X, *_ = evaluated_with_pairs(n_classes)
    form = form_of(model, X)
    columns, pairs = form["whatIf"]["columns"], form["whatIf"]["pairs"]
    base = evaluate(["what_if.js"], "predict(model.columns.map(() => undefined))", form)
    np.testing.assert_allclose(base["probabilities"], form["whatIf"]["base_rates"], atol=1e-7)
    assert base["terms"] == []
    (place,) = (k for k, pair in enumerate(pairs) if columns[pair["columns"][1]]["name"] == "gap")
    pair = pairs[place]
    j = pair["columns"][1]
    values = ["undefined"] * len(columns)
    for text, code in (("0", 0), ("2.5", 1), ("7", 2), ("", 3)):
        values[j] = f"cellValue(model.columns[{j}].bins, {text!r})"
        shown = evaluate(["what_if.js"], f"predict([{', '.join(values)}])", form)
        own = np.array(pair["one_given"][1][code]) - np.array(pair["not_given"])
        terms = sum((np.array(term["scores"]) for term in shown["terms"]), np.zeros(len(own)))
        lost = np.array(columns[j]["not_given"] or np.zeros(len(own)))
        np.testing.assert_allclose(np.array(shown["scores"]) - base["scores"], terms - lost + own, atol=1e-7)


def test_no_class_is_predicted_where_nothing_is_given():
    model, X, *_ = evaluated_with_pairs(2)
    form = form_of(model, X)
    nothing = "model.columns.map(() => undefined)"
    assert (
        evaluate(["what_if.js"], f"decision({nothing}, predict({nothing}))", form) == "Nothing is given: the base rate"
    )
    missing = "model.columns.map(() => null)"
    shown = evaluate(
        ["what_if.js"], f"(globalThis.probability = String, decision({missing}, predict({missing})))", form
    )
    assert shown.startswith("Predicted class: ")
    assert shown.endswith(" (threshold 0.5)")


@pytest.mark.parametrize(("numbers", "shown"), [([2000, 2003, 2005], "2004"), ([2000, 2003.5, 2005], "2004.2")])
def test_the_example_of_a_field_is_a_value_that_the_column_may_have(numbers, shown):
    X = pl.DataFrame({"year": np.repeat(numbers, 100)})
    y = np.repeat([0, 1, 0], 100)
    model = ScorecardClassifier(n_features=1).fit(X, y)
    assert evaluate(["what_if.js"], "String(example(model.columns[0]))", form_of(model, X)) == shown
