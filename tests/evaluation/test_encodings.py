"""Encodings are learned on training rows only."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, MultinomialNB

from bayesieve.evaluation.encodings import ENCODINGS
from bayesieve.evaluation.labeled_table import LabeledTable

FRAME = pd.DataFrame(
    {
        "number": [1.0, 2.0, np.nan, 3.0, 500.0, np.nan],
        "label": ["a", "b", None, "a", "new", None],
        "two": ["x", "y", "x", "y", "x", "z"],
        "same": ["s"] * 6,
        "empty": [np.nan, np.nan, np.nan, np.nan, 1.0, 2.0],
    }
)
TRAIN, TEST = np.arange(4), np.array([4, 5])


def encoded(name, columns):
    return ENCODINGS[name](LabeledTable(FRAME, [0, 1, 0, 1, 0, 1]), TRAIN, TEST).pick(columns)


def test_numbers_by_hand():
    train, test = encoded("numbers", [0, 1, 2, 3])
    # The median of 1, 2, 3 is 2, so is the mean of 1, 2, 2, 3; the variance is 1 / 2.
    scaled = (np.array([1, 2, 2, 3, 500, 2]) - 2) / np.sqrt(0.5)
    assert [*train[:, 0], *test[:, 0]] == pytest.approx(scaled)
    # Indicators of a, b and missing; of x and y, that of y is enough; a constant column has none.
    assert train[:, 1:].tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 1]]
    assert test[:, 1:].tolist() == [[0, 0, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize("name", ENCODINGS)
def test_constant_columns_have_no_encoding(name):
    assert encoded(name, []) is None
    assert encoded(name, [3, 4]) is None


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "raw"])
def test_test_rows_do_not_change_the_encoding_of_training_rows(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(list("pqrs"), 80)})
    frame["a"] += 3 * (frame["b"] == "p")
    y = np.where(frame["b"] == "p", 1, 0)
    train_rows, test_rows = np.arange(60), np.arange(60, 80)
    before, _ = ENCODINGS[name](LabeledTable(frame, y), train_rows, test_rows).pick([0, 1])
    changed, other = frame.copy(), y.copy()
    changed.loc[60:, "a"], changed.loc[60:, "b"] = 1e6, "t"
    other[60:] = 1 - other[60:]
    after, test = ENCODINGS[name](LabeledTable(changed, other), train_rows, test_rows).pick([0, 1])
    np.testing.assert_array_equal(before, after)
    assert test.shape == (20, after.shape[1])


def test_a_multinomial_model_of_indicators_is_naive_bayes():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (300, 4))
    y = (codes[:, 0] + rng.integers(0, 3, 300) > 2).astype(int)
    data = LabeledTable(pd.DataFrame(codes.astype(str)), y)
    train, test = ENCODINGS["deciles"](data, np.arange(200), np.arange(200, 300)).pick([0, 1, 2, 3])
    ours = MultinomialNB(alpha=1e-9).fit(train, y[:200]).predict_proba(test)
    expected = CategoricalNB(alpha=1e-9).fit(codes[:200], y[:200]).predict_proba(codes[200:])
    np.testing.assert_allclose(ours, expected, rtol=1e-6)


def test_raw_columns_stay_in_their_library():
    train, test = encoded("raw", [2, 0])
    assert train.columns.tolist() == ["two", "number"]
    assert test.equals(FRAME.iloc[TEST, [2, 0]])
