"""Bins given by hand, and values apart: whatever the rule that decides the rest."""

import numpy as np
import pytest
from cases import summarize

from bayesieve.bins import MODL, DistinctValues, Edited, EqualFrequency, Groups, Intervals, sum_by_bin
from bayesieve.data import Column
from bayesieve.data.column import read_column
from bayesieve.exceptions import DataError, ParameterError

RULE = EqualFrequency(2)


def numbers(values, name="a"):
    return read_column(name, np.asarray(values, dtype=float), nominal=False)


def labels(values, name="a"):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return read_column(name, array, nominal=True)


def codes(partition, column):
    return partition.bins_of(column)[column.ids].tolist()


def test_silence_is_the_other_rule():
    column = numbers([1, 2, 3, 4])
    assert repr(Edited(RULE).learn(summarize(column))) == repr(RULE.learn(summarize(column)))


def test_given_bounds():
    column = numbers([1, 2, 3, 4])
    partition = Edited(RULE, splits={"a": [3, 10]}).learn(summarize(column))
    assert isinstance(partition, Intervals)
    assert partition.bounds.tolist() == [3, 10]
    assert codes(partition, column) == [0, 0, 0, 1]  # a bound belongs to the left; nothing is above 10
    assert partition.n_bins == 3
    assert partition.level is None


def test_given_groups():
    column = labels(["x", "y", "z", "x"])
    partition = Edited(RULE, splits={"a": [{"z"}, ["x", "w"], "y"]}).learn(summarize(column))
    assert partition == Groups((("z",), ("x", "w"), ("y",)), missing=False)
    assert codes(partition, column) == [1, 2, 0, 1]
    assert codes(partition, labels(["w", "new"])) == [1, 3]


@pytest.mark.parametrize(("column", "wanted"), [(numbers([1, np.nan]), [0.5]), (labels(["x", None]), [["x"]])])
def test_missing_values_are_a_part_beside_given_ones(column, wanted):
    partition = Edited(RULE, splits={"a": wanted}).learn(summarize(column))
    assert partition.missing
    assert codes(partition, column)[1] == partition.n_bins - 1


def test_only_named_columns_are_edited():
    columns = [numbers([1, 2, 3, 4], name) for name in "abc"]
    rule = Edited(RULE, splits={"b": [1.5]}, special={"c": (4.0,)})
    a, b, c = rule.learn_all([summarize(column) for column in columns])
    assert (a.bounds.tolist(), b.bounds.tolist(), c.bounds.tolist()) == ([2.5], [1.5], [1.5])
    assert (a.special, b.special, c.special) == ((), (), (4.0,))


def test_values_apart_do_not_move_the_bounds():
    values = [1, 2, 3, 4, -999, -999, -999, -999]
    partition = Edited(RULE, special={"a": (-999.0, 3.0)}).learn(summarize(numbers(values)))
    assert partition.bounds.tolist() == RULE.learn(summarize(numbers([1, 2, 4]))).bounds.tolist()
    assert codes(partition, numbers([1, 2, 3, 4, -999, -998])) == [0, 1, 3, 1, 2, 0]
    assert [partition.describe(code) for code in range(4)] == ["<= 1.5", "> 1.5", "= -999", "= 3"]


def test_values_apart_from_given_bounds():
    rule = Edited(RULE, splits={"a": [2.5]}, special={"a": (9_999_999.0,)})
    partition = rule.learn(summarize(numbers([1, 3, 9_999_999])))
    assert codes(partition, numbers([1, 3, 9_999_999])) == [0, 1, 2]
    assert partition.describe(2) == "= 9999999"


def test_nothing_but_values_apart():
    partition = Edited(MODL(), special={"a": (7.0,)}).learn(summarize(numbers([7, 7, np.nan])))
    assert codes(partition, numbers([7, np.nan])) == [1, 2]
    assert partition.describe(0) == "any value"


def test_labels_cannot_be_values_apart():
    with pytest.raises(DataError, match="special_values names the column 'a', which is not numeric"):
        Edited(DistinctValues(), special={"a": (1.0,)}).learn(summarize(labels(["x", "y"])))


def test_the_number_of_columns_reaches_the_rule():
    summary = summarize(numbers(np.arange(40)), target=np.arange(40) >= 20)
    one, many = (Edited(MODL(), special={"b": (1.0,)}).for_table(n).learn(summary) for n in (1, 50))
    assert many.cost.construction - one.cost.construction == pytest.approx(np.log(50))


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ([3, 2], r"must be increasing numbers, got \[3.0, 2.0\]"),
        ([2, 2], "must be increasing numbers"),
        ([1, np.nan], "finite numbers"),
        ([-np.inf, 1], "finite numbers"),
        (["x"], "finite numbers"),
        ([[1, 2]], "finite numbers"),
        (3, "finite numbers, got 3"),
    ],
)
def test_bounds_that_are_refused(wanted, sentence):
    with pytest.raises(ParameterError, match=rf"user_splits\['height'\].*{sentence}"):
        Edited(RULE, splits={"height": wanted}).learn(summarize(numbers([1, 2], "height")))


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ([["x"], ["y", "x"]], "names a category twice"),
        ([["x"]], "leaves out the category 'y'"),
        ([["x", "y"], []], "empty list"),
        ("xy", "lists of categories"),
        (3, "lists of categories, got 3"),
        ([[["x"], "y"]], "lists of categories"),
    ],
)
def test_groups_that_are_refused(wanted, sentence):
    with pytest.raises(ParameterError, match=rf"user_splits\['town'\].*{sentence}"):
        Edited(RULE, splits={"town": wanted}).learn(summarize(labels(["x", "y"], "town")))


def test_categories_without_weight_may_be_left_out():
    column = Column("a", ("x", "y"), np.array([0, 1], dtype=np.int32))
    assert Edited(RULE, splits={"a": [["x"]]}).learn(summarize(column, [1, 0])).groups == (("x",),)


def test_counts_cover_every_row():
    rng = np.random.default_rng(0)
    column = numbers(np.where(rng.random(200) < 0.2, np.nan, rng.integers(-3, 9, 200)))
    summary = summarize(column, target=rng.integers(0, 2, 200))
    for splits in ({}, {"a": [0, 3]}):
        partition = Edited(RULE, splits, {"a": (-1.0, 5.0)}).learn(summary)
        counts = sum_by_bin(partition.bins_of(column), summary.counts, partition.n_bins + 1)
        assert counts[-1].tolist() == [0, 0]
        for value, code in ((-1.0, len(partition.bounds) + 1), (5.0, len(partition.bounds) + 2)):
            assert counts[code].tolist() == summary.counts[:-1][column.labels == value][0].tolist()
