"""The size that is enough: expected losses by numerical integration, and tables in which chance or noise decides."""

from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import every_loss, random_rows
from numpy.testing import assert_array_equal
from scipy.special import logsumexp

from bayesieve import ScorecardClassifier
from bayesieve.additive import train
from bayesieve.additive.sizes import enough_size, expected_losses, fit_frequencies, improves


def losses_of(rows, scores):
    """Return the log loss of each row."""
    z, own = rows.loss.class_scores(scores), rows.target.astype(int)
    return logsumexp(z, axis=1) - z[np.arange(len(z)), own]


def toward(rows):
    """Return scores of the right direction."""
    return np.where(np.arange(rows.loss.n_scores) + (rows.loss.n_scores == 1) == rows.target[:, None], 1.0, -1.0)


def fits_of(rows, scores):
    """Return sizes 0, 1, 2, ... of given scores."""
    sizes = []
    for n_columns, own in enumerate(scores):
        losses = losses_of(rows, own)
        fit = SimpleNamespace(columns=tuple(range(n_columns)), out_of_fold=own)
        sizes.append(SimpleNamespace(fit=fit, loss=float(np.average(losses, weights=rows.weights))))
    return sizes


def expected_lack(mean, variance, usual, share):
    """Return the mean of what a size lacks, by a sum over a fine grid.

    With a probability of ``share`` it has the usual prior, otherwise every value is as likely as any other.
    """
    width = 40.0 * (variance**0.5 + usual)
    grid = np.linspace(mean - width, mean + width, 400_001)
    likelihood = np.exp(-((grid - mean) ** 2) / (2.0 * variance))
    prior = np.exp(-((grid - usual) ** 2) / (2.0 * (0.6 * usual) ** 2))
    informed, alone = likelihood * prior, likelihood
    return share * (informed @ grid) / informed.sum() + (1.0 - share) * (alone @ grid) / alone.sum()


@every_loss
def test_expected_losses_are_those_of_an_integral(loss):
    raised = []
    for seed in range(6):
        rng, rows = np.random.default_rng(seed), random_rows(seed, n_rows=80, loss=loss)
        right = toward(rows)
        scores = [0.0 * right, *(0.7 * right + rng.normal(size=(5, *right.shape)))]
        sizes, alone = fits_of(rows, scores), np.array([*rng.normal(size=4), 2.0])
        losses, measured = expected_losses(rows, sizes[0], sizes, alone), np.array([size.loss for size in sizes])
        gain = measured[0] - measured.min()
        assert_array_equal(losses[[0, -1]], measured[[0, -1]])
        by_row = np.array([losses_of(rows, own) for own in scores])
        effects = np.where(alone > 0.0, 1.0 - np.exp(-alone), 0.0)
        for k in range(1, 5):
            lacks = by_row[k] - by_row[5]
            mean = np.average(lacks, weights=rows.weights)
            variance = np.average((lacks - mean) ** 2, weights=rows.weights) / rows.weights.sum()
            lack = expected_lack(mean, variance, 0.2 * (5 - k) / 5 * gain, effects[k:].mean())
            assert losses[k] == pytest.approx(measured[5] + max(lack, mean), abs=1e-6)
            raised.append(losses[k] > measured[k])
    assert any(raised)
    assert not all(raised)


@every_loss
def test_nothing_but_noise_left_changes_nothing(loss):
    rows = random_rows(3, n_rows=80, loss=loss)
    right = toward(rows)
    sizes = fits_of(rows, [0.0 * right, *(right + np.random.default_rng(0).normal(size=(4, *right.shape)))])
    measured = [size.loss for size in sizes]
    assert expected_losses(rows, sizes[0], sizes, np.array([3.0, -0.1, 0.0, -2.0])).tolist() == measured
    assert expected_losses(rows, sizes[0], sizes, np.array([3.0, -0.1, 0.0, 2.0])).tolist() != measured


@every_loss
def test_losses_above_those_of_frequencies_are_as_measured(loss):
    rows = random_rows(3, n_rows=80, loss=loss)
    frequencies = fit_frequencies(rows)
    worse = fits_of(rows, np.random.default_rng(0).normal(size=(4, 80, rows.loss.n_scores)) * 3.0)[1:]
    assert min(size.loss for size in worse) > frequencies.loss
    assert expected_losses(rows, frequencies, worse, np.ones(3)).tolist() == [size.loss for size in worse]


def test_the_first_of_enough_losses():
    frequencies, losses = SimpleNamespace(loss=0.7), np.array([0.7, 0.5, 0.302, 0.304, 0.3])
    assert [enough_size(losses, frequencies, lost) for lost in (0.0, 0.004, 0.005, 0.01, 0.5, 1.0)] == [
        4,
        4,
        2,
        2,
        1,
        0,
    ]
    assert enough_size(np.array([0.8, 0.75]), frequencies, 0.01) == 1


@every_loss
def test_a_fit_improves_by_two_standard_errors(loss):
    rows = random_rows(2, n_rows=60, loss=loss)

    def fit(scores):
        return SimpleNamespace(fit=SimpleNamespace(out_of_fold=scores))

    right = toward(rows)
    assert improves(rows, fit(0.0 * right), fit(right))
    assert not improves(rows, fit(right), fit(0.0 * right))
    assert not improves(rows, fit(right), fit(right))
    rng, weights = np.random.default_rng(0), rows.weights
    for scale in np.linspace(0.0, 0.6, 13):
        scores = scale * right + rng.normal(size=right.shape)
        gains = losses_of(rows, 0.0 * right) - losses_of(rows, scores)
        mean = np.average(gains, weights=weights)
        error = (np.average((gains - mean) ** 2, weights=weights) / weights.sum()) ** 0.5
        assert improves(rows, fit(0.0 * right), fit(scores)) == (mean > 2.0 * error)


def measured_sizes(monkeypatch, X, y):
    """Return the number of columns by measured losses, and that by expected ones."""
    expected = ScorecardClassifier(n_pairs=0).fit(X, y).n_features_
    with monkeypatch.context() as patch:
        patch.setattr(
            train, "expected_losses", lambda rows, none, sizes, alone: np.array([size.loss for size in sizes])
        )
        return ScorecardClassifier(n_pairs=0).fit(X, y).n_features_, expected


def test_columns_that_measure_the_same_are_not_left_out_by_chance(monkeypatch):
    """Ten noisy copies of one quantity: each averages out some noise; few rows cannot show how much."""
    sizes = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        quantity = rng.normal(size=120)
        X = quantity[:, None] + 1.5 * rng.normal(size=(120, 10))
        y = (2.0 * quantity + rng.logistic(size=120) > 0).astype(int)
        sizes.append(measured_sizes(monkeypatch, X, y))
    few = [each for each in sizes if each[0] <= 4]
    assert few
    assert np.mean([after for _, after in few]) > np.mean([before for before, _ in few])
    assert all(after >= before for before, after in few)


def test_noise_and_many_rows_keep_their_size(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 8))
    y = (2.0 * X[:, 0] + X[:, 1] + rng.logistic(size=4000) > 0).astype(int)
    before, after = measured_sizes(monkeypatch, X, y)
    assert before == after
    before, after = measured_sizes(monkeypatch, X[:300], y[:300])
    assert before == after
