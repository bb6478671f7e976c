"""Calibration maps against scikit-learn and a general optimizer; the split of the Brier score."""

import numpy as np
import pytest
from draws import draws
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from bayesieve.data.document import Entry
from bayesieve.decisions import CALIBRATIONS, brier_split, calibrate, reliability
from bayesieve.decisions.calibration import Beta, Isotonic, calibration_from_plain, calibration_to_plain
from bayesieve.exceptions import DataError, ModelFileError, ParameterError


def rows(seed, n=300, ties=True):
    generator = np.random.default_rng(seed)
    log_odds = generator.normal(0, 2, size=n)
    log_odds = np.round(log_odds, 1) if ties else log_odds
    truth = generator.random(n) < 1 / (1 + np.exp(-(0.5 * log_odds - 1)))
    return log_odds, truth, generator.integers(0, 4, size=n).astype(float)


@pytest.mark.parametrize("seed", range(draws(4, 10)))
@pytest.mark.parametrize("ties", [False, True])
def test_isotonic_is_scikit_learns(seed, ties):
    log_odds, truth, weights = rows(seed, ties=ties)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(log_odds, truth, sample_weight=weights)
    ours = Isotonic.fit(log_odds, truth, weights)
    asked = np.concatenate([log_odds, np.linspace(-9, 9, 101)])
    np.testing.assert_allclose(ours(asked), theirs.predict(asked), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sign", [1, -1])
def test_beta_is_the_constrained_optimum(seed, sign):
    log_odds, truth, weights = rows(seed)
    log_odds = sign * log_odds  # scores that point the wrong way end at a = b = 0
    ours = Beta.fit(log_odds, truth, weights)
    positive, negative = weights[truth].sum(), weights[~truth].sum()
    targets = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    s = 1 / (1 + np.exp(-log_odds))

    def loss(parameters):
        a, b, c = parameters
        p = 1 / (1 + np.exp(-(a * np.log(s) - b * np.log(1 - s) + c)))
        return -(weights * (targets * np.log(p) + (1 - targets) * np.log(1 - p))).sum()

    bounds = [(0, None), (0, None), (None, None)]
    best = minimize(loss, [1, 1, 0], bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})
    found = [ours.a, ours.b, ours.c]
    assert min(found[:2]) >= 0
    assert loss(found) <= best.fun + 1e-8
    if sign < 0:
        assert found[:2] == [0, 0]
    p = np.exp(ours.a * np.log(s) - ours.b * np.log(1 - s) + ours.c)
    np.testing.assert_allclose(ours(log_odds), p / (1 + p), atol=1e-12)


@pytest.mark.parametrize("kind", CALIBRATIONS)
def test_hard_cases_stay_finite(kind):
    apart = np.array([-900.0, -800, 700, 800])
    for truth in ([False, False, True, True], [False] * 4, [True] * 4):
        for log_odds in (apart, np.zeros(4)):
            found = CALIBRATIONS[kind](log_odds, np.array(truth), np.ones(4))(log_odds)
            assert np.isfinite(found).all()
            assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("kind", CALIBRATIONS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_add_up_and_survive_a_file(kind, n_classes):
    generator = np.random.default_rng(1)
    target = generator.integers(0, n_classes, size=200).astype(np.int32)
    log_odds = [generator.normal((target == c) - 0.5) for c in ([1] if n_classes == 2 else range(n_classes))]
    fitted = calibrate(kind, log_odds, target, np.ones(200))
    calibrated = fitted.probabilities(log_odds)
    assert calibrated.shape == (n_classes, 200)
    np.testing.assert_allclose(calibrated.sum(axis=0), 1, atol=1e-12)
    # One-vs-rest maps are calibrated by themselves; two classes also together.
    if n_classes == 2 and kind == "isotonic":
        assert calibrated[1].mean() == pytest.approx((target == 1).mean(), abs=1e-12)
    again = calibration_from_plain(Entry(calibration_to_plain(fitted), "file"), n_classes)
    np.testing.assert_array_equal(again.probabilities(log_odds), calibrated)
    with pytest.raises(ModelFileError, match="file must be a list of"):
        calibration_from_plain(Entry(calibration_to_plain(fitted), "file"), 4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "beta", "numbers": [1.0, -1.0, 0.0]},
        {"kind": "isotonic", "numbers": [1.0, 0.0, 0.1, 0.2]},
        {"kind": "isotonic", "numbers": [0.0, 1.0, 0.2, 1.2]},
        {"kind": "isotonic", "numbers": []},
        {"kind": "platt", "numbers": []},
    ],
)
def test_files_are_distrusted(wrong):
    with pytest.raises(ModelFileError, match="file"):
        calibration_from_plain(Entry([wrong], "file"), 2)


def test_no_class_possible_means_all_are():
    never = Isotonic(np.array([0.0]), np.array([0.0]))
    found = calibrate("isotonic", [np.zeros(3)] * 3, np.zeros(3, np.int32), np.ones(3))
    assert type(found)((never,) * 3).probabilities([np.zeros(2)] * 3).tolist() == [[1 / 3] * 2] * 3


@pytest.mark.parametrize("seed", range(draws(8, 20)))
@pytest.mark.parametrize("n_groups", [None, 1, 7])
def test_brier_split_adds_up(seed, n_groups):
    log_odds, truth, weights = rows(seed)
    p = 1 / (1 + np.exp(-log_odds))
    split = brier_split(p, truth, weights, n_groups)
    assert split.brier == pytest.approx((weights * (p - truth) ** 2).sum() / weights.sum(), abs=1e-14)
    assert split.calibration + split.refinement + split.within == pytest.approx(split.brier, abs=1e-12)
    if n_groups is None:
        assert split.within == pytest.approx(0, abs=1e-15)
    groups = reliability(p, truth, weights, n_groups)
    assert groups.weight.sum() == pytest.approx(weights.sum())
    assert n_groups is None or len(groups.weight) <= n_groups
    assert (np.diff(groups.probability) > 0).all()


def test_isotonic_leaves_refinement_only():
    log_odds, truth, weights = rows(3)
    calibrated = Isotonic.fit(log_odds, truth, weights)(log_odds)
    split = brier_split(calibrated, truth, weights)
    assert split.calibration == pytest.approx(0, abs=1e-12)
    assert split.brier == pytest.approx(split.refinement, abs=1e-12)


def test_refusals():
    with pytest.raises(DataError, match="between 0 and 1"):
        brier_split(np.array([1.5]), np.array([True]))
    with pytest.raises(DataError, match="one value per row"):
        reliability(np.array([0.5]), np.array([True, False]))
    with pytest.raises(DataError, match="positive weight"):
        reliability(np.array([0.5]), np.array([True]), np.zeros(1))
    with pytest.raises(ParameterError, match="n_groups"):
        reliability(np.array([0.5]), np.array([True]), n_groups=0)
