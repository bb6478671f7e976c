"""The size that is enough: expected losses by numerical integration, halves one by one, and tables in which chance or
noise decides."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import every_loss, random_rows
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

from bayesieve import ScorecardClassifier
from bayesieve.additive.number_losses import Squared
from bayesieve.additive.sizes import SizeLosses, effects_left, fit_frequencies, measure_sizes


def losses_of(rows, scores):
    """Return the log loss of each row."""
    z, own = rows.loss.class_scores(scores), rows.target.astype(int)
    return logsumexp(z, axis=1) - z[np.arange(len(z)), own]


def toward(rows):
    """Return scores of the right direction."""
    return np.where(np.arange(rows.loss.n_scores) + (rows.loss.n_scores == 1) == rows.target[:, None], 1.0, -1.0)


def plain_fits(scores):
    """Return sizes 0, 1, 2, ... of given scores, without further divisions."""
    return [
        SimpleNamespace(fit=SimpleNamespace(columns=tuple(range(n_columns)), out_of_fold=own))
        for n_columns, own in enumerate(scores)
    ]


def fits_of(scores):
    """Return the same of one division."""
    return [SimpleNamespace(**vars(size), again=()) for size in plain_fits(scores)]


def some_sizes(seed, loss, n_sizes=5, scale=0.7):
    """Return rows, scores of frequencies and of sizes, and what was measured."""
    rng, rows = np.random.default_rng(seed), random_rows(seed, n_rows=80, loss=loss)
    right = toward(rows)
    scores = np.array([0.0 * right, *(scale * right + rng.normal(size=(n_sizes, *right.shape)))])
    return rows, scores, measure_sizes(rows, fits_of(scores), rng.normal(size=n_sizes))


def paired(rows, scores, a, b):
    """Return mean and variance of the difference of the losses of two sizes."""
    lacks = losses_of(rows, scores[a]) - losses_of(rows, scores[b])
    mean = np.average(lacks, weights=rows.weights)
    return mean, np.average((lacks - mean) ** 2, weights=rows.weights) / rows.weights.sum()


def expected_lack(mean, variance, usual):
    """Return the mean of what a size lacks, by a sum over a fine grid."""
    width = 40.0 * (variance**0.5 + usual)
    grid = np.linspace(mean - width, mean + width, 400_001)
    weights = np.exp(-((grid - mean) ** 2) / (2.0 * variance) - ((grid - usual) ** 2) / (2.0 * (0.5 * usual) ** 2))
    return weights @ grid / weights.sum()


@every_loss
def test_expected_losses_are_those_of_an_integral(loss):
    raised = []
    for seed in range(6):
        rows, scores, losses = some_sizes(seed, loss)
        measured = np.array([np.average(losses_of(rows, own), weights=rows.weights) for own in scores])
        assert_allclose(losses.means, measured)
        gain = measured[0] - measured.min()
        for k, left in enumerate(losses.left):
            mean, variance = paired(rows, scores, k, 5)
            lack = mean
            if left > 0.0 and mean < 0.2 * left * gain:
                lack = expected_lack(mean, variance, 0.2 * left * gain)
            expected = losses._expected(losses.means[None])[0, k]
            assert expected == pytest.approx(measured[5] + lack, abs=1e-6)
            raised.append(expected > measured[k] + 1e-9)
    assert any(raised)
    assert not all(raised)


@every_loss
def test_halves_are_sums_of_parts_and_vary_as_all_rows_do(loss):
    rows, scores, losses = some_sizes(1, loss)
    halves = losses._halves
    assert_allclose(halves[0], losses.means)  # the first has all parts
    of_rows = np.array([losses_of(rows, own) for own in scores])
    ends = [rows.fold(q) for q in range(rows.n_folds)]
    n_blocks, number = 63 // rows.n_folds, []
    for q, (begin, end) in enumerate(ends):
        own = [(rows.target[i], *(codes[i] for codes in rows.codes)) for i in range(begin, end)]
        place = np.cumsum([False, *(a != b for a, b in pairwise(own))])  # equal rows are in one part
        first = [i * (place[-1] + 1) // n_blocks for i in range(n_blocks)]
        number += [1 + q * n_blocks + int(np.searchsorted(first, each, side="right")) - 1 for each in place]
    assert len(number) == rows.n_rows
    for h in range(1, 64):
        inside = np.array([(h & i).bit_count() % 2 == 0 for i in number])
        assert_allclose(halves[h], np.average(of_rows[:, inside], axis=1, weights=rows.weights[inside]))


def slowly_better():
    """Return losses of 12 sizes, of which each is better than the one before by less than chance."""
    rng, rows = np.random.default_rng(0), random_rows(3, n_rows=60)
    noise = rng.normal(size=(13, rows.n_rows, 1))
    scores = np.array([0.3 * np.log(k + 1.0) * toward(rows) + 0.8 * noise[k] for k in range(13)])
    return measure_sizes(rows, fits_of(scores), np.ones(12))


@pytest.mark.parametrize("n_allowed", [13, 8])
@pytest.mark.parametrize("lost", [0.01, 0.1, 0.4])
@pytest.mark.parametrize("left", [0.0, 0.3])
def test_the_size_is_the_nearest_to_the_mean_of_what_halves_choose(left, lost, n_allowed):
    losses, chosen = replace(slowly_better(), left=np.linspace(left, 0.0, 13)), []
    for own in losses._halves:
        expected = losses._expected(own[None])[0, 1:]
        limit = max(expected[-1], own[0] - (1.0 - lost) * (own[0] - expected[-1]))
        enough = [k + 1 for k in range(n_allowed - 1) if expected[k] <= limit]
        chosen.append(enough[0] if enough else n_allowed - 1)
    mean = np.log(chosen).mean()
    assert losses.enough(lost, np.arange(13) < n_allowed) == min(
        range(1, n_allowed), key=lambda k: abs(np.log(k) - mean)
    )


def test_effects_that_are_left():
    sizes = fits_of(np.zeros((4, 1, 1)))
    alone = np.array([np.log(2.0), np.log(4.0), -1.0])
    assert_allclose(effects_left(sizes, alone), [1.0, 0.6, 0.0, 0.0])
    assert effects_left(sizes, -np.ones(3)).tolist() == [0.0] * 4


@every_loss
def test_only_noise_left_raises_no_loss(loss):
    _, _, losses = some_sizes(0, loss)
    effects, noise = (replace(losses, left=np.array([1.0, *[left] * 4, 0.0])) for left in (0.8, 0.0))
    means = losses.means[None]
    assert_array_equal(noise._expected(means)[:, 1:], means[:, 1:])
    assert (effects._expected(means)[:, 1:] > means[:, 1:]).any()


@every_loss
def test_losses_without_a_fold_are_those_of_the_other_rows(loss):
    rows, scores, losses = some_sizes(2, loss)
    begin, end = rows.fold(1)
    weights = rows.weights.copy()
    weights[begin:end] = 0.0
    other, rest = losses.without(1), replace(rows, weights=weights)
    assert_allclose(other.means, [np.average(losses_of(rows, own), weights=weights) for own in scores])
    for k in range(6):
        assert other._variances[k] == pytest.approx(paired(rest, scores, k, 5)[1], abs=1e-12)
        assert other._variance_of_gain(k) == pytest.approx(paired(rest, scores, 0, k)[1], abs=1e-12)


@every_loss
def test_shares_of_the_gain_of_all_columns_and_their_errors(loss):
    rows, scores, losses = some_sizes(4, loss, scale=1.5)
    of_rows = np.array([losses_of(rows, own) for own in scores])
    shares, total = losses.shares(), rows.weights.sum()
    means = np.average(of_rows, axis=1, weights=rows.weights)
    assert [each.n_features for each in shares] == list(range(6))
    assert (shares[0].share, shares[5].share, shares[5].standard_error) == (0.0, 1.0, 0.0)
    for k, each in enumerate(shares):
        assert each.share == pytest.approx((means[0] - means[k]) / (means[0] - means[5]))
        rest = of_rows[0] - of_rows[k] - each.share * (of_rows[0] - of_rows[5])  # the error of a ratio, linearized
        error = (np.average(rest**2, weights=rows.weights) / total) ** 0.5 / (means[0] - means[5])
        assert each.standard_error == pytest.approx(error)


@every_loss
def test_the_loss_of_frequencies_is_that_of_each_row_by_those_of_the_others(loss):
    rows = random_rows(3, n_rows=400, loss=loss)
    rows = replace(rows, weights=np.ones(400))
    counts = np.bincount(rows.target.astype(int))
    others = -(counts * np.log((counts - 1) / 399)).sum() / 400
    size = fit_frequencies(rows)
    assert size.loss == pytest.approx(others, abs=2 / 400**2 * len(counts) ** 2)
    assert np.average(size.fold_losses, weights=np.diff(rows.fold_ends, prepend=0)) == pytest.approx(size.loss)


def test_the_loss_of_the_mean_is_that_of_each_row_by_the_mean_of_the_others():
    target = np.random.default_rng(0).normal(size=400)
    rows = replace(random_rows(3, n_rows=400), target=target, weights=np.ones(400), loss=Squared())
    others = (target.sum() - target) / 399
    expected = rows.loss.losses(others[:, None], target).mean()
    assert fit_frequencies(rows).loss == pytest.approx(expected, rel=1e-4)


@every_loss
def test_without_a_gain_there_are_no_shares(loss):
    rows = random_rows(3, n_rows=80, loss=loss)
    worse = 3.0 * np.random.default_rng(0).normal(size=(2, 80, rows.loss.n_scores))
    losses = measure_sizes(rows, [fit_frequencies(rows), *fits_of(worse)[1:]], np.ones(1))
    assert losses.means[1] > losses.means[0]
    assert losses.shares() == ()
    assert losses.enough(0.01, np.array([True, True])) == 0
    assert losses.enough(0.01, np.array([False, True])) == 1


def given(means, variance=1e-12):
    """Return losses of sizes 0, 1, 2, ... that differ by far more than chance."""
    n = len(means)
    lacks = np.array(means) - means[-1]
    products = np.array([lacks[0] * lacks, lacks**2]) + variance
    return SizeLosses(np.arange(float(n)), np.zeros(n), np.ones((1, 1)), np.array([[means]]), products[None])


def test_the_first_of_enough_losses():
    losses, lost = given([0.7, 0.5, 0.302, 0.3]), (0.0, 0.004, 0.0051, 0.01, 0.51, 1.0)
    for allowed, first in (([1, 1, 1, 1], [3, 3, 2, 2, 1, 0]), ([0, 1, 1, 1], [3, 3, 2, 2, 1, 1]), ([1, 1], [1] * 5)):
        allowed = np.array([*allowed, 0, 0][:4], dtype=bool)
        assert [losses.enough(each, allowed) for each in lost[: len(first)]] == first


def test_a_share_that_no_small_size_keeps_takes_all():
    assert given([0.7, 0.6, 0.5, 0.4, 0.3]).enough(0.01, np.ones(5, dtype=bool)) == 4


@every_loss
def test_losses_are_means_over_divisions(loss):
    rows, scores, _ = some_sizes(5, loss)
    again = np.random.default_rng(0).uniform(size=(2, 6, rows.n_rows))
    sizes = [SimpleNamespace(**vars(size), again=tuple(again[:, k])) for k, size in enumerate(plain_fits(scores))]
    of_rows = np.array([losses_of(rows, own) for own in scores])
    losses = measure_sizes(rows, sizes, np.ones(5))
    assert_allclose(losses.means, np.average((of_rows + again.sum(axis=0)) / 3.0, axis=1, weights=rows.weights))


@every_loss
def test_columns_must_improve_by_two_standard_errors(loss):
    rows = random_rows(2, n_rows=60, loss=loss)
    right, rng, outcomes = toward(rows), np.random.default_rng(0), set()
    for scale in np.linspace(0.0, 0.6, 13):
        scores = np.array([0.0 * right, scale * right + rng.normal(size=right.shape)])
        mean, variance = paired(rows, scores, 0, 1)
        outcomes.add(is_better := mean > 2.0 * variance**0.5)
        losses = measure_sizes(rows, fits_of(scores), np.ones(1))
        assert losses.enough(0.01, np.array([True, True])) == is_better
        assert losses.enough(0.01, np.array([False, True])) == 1
    assert outcomes == {True, False}


def test_columns_that_measure_the_same_are_not_left_out_by_chance():
    """Ten noisy copies of one quantity: each averages out some noise; few rows cannot show how much."""
    sizes, measured = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        quantity = rng.normal(size=120)
        X = quantity[:, None] + 1.5 * rng.normal(size=(120, 10))
        y = (2.0 * quantity + rng.logistic(size=120) > 0).astype(int)
        model = ScorecardClassifier(n_pairs=0).fit(X, y)
        kept = [each.n_features for each in model.selection_.shares if each.share >= 0.99]
        sizes.append(model.n_features_)
        measured.append(min(kept))
    assert np.mean(sizes) > np.mean(measured) + 1.0
    assert min(sizes) > 2


def test_noise_and_many_rows_keep_their_size():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 8))
    y = (2.0 * X[:, 0] + X[:, 1] + rng.logistic(size=4000) > 0).astype(int)
    assert ScorecardClassifier(n_pairs=0).fit(X, y).n_features_ == 2
    parts = [slice(begin, begin + 300) for begin in range(0, 1500, 300)]
    assert np.mean([ScorecardClassifier(n_pairs=0).fit(X[own], y[own]).n_features_ for own in parts]) <= 3


def test_many_weak_effects_take_most_columns():
    """No column has much evidence, and all of them together have: the path used to end long before."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 20)) @ rng.normal(size=(20, 80)) / 20**0.5 + rng.normal(size=(500, 80))
    scores = 2.5 * values @ rng.normal(size=80) / 80**0.5
    y = (scores + rng.logistic(size=500) > 0.0).astype(int)
    model = ScorecardClassifier(n_pairs=0).fit(values, y)
    assert max(each.n_features for each in model.selection_.shares) == 80
    assert model.n_features_ > 30
