"""Fits of three classes and more: the compiled core is its NumPy twin to the last bit, and reaches the optimum."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from bayesieve.additive.shape_data import column_basis
from bayesieve.additive.shape_prior import ShapePriors
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import logsumexp
from shape_tables import random_rows

from bayesieve._native import available
from bayesieve.additive import ShapeRows, make_shape_fit
from bayesieve.additive.members import MemberSet

compiled = pytest.mark.skipif(not available(), reason="no compiled core")
MEMBERS = MemberSet.of_classes(3)
CHAINS = (*MEMBERS.final, (MEMBERS.adaptive, *MEMBERS.tied))


def random_class_rows(seed, n_classes=None):
    """Return the rows of two-class tests with three to ten classes, some of them missing in a fold."""
    rows, rng = random_rows(seed), np.random.default_rng(seed)
    n_classes = n_classes or int(rng.integers(3, 11))
    target = rng.integers(0, n_classes, rows.n_rows).astype(np.float64)
    leads = rng.integers(0, n_classes, rows.n_columns)
    return replace(rows, target=target, n_classes=n_classes, leads=leads)


def follow(rows, chain, fold, backend, shift):
    """Return every number that the fits of a chain show on their way."""
    everything, seen, fit = list(range(rows.n_columns)), [], None
    for member in chain:
        fit = member.fit(rows, fold, backend, fit)
        seen.append(fit.evidence(everything))
        fit.run(everything[:1], 1, 0.0)
        fit.shift(shift)
        seen += [np.array([fit.run(everything[::-1], 2, 0.01)]), fit.scores_of_fold(fold), fit.intercept, *fit.tables]
    return [fit.scores, *seen]


@compiled
@pytest.mark.parametrize("seed", range(draws(5, 12)))
def test_the_compiled_fit_is_the_reference_to_the_last_bit(seed):
    rows, rng = random_class_rows(seed), np.random.default_rng(seed)
    for chain in CHAINS:
        fold = [None, *range(rows.n_folds)][int(rng.integers(rows.n_folds + 1))]
        shift = np.rint(rng.normal(size=(rows.n_rows, rows.n_classes)) * 2**40) / 2**40 * rng.integers(2)
        found = [follow(rows, chain, fold, backend, shift) for backend in ("auto", "reference")]
        for one, other in zip(*found, strict=True):
            assert_array_equal(one, other)


@compiled
@pytest.mark.parametrize("n_classes", [4, 8, 13, 17, 21, 26, 33])
def test_the_reference_has_the_bits_of_any_number_of_classes(n_classes):
    rows, chain = random_class_rows(n_classes, n_classes), CHAINS[0][1:3]
    found = [follow(rows, chain, 0, backend, np.zeros((rows.n_rows, n_classes))) for backend in ("auto", "reference")]
    for one, other in zip(*found, strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_within_folds_does_not_matter(seed):
    rows, rng = random_class_rows(seed), np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in pairwise(np.append(0, rows.fold_ends))])
    permuted = replace(
        rows, codes=[own[order] for own in rows.codes], target=rows.target[order], weights=rows.weights[order]
    )
    nothing = np.zeros((rows.n_rows, rows.n_classes))
    one, other = (follow(each, CHAINS[1], None, "auto", nothing) for each in (rows, permuted))
    assert_array_equal(one[0][order], other[0])
    for a, b in zip(one[1:], other[1:], strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(draws(5, 12)))
def test_shapes_are_centered_and_leads_are_monotone(seed):
    rows = random_class_rows(seed)
    for member in (MEMBERS.final[0][1], MEMBERS.adaptive):
        fit = member.fit(rows, None, "auto")
        fit.run(list(range(rows.n_columns)), 3, 0.0)
        assert_allclose(fit.intercept.sum(), 0.0, atol=1e-8)
        for k, table in enumerate(fit.tables):
            assert_allclose(table.sum(axis=1), 0.0, atol=1e-8)
            leads = (table[:, rows.lead[k]][:, None] - table)[int(rows.missing[k]) :]
            assert (rows.monotone[k] * np.diff(leads, axis=0) > -1e-11).all()  # multiples of 2^-40


def additive_rows(seed, n_classes, n_rows=60):
    """Return two columns of four bins that know something of the class."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, n_classes, n_rows)
    codes = [np.where(rng.random(n_rows) < 0.4, target % 4, rng.integers(0, 4, n_rows)) for _ in "ab"]
    bases = [
        column_basis(np.bincount(own, minlength=4) + 0.0, (np.arange(4.0), (0, 3)), has_missing=False) for own in codes
    ]
    nothing, weights = np.zeros(2, dtype=np.int8), rng.integers(1, 3, n_rows) * 1.0
    ends = np.array([n_rows])
    return ShapeRows(codes, bases, nothing.astype(bool), nothing, target * 1.0, weights, ends, n_classes=n_classes)


@pytest.mark.parametrize("seed", range(draws(2, 5)))
def test_a_tied_member_reaches_the_penalized_optimum(seed):
    """The bound of the curvature decides how fast, not where to: levels are free, steps of each class are penalized."""
    n_classes, variance = 3 + seed, 0.5
    rows = additive_rows(seed, n_classes)
    truth = rows.target.astype(np.intp)

    def loss(x):
        intercepts, *tables = np.split(x, [n_classes, 5 * n_classes])
        tables = [table.reshape(4, n_classes) for table in tables]
        z = intercepts + tables[0][rows.codes[0]] + tables[1][rows.codes[1]]
        likelihood = rows.weights @ (logsumexp(z, axis=1) - z[np.arange(len(z)), truth])
        steps = [
            np.diff(each, axis=0) ** 2 / basis.gaps[:-1, None] for each, basis in zip(tables, rows.bases, strict=True)
        ]
        return likelihood + sum(each.sum() for each in steps) / (2 * variance)

    fit = make_shape_fit(rows, ShapePriors((variance,), (), (variance / 4,)), None)
    fit.run([0, 1], 400, 1e-10)
    best = minimize(loss, np.zeros(9 * n_classes), method="BFGS")
    found = loss(np.concatenate([fit.intercept, *(table.ravel() for table in fit.tables)]))
    assert_allclose(found, best.fun, rtol=1e-5)


def test_a_fit_that_begins_where_another_ended_arrives_sooner():
    rows = additive_rows(7, 4, n_rows=400)
    loose = MEMBERS.final[0][1]
    cold = loose.fit(rows, None, "auto")
    n_cold = cold.run([0, 1], 100, 1e-3)
    warm = loose.fit(rows, None, "auto", cold)
    assert_array_equal(warm.scores, cold.scores)
    assert warm.run([0, 1], 100, 1e-3) < n_cold
