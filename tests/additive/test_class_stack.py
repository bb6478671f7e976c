"""Weights of stacked class scores are the optimum of a penalized likelihood, whatever the order of rows."""

import numpy as np
import pytest
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import logsumexp

from bayesieve._native import available
from bayesieve.additive import log_losses, softmax
from bayesieve.additive.class_stack import _compiled_sums, fit_class_stack, stack_sums_numpy
from bayesieve.additive.row_losses import softmax_numpy
from bayesieve.additive.stack import Stack

SEEDS = pytest.mark.parametrize("seed", range(draws(4, 8)))
PENALTY = 2.0


def random_problem(seed, n_rows=300):
    """Return scores of members, some useless or opposed, classes, weights and a prior."""
    rng = np.random.default_rng(seed)
    n_members, n_classes = int(rng.integers(1, 6)), int(rng.integers(3, 7))
    target = rng.choice(n_classes, n_rows, p=rng.dirichlet(np.full(n_classes, 5.0)))
    strength = rng.choice([-1.0, 0.0, 0.5, 3.0], n_members)
    scores = rng.normal(size=(n_members, n_rows, n_classes)) * rng.choice([0.5, 8.0])
    scores[:, np.arange(n_rows), target] += strength[:, None]
    weights = np.ones(n_rows) if seed % 2 else rng.gamma(1.0, 1.0, n_rows)
    return scores, target.astype(np.float64), weights, np.full(n_members, 1.0 / n_members)


@SEEDS
def test_weights_are_the_optimum(seed):
    scores, target, weights, prior = random_problem(seed)
    stack = fit_class_stack(scores, target, weights, prior)
    clipped, truth, n = np.clip(scores, -15.0, 15.0), target.astype(np.intp), len(prior)
    centered = clipped - np.average(clipped, axis=1, weights=weights)[:, None]

    def loss(x):
        z = np.tensordot(x[:n], centered, 1) + x[n:]
        own = logsumexp(z, axis=1) - z[np.arange(len(z)), truth]
        return weights @ own + PENALTY * ((x[:n] - prior) ** 2).sum()

    bounds = [(0.0, None)] * n + [(None, None)] * scores.shape[2]
    best = minimize(loss, np.concatenate([prior, np.zeros(scores.shape[2])]), bounds=bounds, method="L-BFGS-B")
    found = np.concatenate([stack.weights, stack.intercept])
    assert (stack.weights >= 0).all()
    assert_allclose(stack.centers, np.average(clipped, axis=1, weights=weights), atol=1e-9)
    assert loss(found) <= best.fun + 2e-5 * weights.sum()
    assert_allclose(
        log_losses(stack.log_odds(scores), target) @ weights,
        loss(found) - PENALTY * ((stack.weights - prior) ** 2).sum(),
    )


@SEEDS
def test_the_order_of_rows_does_not_matter(seed):
    scores, target, weights, prior = random_problem(seed)
    order = np.random.default_rng(seed).permutation(len(target))
    one = fit_class_stack(scores, target, weights, prior)
    other = fit_class_stack(scores[:, order], target[order], weights[order], prior)
    for a, b in ((one.weights, other.weights), (one.centers, other.centers), (one.intercept, other.intercept)):
        assert_array_equal(a, b)


@SEEDS
def test_a_stack_is_packed_and_unpacked(seed):
    stack = fit_class_stack(*random_problem(seed))
    again = Stack.unpacked(*stack.packed)
    for name in ("weights", "centers", "intercept"):
        assert_array_equal(getattr(again, name), getattr(stack, name))


@pytest.mark.skipif(not available(), reason="no compiled core")
@SEEDS
def test_compiled_sums_are_their_twin(seed):
    scores, target, weights, prior = random_problem(seed)
    problem = np.ascontiguousarray(scores), target.astype(np.int64), weights, 2.0**-30
    b = np.random.default_rng(seed).normal(size=scores.shape[2])
    assert_array_equal(_compiled_sums(problem, prior, b), stack_sums_numpy(problem, prior, b))


@pytest.mark.skipif(not available(), reason="no compiled core")
@SEEDS
def test_compiled_softmax_is_its_twin(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(int(rng.integers(1, 200)), int(rng.integers(2, 30)))) * 10.0 ** rng.integers(-3, 4)
    for one, other in zip(softmax(scores), softmax_numpy(scores), strict=True):
        assert_array_equal(one, other)


@pytest.mark.skipif(not available(), reason="no compiled core")
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65])
def test_compiled_sums_are_those_of_any_number_of_rows(n_rows):
    scores, target, weights, prior = random_problem(5)
    own = np.ascontiguousarray(scores[:, :n_rows])
    problem = own, target[:n_rows].astype(np.int64), weights[:n_rows], 2.0**-30
    b = np.linspace(-1.0, 1.0, scores.shape[2])
    assert_array_equal(_compiled_sums(problem, prior, b), stack_sums_numpy(problem, prior, b))
