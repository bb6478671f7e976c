"""Fits of joint shapes: the compiled core is its NumPy twin to the last bit, and tied members reach the optimum."""

from itertools import pairwise

import numpy as np
import pytest
from bayesieve.additive.shape_data import column_basis
from bayesieve.additive.shape_prior import ShapeBasis, ShapePriors
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from shape_tables import random_rows

from bayesieve._native import available
from bayesieve.additive import ShapeRows, make_shape_fit
from bayesieve.additive.members import ADAPTIVE, ADAPTIVE_WIDE, TIED

compiled = pytest.mark.skipif(not available(), reason="no compiled core")
MEMBERS = (*TIED, ADAPTIVE, ADAPTIVE_WIDE)


def follow(rows, member, fold, backend, shift):
    """Return every number that a fit shows on its way."""
    fit, everything = member.fit(rows, fold, backend), list(range(rows.n_columns))
    seen = [fit.evidence(everything)]
    fit.run(everything[:1], 2, 0.0)
    fit.shift(shift)
    seen += [fit.evidence(everything), np.array([fit.run(everything[::-1], 4, 0.01)])]
    return [*seen, fit.scores, np.array([fit.intercept]), *fit.tables]


@compiled
@pytest.mark.parametrize("seed", range(draws(12, 50)))
def test_the_compiled_fit_is_the_reference_to_the_last_bit(seed):
    rows, rng = random_rows(seed), np.random.default_rng(seed)
    for member in MEMBERS:
        fold = [None, *range(rows.n_folds)][int(rng.integers(rows.n_folds + 1))]
        shift = np.rint(rng.normal(size=rows.n_rows) * 2**40) / 2**40 * rng.integers(2)
        found = [follow(rows, member, fold, backend, shift) for backend in ("auto", "reference")]
        for one, other in zip(*found, strict=True):
            assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(draws(4, 10)))
def test_the_order_of_rows_within_folds_does_not_matter(seed):
    rows, rng = random_rows(seed), np.random.default_rng(seed)
    begins = np.append(0, rows.fold_ends)
    order = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in pairwise(begins)])
    permuted = ShapeRows(
        [own[order] for own in rows.codes],
        rows.bases,
        rows.missing,
        rows.monotone,
        rows.target[order],
        rows.weights[order],
        rows.fold_ends,
    )
    nothing = np.zeros(rows.n_rows)
    one, other = (follow(each, ADAPTIVE, 0, "auto", nothing) for each in (rows, permuted))
    one[3] = one[3][order]  # scores of rows
    for a, b in zip(one, other, strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(draws(8, 20)))
def test_monotone_shapes_are_monotone(seed):
    rows = random_rows(seed)
    for member in MEMBERS:
        fit = member.fit(rows, None, "auto")
        fit.run(list(range(rows.n_columns)), 3, 0.0)
        for table, first, sign in zip(fit.tables, rows.missing, rows.monotone, strict=True):
            # An update is clipped at 2 per bin, which keeps the order; to_fixed does, too.
            assert (sign * np.diff(table[int(first) :]) >= 0).all()


def tied_loss(rows, variance):
    """Return the penalized negative log-likelihood of an intercept and the scores of all bins."""
    sizes = [len(basis.gaps) for basis in rows.bases]

    def loss(x):
        tables = np.split(x[1:], np.cumsum(sizes)[:-1])
        z, penalty = np.full(rows.n_rows, x[0]), 0.0
        for own, basis, table in zip(rows.codes, rows.bases, tables, strict=True):
            z = z + table[own]
            if basis.nominal:
                penalty += table @ table / (2 * variance / 4)
            else:
                penalty += (np.diff(table) ** 2 / (2 * variance * basis.gaps[:-1])).sum()
        sign = 2 * rows.target - 1
        return rows.weights @ np.logaddexp(0.0, -sign * z) + penalty

    return loss


@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("seed", range(draws(4, 8)))
def test_a_tied_member_reaches_the_penalized_optimum(seed, nominal):
    """Levels of walks are free and those of categories are held at 0, so that what rows get has one solution."""
    rng = np.random.default_rng(seed)
    n_rows, variance = 40, 0.5
    target = rng.integers(0, 2, n_rows).astype(np.float64)
    codes = [np.where(rng.random(n_rows) < 0.4, target.astype(np.intp) * 2, rng.integers(0, 4, n_rows)) for _ in "ab"]
    values = [(np.arange(4.0), (0.0, 3.0)), None if nominal else (np.arange(4.0) ** 2, (0.0, 9.0))]
    bases = [
        column_basis(np.bincount(own, minlength=4) + 0.0, each, has_missing=False)
        for own, each in zip(codes, values, strict=True)
    ]
    nothing, weights = np.zeros(2, dtype=np.int8), rng.integers(1, 3, n_rows) * 1.0
    rows = ShapeRows(codes, bases, nothing.astype(bool), nothing, target, weights, np.array([n_rows]))
    fit = make_shape_fit(rows, ShapePriors((variance,), (), (variance / 4,)), None)
    fit.run([0, 1], 300, 1e-12)
    loss = tied_loss(rows, variance)
    best = minimize(loss, np.zeros(9), method="BFGS")
    tables = np.split(best.x[1:], 2)
    expected = best.x[0] + tables[0][codes[0]] + tables[1][codes[1]]
    # Categories are centered by curvature after each update, where the prior would have them near 0.
    assert_allclose(fit.scores, expected, atol=0.03 if nominal else 2e-3)
    if not nominal:
        assert_allclose(loss(np.concatenate([[fit.intercept], *fit.tables])), best.fun, rtol=1e-6)


def test_a_basis_is_standardized_over_the_rows():
    mass = np.array([3.0, 5.0, 1.0, 4.0, 7.0])
    basis = column_basis(mass, (np.array([1.0, 2.0, 5.0, 90.0]), (1.0, 5.0)), has_missing=True)
    assert isinstance(basis, ShapeBasis)
    share = mass / mass.sum()
    for x in (basis.line, basis.rank, basis.square):
        assert x[0] == 0.0
        assert_allclose([share @ x, share @ x**2], [0.0, 1.0], atol=1e-8)
    assert_allclose(share @ (basis.line * basis.square), 0.0, atol=1e-8)
    assert basis.line[3] == basis.line[4]  # clipped
    assert basis.gaps[0] == 1.0  # the step out of "missing" is free
