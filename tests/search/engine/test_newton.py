"""The step of Newton's method: against a general optimizer, and against the conditions of a maximum."""

import numpy as np
import pytest
from draws import draws
from scipy.optimize import minimize

from bayesieve.search.engine.gradients.newton import Quadratic, maximize_quadratic


def problem(seed, n=7, likeness=0.0):
    """Return a problem of columns that share a part; with a likeness of 1 they are equal."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, n)) * (1.0 - likeness) + rng.normal(size=(40, 1))
    curvatures = rows.T @ rows
    curvatures[np.diag_indices(n)] *= 1.0 + 2.0**-23
    low = -rng.uniform(0.0, 1.0, n) * rng.integers(0, 2, n)
    return Quadratic(rng.normal(size=n) * 20.0, curvatures, low, np.ones(n))


def value(each, change):
    return float(each.slopes @ change - 0.5 * change @ each.curvatures @ change)


@pytest.mark.parametrize("likeness", [0.0, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("seed", range(draws(6, 30)))
def test_the_maximum_is_that_of_a_general_optimizer(seed, likeness):
    each = problem(seed, likeness=likeness)
    change, rest = maximize_quadratic(each, 1e-9)
    assert (each.low <= change).all()
    assert (change <= each.high).all()
    np.testing.assert_allclose(rest, each.slopes - each.curvatures @ change, atol=1e-7)
    bounds = np.column_stack([each.low, each.high])
    best = minimize(
        lambda x: -value(each, x), change, jac=lambda x: each.curvatures @ x - each.slopes, bounds=bounds,
        method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    assert value(each, change) >= -best.fun - 1e-6


@pytest.mark.parametrize("seed", range(draws(6, 30)))
def test_no_coordinate_can_rise_alone(seed):
    each = problem(seed, n=12, likeness=0.99)
    change, rest = maximize_quadratic(each, 1e-6)
    step = rest / each.curvatures.diagonal()
    moved = np.clip(change + step, each.low, each.high) - change
    assert np.abs(moved * np.sqrt(each.curvatures.diagonal())).max() < 2e-6


def test_without_bounds_it_is_the_solution_of_a_linear_system():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(9, 4)) + 3.0 * rng.normal(size=(9, 1))
    curvatures, slopes = rows.T @ rows, rng.normal(size=4)
    far = np.full(4, 1e3)
    change, _ = maximize_quadratic(Quadratic(slopes, curvatures, -far, far), 1e-12)
    np.testing.assert_allclose(change, np.linalg.solve(curvatures, slopes), rtol=1e-9)


def test_of_no_coordinates_there_is_nothing():
    nothing = np.empty(0)
    change, rest = maximize_quadratic(Quadratic(nothing, np.empty((0, 0)), nothing, nothing), 1e-3)
    assert len(change) == len(rest) == 0
