"""Partitions survive JSON exactly; a broken document is refused in one sentence, whatever is wrong with it."""

import json

import numpy as np
import pytest
from cases import summarize
from hypothesis import given, strategies as st
from plain_cases import finite, mutate, partitions

from bayesieve.bins import (
    CODING_RULES,
    MODL,
    Edited,
    FinestBins,
    Groups,
    Intervals,
    PartitionCost,
    partition_from_plain,
    partition_to_plain,
    with_counts,
)
from bayesieve.data import Values
from bayesieve.data.column import read_column
from bayesieve.data.document import Entry
from bayesieve.exceptions import DataError, ModelFileError

GIVEN = Edited(MODL(), {"letters": [["a", "b"], list("cdefgh")]}, {"numbers": (0.0, 1.0)})


def document_of(partition):
    return json.loads(json.dumps(partition_to_plain(partition, "a"), allow_nan=False, ensure_ascii=False))


def read(document):
    return partition_from_plain(Entry(document, "bins"))


def answers(partition, column):
    try:
        return partition.bins_of(column).tolist()
    except DataError:
        return "refused"


@given(partitions(), st.lists(finite, max_size=5))
def test_a_round_trip_changes_nothing(partition, numbers):
    back = read(document_of(partition))
    assert type(back) is type(partition)
    columns = [Values("a", np.unique(np.array(numbers) + 0.0)), Values("a", ("x", "y", True, 2))]
    if isinstance(partition, Intervals):
        assert back.bounds.tobytes() == partition.bounds.tobytes()
        assert back.special == partition.special
        columns.append(Values("a", np.unique([*partition.bounds, *partition.special])))
    else:
        assert back.groups == partition.groups
        columns.append(Values("a", tuple(label for group in partition.groups for label in group)))
    assert [answers(back, column) for column in columns] == [answers(partition, column) for column in columns]
    assert (back.level, back.cost, back.joined) == (partition.level, partition.cost, partition.joined)
    if partition.counts is None:
        assert back.counts is None
    else:
        assert back.counts.dtype == partition.counts.dtype
        assert back.counts.shape == partition.counts.shape
        assert back.counts.tobytes() == partition.counts.tobytes()
    codes = range(partition.n_bins + 1)
    assert [back.describe(code) for code in codes] == [partition.describe(code) for code in codes]


@pytest.mark.parametrize(
    "rule",
    [*CODING_RULES.values(), FinestBins(), MODL("2006", "lowest"), GIVEN],
    ids=[*(str(name) for name in CODING_RULES), "finest", "modl 2006", "edited"],
)
@pytest.mark.filterwarnings("ignore:Column")
def test_what_rules_learn_survives(rule):
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 200)
    numbers = np.where(rng.random(200) < 0.1, np.nan, rng.normal(size=200).round(2) + target)
    letters = np.array(list("abcdefgh"))[rng.integers(0, 4, 200) + 4 * target].astype(object)
    letters[::9] = None
    for name, values in (("numbers", numbers), ("letters", letters)):
        column = read_column(name, values, nominal=name == "letters")
        partition = rule.learn(summarize(column, target=target))
        partition = with_counts(partition, np.ones((partition.n_bins, 2), dtype=np.int64), 0.5)
        back = read(document_of(partition))
        assert back.bins_of(column).tolist() == partition.bins_of(column).tolist()
        assert document_of(back) == document_of(partition)


def read_or_refuse(document):
    try:
        return read(document), ""
    except ModelFileError as error:
        return None, str(error)


@given(partitions(), st.integers(0, 2**32), st.integers(1, 4))
def test_a_changed_document_is_valid_or_refused(partition, seed, n_changes):
    changed = mutate(document_of(partition), np.random.default_rng(seed), n_changes)
    back, sentence = read_or_refuse(changed)
    if back is None:
        assert sentence.startswith("bins")
        assert sentence.endswith(".")
        return
    assert document_of(back)["kind"] == changed["kind"]
    bins = answers(back, Values("a", np.array([-1.0, 0.0, 2.5])))
    assert isinstance(bins, str) or all(0 <= part <= back.n_bins for part in bins)


COST = PartitionCost(1.0, 2.0, 3.0)
INTERVALS = Intervals(
    np.array([0.5, 2.0]), True, counts=np.array([[1, 2], [3, 4], [5, 6], [7, 8]]), level=0.1, cost=COST
)
GROUPS = Groups((("x", "y"), ("z",)), False, joined=1, other=0)


@pytest.mark.parametrize(
    ("partition", "changes", "message"),
    [
        (INTERVALS, {"bounds": [2.0, 0.5]}, "bins.bounds must be increasing numbers, got a list of 2"),
        (INTERVALS, {"bounds": [1e400]}, "bins.bounds must be a list of finite numbers"),
        (INTERVALS, {"bounds": [True]}, "bins.bounds must be a list of finite numbers"),
        (INTERVALS, {"bounds": [0.5]}, "bins.counts.bins must be 3 lists of 2 values each"),
        (INTERVALS, {"special": [1.0, 1.0]}, "bins.special must be distinct numbers"),
        (INTERVALS, {"missing": 1}, "bins.missing must be true or false, got 1"),
        (INTERVALS, {"joined": 3}, "bins.joined must be an integer from 0 to 2, got 3"),
        (INTERVALS, {"level": "x"}, "bins.level must be a finite number, got 'x'"),
        (INTERVALS, {"cost": {"data": 1}}, "bins.cost has no 'construction'"),
        (INTERVALS, {"counts": {"type": "int", "n_classes": 2, "bins": [[1, 2]] * 3 + [[1, -2]]}}, "0 or more"),
        (INTERVALS, {"counts": {"type": "int", "n_classes": 2, "bins": [[1, 2.0]] * 4}}, r"bins\[0\] must be"),
        (INTERVALS, {"code": "print()"}, "bins has an unknown 'code'"),
        (INTERVALS, {"kind": "Intervals"}, "bins must be a partition of kind 'intervals' or 'groups'"),
        (GROUPS, {"groups": [["x"], ["x"]]}, "bins.groups has a label twice"),
        (GROUPS, {"groups": [["x"], []]}, r"bins.groups\[1\] must be a list of at least one label"),
        (GROUPS, {"groups": [[["x"]], ["z"]]}, r"bins.groups\[0\]\[0\] must be a label"),
        (GROUPS, {"other": 2}, "bins.other must be an integer from 0 to 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(partition, changes, message):
    with pytest.raises(ModelFileError, match=message):
        read(document_of(partition) | changes)


@pytest.mark.parametrize("document", [None, [], "x", {}, {"kind": []}])
def test_what_is_no_partition(document):
    with pytest.raises(ModelFileError, match="bins must be a partition"):
        read(document)


def test_bins_that_no_file_can_hold():
    with pytest.raises(ModelFileError, match="Column 'a' has bins of type Strange, which a model file cannot hold"):
        partition_to_plain(type("Strange", (), {})(), "a")
    with pytest.raises(ModelFileError, match="Column 'a' has the label"):
        partition_to_plain(Groups((((1, 2),),), False), "a")


def test_too_many_bins():
    document = document_of(Intervals(np.arange(70_000.0), False))
    with pytest.raises(ModelFileError, match="bins has 70001 bins; at most 65535 are expected"):
        read(document)
