"""From values to codes: every value has one part, the rest is unseen."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayesieve.bins import Groups, Intervals
from bayesieve.data import Column, Values
from bayesieve.data.column import Scale, read_column
from bayesieve.exceptions import DataError

NAN = float("nan")


def ordered(*values):
    return read_column("a", np.array(values, dtype=float), nominal=False)


def nominal(*values):
    labels = tuple(sorted({value for value in values if value is not None}, key=str))
    ids = [len(labels) if value is None else labels.index(value) for value in values]
    return Column("a", labels, np.array(ids, dtype=np.int32))


def encode(partition, column):
    """Return the code of each row."""
    bins = partition.bins_of(column)
    assert bins.shape == (len(column.labels) + 1,)
    assert bins[-1] == partition.n_bins - partition.missing
    return bins[column.ids].tolist()


@given(
    st.sets(st.floats(-100, 100), max_size=6), st.lists(st.floats(-200, 200) | st.just(NAN), max_size=20), st.booleans()
)
def test_intervals_encode_by_definition(bounds, values, missing):
    bounds = sorted(bounds)
    partition = Intervals(np.array(bounds), missing)
    expected = [
        len(bounds) + 1 if np.isnan(value) else sum(bound < value for bound in bounds)  # (b_i, b_i+1]
        for value in values
    ]
    assert encode(partition, ordered(*values)) == expected
    assert partition.n_bins == len(bounds) + 1 + missing


@given(st.lists(st.sampled_from(["u", "v", "w", "x", "y", None]), max_size=20), st.booleans())
def test_groups_encode_by_definition(values, missing):
    partition = Groups((("u",), ("v", "w")), missing)
    part = {"u": 0, "v": 1, "w": 1, None: 2}  # missing is the last part, or unseen where training had none
    expected = [part.get(value, 2 + missing) for value in values]
    assert encode(partition, nominal(*values)) == expected


@given(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0, NAN]), max_size=20), st.booleans())
def test_groups_of_numbers_encode_by_definition(values, missing):
    partition = Groups(((2.0,), (0.5, 1.0)), missing)
    expected = [2 if np.isnan(value) else {2.0: 0, 0.5: 1, 1.0: 1}.get(value, 2 + missing) for value in values]
    assert encode(partition, ordered(*values)) == expected


def test_groups_without_values_know_only_missing():
    partition = Groups((), missing=True)
    assert encode(partition, ordered(NAN, 1.0)) == [0, 1]
    assert encode(partition, nominal(None, "x")) == [0, 1]


def test_booleans_and_numbers_are_one():
    assert encode(Groups(((False,), (True,)), missing=False), ordered(0, 1, 2)) == [0, 1, 2]
    assert encode(Intervals(np.array([0.5]), missing=False), nominal(True, False)) == [1, 0]


def test_a_column_of_no_known_value_fits_everywhere():
    assert encode(Intervals(np.array([0.5]), missing=True), nominal(None, None)) == [2, 2]
    assert encode(Groups((("x",),), missing=False), ordered(NAN)) == [1]


def test_labels_of_no_row_have_bins_too():
    column = Column("a", np.array([0.0, 1.0, 2.0]), np.array([2], dtype=np.int32))
    assert Intervals(np.array([0.5, 1.0]), missing=True).bins_of(column).tolist() == [0, 1, 2, 3]
    assert Groups(((2.0,), (0.0,)), missing=False).bins_of(column).tolist() == [1, 2, 0, 2]


@pytest.mark.parametrize(
    ("partition", "column", "message"),
    [
        (Intervals(np.array([0.5]), False), nominal("12", "x"), "'a' was numeric in training and now holds '12'"),
        (
            Intervals(np.array([0.5]), False, scale=Scale.date),
            nominal("2020-01-01"),
            "'a' had dates in training and now holds '2020-01-01'; dates are expected",
        ),
        (
            Intervals(np.array([0.5]), False, scale=Scale.date),
            ordered(20200131.0),
            "dates .* numbers, such as 20200131",
        ),
        (Intervals(np.array([0.5]), False, scale=Scale.time), nominal(True), "had times of day in training .* True"),
        (Groups(((0.0,), (1.0,)), False, scale=Scale.duration), ordered(1.0), "had durations in training .* numbers"),
        (
            Groups(((0.0,), (1.0,)), False, scale=Scale.date),
            nominal(False),
            "had dates in training .* False",
        ),
        (Groups((("x",), ("y",)), False), nominal(True), "'a' had labels such as 'x' in training and now holds True"),
        (
            Intervals(np.array([0.5]), False),
            read_column("a", np.array(["1970-01-01"], "M8[s]"), nominal=False),
            "was numeric .* dates, such as 1970-01-01",
        ),
        (Groups(((1.0,), (2.0,)), False), nominal("1.0"), "'a' was numeric in training and now holds '1.0'"),
        (Groups((("x",), ("y",)), False), ordered(1.0), "'a' had labels such as 'x' in training and now holds numbers"),
        (Groups(((b"x",),), False), ordered(1.0), "'a' had labels such as b'x'"),
    ],
)
def test_a_column_of_another_type_is_refused_by_name(partition, column, message):
    with pytest.raises(DataError, match=message):
        partition.bins_of(column)


def test_bins_in_words():
    partition = Intervals(np.array([0.5, 2.0]), missing=True)
    words = [partition.describe(code) for code in range(5)]
    assert words == ["<= 0.5", "> 0.5 and <= 2", "> 2", "missing", "unseen"]
    assert Intervals(np.array([]), missing=False).describe(0) == "any value"
    groups = Groups((("x", "y"), ("z",)), missing=True)
    assert [groups.describe(code) for code in range(4)] == ["x, y", "z", "missing", "unseen"]


def test_many_labels_have_the_codes_of_few():
    rng = np.random.default_rng(3)
    for _ in range(60):
        labels = np.unique(rng.integers(-30, 30, int(rng.integers(1, 60))) / 2)
        bounds = np.unique(rng.choice(np.append(labels, rng.normal(size=5)), int(rng.integers(1, 6))))
        partition = Intervals(bounds, bool(rng.integers(2)))
        many = partition.bins_of(Values("x", labels)).tolist()
        assert many[:-1] == [partition.bins_of(Values("x", labels[[i]]))[0] for i in range(len(labels))]
        assert many[:-1] == [sum(bound < label for bound in bounds) for label in labels]
