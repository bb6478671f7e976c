"""An engine that counts the subset's size, against the recount from raw rows."""

import numpy as np
import pytest
from cases import make_segments, random_case
from draws import draws
from oracle import brute_force

from bayesieve.models import NaiveBayes
from bayesieve.search.candidates import best_two
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import ENGINES, Change, SizePenaltyEngine, add, drop, make_engine

engines = pytest.mark.parametrize("backend", ENGINES)


def engine_for(case, backend, n_scored=None):
    return make_engine(make_segments(case), NaiveBayes(case.smoothing), CRITERIA["map"], backend, 2, n_scored=n_scored)


def moves_from(inside, n_columns):
    """Return every single move, a pair, everything, nothing, and half a column."""
    singles = [drop([j]) if j in inside else add([j]) for j in range(n_columns)]
    outside = [j for j in range(n_columns) if j not in inside]
    halves = (Change(j, float(j in inside), 0.5) for j in range(n_columns))
    return [*singles, add(outside[:2]), drop(sorted(inside)), (), tuple(halves)]


def after(inside, move):
    weights = dict.fromkeys(inside, 1.0) | {change.column: change.after for change in move}
    return {j: weight for j, weight in weights.items() if weight}


@engines
@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_scores_are_the_recount_with_the_price_of_the_size(backend, seed):
    rng = np.random.default_rng([11, seed])
    case = random_case(rng)
    n_columns = len(case.columns)
    engine = engine_for(case, backend)
    inside = {j for j in range(n_columns) if rng.integers(2)}
    moves = moves_from(inside, n_columns)
    expected = [brute_force.score(case, after(inside, move), "map") for move in moves]
    here = brute_force.score(case, sorted(inside), "map")
    assert engine.reset(dict.fromkeys(inside, 1.0)) == pytest.approx(here, rel=1e-12, abs=1e-10)
    np.testing.assert_allclose(engine.score(moves, exact=True), expected, rtol=1e-12, atol=1e-10)
    assert np.mean(engine.segment_scores) == pytest.approx(here, rel=1e-12, abs=1e-10)
    token = engine.snapshot()
    for move, score in zip(moves, expected, strict=True):
        assert engine.apply(move) == pytest.approx(score, rel=1e-12, abs=1e-10)
        assert np.mean(engine.segment_scores) == pytest.approx(score, rel=1e-12, abs=1e-10)
        engine.restore(token)
    assert engine.apply(()) == pytest.approx(here, rel=1e-12, abs=1e-10)


@engines
@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_the_best_two_are_exact_whatever_their_widths(backend, seed):
    case = random_case(np.random.default_rng([12, seed]), n_columns=5)
    tested, reference = engine_for(case, backend), engine_for(case, "reference")
    for state in ({}, {1: 1.0, 3: 1.0}):
        assert tested.reset(state) == reference.reset(state)
        outside = [j for j in range(5) if j not in state]
        for moves in ([add([j]) for j in outside], [add([j]) for j in outside] + [add(outside), add(outside[:2])]):
            found, expected = tested.score(moves), reference.score(moves)
            best = best_two(expected, last=False)
            assert best_two(found, last=False) == best
            assert all(found[k] == expected[k] for k in best)


def test_the_weight_of_the_scored_rows_can_be_given():
    case = random_case(np.random.default_rng(13), n_columns=3, n_rows=20)
    dear, cheap = engine_for(case, "reference", n_scored=1.0), engine_for(case, "reference", n_scored=1e12)
    costs = CRITERIA["map"].subset_costs(3)
    for state in ({}, {0: 1.0, 2: 1.0}):
        assert cheap.reset(state) - dear.reset(state) == pytest.approx(costs[len(state)])


def test_other_criteria_are_not_wrapped():
    case = random_case(np.random.default_rng(14))
    for name, criterion in CRITERIA.items():
        engine = make_engine(make_segments(case), NaiveBayes(), criterion, "reference")
        assert isinstance(engine, SizePenaltyEngine) == (name == "map")


def test_no_moves_have_no_scores():
    case = random_case(np.random.default_rng(15))
    assert engine_for(case, "reference").score([]).shape == (0,)
