"""Encodings learn from fitting rows only."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, MultinomialNB

from bayesieve.evaluation.encodings import ENCODINGS
from bayesieve.evaluation.opened_data import OpenedData

FRAME = pd.DataFrame(
    {
        "number": [1.0, 2.0, np.nan, 3.0, 500.0, np.nan],
        "label": ["a", "b", None, "a", "new", None],
        "two": ["x", "y", "x", "y", "x", "z"],
        "same": ["s"] * 6,
        "empty": [np.nan, np.nan, np.nan, np.nan, 1.0, 2.0],
    }
)
FITTING, SCORED = np.arange(4), np.array([4, 5])


def encoded(name, columns):
    return ENCODINGS[name](OpenedData(FRAME, [0, 1, 0, 1, 0, 1]), FITTING, SCORED).pick(columns)


def test_numbers_by_hand():
    learnt, new = encoded("numbers", [0, 1, 2, 3])
    # The median of 1, 2, 3 is 2, so is the mean of 1, 2, 2, 3; the variance is 1 / 2.
    scaled = (np.array([1, 2, 2, 3, 500, 2]) - 2) / np.sqrt(0.5)
    assert [*learnt[:, 0], *new[:, 0]] == pytest.approx(scaled)
    # Indicators of a, b and missing; of x and y, that of y is enough; a single value says nothing.
    assert learnt[:, 1:].tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 1]]
    assert new[:, 1:].tolist() == [[0, 0, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize("name", ENCODINGS)
def test_columns_that_tell_nothing(name):
    assert encoded(name, []) is None
    assert encoded(name, [3, 4]) is None


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "raw"])
def test_scored_rows_change_nothing_of_the_fitting_rows(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(list("pqrs"), 80)})
    frame["a"] += 3 * (frame["b"] == "p")
    y = np.where(frame["b"] == "p", 1, 0)
    fitting, scored = np.arange(60), np.arange(60, 80)
    before, _ = ENCODINGS[name](OpenedData(frame, y), fitting, scored).pick([0, 1])
    changed, other = frame.copy(), y.copy()
    changed.loc[60:, "a"], changed.loc[60:, "b"] = 1e6, "t"
    other[60:] = 1 - other[60:]
    after, new = ENCODINGS[name](OpenedData(changed, other), fitting, scored).pick([0, 1])
    np.testing.assert_array_equal(before, after)
    assert new.shape == (20, after.shape[1])


def test_a_multinomial_model_of_indicators_is_naive_bayes():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (300, 4))
    y = (codes[:, 0] + rng.integers(0, 3, 300) > 2).astype(int)
    data = OpenedData(pd.DataFrame(codes.astype(str)), y)
    learnt, new = ENCODINGS["tenths"](data, np.arange(200), np.arange(200, 300)).pick([0, 1, 2, 3])
    ours = MultinomialNB(alpha=1e-9).fit(learnt, y[:200]).predict_proba(new)
    expected = CategoricalNB(alpha=1e-9).fit(codes[:200], y[:200]).predict_proba(codes[200:])
    np.testing.assert_allclose(ours, expected, rtol=1e-6)


def test_raw_columns_stay_in_their_library():
    learnt, new = encoded("raw", [2, 0])
    assert learnt.columns.tolist() == ["two", "number"]
    assert new.equals(FRAME.iloc[SCORED, [2, 0]])
