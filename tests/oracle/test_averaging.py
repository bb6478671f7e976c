"""Averaged column weights against a count of the subsets that the search evaluated."""

from fractions import Fraction

import numpy as np
import pytest
from cases import make_segments, random_case
from draws import draws
from oracle import brute_force

from bayesieve.exceptions import ParameterError
from bayesieve.models import NaiveBayes
from bayesieve.search import (
    SEARCHES,
    Averaging,
    Checkpoint,
    FeatureGroup,
    Observer,
    SearchRun,
    SearchSpace,
    SearchState,
    Stopping,
    run_search,
)
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import ENGINES, make_engine

searches = pytest.mark.parametrize("search", SEARCHES)


class Recorder(Observer):
    """Keeps every subset with an exact score."""

    def __init__(self):
        self.seen = []

    def on_trials(self, subset, moves, scores):
        for move, score in zip(moves, scores, strict=True):
            weights = dict.fromkeys(subset, 1.0) | {change.column: change.after for change in move}
            self.seen.append((frozenset(j for j, weight in weights.items() if weight), score))


def watched(case, search, place=None, backend="reference", criterion="map", n_threads=1):
    """Run a search with two starts over two groups and single columns; return the watchers and the path."""
    engine = make_engine(make_segments(case), NaiveBayes(case.smoothing), CRITERIA[criterion], backend, n_threads)
    recorder, averaging = Recorder(), Averaging(engine.reset({}), len(case.columns))
    units = (FeatureGroup("u0", (0, 3)), *(FeatureGroup(f"u{j}", (j,)) for j in range(1, len(case.columns)) if j != 3))
    start = tuple(range(len(units))) if SEARCHES[search].starts_full else ()
    space = SearchSpace(units, tuple(f"c{j}" for j in range(len(case.columns))), start, seed=5)
    state = SearchState(
        engine, space, SearchRun(None if place is None else Checkpoint(place, "mark"), [recorder, averaging])
    )
    path = run_search(SEARCHES[search], state, Stopping(0, len(case.columns), n_starts=2), CRITERIA[criterion])
    return recorder, averaging, path


def case_of(seed):
    return random_case(np.random.default_rng([41, seed]), n_columns=6, n_rows=25)


@searches
@pytest.mark.parametrize("seed", range(draws(2, 8)))
def test_weights_are_the_shares_of_the_recount(search, seed):
    case = case_of(seed)
    recorder, averaging, _ = watched(case, search)
    empty = brute_force.score(case, [], "map")
    total, with_column = 0.0, np.zeros(6)
    for subset, _ in recorder.seen:
        share = max(0.0, 1 - brute_force.score(case, sorted(subset), "map") / empty)
        total += share
        with_column[sorted(subset)] += share
    assert averaging.n_samples == len(recorder.seen)
    np.testing.assert_allclose(averaging.weights, with_column / total if total else with_column, atol=1e-8)


@searches
@pytest.mark.parametrize("seed", range(draws(2, 4)))
def test_every_subset_told_of_has_its_exact_score(search, seed):
    case = case_of(seed)
    recorder, _, path = watched(case, search)
    for subset, score in recorder.seen:
        assert score == pytest.approx(brute_force.score(case, sorted(subset), "map"), abs=1e-10)
    visited = {frozenset(int(name[1:]) for name in visit.columns) for visit in path.visits() if visit.step is not None}
    assert visited <= {subset for subset, _ in recorder.seen}


@searches
def test_no_engine_and_no_number_of_threads_changes_a_bit(search):
    for seed in range(draws(2, 4)):
        expected = watched(case_of(seed), search)[1].weights.tolist()
        for backend in ENGINES:
            for n_threads in (1, 3):
                found = watched(case_of(seed), search, backend=backend, n_threads=n_threads)
                assert found[1].weights.tolist() == expected


@searches
def test_a_search_that_is_replayed_tells_the_same(search, tmp_path):
    place = tmp_path / "c.json"
    first, replayed = (watched(case_of(2), search, place) for _ in range(2))
    assert first[0].seen == replayed[0].seen
    assert first[1].weights.tolist() == replayed[1].weights.tolist()
    assert first[2] == replayed[2]


def test_weights_lie_between_0_and_1():
    for seed in range(30):
        weights = watched(case_of(seed), "fast-forward-backward")[1].weights
        assert ((weights >= 0) & (weights <= 1)).all()


def test_by_hand():
    averaging = Averaging(-2.0, 3)
    averaging.on_trials([0], [((1, 0.0, 1.0),), ((0, 1.0, 0.0),), ((2, 0.0, 1.0),)], [-1.0, -2.0, -1.5])
    # {0, 1} has 1/2, {} nothing, {0, 2} a quarter.
    assert averaging.weights.tolist() == [1.0, float(Fraction(2, 3)), float(Fraction(1, 3))]
    averaging.on_trials([], [((2, 0.0, 1.0),)], [-5.0])
    assert averaging.weights.tolist() == [1.0, float(Fraction(2, 3)), float(Fraction(1, 3))]
    assert averaging.n_samples == 4


def test_nothing_compresses():
    averaging = Averaging(-1.0, 2)
    averaging.on_trials([], [((1, 0.0, 1.0),)], [-1.0])
    assert averaging.weights.tolist() == [0.0, 0.0]
    flawless = Averaging(0.0, 2)
    flawless.on_trials([], [((1, 0.0, 1.0),)], [0.0])
    assert flawless.weights.tolist() == [0.0, 0.0]


def test_scores_that_are_no_costs_are_refused():
    with pytest.raises(ParameterError, match=r"without columns the score is 0\.5"):
        Averaging(0.5, 3)
