"""Powers of the mean: derivatives by differences, deviances by scikit-learn, and the bits of the compiled twin."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import random_rows
from contract.test_additive import follow, random_steps
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mean_tweedie_deviance

from bayesieve._native import available, core
from bayesieve.additive.number_losses import CURVATURE
from bayesieve.additive.power_loss import Power
from bayesieve.models.number_scorecard import NumberScale

compiled = pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
POWERS = [0.0, 1.0, 1.3, 2.0]


def loss_of(power, rng):
    return Power(power, float(rng.uniform(0.5, 5.0)), NumberScale(1.0, float(rng.uniform(0.1, 1.0)), is_log=True))


def numbers(power, rng, n):
    y = rng.gamma(1.0, 1.0, n)
    return np.maximum(y, 1e-3) if power == 2.0 else np.where(rng.random(n) < 0.3, 0.0, y)


@pytest.mark.parametrize("power", POWERS)
def test_losses_are_half_the_deviance(power):
    rng = np.random.default_rng(0)
    loss, scores = loss_of(power, rng), rng.normal(size=(50, 1))
    y, mean = numbers(power, rng, 50), np.exp(loss.scale.unit * scores[:, 0])
    deviance = mean_tweedie_deviance(y, mean, power=power)
    assert_allclose(loss.losses(scores, y).mean(), 0.5 * loss.weight * deviance, rtol=1e-12)
    assert_allclose(loss.shown(loss.losses(scores, y).mean()), deviance if power else deviance**0.5, rtol=1e-12)


@pytest.mark.parametrize("power", POWERS)
def test_derivatives_are_those_of_the_loss_and_expected_curvatures(power):
    rng = np.random.default_rng(1)
    loss, scores, step = loss_of(power, rng), rng.normal(size=(50, 1)), 1e-5
    y = numbers(power, rng, 50)
    gradients, curvatures = loss.derivatives(scores[:, 0], None, y)
    differences = (loss.losses(scores + step, y) - loss.losses(scores - step, y)) / (2 * step)
    assert_allclose(gradients, -differences, atol=1e-6)
    at_mean = np.exp(loss.scale.unit * scores[:, 0])  # where the curvature is what is expected
    ends = [loss.derivatives(scores[:, 0] + sign * step, None, at_mean)[0] for sign in (1, -1)]
    assert_allclose(curvatures, (ends[1] - ends[0]) / (2 * step), rtol=1e-4)
    potentials = [loss.potential(scores + sign * step) for sign in (1, -1)]
    assert_allclose(loss.mean(scores)[:, 0], (potentials[0] - potentials[1]) / (2 * step), atol=1e-6)


@pytest.mark.parametrize("power", POWERS)
def test_the_unit_gives_a_row_the_information_of_two_classes(power):
    rng = np.random.default_rng(2)
    weights = np.ones(3000)
    truth = rng.normal(size=3000)
    mean = 100.0 * np.exp(0.3 * truth)
    y = {0.0: lambda: np.maximum(mean + 20.0 * rng.normal(size=3000), 1.0), 1.0: lambda: rng.poisson(mean) * 1.0}.get(
        power, lambda: rng.gamma(10.0, mean / 10.0)
    )()
    whole = Power(power).on_spread(y, weights)
    target = whole.targets(y)
    own = whole.on_rest(target, (np.log(mean / whole.scale.center) / whole.scale.unit)[:, None], weights)
    scores = np.log(mean / own.scale.center) / own.scale.unit
    _, curvatures = own.derivatives(scores, None, target)
    assert_allclose(curvatures.mean(), CURVATURE, rtol=0.01)
    assert_allclose(2.0 * own.losses(scores[:, None], target).mean(), 1.0, rtol=0.15)  # the deviance in dispersions


@compiled
@pytest.mark.parametrize("seed", range(draws(8, 40)))
def test_fits_have_the_bits_of_their_twin(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(seed)
    power = POWERS[seed % 4]
    rows = replace(rows, target=numbers(power, rng, rows.n_rows), loss=loss_of(power, rng))
    rows = replace(rows, monotone=np.zeros(rows.n_columns, dtype=np.int8))
    member = [rows.loss.tuning.adaptive, rows.loss.tuning.tied[2]][seed % 2]
    fold = None if seed % 3 else int(rng.integers(rows.n_folds))
    steps = list(random_steps(rows, rng, 4))
    native, _ = follow(rows, member, fold, "auto", None, steps)
    twin, _ = follow(rows, member, fold, "reference", None, steps)
    for one, other in zip(native, twin, strict=True):
        assert_array_equal(one, other)


@compiled
@pytest.mark.parametrize("power", POWERS)
def test_sums_have_the_bits_of_their_twin(power):
    rng = np.random.default_rng(3)
    loss, y = loss_of(power, rng), numbers(power, rng, 300)
    scores = 20.0 * rng.normal(size=(300, 1))
    assert_array_equal(core.row_losses(loss.name, scores, y), loss.losses(scores, y))
    problem = np.ascontiguousarray(rng.normal(size=(3, 300, 1))), y, rng.uniform(0.5, 2.0, 300), 2.0**-30
    a, b = rng.uniform(0.0, 1.0, 3), rng.normal(size=1)
    assert_array_equal(core.stack_sums(loss.name, problem, a, b), loss.stack_sums(problem, a, b))


@compiled
@pytest.mark.parametrize("name", ["power", "power ", "power 1 2", "power 1 0 1", "power a b c", "power 1 1 -1"])
def test_the_core_refuses_what_is_no_power(name):
    with pytest.raises(ValueError, match="loss"):
        core.row_losses(name, np.zeros((1, 1)), np.zeros(1))
