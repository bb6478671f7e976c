"""Entries of model files that nothing of ours writes: each is refused by its place and with what was expected."""

import numpy as np
import pytest

from bayesieve import VoteClassifier, load
from bayesieve.data.document import Entry
from bayesieve.decisions.threshold import threshold_from_plain
from bayesieve.exceptions import ModelFileError
from bayesieve.model_file.file import read_model, write_model
from bayesieve.model_file.plain_model import model_from_plain, model_to_plain, read_benefit
from bayesieve.model_file.plain_values import value_from_plain

THRESHOLD = {"cut": 5, "name": "recall", "level": 0.9, "recall": 0.9, "precision": None, "interval": [0.8, 1.0]}
BENEFIT = {"cost": 0.7, "pos_label": None, "matrix": [[0.0, 1.0], [-1.0, 5.0]], "amount": None}
TABLE = {"column": "gift"}


def test_the_entries_themselves_are_read():
    assert threshold_from_plain(Entry(THRESHOLD, "model.threshold")).interval == (0.8, 1.0)
    assert read_benefit(Entry(BENEFIT, "model.benefit"), Entry.text, ["no", "yes"]).matrix.tolist() == BENEFIT["matrix"]
    by_column = read_benefit(Entry(BENEFIT | {"matrix": None, "amount": TABLE}, "b"), Entry.text, ["no", "yes"])
    assert by_column.amount == "gift"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cut": "x"}, "model.threshold.cut must be a number, got 'x'"),
        ({"cut": {"float": "nan"}}, "model.threshold.cut"),
        ({"name": "luck"}, "has the name 'luck' and the level 0.9, which are not those of a threshold"),
        ({"level": None}, "has the name 'recall' and the level None"),
        ({"level": 7.0}, "has the name 'recall' and the level 7.0"),
        ({"interval": [0.5]}, "model.threshold.interval must be a list of two numbers, got a list of 1"),
    ],
)
def test_thresholds(change, message):
    with pytest.raises(ModelFileError, match=message):
        threshold_from_plain(Entry(THRESHOLD | change, "model.threshold"))


@pytest.mark.parametrize(
    ("change", "labels", "message"),
    [
        ({"pos_label": "maybe"}, ["no", "yes"], "model.benefit.pos_label must be null or a class"),
        ({"matrix": None}, ["no", "yes"], "model.benefit must be a matrix or an amount"),
        ({"amount": TABLE}, ["no", "yes"], "model.benefit must be a matrix or an amount"),
        ({"matrix": []}, ["no", "yes"], "model.benefit.matrix must be lists of 2 numbers, one at least"),
        ({"matrix": [[1.0, 2.0, 3.0]]}, ["no", "yes"], "model.benefit.matrix must be lists of 2 numbers"),
        ({"matrix": None, "amount": TABLE}, ["a", "b", "c"], "amount must be null for more than two classes"),
        (
            {"matrix": None, "amount": {"start": 2**60, "cards": []}},
            ["no", "yes"],
            "model.benefit.amount must be amounts whose sum has 53 bits at most",
        ),
    ],
)
def test_benefits(change, labels, message):
    with pytest.raises(ModelFileError, match=message):
        read_benefit(Entry(BENEFIT | change, "model.benefit"), Entry.text, labels)


@pytest.mark.parametrize("pairs", [[1], [["a", 1], ["b"]], [[["a"], 1]]])
def test_mappings_of_parameters(pairs):
    with pytest.raises(ModelFileError, match="parameter must be pairs of a key and a value"):
        value_from_plain(Entry({"dict": pairs}, "parameter"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"luck": 1}, "has parameters that VoteClassifier does not have"),
        ({"votes": "loudest"}, "has a parameter that is wrong"),
        ({"pos_label": "no one"}, "has a parameter that is wrong"),
    ],
)
def test_parameters_of_votes(tmp_path, parameters, message):
    path = saved_votes(tmp_path)
    saved = read_model(path)
    saved.parameters.update(parameters)
    write_model(path, saved)
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_votes_that_are_not_probabilities(tmp_path):
    path = saved_votes(tmp_path)
    saved = read_model(path)
    saved.scorecard.start[0] += 1
    write_model(path, saved)
    with pytest.raises(ModelFileError, match="votes that are not probabilities of two classes"):
        load(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("classes.labels", [], "model.classes.labels must be labels of type int64"),
        ("classes.labels", ["0", "1"], "model.classes.labels must be labels of type int64"),
        ("classes.labels", [0, 2**70], "model.classes.labels must be labels of type int64"),
        ("classes.labels", [1, 0], "model.classes.labels must be increasing labels"),
        ("start", [1, 2, 3], "model.start must be a list of 2 whole numbers"),
        ("class_mass", [0.0, 0.0], "model.class_mass must be a list of 2 weights"),
        ("columns.names", ["x0", "x0", "x2", "x3"], "model.columns.names must be distinct names"),
        ("columns.ordered", [True], "model.columns.ordered must be a list of 4"),
        ("columns.names", [0, 1, 2, 3], "model.columns.names.* must be a string"),
    ],
)
def test_what_a_model_is_made_of(tmp_path, place, value, message):
    plain = model_to_plain(read_model(saved_votes(tmp_path)))
    assert model_from_plain(Entry(plain, "model")).estimator == "VoteClassifier"
    *folders, last = place.split(".")
    inside = plain
    for name in folders:
        inside = inside[name]
    inside[last] = value
    with pytest.raises(ModelFileError, match=message):
        model_from_plain(Entry(plain, "model"))


def test_a_column_has_one_table(tmp_path):
    plain = model_to_plain(read_model(saved_votes(tmp_path)))
    plain["partitions"] *= 2
    with pytest.raises(ModelFileError, match=r"model.partitions has a column twice"):
        model_from_plain(Entry(plain, "model"))


def saved_votes(folder):
    """Return the path of a saved classifier by votes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = (rng.random((200, 4)) < 0.2 + 0.5 * y[:, None]).astype(float)
    path = folder / "votes.json"
    VoteClassifier(n_features=2).fit(X, y).save(path)
    return path
