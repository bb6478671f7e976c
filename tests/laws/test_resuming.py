"""A search that was stopped anywhere and resumed is the search that was never stopped."""

import json
import warnings
from functools import cache

import numpy as np
import pytest
from cases import make_segments, random_case

from bayesieve import NaiveBayesSelector
from bayesieve.criteria import CRITERIA
from bayesieve.engine import ReferenceEngine
from bayesieve.exceptions import InterruptedSearchWarning
from bayesieve.models import NaiveBayes
from bayesieve.search import (
    SEARCHES,
    Checkpoint,
    FeatureGroup,
    Observer,
    SearchRun,
    SearchSpace,
    SearchState,
    Stopping,
    StopSearch,
    run_search,
)

searches = pytest.mark.parametrize("search", SEARCHES)
STOPPINGS = [Stopping(0, 6, tol=None), Stopping(0, 6), Stopping(3, 3, forced=True)]


class Stopper(Observer):
    """Stops at the n-th call of one kind."""

    def __init__(self, kind, n):
        self._kind, self._left = kind, n

    def on_step(self, step, n_steps):
        self._count("step")

    def on_scores(self, subset, moves, scores):
        self._count("scores")

    def on_phase(self, phase):
        self._count("phase")

    def _count(self, kind):
        self._left -= kind == self._kind
        if kind == self._kind and self._left == 0:
            raise StopSearch


class CountingEngine(ReferenceEngine):
    """Counts the batches that it is asked to score."""

    n_batches = 0

    def score(self, moves, **options):
        self.n_batches += 1
        return super().score(moves, **options)


@cache
def segments():
    return make_segments(random_case(np.random.default_rng(16), n_columns=6, n_rows=35))


def run(search, stopping, place=None, stopper=None):
    """Return the path of a search and the number of batches that were scored for it."""
    engine = CountingEngine(segments(), NaiveBayes(), CRITERIA["brier"])
    names = tuple(f"c{j}" for j in range(6))
    units = tuple(FeatureGroup(name, (j,)) for j, name in enumerate(names))
    start = tuple(range(6)) if SEARCHES[search].starts_full else ()
    run = SearchRun(Checkpoint(place, "mark"), [stopper] if stopper else [])
    state = SearchState(engine, SearchSpace(units, names, start), run)
    path = run_search(SEARCHES[search], state, stopping, CRITERIA["brier"])
    return path, engine.n_batches


@searches
@pytest.mark.parametrize("stopping", STOPPINGS, ids=str)
@pytest.mark.parametrize("kind", ["step", "scores", "phase"])
def test_a_search_stopped_anywhere_resumes_to_the_same_end(search, stopping, kind, tmp_path):
    path, n_batches = run(search, stopping)
    assert path.complete
    for n in range(1, 100):
        place = tmp_path / f"{n}.json"
        partial, n_before = run(search, stopping, place, Stopper(kind, n))
        if partial.complete:
            break
        resumed, n_after = run(search, stopping, place)
        assert resumed == path
        # Batches are scored again only if the stop came between their scores and the note of their answer; moves that
        # are tried in turn have one answer for batches of 1, 2 and 4.
        again = n_before + n_after - n_batches
        assert (kind == "scores") <= again <= (kind == "scores") * (3 if SEARCHES[search].n_starts else 1)
    assert n > 1


@searches
def test_a_search_stopped_at_every_step_arrives(search, tmp_path):
    expected, _ = run(search, STOPPINGS[0])
    for n in range(1, 100):
        path, _ = run(search, STOPPINGS[0], tmp_path / "one.json", Stopper("step", n))
        if path.complete:
            break
        assert path.steps == expected.steps[:n]
    assert path == expected


@searches
def test_any_beginning_of_a_journal_leads_to_the_same_end(search, tmp_path):
    place = tmp_path / "whole.json"
    path, n_batches = run(search, STOPPINGS[1], place)
    journal = json.loads(place.read_text())
    n_answers = len(journal["answers"])
    assert n_answers == n_batches or SEARCHES[search].n_starts
    n_left = n_batches
    for n in range(n_answers + 1):
        cut = tmp_path / f"{n}.json"
        cut.write_text(json.dumps({**journal, "answers": journal["answers"][:n]}))
        resumed, n_again = run(search, STOPPINGS[1], cut)
        assert resumed == path
        assert n_again == n_left if n_answers == n_batches else n_again <= n_left
        n_left = n_again - 1
    assert n_left == -1


@searches
def test_an_estimator_interrupted_and_fitted_again_tells_the_same_story(search, tmp_path, monkeypatch):
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 3, (60, 6)), rng.integers(0, 3, 60)
    X[:, 2] = np.where(rng.random(60) < 0.6, y, X[:, 2])
    given = {"tol": None, "discretizer": None, "backend": "reference"}
    whole = NaiveBayesSelector(search, **given).fit(X, y)
    score = ReferenceEngine.score

    for n in range(1, 6):
        place = tmp_path / f"{n}.json"
        calls = iter(range(1, 1000))

        def interrupted(self, moves, n=n, calls=calls, **options):
            if next(calls) == n:
                raise KeyboardInterrupt
            return score(self, moves, **options)

        monkeypatch.setattr(ReferenceEngine, "score", interrupted)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            partial = NaiveBayesSelector(search, **given, checkpoint=place).fit(X, y)
        assert any(warning.category is InterruptedSearchWarning for warning in seen)
        assert not partial.path_.complete
        monkeypatch.setattr(ReferenceEngine, "score", score)
        resumed = NaiveBayesSelector(search, **given, checkpoint=place).fit(X, y)
        assert resumed.path_ == whole.path_
        assert resumed.why_ == whole.why_
        assert resumed.support_.tolist() == whole.support_.tolist()
