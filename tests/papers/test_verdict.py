"""The legend of verdicts: every rule by hand, the interval against SciPy, and the legend on the index page."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bayesieve.papers.claim import Claim, judge_claim, measure
from bayesieve.papers.verdict import (
    FAILS,
    HOLDS,
    IN_PART,
    LEGEND,
    UNKNOWN,
    Difference,
    Scale,
    claims_table,
    judge,
    judge_cases,
    judge_none,
    state,
)

RATES = Scale("+.4f", 0.01)
CLEAR, NULL, WIDE, REVERSED = (
    Difference(name, mean, half_width, 9)
    for name, mean, half_width in (
        ("clear", 0.05, 0.02), ("null", 0.001, 0.004), ("wide", 0.0, 0.1), ("reversed", -0.05, 0.02),
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("differences", "verdict", "bound"),
    [
        ([CLEAR], HOLDS, ""),
        ([CLEAR, CLEAR], HOLDS, ""),
        ([CLEAR, NULL], IN_PART, ""),
        ([NULL], FAILS, "no difference above 0.005"),
        ([NULL, REVERSED], FAILS, ""),
        ([REVERSED], FAILS, "the opposite"),
        ([WIDE], UNKNOWN, ""),
        ([WIDE, REVERSED], UNKNOWN, ""),
        ([Difference("one seed", 0.5, None, 1)], UNKNOWN, ""),
        ([], UNKNOWN, ""),
    ],
)
def test_the_rule_of_differences(differences, verdict, bound):
    row = judge("A is better.", differences, RATES, "sets")
    assert (row["verdict"], row["bound"]) == (verdict, bound)


def test_units_that_share_rows_have_wider_intervals():
    values = {"a": np.array([0.5, 0.6, 0.7, 0.9]), "b": np.zeros(4)}
    measured = measure(Claim("A is better.", (("error", "a", "b"),)), lambda quantity, row: values[row])
    for share in (0.0, 1.0):
        row = judge_claim(measured, {"error": RATES}, "halves", test_share=share)
        expected = Difference.of_values("", values["a"], share)
        assert row["interval"] == f"{expected.low:+.4f} to {expected.high:+.4f}"


def test_the_best_of_all_cannot_hold_in_part():
    for others, verdict in (([CLEAR], HOLDS), ([CLEAR, WIDE], UNKNOWN), ([CLEAR, REVERSED], FAILS)):
        assert judge("A is the best.", others, RATES, "sets", is_best=True)["verdict"] == verdict
    row = judge("A is the best.", [CLEAR, REVERSED], RATES, "sets", is_best=True)
    assert [(part["claim"], part["bound"]) for part in row["parts"]] == [("clear", ""), ("reversed", "the opposite")]
    many = judge("A is the best.", [*[CLEAR] * 4, REVERSED], RATES, "sets", is_best=True)
    assert [part["claim"] for part in many["parts"]] == ["reversed"]


def test_what_does_not_hold_is_listed_below():
    row = judge("A is better.", [CLEAR, NULL], RATES, "sets")
    assert claims_table([row])[2:5] == [
        "| A is better. | **holds in part** | 1 of 2 hold | – | 9 sets |",
        "| – clear | holds | +0.0500 | +0.0300 to +0.0700 | 9 sets |",
        "| – null | does not hold: no difference above 0.005 | +0.0010 | -0.0030 to +0.0050 | 9 sets |",
    ]
    assert judge("A is better.", [CLEAR, CLEAR], RATES, "sets")["effect"] == "+0.0500 (clear)"


def test_the_interval_is_students():
    values = [0.3, -0.1, 0.4, 0.2, 0.05]
    found = Difference.of_values("", values)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert Difference.of_error("", np.mean(values), stats.sem(values), 5).half_width == pytest.approx(found.half_width)
    # Nadeau and Bengio: units that share training rows have a wider interval.
    assert Difference.of_values("", values, 1.0).half_width == pytest.approx(found.half_width * np.sqrt(1 + 5))
    assert Difference.of_values("", [0.1]).half_width is None


def test_no_difference():
    tight = Difference("tight", 0.001, 0.004, 9)
    found = [
        judge_none("The same.", each, RATES, "sets")["verdict"] for each in ([tight], [tight, CLEAR], [tight, WIDE], [])
    ]
    assert found == [HOLDS, FAILS, UNKNOWN, UNKNOWN]


def test_cases():
    assert [judge_cases("Each.", k, 6, "steps")["verdict"] for k in (6, 4, 3, 0)] == [HOLDS, IN_PART, FAILS, FAILS]
    assert [judge_cases("Each.", k, 4, "steps")["verdict"] for k in (4, 3, 2)] == [UNKNOWN] * 3
    assert judge_cases("Each.", 0, 0, "steps")["verdict"] == UNKNOWN
    assert claims_table([state("It is 5.", HOLDS, "5", "all")])[2] == "| It is 5. | **holds** | 5 | – | all |"


def test_bounds_are_rounded_up():
    assert [RATES.bound(each) for each in (0.005, 0.0051, 0.00999, 0.0002)] == ["0.005", "0.006", "0.01", "0.0002"]


def test_the_legend_is_on_the_index_page():
    page = (Path(__file__).parents[2] / "docs" / "papers" / "index.md").read_text(encoding="utf-8")
    for verdict, rule in LEGEND.items():
        assert f"| **{verdict}** | {rule} |" in page
