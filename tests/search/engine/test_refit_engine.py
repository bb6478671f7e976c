"""The engine of refits, against the engines of naive Bayes: the same verbs, the same searches, the same paths."""

from functools import partial

import numpy as np
import pytest
from cases import make_segments, random_case
from oracle import brute_force

from bayesieve.models import NaiveBayes
from bayesieve.search import SEARCHES, FeatureGroup, SearchSpace, SearchState, Stopping, run_search
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import RefitEngine, add, drop, make_engine


def judge(case, log, subsets):
    """Score subsets by the recount from raw rows, as one fold."""
    log.append(subsets)
    return [np.array([[brute_force.score(case, list(subset), "brier")]]) for subset in subsets]


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_go_the_same_way_as_with_naive_bayes(search):
    case = random_case(np.random.default_rng(20), n_columns=6, n_rows=18)
    names = tuple(f"c{j}" for j in range(6))
    groups = tuple(FeatureGroup(name, (j,)) for j, name in enumerate(names))
    space = SearchSpace(groups, names, tuple(range(6)) if SEARCHES[search].starts_full else ())
    log = []
    engines = [
        make_engine(make_segments(case), NaiveBayes(case.smoothing), CRITERIA["brier"], "reference"),
        RefitEngine(partial(judge, case, log), batch_size=4),
    ]
    refitted, expected = (
        run_search(SEARCHES[search], SearchState(engine, space), Stopping(0, 6, tol=None), CRITERIA["brier"])
        for engine in reversed(engines)
    )
    assert [visit.columns for visit in refitted.visits()] == [visit.columns for visit in expected.visits()]
    np.testing.assert_allclose(refitted.scores, expected.scores, rtol=1e-12)
    scored = [subset for batch in log for subset in batch]
    assert len(scored) == len(set(scored))  # no subset twice, its columns in increasing order
    assert all(len(batch) <= 4 and list(subset) == sorted(subset) for batch in log for subset in batch)


def test_snapshot_restore_and_what_was_never_scored():
    engine = RefitEngine(lambda subsets: [np.array([[float(sum(subset)), 1.0]]) for subset in subsets])
    assert engine.reset({1: 1.0, 2: 0.0}) == 1.0
    token = engine.snapshot()
    assert engine.apply(add([4])) == 3.0
    assert engine.segment_scores == [5.0, 1.0]
    engine.restore(token)
    assert engine.segment_scores == [1.0, 1.0]
    assert engine.score([add([3]), drop([1])]).tolist() == [2.5, 0.5]
    assert engine.metrics([1, 3]).tolist() == [[4.0, 1.0]]
    assert engine.metrics([9]) is None
    assert engine.n_refits == 4
