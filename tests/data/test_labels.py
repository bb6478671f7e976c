"""Labels survive JSON exactly, or are refused by name."""

import json
import math
from datetime import date, datetime, time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from plain_cases import EXAMPLES, labels

from bayesieve.data.document import Entry, label_from_plain, label_to_plain
from bayesieve.exceptions import ModelFileError


def through_json(label):
    text = json.dumps(label_to_plain(label, "Column 'a'"), allow_nan=False, ensure_ascii=False)
    return label_from_plain(Entry(json.loads(text.encode().decode()), "here"))


def check(label):
    back = through_json(label)
    assert back == label
    assert hash(back) == hash(label)
    plain = label.item() if isinstance(label, np.generic) else label
    assert type(back) is type(plain)
    if isinstance(plain, float):
        assert math.copysign(1, back) == math.copysign(1, plain)


@given(labels)
def test_any_label(label):
    check(label)


@pytest.mark.parametrize("label", EXAMPLES, ids=lambda label: f"{label!r:.20}" if label != 10**5000 else "huge")
def test_labels_by_hand(label):
    check(label)


def test_labels_of_pandas_are_those_of_python():
    assert through_json(pd.Timestamp("2020-01-01 12:00")) == datetime(2020, 1, 1, 12)
    assert through_json(pd.Timedelta("1h")) == pd.Timedelta("1h")


@pytest.mark.parametrize(
    "label",
    [
        Fraction(1, 3),
        pd.Interval(0, 1),
        pd.Timestamp("2020-01-01 12:00:00.000000001"),
        (1, 2),
        np.datetime64("2020-01-01", "ns"),
        None,
        float("nan"),
        object(),
    ],
    ids=lambda label: type(label).__name__,
)
def test_other_labels_are_refused(label):
    with pytest.raises(ModelFileError, match=r"Column 'a' has the label .* of type .* convert such labels to strings"):
        label_to_plain(label, "Column 'a'")


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {},
        {"date": "2020-13-01"},
        {"date": "20200101"},
        {"date": 5},
        {"datetime": "x"},
        {"float": "nan"},
        {"float": "1.0"},
        {"int": "0x1"},
        {"int": "zz"},
        {"text": "61"},
        {"text": "000000"},
        {"text": "00000061"},
        {"bytes": "0"},
        {"bytes": "A0"},
        {"timedelta": "1 2"},
        {"timedelta": "1 2 99999999"},
        {"timedelta": "9999999999 0 0"},
        {"decimal": "x"},
        {"decimal": "NaN"},
        {"decimal": "sNaN"},
        {"eval": "1"},
        {"date": "2020-01-01", "time": "01:00:00"},
        float("inf"),
    ],
    ids=str,
)
def test_what_is_no_label(plain):
    with pytest.raises(ModelFileError, match=r"here.* must be "):
        label_from_plain(Entry(plain, "here"))


def test_times_and_dates_are_not_mixed_up():
    assert through_json(date(2020, 1, 1)) != through_json(datetime(2020, 1, 1))
    assert through_json(time(1)) == time(1)
