"""The compiled engine at its limits: much evidence, many rows, forks and interruption."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from draws import draws
from sklearn.datasets import make_classification

from bayesieve import NaiveBayesSelector, SelectiveNaiveBayes
from bayesieve._native import available
from bayesieve.bins import Codes
from bayesieve.exceptions import InterruptedSearchWarning
from bayesieve.models import NaiveBayes
from bayesieve.search import SearchState
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import MemoryEngine, Moves, ReferenceEngine, Segment, add, drop

pytestmark = pytest.mark.skipif(not available(), reason="there is no compiled core")


def segment(codes, target, weights=None, n_classes=2, smoothing="auto"):
    """Return a segment scored on its training rows; codes are (n_columns, n_rows) below 255."""
    n_bins = codes.max(axis=1).astype(np.int64) + 1
    coded = Codes(codes, np.empty((0, codes.shape[1]), dtype=np.uint16), np.arange(len(codes)), n_bins)
    target = target.astype(np.int32)
    weights = np.ones(len(target), dtype=np.int64) if weights is None else weights
    mass = np.bincount(target, weights=weights, minlength=n_classes).astype(np.int64)
    tables = NaiveBayes(smoothing).learn(coded.count(target, weights, n_classes), coded.offsets, mass, 1.0)
    return Segment(coded, target, weights, n_classes, tables)


def both(rows, criterion, **options):
    kinds = (lambda *a: MemoryEngine(*a, **options)), ReferenceEngine
    return [kind([rows], NaiveBayes(), CRITERIA[criterion]) for kind in kinds]


# One criterion of leads, one of losses and one of ranks; the others by `make nightly`.
@pytest.mark.parametrize("criterion", draws(["error", "log_loss", "auc"], CRITERIA))
def test_ten_thousand_columns_of_evidence(criterion):
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 40)
    codes = ((target + (rng.random((10_000, 40)) < 0.2)) % 3).astype(np.uint8)
    native, reference = both(segment(codes, target, n_classes=3, smoothing=2.0**-40), criterion)
    inside = dict.fromkeys(range(9_990), 1.0)
    assert native.reset(inside) == reference.reset(inside)
    moves = [*(add([j]) for j in range(9_990, 10_000)), *(drop([j]) for j in range(10)), drop(range(5_000))]
    assert native.score(moves, exact=True).tolist() == reference.score(moves).tolist()
    assert native.score(moves).max() == reference.score(moves).max()


@pytest.mark.parametrize("criterion", ["brier", "auc"])
def test_millions_of_rows(criterion):
    n_rows = draws(1_000_000, 10_000_000)
    rng = np.random.default_rng(1)
    target = (rng.random(n_rows) < 0.3).astype(np.int32)
    codes = np.empty((2, n_rows), dtype=np.uint8)
    codes[0] = (rng.random(n_rows) < 0.2) ^ target
    codes[1] = rng.integers(0, 7, n_rows, dtype=np.uint8)
    native, reference = both(segment(codes, target), criterion, n_threads=2)
    assert native.reset({0: 1.0}) == reference.reset({0: 1.0})
    assert native.score([add([1])])[0] == reference.score([add([1])])[0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("criterion", ["auc", "log_loss", "error"])
def test_threads_that_share_the_rows_of_few_moves(criterion, n_classes, weighted):
    rng = np.random.default_rng(3)
    target = rng.integers(0, n_classes, 20_000)
    codes = ((target + rng.integers(0, 5, (6, 20_000))) % 7).astype(np.uint8)
    rows = segment(codes, target, rng.integers(0, 9, 20_000) if weighted else None, n_classes)
    moves = [add([3]), add([4]), add([4, 5])]
    inside = dict.fromkeys(range(3), 1.0)
    reference = ReferenceEngine([rows], NaiveBayes(), CRITERIA[criterion])
    reference.reset(inside)
    expected = reference.score(moves).tolist()
    for n_threads in (1, 2, 5):
        native = MemoryEngine([rows], NaiveBayes(), CRITERIA[criterion], n_threads)
        native.reset(inside)
        assert native.score(moves, exact=True).tolist() == expected
        assert native.score(moves[:1]).tolist() == expected[:1]  # the only one is the best
        assert native.score(moves[:2]).tolist() == expected[:2]


def fit_path(n_jobs=2):
    X, y = make_classification(3000, 40, n_informative=10, random_state=0)
    model = NaiveBayesSelector(n_features=6, discretizer="equal_frequency", n_jobs=n_jobs)  # of all forty columns
    return model.fit(X, y).path_.to_dict()


def tell_path(connection):
    connection.send(fit_path())
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_works():
    here = fit_path()
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=tell_path, args=(theirs,))
    child.start()
    assert ours.poll(60), "the child hangs"
    assert ours.recv() == here
    child.join(10)
    assert child.exitcode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_interruption_returns_within_a_second(n_threads):
    rng = np.random.default_rng(2)
    target = rng.integers(0, 4, 200_000)
    codes = rng.integers(0, 9, (10, 200_000), dtype=np.uint8)
    engine, _ = both(segment(codes, target, n_classes=4), "log_loss", n_threads=n_threads)
    engine.reset({0: 1.0})
    moves = Moves.of([add([j]) for j in range(1, 10)] * 1000)  # minutes of exact work
    gc.collect()  # a signal that arrives in a callback of the collector would be lost there
    began = time.monotonic()
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        engine.score(moves, exact=True)
    assert 0.2 < time.monotonic() - began < 1.3
    assert engine.score(moves[:9]).shape == (9,)  # and goes on working


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way")
@pytest.mark.parametrize("criterion", ["log_loss", "auc"])
def test_a_fit_returns_within_a_second_of_the_signal(criterion, monkeypatch):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 100_000)
    X = (rng.random((100_000, 150)) * (1 + y[:, None]) * 4).astype(np.int8)
    sent = []
    ask = SearchState._score_all

    def ask_and_signal(walk, *question):
        if len(walk.selected) == 2 and not sent:
            sent.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)
        return ask(walk, *question)

    monkeypatch.setattr(SearchState, "_score_all", ask_and_signal)
    plain = {"weights": "none", "bins": "best", "discretizer": None, "cv": 0}
    with pytest.warns(InterruptedSearchWarning):
        model = SelectiveNaiveBayes("forward", criterion, **plain).fit(X, y)
    assert time.monotonic() - sent[0] < 1.0
    assert not model.path_.complete
    assert model.n_features_ == 2
    assert model.predict_proba(X[:5]).shape == (5, 2)
