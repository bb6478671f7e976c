"""Weights of stacked members are the optimum of a penalized likelihood, whatever the order of rows."""

import warnings

import numpy as np
import pytest
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from bayesieve._native import available
from bayesieve.additive import log_losses, stack as stacks
from bayesieve.additive.members import MemberSet, stack_prior
from bayesieve.additive.row_losses import log_losses_numpy
from bayesieve.additive.stack import descend, descend_reference, fit_stack
from bayesieve.additive.stack_sums import MOST_SIZE, compiled_log_odds_sums, exact_loss, log_odds_sums_numpy

SEEDS = pytest.mark.parametrize("seed", range(draws(6, 15)))


def random_problem(seed, n_rows=300):
    """Return scores of members, some useless or opposed, classes, weights and a prior."""
    rng = np.random.default_rng(seed)
    n_members = int(rng.integers(1, 6))
    target = (rng.random(n_rows) < 0.4).astype(np.float64)
    strength = rng.choice([-1.0, 0.0, 0.5, 3.0], n_members)
    scores = strength[:, None] * (2 * target - 1) + rng.normal(size=(n_members, n_rows)) * rng.choice([0.5, 8.0])
    weights = np.ones(n_rows) if seed % 2 else rng.gamma(1.0, 1.0, n_rows)
    return scores, target, weights, np.full(n_members, 1.0 / n_members)


def objective(scores, target, weights, prior):
    clipped = np.clip(scores, -15.0, 15.0)
    centered = clipped - (clipped @ weights / weights.sum())[:, None]
    share = weights @ target / weights.sum()
    p = 1.0 / (1.0 + np.exp(-(np.log(share / (1.0 - share)) + prior @ centered)))
    left = min(1.0, weights @ (p * (1.0 - p)) / (weights.sum() * share * (1.0 - share)))
    half = 2.0 * max(1.0, min(4.0, 1500.0 * left / weights.sum()))

    def loss(x):
        z = x[0] + x[1:] @ centered
        return weights @ np.logaddexp(0.0, -(2 * target - 1) * z) + half * ((x[1:] - prior) ** 2).sum()

    def gradient(x):
        z = x[0] + x[1:] @ centered
        residual = weights * (1.0 / (1.0 + np.exp(-z)) - target)
        return np.append(residual.sum(), centered @ residual + 2 * half * (x[1:] - prior))

    return loss, gradient


@pytest.mark.parametrize("n_rows", [40, 300, 3000])
@SEEDS
def test_weights_are_the_optimum(seed, n_rows):
    problem = random_problem(seed, n_rows)
    stack = fit_stack(*problem)
    loss, gradient = objective(*problem)
    x = np.append(stack.intercept, stack.weights)
    slopes = gradient(x)
    assert (stack.weights >= 0).all()
    assert_allclose(slopes[0], 0.0, atol=0.02)
    positive = stack.weights > 0
    assert_allclose(slopes[1:][positive], 0.0, atol=0.05)
    assert (slopes[1:][~positive] > -0.05).all()
    bounds = [(None, None)] + [(0.0, None)] * len(stack.weights)
    best = minimize(loss, x, jac=gradient, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})
    assert_allclose(x, best.x, atol=1e-3)
    assert loss(x) <= best.fun + 1e-5


@SEEDS
def test_the_order_of_rows_does_not_matter(seed):
    scores, target, weights, prior = random_problem(seed)
    order = np.random.default_rng(seed).permutation(len(target))
    one = fit_stack(scores, target, weights, prior)
    other = fit_stack(scores[:, order], target[order], weights[order], prior)
    assert_array_equal(one.weights, other.weights)
    assert_array_equal(one.centers, other.centers)
    assert one.intercept == other.intercept


@SEEDS
def test_a_warm_start_arrives_at_the_same_weights(seed):
    scores, target, weights, prior = random_problem(seed)
    cold = fit_stack(scores, target, weights, prior)
    near = fit_stack(scores * 0.9, target, weights, prior)
    warm = fit_stack(scores, target, weights, prior, start=near)
    assert_allclose(warm.weights, cold.weights, atol=1e-3)
    assert_allclose(warm.log_odds(scores), cold.log_odds(scores), atol=0.02)


def test_a_start_of_other_members_is_left_alone():
    scores, target, weights, prior = random_problem(4)
    other = fit_stack(scores[:1], target, weights, prior[:1])
    cold, warm = fit_stack(scores, target, weights, prior), fit_stack(scores, target, weights, prior, start=other)
    if len(prior) > 1:
        assert_array_equal(cold.weights, warm.weights)


def test_few_rows_count_for_less_than_many(monkeypatch):
    """Copies of rows are more rows: weights leave the prior, later than under the penalty of enough rows."""
    rng = np.random.default_rng(3)
    target = (rng.random(50) < 0.5).astype(np.float64)
    scores = np.stack([0.8 * (2 * target - 1) + rng.normal(size=50), rng.normal(size=50)])
    prior = np.array([0.2, 0.8])

    def distances():
        problems = [(np.tile(scores, n), np.tile(target, n), np.ones(50 * n), prior) for n in (1, 3, 10, 40)]
        return [float(np.abs(fit_stack(*problem).weights - prior).sum()) for problem in problems]

    own = distances()
    monkeypatch.setattr(stacks, "_ENOUGH", 0.0)
    free = distances()
    assert own == sorted(own)
    assert all(each < other for each, other in zip(own[:3], free[:3], strict=True))
    assert own[3] == free[3]  # 2,000 rows are enough


def test_shares_of_members_add_up_to_one():
    members = MemberSet.of_classes(2)
    for own in (members.on_path, members.at_end):
        assert_allclose(stack_prior(own, has_pairs=True), [0.5, 0.15, 0.2, 0.15, 1.0], rtol=1e-15)
    assert_array_equal(stack_prior(MemberSet.of_classes(3).at_end, has_pairs=False), np.full(5, 0.2))


def test_losses_of_extreme_log_odds_are_finite():
    z = np.array([-800.0, -1.0, 0.0, 1.0, 800.0])
    for target in (0.0, 1.0):
        expected = np.logaddexp(0.0, -(2 * target - 1) * z)
        assert_allclose(log_losses(z, np.full(5, target)), expected, rtol=1e-12)


def test_compiled_losses_have_the_bits_of_their_twin():
    rng = np.random.default_rng(5)
    for n in (0, 1, 255, 256, 1000):
        z = np.concatenate([rng.normal(size=n) * 10.0 ** rng.integers(-12, 4, n), [0.0, -0.0, 700.5, -np.inf, np.nan]])
        target = rng.integers(0, 2, len(z)).astype(np.float64)
        with np.errstate(invalid="ignore"):
            expected = log_losses_numpy(z, target)
        assert_array_equal(log_losses(z, target).view(np.int64)[:-1], expected.view(np.int64)[:-1])
        assert np.isnan(log_losses(z, target)[-1])


def test_predictions_are_clipped():
    scores, target, weights, prior = random_problem(2)
    stack = fit_stack(scores, target, weights, prior)
    far, edge = (np.full((len(prior), 3), value) for value in (100.0, 15.0))
    assert_array_equal(stack.log_odds(far), stack.log_odds(edge))


@SEEDS
def test_the_descent_of_the_core_has_the_bits_of_its_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    root = rng.normal(size=(n, n + 2))
    problem = rng.normal(size=n), root @ root.T + np.eye(n), rng.normal(size=n), rng.gamma(1.0, 0.2, n)
    change, shift = descend(problem, 0.3, 5.0)
    expected, expected_shift = descend_reference(problem, 0.3, 5.0)
    assert_array_equal(change, expected)
    assert shift == expected_shift
    assert (change >= -problem[3]).all()


@pytest.mark.skipif(not available(), reason="no compiled core")
@pytest.mark.parametrize("n_rows", [1, 255, 256, 300, 1024])
@SEEDS
def test_compiled_sums_are_their_twin(seed, n_rows):
    scores, target, weights, prior = random_problem(seed, n_rows)
    for unit in (2.0**-20, 2.0**-52 if n_rows < 300 else 2.0**-46):  # steps of 30 bits and of 60
        rows = np.ascontiguousarray(scores), target, weights, unit
        assert_array_equal(compiled_log_odds_sums(rows, prior, -0.3), log_odds_sums_numpy(rows, prior, -0.3))


@pytest.mark.skipif(not available(), reason="no compiled core")
def test_losses_that_are_too_large_for_integers_are_added_exactly():
    _, target, weights, _ = random_problem(1)
    far, unit = np.full(3, 64.0), 2.0**-43
    rows = np.full((3, len(target)), 30.0), target, weights, unit
    sums = compiled_log_odds_sums(rows, far, 0.0)
    expected = log_odds_sums_numpy(rows, far, 0.0)
    assert_array_equal(sums[1:], expected[1:])
    assert sums[-1] >= MOST_SIZE
    point = stacks._Problem(rows, far, 4.0).at(far, 0.0)
    assert point.loss == exact_loss(rows, far, 0.0)
    assert_allclose(point.loss, weights @ log_losses(far @ rows[0], target))


@SEEDS
def test_weights_are_the_same_without_the_core(seed, monkeypatch):
    problem = random_problem(seed)
    expected = fit_stack(*problem)
    monkeypatch.setattr(stacks, "core", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fit_stack(*problem)
    assert_array_equal(found.weights, expected.weights)
    assert found.intercept == expected.intercept
