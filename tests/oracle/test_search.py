"""Every search against loops over subsets, scored by the recount from raw rows."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from cases import make_segments, plain_case, random_case
from draws import draws
from oracle import brute_force, greedy

from bayesieve.models import NaiveBayes
from bayesieve.search import SEARCHES, FeatureGroup, SearchSpace, SearchState, Stopping, run_search
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import make_engine

searches = pytest.mark.parametrize("search", SEARCHES)


@cache
def drawn(*seed, n_columns, n_rows):
    return random_case(np.random.default_rng(seed), n_columns=n_columns, n_rows=n_rows)


@cache
def believed(case, columns):
    """Return the recount of a subset, which all criteria share."""
    return brute_force.believed(case, columns)


@cache
def recounted(case, columns, criterion):
    """Return the score of a subset, which all searches share."""
    segments = brute_force.scores_of(believed(case, columns), case.n_classes, criterion)
    return brute_force.mean(segments) - brute_force.price(case, len(columns), criterion)


def library_path(case, criterion, search, space, stopping):
    engine = make_engine(make_segments(case), NaiveBayes(case.smoothing), CRITERIA[criterion], "reference")
    return run_search(SEARCHES[search], SearchState(engine, space), stopping, CRITERIA[criterion])


def make_space(units, *, start=(), locked=()):
    names = tuple(f"c{j}" for j in range(1 + max(j for unit in units for j in unit)))
    named = tuple(FeatureGroup(f"u{u}", tuple(columns)) for u, columns in enumerate(units))
    return SearchSpace(named, names, tuple(dict.fromkeys([*locked, *start])), frozenset(locked))


def singles(case):
    return [(j,) for j in range(len(case.columns))]


def start_of(search, units):
    return range(len(units)) if SEARCHES[search].starts_full else ()


def assert_same_path(case, criterion, search, space, stopping):
    """Compare every visited subset, its score, and the subset chosen in the end."""
    path = library_path(case, criterion, search, space, stopping)
    rules = greedy.Rules(
        score=lambda columns: recounted(case, tuple(columns), criterion),
        units=[unit.columns for unit in space.groups],
        smallest=stopping.smallest,
        largest=stopping.largest,
        forced=stopping.forced,
        tol=stopping.tol,
        locked=space.locked,
        n_starts=stopping.n_starts,
        seed=space.seed,
        beam_width=stopping.beam_width,
    )
    expected = greedy.SEARCHES[search](rules, list(space.start))
    named = [tuple(f"c{j}" for j in rules.columns(chosen)) for chosen in expected]
    assert [visit.columns for visit in path.visits()] == named
    found = [visit.score for visit in path.visits()]
    np.testing.assert_allclose(found, [rules.value(chosen) for chosen in expected], rtol=1e-13, atol=1e-12)
    fitting = [c for c in expected if stopping.smallest <= rules.size(c) <= stopping.largest]
    chosen = greedy.choose(rules, fitting)
    assert path.choose(stopping).columns == tuple(f"c{j}" for j in rules.columns(chosen))
    return path


@searches
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(draws(2, 9)))
def test_path_is_that_of_the_loops(search, criterion, seed):
    case = drawn(1, seed, n_columns=6, n_rows=18)
    units = singles(case)
    assert_same_path(case, criterion, search, make_space(units, start=start_of(search, units)), Stopping(0, 6))


@searches
@pytest.mark.parametrize("criterion", ["error", "brier", "auc"])
@pytest.mark.parametrize("seed", range(draws(1, 4)))
@pytest.mark.parametrize(
    "stopping",
    [
        Stopping(0, 5, tol=0.02),
        Stopping(0, 5, tol=None),
        Stopping(5, 5, forced=True),
        Stopping(2, 3, forced=True),
        Stopping(0, 2, forced=True, tol=0.05),
        Stopping(0, 0, forced=True),
    ],
    ids=str,
)
def test_price_and_sizes(search, criterion, seed, stopping):
    case = drawn(2, seed, n_columns=5, n_rows=14)
    units = singles(case)
    path = assert_same_path(case, criterion, search, make_space(units, start=start_of(search, units)), stopping)
    assert stopping.smallest <= path.choose(stopping).n_features <= stopping.largest


@searches
@pytest.mark.parametrize("seed", range(draws(3, 5)))
@pytest.mark.parametrize("stopping", [Stopping(2, 8), Stopping(3, 6, forced=True), Stopping(2, 8, tol=0.01)], ids=str)
def test_groups_kept_columns_and_a_given_start(search, seed, stopping):
    case = drawn(3, seed, n_columns=8, n_rows=14)
    units = [(2,), (0, 5), (1,), (3, 4, 6), (7,)]
    start = start_of(search, units) or [4]
    path = assert_same_path(case, "brier", search, make_space(units, start=start, locked=[1]), stopping)
    assert all({"c0", "c5"} <= set(visit.columns) for visit in path.visits())


@cache
def doubled(seed):
    case = drawn(4, seed, n_columns=4, n_rows=14)
    return replace(case, columns=case.columns * 2, n_bins=case.n_bins * 2)


@searches
@pytest.mark.parametrize("seed", range(draws(3, 5)))
def test_candidate_order_decides_ties_and_nothing_else(search, seed):
    case = doubled(seed)
    units = [(j,) for j in np.random.default_rng(seed).permutation(8).tolist()]
    assert_same_path(case, "error", search, make_space(units, start=start_of(search, units)), Stopping(0, 8))


@pytest.mark.parametrize("criterion", ["map", "error", "auc"])
@pytest.mark.parametrize("seed", range(draws(5, 12)))
def test_many_starts_in_random_orders(criterion, seed):
    case = drawn(5, seed, n_columns=7, n_rows=14)
    units = [(2,), (0, 5), (1,), (3, 6), (4,)]
    space = replace(make_space(units, start=[2], locked=[seed % 5][: seed % 2]), seed=seed)
    sizes = [(2, 7, False), (2, 3, True), (5, 7, True), (7, 7, True)][seed % 4]
    stopping = Stopping(*sizes, tol=[0.0, None, 0.01][seed % 3], n_starts=4)
    assert_same_path(case, criterion, "fast-forward-backward", space, stopping)


@pytest.mark.parametrize("width", [1, 2, 3, 100])
@pytest.mark.parametrize("seed", range(3))
def test_beams_of_any_width(width, seed):
    case = drawn(6, seed, n_columns=7, n_rows=14)
    space = make_space([(2,), (0, 5), (1,), (3, 6), (4,)], start=[2], locked=[seed % 5][: seed % 2])
    for stopping in (Stopping(0, 7, tol=None), Stopping(2, 5, forced=True), Stopping(0, 7, tol=0.01)):
        assert_same_path(case, "brier", "beam", space, replace(stopping, smallest=2, beam_width=width))


@pytest.mark.parametrize("seed", range(3))
def test_a_beam_of_one_is_the_forward_search_and_a_wide_one_finds_the_best_subset_of_every_size(seed):
    case = drawn(7, seed, n_columns=6, n_rows=18)
    space, sizes = make_space(singles(case)), Stopping(0, 6, forced=True)
    narrow, wide = (library_path(case, "brier", "beam", space, replace(sizes, beam_width=w)) for w in (1, 64))
    assert list(narrow.visits()) == list(library_path(case, "brier", "forward", space, sizes).visits())
    for size, visit in wide.best_by_size().items():
        best = max(brute_force.score(case, list(some), "brier") for some in combinations(range(6), size))
        assert visit.score == pytest.approx(best, rel=1e-13, abs=1e-12)


INFORMATIVE, LABELS = [0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 1, 1, 1]


def moves_of(path):
    return [(step.action, *step.columns) for step in path.steps]


def test_of_equal_additions_the_first_wins():
    case = plain_case([INFORMATIVE] * 3, LABELS)
    path = library_path(case, "brier", "forward", make_space([(2,), (0,), (1,)]), Stopping(0, 1, forced=True))
    assert moves_of(path) == [("add", "c2")]
    assert path.steps[0].runner_up == "u1"


def test_of_equal_removals_the_last_goes():
    case = plain_case([INFORMATIVE] * 3, LABELS)
    space = make_space([(2,), (0,), (1,)], start=[2, 0, 1])
    path = library_path(case, "brier", "backward", space, Stopping(1, 1, forced=True))
    assert moves_of(path) == [("drop", "c1"), ("drop", "c0")]
    assert path.steps[0].runner_up == "u1"


def test_an_addition_that_changes_nothing_is_not_made():
    case = plain_case([[0] * 8, INFORMATIVE], LABELS)
    path = library_path(case, "brier", "forward", make_space([(0,), (1,)]), Stopping(0, 2))
    assert moves_of(path) == [("add", "c1")]


def test_a_removal_that_changes_nothing_is_made():
    case = plain_case([[0] * 8, INFORMATIVE], LABELS)
    path = library_path(case, "brier", "backward", make_space([(0,), (1,)], start=[0, 1]), Stopping(0, 2))
    assert moves_of(path) == [("drop", "c0")]


# One column takes the error from 4/8 to 2/8: it brings exactly 0.25, so a price of 0.25 is not beaten but not undercut.
@pytest.mark.parametrize(("tol", "n_selected"), [(0.125, 1), (0.25, 0), (0.5, 0)])
def test_an_addition_must_bring_more_than_its_price(tol, n_selected):
    case = plain_case([INFORMATIVE], LABELS)
    stopping = Stopping(0, 1, tol=tol)
    assert len(library_path(case, "error", "forward", make_space([(0,)]), stopping).steps) == n_selected


@pytest.mark.parametrize(("tol", "n_dropped"), [(0.125, 0), (0.25, 1), (0.5, 1)])
def test_a_removal_may_cost_its_price(tol, n_dropped):
    case = plain_case([INFORMATIVE], LABELS)
    stopping = Stopping(0, 1, tol=tol)
    assert len(library_path(case, "error", "backward", make_space([(0,)], start=[0]), stopping).steps) == n_dropped


@pytest.mark.parametrize(("tol", "n_selected"), [(0.0625, 2), (0.125, 0)])
def test_a_group_pays_for_each_of_its_columns(tol, n_selected):
    case = plain_case([INFORMATIVE, [0] * 8], LABELS)
    stopping = Stopping(0, 2, tol=tol)
    path = library_path(case, "error", "forward", make_space([(0, 1)]), stopping)
    assert path.choose(stopping).n_features == n_selected


def test_a_locked_unit_never_leaves():
    case = plain_case([[0] * 8, INFORMATIVE], LABELS)
    space = make_space([(0,), (1,)], start=[0, 1], locked=[0])
    path = library_path(case, "brier", "backward", space, Stopping(1, 1, forced=True))
    assert moves_of(path) == [("drop", "c1")]


def test_a_group_too_wide_for_the_size_is_passed_over():
    case = plain_case([INFORMATIVE, LABELS, [0, 0, 1, 1, 1, 1, 0, 1]], LABELS)
    path = library_path(case, "brier", "forward", make_space([(0, 1), (2,)]), Stopping(1, 1, forced=True))
    assert moves_of(path) == [("add", "c2")]
