"""The size that is enough: expected losses by numerical integration, and tables in which chance or noise decides."""

from types import SimpleNamespace

import numpy as np
import pytest
from bayesieve.additive.shape_path import fit_frequencies
from bayesieve.additive.size_choice import enough_size, expected_losses
from numpy.testing import assert_array_equal
from shape_tables import random_rows

from bayesieve import ScorecardClassifier
from bayesieve.additive import train


def fits_of(rows, scores):
    """Return sizes 0, 1, 2, ... of given scores."""
    sizes = []
    for n_columns, own in enumerate(scores):
        losses = np.log1p(np.exp(np.where(rows.target == 1.0, -own, own)))
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


def test_expected_losses_are_those_of_an_integral():
    raised = []
    for seed in range(6):
        rng, rows = np.random.default_rng(seed), random_rows(seed, n_rows=80)
        towards = np.where(rows.target == 1.0, 1.0, -1.0)
        scores = [np.zeros(80), *(0.7 * towards + rng.normal(size=(5, 80)))]
        sizes, alone = fits_of(rows, scores), np.array([*rng.normal(size=4), 2.0])
        losses, measured = expected_losses(rows, sizes[0], sizes, alone), np.array([size.loss for size in sizes])
        gain = measured[0] - measured.min()
        assert_array_equal(losses[[0, -1]], measured[[0, -1]])
        by_row = np.array([np.log1p(np.exp(-towards * own)) for own in scores])
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


def test_nothing_but_noise_left_changes_nothing():
    rows = random_rows(3, n_rows=80)
    towards = np.where(rows.target == 1.0, 1.0, -1.0)
    sizes = fits_of(rows, [np.zeros(80), *(towards + np.random.default_rng(0).normal(size=(4, 80)))])
    measured = [size.loss for size in sizes]
    assert expected_losses(rows, sizes[0], sizes, np.array([3.0, -0.1, 0.0, -2.0])).tolist() == measured
    assert expected_losses(rows, sizes[0], sizes, np.array([3.0, -0.1, 0.0, 2.0])).tolist() != measured


def test_losses_above_those_of_frequencies_are_as_measured():
    rows = random_rows(3, n_rows=80)
    frequencies = fit_frequencies(rows)
    worse = fits_of(rows, np.random.default_rng(0).normal(size=(4, 80)) * 3.0)[1:]
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
