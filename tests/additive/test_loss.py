"""Losses of rows: against the definition, also where scores are extreme; derivatives are those of the losses."""

import numpy as np
import pytest
from additive_rows import class_number, every_loss
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from bayesieve.additive.loss import LARGEST_SCORE, LOGISTIC, Logistic, Softmax, loss_of_classes, softmax


def test_two_classes_have_one_score_and_more_have_one_each():
    assert isinstance(loss_of_classes(2), Logistic)
    assert isinstance(loss_of_classes(3), Softmax)
    for n_classes, n_scores, n_contrasts in ((2, 1, 1), (3, 3, 2), (7, 7, 6)):
        loss = loss_of_classes(n_classes)
        assert (loss.n_scores, loss.n_contrasts) == (n_scores, n_contrasts)
        assert loss.class_scores(np.zeros((5, n_scores))).shape == (5, n_classes)


def random_scores(loss, seed, n_rows=60, size=3.0):
    """Return a loss, scores of rows, targets of all classes, and weights."""
    rng, n_classes = np.random.default_rng(seed), class_number(loss, seed)
    made = loss_of_classes(n_classes)
    target = rng.permutation(np.arange(n_rows) % n_classes).astype(np.float64)
    return made, size * rng.normal(size=(n_rows, made.n_scores)), target, rng.gamma(1.0, 1.0, n_rows)


@every_loss
@pytest.mark.parametrize("seed", range(3))
def test_losses_means_and_potentials_are_those_of_the_definition(loss, seed):
    made, scores, target, _ = random_scores(loss, seed)
    of_classes, own = made.class_scores(scores), target.astype(np.intp)
    totals = logsumexp(of_classes, axis=1)
    p = np.exp(of_classes - totals[:, None])
    assert_allclose(made.losses(scores, target), totals - of_classes[np.arange(60), own], rtol=1e-10)
    assert_allclose(made.potential(scores), totals, rtol=1e-12)
    assert_allclose(made.mean(scores), p if loss == "softmax" else p[:, 1:], rtol=1e-12)


@every_loss
@pytest.mark.parametrize("seed", range(3))
def test_bounded_terms_are_the_loss_and_its_derivatives(loss, seed):
    made, scores, target, _ = random_scores(loss, seed)
    gradient, curvature, losses = made.bounded_terms(scores, target)
    assert_allclose(losses, made.losses(scores, target), rtol=1e-12)
    step = 1e-5
    for q in range(made.n_scores):
        change = step * (np.arange(made.n_scores) == q)
        up, down = (made.losses(scores + sign * change, target) for sign in (1.0, -1.0))
        assert_allclose(gradient[:, q], (down - up) / (2.0 * step), atol=1e-8)
        second = (up + down - 2.0 * losses) / step**2
        # Of several scores the curvature is that of a bound of the whole.
        assert (curvature[:, q] >= second - 1e-4).all()
        if loss == "logistic":
            assert_allclose(curvature[:, q], second, atol=1e-4)


@every_loss
def test_losses_of_extreme_scores_are_finite_and_bounded_where_they_become_integers(loss):
    made, _, target, _ = random_scores(loss, 1, n_rows=12)
    for size in (800.0, -800.0):
        scores = np.full((12, made.n_scores), 0.0)
        scores[:, -1] = size
        of_classes = made.class_scores(scores)
        expected = logsumexp(of_classes, axis=1) - of_classes[np.arange(12), target.astype(np.intp)]
        assert_allclose(made.losses(scores, target), expected, rtol=1e-12)
        gradient, curvature, losses = made.bounded_terms(scores, target)
        assert_allclose(losses, np.minimum(expected, LARGEST_SCORE), rtol=1e-12)
        assert (np.abs(gradient) <= 1.0).all()
        assert ((curvature >= 0.0) & (curvature <= 0.5)).all()


def test_moderated_derivatives_are_averages_over_the_scores():
    """MacKay's approximation of the mean of a logistic function under a normal distribution."""
    z, target = np.linspace(-4.0, 4.0, 9), np.ones(9)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    for variance in (0.0, 0.3, 2.0):
        gradients, curvatures = LOGISTIC.derivatives(z, np.full(9, variance), target)
        p = 1.0 / (1.0 + np.exp(-(z[:, None] + variance**0.5 * nodes)))
        assert_allclose(gradients, 1.0 - p @ weights / weights.sum(), atol=0.02 if variance else 1e-12)
        assert_allclose(curvatures, (p * (1.0 - p)) @ weights / weights.sum(), atol=0.02 if variance else 1e-12)
    plain, other = (LOGISTIC.derivatives(z, own, target) for own in (None, np.zeros(9)))
    for one, same in zip(plain, other, strict=True):
        np.testing.assert_array_equal(one, same)


@every_loss
def test_a_fit_begins_at_the_class_frequencies(loss):
    made, _, target, weights = random_scores(loss, 2)
    of_classes = made.class_scores(made.start(target, weights))
    shares = np.bincount(target.astype(np.intp), weights=weights) / weights.sum()
    assert_allclose(np.exp(of_classes) / np.exp(of_classes).sum(), shares, rtol=1e-10)


def test_a_class_without_weight_has_a_start():
    scores = loss_of_classes(3).start(np.array([0.0, 0.0, 2.0, 2.0]), np.ones(4))
    assert np.isfinite(scores).all()
    assert_allclose(scores[0], scores[2])
    assert scores[1] < scores[0] - 5.0


def test_the_top_score_of_a_row_is_that_of_its_likeliest_class():
    scores = np.array([[1.0, 3.0, 2.0], [-900.0, 0.0, 900.0]])
    p, top, logs = softmax(scores)
    assert_allclose(p, np.exp(scores - logsumexp(scores, axis=1)[:, None]))
    np.testing.assert_array_equal(top, [3.0, 900.0])
    assert_allclose(logs, logsumexp(scores, axis=1) - top, atol=1e-15)
