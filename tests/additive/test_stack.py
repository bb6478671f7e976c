"""Weights of stacked members are the optimum of a penalized likelihood, whatever the order of rows."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from additive_rows import class_number, every_loss
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import logsumexp

from bayesieve._native import available, core
from bayesieve.additive import loss as losses, stack as stacks
from bayesieve.additive.constants import ONE_SCORE
from bayesieve.additive.loss import LOGISTIC, MOST_SIZE, Logistic, loss_of_classes
from bayesieve.additive.members import members_at_end, stack_prior
from bayesieve.additive.stack import Stack, StackPrior, descend, descend_numpy, fit_stack

SEEDS = pytest.mark.parametrize("seed", range(draws(5, 12)))


def random_problem(seed, loss="logistic", n_rows=300):
    """Return a loss, scores of members, some useless or opposed, classes, weights and a prior."""
    rng, n_classes = np.random.default_rng(seed), class_number(loss, seed)
    n_members, made = int(rng.integers(1, 6)), loss_of_classes(n_classes)
    target = rng.choice(n_classes, n_rows, p=[0.6, 0.4] if n_classes == 2 else rng.dirichlet(np.full(n_classes, 5.0)))
    strength = rng.choice([-1.0, 0.0, 0.5, 3.0], n_members)
    scores = rng.normal(size=(n_members, n_rows, made.n_scores)) * rng.choice([0.5, 8.0])
    if n_classes == 2:
        scores[..., 0] += strength[:, None] * (2 * target - 1)
    else:
        scores[:, np.arange(n_rows), target] += strength[:, None]
    weights = np.ones(n_rows) if seed % 2 else rng.gamma(1.0, 1.0, n_rows)
    return made, scores, target.astype(np.float64), weights, np.full(n_members, 1.0 / n_members)


def objective(loss, scores, target, weights, prior):
    """Return what is minimized over intercepts and weights, with its gradient."""
    clipped, n_scores, own = np.clip(scores, -15.0, 15.0), loss.n_scores, target.astype(np.intp)
    centered = clipped - np.average(clipped, axis=1, weights=weights)[:, None]
    half, truth = 2.0, np.eye(loss.class_scores(np.zeros((1, n_scores))).shape[1])[own][:, -n_scores:]
    if n_scores == 1:
        share = weights @ target / weights.sum()
        p = 1.0 / (1.0 + np.exp(-(np.log(share / (1.0 - share)) + np.tensordot(prior, centered[..., 0], 1))))
        left = min(1.0, weights @ (p * (1.0 - p)) / (weights.sum() * share * (1.0 - share)))
        half = 2.0 * max(1.0, min(4.0, 1500.0 * left / weights.sum()))

    def value(x):
        z = loss.class_scores(x[:n_scores] + np.tensordot(x[n_scores:], centered, 1))
        likelihood = weights @ (logsumexp(z, axis=1) - z[np.arange(len(z)), own])
        return likelihood + half * ((x[n_scores:] - prior) ** 2).sum()

    def gradient(x):
        z = loss.class_scores(x[:n_scores] + np.tensordot(x[n_scores:], centered, 1))
        p = np.exp(z - logsumexp(z, axis=1)[:, None])[:, -n_scores:]
        residual = weights[:, None] * (p - truth)
        slopes = np.array([(each * residual).sum() for each in centered])
        return np.append(residual.sum(axis=0), slopes + 2 * half * (x[n_scores:] - prior))

    return value, gradient


@every_loss
@SEEDS
def test_a_fixed_weight_stays_and_the_others_are_the_optimum_beside_it(seed, loss):
    made, scores, target, weights, prior = random_problem(seed, loss)
    fixed, n_scores = seed % len(prior), made.n_scores
    prior[fixed] = 1.0
    stack = fit_stack(made, scores, target, weights, StackPrior(prior, fixed))
    assert stack.weights[fixed] == 1.0
    _, gradient = objective(made, scores, target, weights, prior)
    slopes = gradient(np.append(stack.intercept, stack.weights))
    free = np.delete(slopes[n_scores:], fixed)[np.delete(stack.weights, fixed) > 0]
    assert np.abs(np.append(slopes[:n_scores].sum(), free)).max() < 1e-2 * max(1.0, weights.sum() / 100)


@pytest.mark.parametrize("n_rows", [40, 300, 3000])
@every_loss
@SEEDS
def test_weights_are_the_optimum(seed, loss, n_rows):
    problem = random_problem(seed, loss, n_rows)
    made, scores, _, weights, _ = problem
    stack, n_scores = fit_stack(*problem), made.n_scores
    value, gradient = objective(*problem)
    x = np.append(stack.intercept, stack.weights)
    assert (stack.weights >= 0).all()
    if loss == "logistic":
        slopes, positive = gradient(x), stack.weights > 0
        assert_allclose(slopes[0], 0.0, atol=0.02)
        assert_allclose(slopes[1:][positive], 0.0, atol=0.05)
        assert (slopes[1:][~positive] > -0.05).all()
    bounds = [(None, None)] * n_scores + [(0.0, None)] * len(stack.weights)
    best = minimize(value, x, jac=gradient, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})
    assert value(x) <= best.fun + (1e-5 if loss == "logistic" else 2e-5 * weights.sum())
    if loss == "logistic":
        assert_allclose(x, best.x, atol=1e-3)
    clipped = np.clip(scores, -15.0, 15.0)
    assert_allclose(stack.centers, np.average(clipped, axis=1, weights=weights), atol=1e-9)
    centered = stack.intercept + np.tensordot(stack.weights, clipped - stack.centers[:, None], 1)
    assert_allclose(stack.scores(scores), centered, atol=1e-9)


@every_loss
@SEEDS
def test_the_order_of_rows_does_not_matter(seed, loss):
    made, scores, target, weights, prior = random_problem(seed, loss)
    order = np.random.default_rng(seed).permutation(len(target))
    one = fit_stack(made, scores, target, weights, prior)
    other = fit_stack(made, scores[:, order], target[order], weights[order], prior)
    assert_same(one, other)


def assert_same(one, other):
    for name in ("weights", "centers", "intercept"):
        assert_array_equal(getattr(one, name), getattr(other, name))


@every_loss
@SEEDS
def test_a_stack_is_packed_and_unpacked(seed, loss):
    stack = fit_stack(*random_problem(seed, loss))
    assert_same(Stack.unpacked(*stack.packed), stack)


@SEEDS
def test_a_warm_start_arrives_at_the_same_weights(seed):
    loss, scores, target, weights, prior = random_problem(seed)
    cold = fit_stack(loss, scores, target, weights, prior)
    near = fit_stack(loss, scores * 0.9, target, weights, prior)
    warm = fit_stack(loss, scores, target, weights, prior, start=near)
    assert_allclose(warm.weights, cold.weights, atol=1e-3)
    assert_allclose(warm.scores(scores), cold.scores(scores), atol=0.02)


@every_loss
def test_a_start_of_other_members_is_left_alone(loss):
    made, scores, target, weights, prior = random_problem(4, loss)
    assert len(prior) > 1
    other = fit_stack(made, scores[:1], target, weights, prior[:1])
    assert_same(fit_stack(made, scores, target, weights, prior), fit_stack(*random_problem(4, loss), start=other))


def test_few_rows_count_for_less_than_many(monkeypatch):
    """Copies of rows are more rows: weights leave the prior, later than under the penalty of enough rows."""
    rng = np.random.default_rng(3)
    target = (rng.random(50) < 0.5).astype(np.float64)
    scores = np.stack([0.8 * (2 * target - 1) + rng.normal(size=50), rng.normal(size=50)])[..., None]
    prior = np.array([0.2, 0.8])

    def distances():
        problems = [(np.tile(scores, (1, n, 1)), np.tile(target, n), np.ones(50 * n)) for n in (1, 3, 10, 40)]
        return [float(np.abs(fit_stack(LOGISTIC, *problem, prior).weights - prior).sum()) for problem in problems]

    own = distances()
    monkeypatch.setattr(Logistic, "tuning", replace(ONE_SCORE, stack=replace(ONE_SCORE.stack, enough=0.0)))
    free = distances()
    assert own == sorted(own)
    assert all(each < other for each, other in zip(own[:3], free[:3], strict=True))
    assert own[3] == free[3]  # 2,000 rows are enough


def test_shares_of_members_add_up_to_one():
    tuning = LOGISTIC.tuning
    for own in ((*tuning.tied, tuning.adaptive), members_at_end(LOGISTIC)):
        assert_allclose(stack_prior(own, has_pairs=True), [0.5, 0.15, 0.2, 0.15, 1.0], rtol=1e-15)
    assert_array_equal(stack_prior(members_at_end(loss_of_classes(3)), has_pairs=False), np.full(5, 0.2))


@every_loss
def test_predictions_are_clipped(loss):
    problem = random_problem(2, loss)
    stack = fit_stack(*problem)
    far, edge = (np.full((len(problem[-1]), 3, problem[0].n_scores), value) for value in (100.0, 15.0))
    assert_array_equal(stack.scores(far), stack.scores(edge))


@SEEDS
def test_the_descent_of_the_core_has_the_bits_of_its_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    root = rng.normal(size=(n, n + 2))
    problem = rng.normal(size=n), root @ root.T + np.eye(n), rng.normal(size=n), rng.gamma(1.0, 0.2, n)
    change, shift = descend(problem, 0.3, 5.0)
    expected, expected_shift = descend_numpy(problem, 0.3, 5.0)
    assert_array_equal(change, expected)
    assert shift == expected_shift
    assert (change >= -problem[3]).all()


@pytest.mark.skipif(not available(), reason="no compiled core")
def test_losses_that_are_too_large_for_integers_are_added_exactly():
    _, _, target, weights, _ = random_problem(1)
    far, start, unit = np.full(3, 64.0), np.zeros(1), 2.0**-43
    rows = np.full((3, len(target), 1), 30.0), target, weights, unit
    sums = core.stack_sums("logistic", rows, far, start)
    expected = LOGISTIC.stack_sums(rows, far, start)
    assert_array_equal(sums, expected)
    assert sums[0] == 0
    assert sums[1] >= MOST_SIZE
    point = stacks._Problem(LOGISTIC, rows, far, 4.0).at(far, start)
    scores = np.tensordot(far, rows[0], 1)
    assert_allclose(point.loss, weights @ LOGISTIC.losses(scores, target), rtol=1e-13)


@every_loss
@SEEDS
def test_weights_are_the_same_without_the_core(seed, loss, monkeypatch):
    problem = random_problem(seed, loss)
    expected = fit_stack(*problem)
    for module in (stacks, losses):
        monkeypatch.setattr(module, "core", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fit_stack(*problem)
    assert_same(found, expected)
