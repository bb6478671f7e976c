"""Penalized weights: the share of informative columns, and the path to the weights, against loops."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from cases import make_segments, random_case
from draws import draws
from sklearn.datasets import make_classification

from bayesieve import SelectiveNaiveBayes
from bayesieve.search import PenalizedSearch, SearchRun, column_penalties, informative_share, newton_gains
from bayesieve.search.checkpoint import Checkpoint
from bayesieve.search.engine import make_weighing

NATS = 2.0**-40


def probability(evidence, share):
    """Return q of one column, by the formula; evidence beyond 50 is as good as certain."""
    if evidence == -np.inf:
        return 0.0
    bounded = max(-50.0, min(50.0, evidence))
    return share * exp(bounded) / (share * exp(bounded) + 1.0 - share)


@pytest.mark.parametrize("seed", range(5))
def test_the_share_of_informative_columns(seed):
    rng = np.random.default_rng(seed)
    evidence = np.append(rng.normal(scale=20, size=30), [-np.inf, 800.0, -800.0, 0.0])
    share = 0.5
    for _ in range(200):
        finite = [e for e in evidence if e != -np.inf]  # columns without a gain do not count
        share = (sum(probability(e, share) for e in finite) + 0.5) / (len(finite) + 1)
    found = informative_share(evidence)
    assert found == pytest.approx(share, rel=1e-9)
    expected = [2 * (1 - log(max(probability(e, share), 1e-30))) for e in evidence]
    np.testing.assert_allclose(column_penalties(evidence, found), expected, rtol=1e-6)


def test_certain_columns_and_mute_ones():
    assert informative_share(np.full(9, 100.0)) == pytest.approx(9.5 / 10, rel=1e-3)
    assert informative_share(np.array([100.0] * 9 + [-np.inf] * 50)) == pytest.approx(9.5 / 10, rel=1e-3)
    assert informative_share(np.full(9, -np.inf)) == 0.5  # no column has a gain
    sure, skipped = column_penalties(np.array([100.0, -np.inf]), 0.5)
    assert sure == pytest.approx(2.0)
    assert skipped > 100


def problem(seed, **changes):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n_rows=35, n_columns=6, smoothing=1.0, units=[1] * 35, unit=1.0, **changes)
    segments = make_segments(case)
    weighing = make_weighing(segments, 1.0)
    penalties = rng.uniform(0.2, 1.5, 6)
    return segments, weighing, penalties


def objective(segments, start, weights, penalties):
    total = -float(penalties @ weights)
    for segment in segments:
        scores = np.repeat(start[:, None] * NATS, segment.codes.n_rows, axis=1)
        for j, weight in enumerate(weights):
            scores = scores + weight * segment.tables.column(j).T[:, segment.codes.column(j)] * NATS
        own = scores[segment.target, np.arange(segment.codes.n_rows)]
        total += (own - np.logaddexp.reduce(scores, axis=0)).sum()
    return total


@pytest.mark.parametrize("seed", range(draws(5, 12)))
def test_at_the_solution_no_weight_wants_to_move(seed):
    segments, weighing, penalties = problem(seed, n_classes=2 + seed % 2)
    search = PenalizedSearch(weighing, [f"x{j}" for j in range(6)], penalties)
    path = search.run(search.fit_all)
    subset = search.subsets[list(path.visits())[-1].columns]
    weights = np.zeros(6)
    weights[list(subset.columns)] = subset.weights
    assert (weights >= 0).all()
    for j in range(6):
        step = np.eye(6)[j] * 1e-4
        slope = (
            objective(segments, subset.start, weights + step, penalties * 0)
            - objective(segments, subset.start, weights - step, penalties * 0)
        ) / 2e-4
        if weights[j] > 0:
            assert slope == pytest.approx(penalties[j], abs=0.02)
        else:
            assert slope <= penalties[j] + 0.02


@pytest.mark.parametrize("seed", range(draws(4, 8)))
def test_each_step_adds_what_promises_most_and_weighs_all_anew(seed):
    segments, weighing, penalties = problem(seed, n_classes=2)
    names = [f"x{j}" for j in range(6)]
    search = PenalizedSearch(weighing, names, penalties)
    path = search.run(lambda: search.walk([], 6))
    twin = make_weighing(segments, 1.0)
    visits = list(path.visits())
    for before, after in pairwise(visits):
        step = path.steps[after.step]
        subset = search.subsets[before.columns]
        if step.action == "add" and before.columns in search.subsets:
            weights = np.zeros(6)
            weights[list(subset.columns)] = subset.weights
            twin.reset(subset.start, weights)
            slopes, curvatures = twin.slopes(np.arange(6, dtype=np.int32))
            promise = np.maximum(slopes - penalties, 0.0) ** 2 / (2 * curvatures)
            promise[list(subset.columns)] = -1.0
            assert names[int(np.argmax(promise))] == step.column
        # A fresh fit of the same columns is no better.
        chosen = np.array(sorted(names.index(name) for name in after.columns), dtype=np.int32)
        fresh = make_weighing(segments, 1.0)
        fresh.descend(chosen, penalties[chosen], tolerance=1e-6, most_rounds=5000)
        found = search.subsets[after.columns]
        weights = np.zeros(6)
        weights[list(found.columns)] = found.weights
        reached = objective(segments, found.start, weights, penalties)
        assert reached >= objective(segments, fresh.start, fresh.weights, penalties) - 1e-3


def test_kept_columns_are_free_and_stay():
    _, weighing, penalties = problem(3, n_classes=2)
    search = PenalizedSearch(weighing, [f"x{j}" for j in range(6)], penalties * 1e6, kept=[4, 1])
    path = search.run(lambda: search.walk([], 6), search.fit_all)
    assert {frozenset(visit.columns) for visit in path.visits()} == {frozenset({"x1", "x4"})}


@pytest.mark.parametrize("seed", range(4))
def test_kept_columns_have_no_penalty(seed):
    names, found = [f"x{j}" for j in range(6)], []
    for kept, penalty in (([2], 50.0), ([], 0.0)):
        _, weighing, penalties = problem(seed, n_classes=2)
        penalties[2] = penalty
        search = PenalizedSearch(weighing, names, penalties, kept=kept)
        search.run(search.fit_all)
        found.append(weighing.weights.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("largest", [1, 2, 3])
def test_a_walk_selects_no_more_than_asked_for(largest):
    sizes = []
    for seed in range(6):
        _, weighing, penalties = problem(seed, n_classes=2)
        search = PenalizedSearch(weighing, [f"x{j}" for j in range(6)], penalties * 0.01)
        path = search.run(lambda walk=search.walk: walk([], largest))
        sizes += [len(visit.columns) for visit in path.visits()]
    assert max(sizes) == largest


@pytest.mark.parametrize("cv", [0, 2])
def test_a_copy_of_a_column_has_no_weight(cv):
    X, y = make_classification(200, n_features=4, n_informative=3, n_redundant=0, random_state=1)
    plain = SelectiveNaiveBayes(cv=cv).fit(X, y)
    copied = SelectiveNaiveBayes(cv=cv).fit(np.column_stack([X, X[:, ::-1]]), y)
    assert plain.n_features_ > 1
    assert copied.support_.tolist() == [*plain.support_, *([False] * 4)]


@pytest.mark.parametrize("mass", [0.75, 3.0, 2.0**-1000, 2.0**1000, 1.7e308])
def test_expected_gains_are_the_formula_whatever_the_weight_of_the_rows(mass):
    slopes, curvatures = np.array([0.3, -0.2, 0.7]), np.array([0.11, 0.2, 0.3])
    _, exponent = np.frexp(mass)
    gains = newton_gains(np.ldexp(slopes, exponent - 1), np.ldexp(curvatures, exponent - 1), mass)
    np.testing.assert_array_equal(gains, np.ldexp(np.maximum(slopes, 0.0) ** 2 / (2.0 * curvatures), exponent - 1))


class Script:
    """Weights that are given for each number of columns beforehand, and scores of each; the start never changes."""

    mass = 2.0

    def __init__(self, weights, scores):
        self._scripted, self._by_size, self.n_fits = weights, scores, 0
        self.start, self.weights = np.zeros(2, dtype=np.int64), np.zeros(3)

    def reset(self, start, weights):
        self.weights = weights

    def descend(self, columns, penalties):
        self.n_fits += 1
        self.weights = np.array(self._scripted[len(columns)])

    def slopes(self, columns):
        return 10.0 - columns, np.ones(len(columns))

    def scores(self):
        score = self._by_size[tuple(self.weights.tolist())]
        return score, (score,)


WEIGHTS = {0: [0.0, 0.0, 0.0], 1: [1.0, 0.0, 0.0], 2: [0.5, 1.0, 0.0], 3: [0.0, 1.0, 2.0]}


def scripted(scores, run=None):
    weighing = Script(WEIGHTS, dict(zip(map(tuple, WEIGHTS.values()), scores, strict=True)))
    search = PenalizedSearch(weighing, ["a", "b", "c"], np.full(3, 0.2), run=run)
    path = search.run(lambda: search.walk([], 3))
    return weighing, [(step.action, step.column) for step in path.steps]


def test_columns_that_lose_their_weight_are_dropped():
    steps = [("add", "a"), ("add", "b"), ("add", "c"), ("drop", "a")]
    again = [("add", "a"), ("drop", "a")]  # its slope promises a gain that the weights do not keep
    assert scripted([-5.0, -4.0, -3.0, -2.0])[1] == steps + again


def test_a_walk_ends_where_the_score_rises_by_less_than_the_penalty():
    """Penalties are 0.2 per unit of weight and 2 rows: 0.1 after the first column, 0.15 after the second."""
    assert scripted([-5.0, -4.0, -3.96, -2.0])[1] == [("add", "a"), ("add", "b")]
    assert ("add", "c") in scripted([-5.0, -4.0, -3.94, -2.0])[1]


def test_a_resumed_walk_has_the_weights_of_the_journal(tmp_path):
    scores = [-5.0, -4.0, -3.0, -2.0]
    weighing, steps = scripted(scores, SearchRun(Checkpoint(tmp_path / "journal", "mark")))
    again, resumed = scripted(scores, SearchRun(Checkpoint(tmp_path / "journal", "mark")))
    assert resumed == steps
    assert again.n_fits == 0
    np.testing.assert_array_equal(again.weights, weighing.weights)
