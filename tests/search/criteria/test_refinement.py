"""Refinement: isotonic regression is scikit-learn's, and what is left of the Brier score is exact."""

from fractions import Fraction

import numpy as np
import pytest
from draws import draws
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from bayesieve.models import Evidence
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.criteria.ranking import isotonic_blocks, tie_rows
from bayesieve.search.engine.scorer import Scorer


def random_rows(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 60))
    target = rng.integers(0, n_classes, n_rows).astype(np.int32)
    weights = rng.integers(0, 4, n_rows) if seed % 2 else np.ones(n_rows, dtype=np.int64)
    weights[0] = 1
    steps = rng.integers(-3, 4, (n_classes, n_rows)) if seed % 3 else rng.normal(size=(n_classes, n_rows))
    return Evidence(np.rint(steps * 2.0**40).astype(np.int64)), target, weights


def score_of(beliefs, target, weights, n_classes):
    criterion = CRITERIA["refinement"]
    mass = tuple(np.bincount(target, weights, n_classes).astype(int).tolist())
    return Scorer(criterion, [mass]).mean([criterion.measure(beliefs, target, weights, n_classes)])


def recalibrated(keys, positive, weights):
    return IsotonicRegression().fit_transform(keys, positive.astype(float), sample_weight=weights)


@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_blocks_are_those_of_isotonic_regression(seed):
    beliefs, target, weights = random_rows(seed)
    present = weights > 0
    keys = beliefs.rank_keys(1)
    blocks = isotonic_blocks(tie_rows(keys, target == 1, weights)[1]).tolist()
    shares = [positive / (negative + positive) for negative, positive in blocks]
    assert shares == sorted(set(shares))
    assert tuple(map(sum, zip(*blocks, strict=True))) == tuple(np.bincount(target, weights, 2))
    fitted = recalibrated(keys[present], target[present] == 1, weights[present])
    by_share = np.repeat(shares, [negative + positive for negative, positive in blocks])
    order = np.argsort(keys[present], kind="stable")
    np.testing.assert_allclose(np.repeat(fitted[order], weights[present][order]), by_share, atol=1e-12)


@pytest.mark.parametrize("seed", range(draws(8, 20)))
def test_score_is_the_brier_score_after_recalibration(seed):
    beliefs, target, weights = random_rows(seed)
    present = weights > 0
    fitted = recalibrated(beliefs.rank_keys(1)[present], target[present] == 1, weights[present])
    both = 2 * np.average((fitted - (target[present] == 1)) ** 2, weights=weights[present])
    assert -score_of(beliefs, target, weights, 2) == pytest.approx(both, abs=1e-12)
    if set(target[present]) == {0, 1}:
        assert both == pytest.approx(2 * brier_score_loss(target[present], fitted, sample_weight=weights[present]))


@pytest.mark.parametrize("seed", range(draws(4, 10)))
def test_brier_is_calibration_plus_refinement(seed):
    """Rows that share a probability: the split of DeGroot and Fienberg adds up, and shows what recalibration takes."""
    rng = np.random.default_rng(seed)
    steps = np.sort(rng.integers(-4, 5, 200)) / 2
    target = (rng.random(200) < 1 / (1 + np.exp(-steps))).astype(np.int32)
    weights = np.ones(200, dtype=np.int64)
    beliefs = Evidence(np.rint(np.stack([np.zeros(200), steps]) * 2.0**40).astype(np.int64))
    p = beliefs.probabilities[1]
    shares = np.array([target[p == value].mean() for value in p])
    calibration, refinement = 2 * np.mean((p - shares) ** 2), 2 * np.mean(shares * (1 - shares))
    brier = CRITERIA["brier"]
    measured = -Scorer(brier, [(200 - target.sum(), target.sum())]).mean([brier.measure(beliefs, target, weights, 2)])
    assert measured == pytest.approx(calibration + refinement, abs=1e-11)
    left = -score_of(beliefs, target, weights, 2)
    assert left >= refinement - 1e-12
    if (np.diff([target[p == value].mean() for value in np.unique(p)]) > 0).all():
        assert left == pytest.approx(refinement, abs=1e-12)


@pytest.mark.parametrize("seed", range(draws(4, 10)))
def test_each_of_several_classes_is_recalibrated(seed):
    beliefs, target, weights = random_rows(seed, n_classes=3)
    present, expected = weights > 0, 0.0
    for c in range(3):
        fitted = recalibrated(beliefs.rank_keys(c)[present], target[present] == c, weights[present])
        expected += np.average((fitted - (target[present] == c)) ** 2, weights=weights[present])
    assert -score_of(beliefs, target, weights, 3) == pytest.approx(expected, abs=1e-12)


def test_monotone_distortion_changes_nothing():
    beliefs, target, weights = random_rows(5)
    halved = Evidence(beliefs.scores // 2)
    cubed = Evidence(beliefs.scores * 3)
    assert score_of(beliefs, target, weights, 2) == score_of(cubed, target, weights, 2)
    assert score_of(halved, target, weights, 2) == score_of(beliefs, target, weights, 2)


def test_extreme_weights_stay_exact():
    """Products of weights pass 64 bits; one block is known by hand."""
    target = np.array([1, 0], dtype=np.int32)
    beliefs = Evidence(np.array([[0, 0], [-(2**40), 2**40]]))
    for weights in (np.array([2**31, 2**31 - 1]), np.array([1, 2**40])):
        p, q = int(weights[0]), int(weights[1])
        expected = 2 * Fraction(p * q, (p + q) ** 2)
        assert -score_of(beliefs, target, weights, 2) == pytest.approx(float(expected), rel=1e-12)
