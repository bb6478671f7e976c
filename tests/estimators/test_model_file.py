"""A model survives its file to the last bit; a file that is not as it was written is refused in one sentence."""

import json
import os
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from draws import draws
from hypothesis import HealthCheck, given, settings, strategies as st
from plain_cases import mutate, partitions, signed

from bayesieve import load
from bayesieve.bins import Groups, Intervals
from bayesieve.data import Values
from bayesieve.decisions import find_threshold, read_threshold
from bayesieve.exceptions import DataError, ModelFileError
from bayesieve.model_file import file as model_file
from bayesieve.model_file.file import read_model, write_model
from bayesieve.model_file.plain_model import model_from_plain, model_to_plain
from bayesieve.model_file.plain_values import keep_plain
from bayesieve.model_file.saved_model import SavedColumn, SavedModel
from bayesieve.models import Evidence, PairTable, Scorecard, ScoreTable

SCORES = np.array([1, 2, 3, 4])
TRUTH = np.array([0, 1, 0, 1])
RULES = st.sampled_from(["bayes", "chi2", "ber", "f1", 0.3, ("recall", 0.4), ("precision", 0.3)])
CLASSES = st.sampled_from(
    [
        np.array([0, 1]),
        np.array([-1, 5, 7], dtype=np.int8),
        np.array([2**63, 2**64 - 1], dtype=np.uint64),
        np.array([False, True]),
        np.array([0.0, 1.0], dtype=np.float32),
        np.array(["a", "ü", "\ud800"]),
    ]
)


def make_card(name, partition, n_classes, rng):
    table = rng.integers(-(2**50), 2**50, (partition.n_bins + 1, n_classes))
    table[-1] = 0
    return ScoreTable(name, partition, table, float(rng.random()))


@st.composite
def pair_tables(draw, names, n_classes, rng):
    """Draw the table of a pair, with everything that it may have."""
    first, second = draw(partitions()), draw(partitions())
    shape = first.n_bins, second.n_bins, n_classes
    table = np.zeros((shape[0] + 1, shape[1] + 1, n_classes), dtype=np.int64)
    table[:-1, :-1] = rng.integers(-(2**50), 2**50, shape)
    counts = draw(st.sampled_from([None, rng.integers(0, 9, shape), rng.random(shape)]))
    finite = st.none() | st.floats(-1e9, 1e9)
    return PairTable(names, (first, second), table, counts, draw(finite), draw(finite))


@st.composite
def models(draw):
    """Draw a fitted classifier, as far as files are concerned."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    names = draw(st.lists(st.text(max_size=4) | st.just("\udc00"), min_size=1, max_size=4, unique=True))
    classes = draw(CLASSES)
    tables = tuple(make_card(name, draw(partitions()), len(classes), rng) for name in names if draw(st.booleans()))
    start = rng.integers(-(2**45), 2**45, len(classes))
    card = Scorecard(classes, start, tables, tuple(draw(st.floats(0.5, 1e12)) for _ in classes), draw(st.booleans()))
    drawn = [pair_tables(each, len(classes), rng) for each in combinations(names, 2) if draw(st.booleans())]
    card = replace(card, pairs=tuple(draw(each) for each in drawn[:2]))
    found = find_threshold(read_threshold(draw(RULES)), draw(st.sampled_from([SCORES, SCORES / 5])), TRUTH)
    return SavedModel(
        estimator="Plain",
        columns=tuple(SavedColumn(name, draw(st.booleans())) for name in names),
        named=draw(st.booleans()),
        scorecard=card,
        threshold=draw(st.sampled_from([None, found])),
        partitions={name: draw(partitions()) for name in names if draw(st.booleans())},
        parameters={"threshold": ("recall", 0.95), "tol": 0.0, "keep": None, "groups": {"a": [1, 2]}, "most": np.inf},
        summary={"rows": 10, "score": 0.1, "notes": ["a", None, {"b": True}]},
    )


def small_model():
    intervals = Intervals(np.array([0.1, 2.5]), True)
    groups = Groups((("x", "y"), ("z",)), False)
    rng = np.random.default_rng(0)
    tables = (make_card("age", intervals, 2, rng), make_card("sex", groups, 2, rng))
    card = Scorecard(np.array(["no", "yes"]), np.array([-5, 7]), tables, (60.0, 40.0), True)
    columns = (SavedColumn("age", True), SavedColumn("other", True), SavedColumn("sex", False))
    threshold = find_threshold(read_threshold("chi2"), SCORES, TRUTH)
    return SavedModel("Plain", columns, True, card, threshold, {"age": intervals, "sex": groups}, {}, {"n_rows": 100})


def predict(card, labels):
    """Return the probabilities of rows that hold each label in every column; None where a column refuses them."""
    state = np.repeat(card.start[:, None], len(labels) + 1, axis=1)
    try:
        for each in card.tables:
            state = state + each.table[each.partition.bins_of(Values(each.name, labels))].T
    except DataError:
        return None
    return Evidence(state).probabilities.tobytes()


def check_same(one, other):
    assert replace(one, scorecard=None, partitions={}) == replace(other, scorecard=None, partitions={})
    card, back = one.scorecard, other.scorecard
    assert back.classes.dtype.kind == card.classes.dtype.kind
    assert back.classes.tolist() == card.classes.tolist()
    assert (back.mass, back.laplace) == (card.mass, card.laplace)
    assert [(each.name, each.weight) for each in back.tables] == [(each.name, each.weight) for each in card.tables]
    assert list(one.partitions) == list(other.partitions)
    assert [plain_pair(each) for each in back.pairs] == [plain_pair(each) for each in card.pairs]
    for labels in (np.array([-3.0, 0.0, 0.1, 7e9]), ("x", "y", "zz", True)):
        assert predict(back, labels) == predict(card, labels)


def plain_pair(pair):
    """Return all that the table of a pair holds, with the types of its arrays, in a form that has an order."""
    arrays = [(each.dtype.kind, each.tolist()) for each in (pair.table, pair.counts) if each is not None]
    bins = [[partition.describe(code) for code in range(partition.n_bins)] for partition in pair.partitions]
    return pair.names, bins, arrays, pair.log_bayes_factor, pair.gain


# The folder is one for all examples: each writes over the last, as a user would.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=draws(20, 50), deadline=None)
@given(models())
@pytest.mark.filterwarnings("ignore:A (recall|precision)")
def test_a_round_trip_changes_nothing(tmp_path, model):
    path = tmp_path / "model.json"
    write_model(path, model)
    check_same(read_model(path), model)
    assert list(tmp_path.iterdir()) == [path]
    document = json.loads(path.read_text(encoding="utf-8"))
    again = tmp_path / "again.json"
    write_model(again, read_model(path))
    assert again.read_bytes() == path.read_bytes()
    again.unlink()
    assert list(document) == sorted(document)


def read_or_refuse(path):
    try:
        return read_model(path), ""
    except ModelFileError as error:
        return None, str(error)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(models(), st.integers(0, 2**32), st.integers(1, 3))
@pytest.mark.filterwarnings("ignore:A (recall|precision)")
def test_a_forged_document_is_valid_or_refused(tmp_path, model, seed, n_changes):
    path = tmp_path / "model.json"
    write_model(path, model)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["model"] = mutate(document["model"], np.random.default_rng(seed), n_changes)
    path.write_bytes(signed(document))
    back, sentence = read_or_refuse(path)
    if back is None:
        assert sentence.startswith(f"The file {str(path)!r} is damaged: ")
        assert sentence.endswith(".")
    else:
        write_model(path, back)
        check_same(read_model(path), back)


def test_any_changed_byte_is_found(tmp_path):
    path = tmp_path / "model.json"
    write_model(path, small_model())
    whole, rng = path.read_bytes(), np.random.default_rng(1)
    for _ in range(400):
        position = int(rng.integers(len(whole) - 1))  # the last one is the end of the line
        damaged = bytearray(whole)
        damaged[position] = int(rng.integers(256))
        path.write_bytes(damaged)
        back, sentence = read_or_refuse(path)
        assert (back is None) == (bytes(damaged) != whole), sentence


def test_truncated_anywhere(tmp_path):
    path = tmp_path / "model.json"
    write_model(path, small_model())
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match="truncated or damaged" if length > 30 else "The file"):
            read_model(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "written by a newer release: its format has version 2, this one reads up to 1"),
        ({"version": "1"}, "is damaged: its version is '1'"),
        ({"version": 0}, "is damaged: its version is 0"),
        ({"format": "other"}, "is not a bayesieve model"),
        ({"written_by": "me"}, "was edited: its checksum does not match"),
        ({"checksum": None}, "was edited"),
        ({"model": {"a": float("1e400")}}, "truncated or damaged"),
        ({"model": "\ud800"}, "was edited"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, change, message):
    path = tmp_path / "model.json"
    write_model(path, small_model())
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        read_model(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b"5", b"\x80\x04", b"a,b\n1,2\n", b"[" * 100_000, b'{"a": 1, "a": 2}', b"NaN", b"9" * 5000],
    ids=lambda content: str(content[:10]),
)
def test_foreign_files(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="not a bayesieve model"):
        read_model(path)


def test_spaces_do_not_matter(tmp_path):
    path = tmp_path / "model.json"
    write_model(path, small_model())
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")), indent=2), encoding="utf-8")
    check_same(read_model(path), small_model())


def test_files_that_cannot_be_had(tmp_path):
    with pytest.raises(ModelFileError, match="cannot be read: No such file"):
        read_model(tmp_path / "none.json")
    with pytest.raises(ModelFileError, match="cannot be read: Is a directory"):
        read_model(tmp_path)
    with pytest.raises(ModelFileError, match=r"cannot be written: the folder .* does not exist"):
        write_model(tmp_path / "none" / "model.json", small_model())
    with pytest.raises(ModelFileError, match="cannot be written"):
        write_model(tmp_path, small_model())
    assert list(tmp_path.parent.glob("*.new")) == []


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    write_model(path, small_model())
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelFileError, match="No space left on device"):
        write_model(path, replace(small_model(), named=False))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_loading_asks_the_estimator_of_that_name(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    write_model(path, small_model())
    with pytest.raises(ModelFileError, match="holds a 'Plain'; this release can load"):
        load(path)
    monkeypatch.setitem(model_file.BUILDERS, "Plain", lambda saved: saved.summary["n_rows"])
    assert load(path) == 100


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"cv": object()}}, "cv has the label <object"),
        ({"summary": {"a": float("nan")}}, "summary must be values that JSON can hold"),
        ({"summary": {"a": np.zeros(2)}}, "summary must be values that JSON can hold"),
        ({"summary": {"a": "\ud800"}}, "summary must be values that JSON can hold"),
    ],
)
def test_what_no_file_can_hold(change, message):
    with pytest.raises(ModelFileError, match=message):
        model_to_plain(replace(small_model(), **change))


def test_classes_that_no_file_can_hold():
    model = small_model()
    dates = replace(model.scorecard, classes=np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"))
    with pytest.raises(ModelFileError, match=r"classes are of type datetime64.* make them strings"):
        model_to_plain(replace(model, scorecard=dates))


def test_parameters_that_need_code_are_left_out():
    given = {"cv": object(), "n_features": 5, "threshold": ("recall", 0.9), "callback": print, "keep": None}
    assert keep_plain(given) == {"n_features": 5, "threshold": ("recall", 0.9), "keep": None}


def test_a_document_says_what_is_wrong_in_place():
    document = model_to_plain(small_model())
    document["cards"][1]["table"][0][0] = 0.5
    with pytest.raises(ModelFileError, match=r"model.cards\[1\].table\[0\] must be a list of 64-bit integers"):
        model_from_plain(model_file.Entry(document, "model"))
