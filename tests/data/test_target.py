"""Targets become class indices, or one sentence with the reason why not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesieve.data import encode_target, read_target, read_weights
from bayesieve.exceptions import DataError, ManyClassesWarning


def read(y, weights=None):
    n_rows = len(y)
    return read_target(y, n_rows, read_weights(weights, n_rows))


@pytest.mark.parametrize(
    ("y", "classes", "kind"),
    [
        (np.array([2, 0, 2]), [0, 2], "i"),
        (np.array([1.0, 0.0, 1.0]), [0.0, 1.0], "f"),
        (np.array([True, False, True]), [False, True], "b"),
        (["yes", "no", "yes"], ["no", "yes"], "U"),
        (np.array(["yes", "no", "yes"], dtype=object), ["no", "yes"], "U"),
        (np.array([1, 0, 1], dtype=object), [0, 1], "i"),
        (np.array([True, False, True], dtype=object), [False, True], "b"),
        (pd.Series([1, 0, 1], dtype="Int64"), [0, 1], "i"),
        (pd.Series(["yes", "no", "yes"], dtype="category"), ["no", "yes"], "U"),
        (pd.Series(["yes", "no", "yes"], dtype="string"), ["no", "yes"], "U"),
        (pl.Series(["yes", "no", "yes"], dtype=pl.Categorical), ["no", "yes"], "U"),
        (pl.Series(["yes", "no", "yes"]), ["no", "yes"], "U"),
        (np.array([[1], [0], [1]]), [0, 1], "i"),
    ],
    ids=str,
)
def test_classes_are_sorted_and_codes_point_at_them(y, classes, kind):
    target = read(y)
    assert target.classes.tolist() == classes
    assert target.classes.dtype.kind == kind
    assert target.codes.tolist() == [1, 0, 1]
    assert target.codes.dtype == np.int32
    assert target.n_classes == 2
    assert target.take(np.array([1])).codes.tolist() == [0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([1, 1, 1], r"one class only \(.*1.*\)"),
        ([1.0, np.nan, 0.0], "Input y contains NaN: 1 of 3 rows"),
        (["a", None, "b"], "Input y contains NaN: 1 of 3 rows"),
        (pd.Series([1, None, 0], dtype="Int64"), "Input y contains NaN: 1 of 3 rows"),
        (pl.Series(["a", None, "b"]), "Input y contains NaN: 1 of 3 rows"),
        (np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[D]"), "Input y contains NaN"),
        ([1.0, np.inf, 0.0], "infinity"),
        ([0.1, 0.2, 0.3], r"Unknown label type.*numbers that are not whole \(for instance 0.1\)"),
        ([[1, 0], [0, 1], [1, 1]], "y should be a 1d array"),
        ([1, 0], "The target has 2 rows and the table has 3"),
        (np.array(["a", 1, "b"], dtype=object), "mixes labels of different types"),
    ],
    ids=str,
)
def test_refused_targets(y, message):
    with pytest.raises(DataError, match=message):
        read_target(y, 3, read_weights(None, 3))


def test_one_class_with_weight_is_not_enough():
    with pytest.raises(DataError, match=r"Only the class .*1.* has rows with a positive sample_weight"):
        read([0, 1, 1], [0, 1, 2])


def test_validation_target_in_known_classes():
    classes = np.array(["a", "b", "c"])
    assert encode_target(["c", "a"], 2, classes).codes.tolist() == [2, 0]
    for unknown in ("bb", "z"):
        with pytest.raises(DataError, match=f"the class .*{unknown}"):
            encode_target(["c", unknown], 2, classes)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_whole_numbers_are_found_as_numpy_finds_them(dtype):
    rng = np.random.default_rng(0)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for start in (low, 0, high - 20):
        for _ in range(50):
            y = np.array([start + step for step in rng.integers(0, 20, 30).tolist()], dtype=dtype)
            target = read_target(y, 30, read_weights(None, 30))
            classes, codes = np.unique(y, return_inverse=True)
            assert target.classes.dtype == dtype
            np.testing.assert_array_equal(target.classes, classes)
            np.testing.assert_array_equal(target.codes, codes)
    far = np.array([0, 100, 0], dtype=dtype) if high < 2**16 else np.array([0, 2**17, 0], dtype=dtype)
    assert read_target(far, 3, read_weights(None, 3)).codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("kind", [int, float])
def test_whole_numbers_that_may_be_amounts_are_named(kind):
    """From 3 to 20 of them are classes, as texts are in any number."""
    assert read(np.arange(20).astype(kind)).n_classes == 20
    assert read(list(map(str, range(30)))).n_classes == 30
    with pytest.warns(ManyClassesWarning, match="The target has 21 different whole numbers, which may be amounts"):
        assert read(np.arange(21).astype(kind)).n_classes == 21
