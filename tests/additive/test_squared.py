"""Squared error: tables and weights of least squares by dense linear algebra, and the bits of the NumPy twin."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import random_rows
from contract.test_additive import follow, random_steps
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available, core
from bayesieve.additive.constants import MemberPriors
from bayesieve.additive.fit import start_fit
from bayesieve.additive.members import priors_of
from bayesieve.additive.number_losses import CURVATURE, Squared
from bayesieve.additive.pair_tables import fold_sums, row_losses, row_terms_numpy
from bayesieve.additive.rows import PairRows
from bayesieve.additive.stack import fit_stack

compiled = pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
LOSS = Squared()
SMOOTH = MemberPriors((1.0,), (), (0.25,))
WIDE = MemberPriors((40.0,), (), (40.0,))  # with wider ones "no effect" is likely


def rows_of_numbers(seed, n_rows=None):
    """Return random rows whose target is a number of unit variance, without monotone columns."""
    rows = random_rows(seed, n_rows)
    rng = np.random.default_rng(seed)
    effects = sum(rng.normal(size=len(basis.gaps))[codes] for basis, codes in zip(rows.bases, rows.codes, strict=True))
    target = effects + rng.normal(size=rows.n_rows)
    target = (target - target.mean()) / max(target.std(), 1e-9)
    return replace(rows, target=target, loss=LOSS, monotone=np.zeros(rows.n_columns, dtype=np.int8))


@pytest.mark.parametrize("seed", range(draws(12, 40)))
def test_tables_under_a_wide_prior_are_those_of_least_squares(seed):
    rng = np.random.default_rng(seed)
    rows = replace(rows_of_numbers(seed, 400), neutral=None)
    columns = [k for k, basis in enumerate(rows.bases) if basis.nominal and len(basis.gaps) < 10]
    fit = start_fit(rows, priors_of(WIDE), None, backend=str(rng.choice(["auto", "reference"])))
    fit.run(columns, 3000, 1e-20)
    indicators = [np.eye(len(rows.bases[k].gaps))[rows.codes[k]] for k in columns]
    design = np.hstack([np.ones((rows.n_rows, 1)), *indicators]) * np.sqrt(rows.weights)[:, None]
    coefficients = np.linalg.lstsq(design, rows.target * np.sqrt(rows.weights), rcond=None)[0]
    predicted = design @ coefficients / np.sqrt(rows.weights)
    assert_allclose(fit.scores[:, 0], predicted, atol=0.02)


@compiled
@pytest.mark.parametrize("seed", range(draws(20, 100)))
def test_fits_have_the_bits_of_their_twin(seed):
    rng = np.random.default_rng(seed)
    rows = rows_of_numbers(seed)
    member = [SMOOTH, LOSS.tuning.adaptive, LOSS.tuning.tied[2]][seed % 3]
    fold = None if seed % 2 else int(rng.integers(rows.n_folds))
    steps = list(random_steps(rows, rng, 6))
    native, _ = follow(rows, member, fold, "auto", None, steps)
    twin, _ = follow(rows, member, fold, "reference", None, steps)
    for one, other in zip(native, twin, strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(draws(6, 30)))
def test_weights_of_members_are_those_of_least_squares(seed):
    rng = np.random.default_rng(seed)
    target, weights = rng.normal(size=400), rng.uniform(0.5, 2.0, 400)
    scores = target[None, :, None] * rng.uniform(0.2, 1.0, (3, 1, 1)) + rng.normal(size=(3, 400, 1)) * 0.5
    prior = np.full(3, 1.0 / 3.0)
    stack = fit_stack(LOSS, scores, target, weights, prior)
    centered = scores[:, :, 0] - np.average(scores[:, :, 0], axis=1, weights=weights)[:, None]
    penalty = 4.0 * max(1.0, min(4.0, 1500.0 / weights.sum()))
    hessian = CURVATURE * (centered * weights) @ centered.T + penalty * np.eye(3)
    slope = CURVATURE * (centered * weights) @ (target - np.average(target, weights=weights)) + penalty * prior
    assert_allclose(stack.weights, np.linalg.solve(hessian, slope), atol=1e-4)
    assert_allclose(stack.intercept, np.average(target, weights=weights), atol=1e-6)


@compiled
@pytest.mark.parametrize("seed", range(draws(10, 40)))
def test_sums_have_the_bits_of_their_twins(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_members = int(rng.integers(5, 300)), int(rng.integers(1, 5))
    codes, weights = rng.integers(0, 3, (2, n_rows)).astype(np.uint8), rng.integers(1, 4, n_rows).astype(np.float64)
    codes[:, :3] = [0, 1, 2]
    target, fold = rng.normal(size=n_rows) * rng.choice([1.0, 100.0]), np.arange(n_rows) % 3
    native, twin = (
        PairRows(codes, np.array([3, 3]), target, weights, fold, 1, backend, LOSS) for backend in ("auto", "reference")
    )
    scores = rng.normal(size=(n_rows, 1))
    assert_array_equal(row_losses(native, scores), row_terms_numpy(twin, scores, 2.0**twin.gradient_bits)[2])
    tables = rng.normal(size=(4, 3, 3, 1))
    for one, other in zip(
        fold_sums(native, (0, 1), scores, tables), fold_sums(twin, (0, 1), scores, tables), strict=True
    ):
        assert_array_equal(one, other)
    problem = np.ascontiguousarray(rng.normal(size=(n_members, n_rows, 1))), target, weights, 2.0**-30
    a, b = rng.uniform(0.0, 1.0, n_members), rng.normal(size=1)
    assert_array_equal(core.stack_sums("squared", problem, a, b), LOSS.stack_sums(problem, a, b))
    assert_array_equal(core.row_losses("squared", scores, target), LOSS.losses(scores, target))
