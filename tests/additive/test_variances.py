"""Posterior variances against dense linear algebra, and the core against its specification."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import every_loss, random_rows
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve.additive.cell_prior import PairAxis, Resolution, TablePrior, pair_design, posterior_tables
from bayesieve.additive.cell_variances import cell_variances
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.members import AdditiveFit, members_at_end, members_of_path
from bayesieve.additive.priors import column_basis
from bayesieve.additive.rows import AdditiveRows
from bayesieve.additive.stack import Stack
from bayesieve.additive.variances import FitVariances, column_posteriors
from bayesieve.exact import to_fixed
from bayesieve.models.intervals import log_odds_errors
from bayesieve.models.model import Evidence

SIZES = {"numbers": 12, "few": 4, "categories": 5}


def make_rows(kinds, n_classes, seed=0, n_rows=400):
    """Return rows of independent columns of so many bins each, whose order in the table does not matter."""
    rng = np.random.default_rng(seed)
    codes, bases = [], []
    for kind in kinds:
        n_bins = SIZES[kind]
        own = rng.permutation(np.arange(n_rows) % n_bins)
        values = None if kind == "categories" else (np.arange(float(n_bins)), (0.0, float(n_bins)))
        codes.append(own.astype(np.uint16))
        bases.append(column_basis(np.bincount(own).astype(np.float64), values, has_missing=False))
    none, target = np.zeros(len(kinds)), rng.integers(0, n_classes, n_rows).astype(np.float64)
    rows = AdditiveRows(
        codes, bases, none.astype(bool), none.astype(np.int8), target, rng.integers(1, 4, n_rows) * 1.0,
        np.array([n_rows]), loss=loss_of_classes(n_classes),
    )  # fmt: skip
    tables = [0.5 * rng.normal(size=(len(basis.gaps), rows.loss.n_scores)) for basis in bases]
    return rows, tables, 0.3 * rng.normal(size=rows.loss.n_scores)


def make_fit(rows, tables, intercept, member):
    """Return a fit whose stack has one member of the path alone."""
    n = len(members_of_path(rows))
    weights = np.where(np.arange(n) == member, 1.2, 0.0)
    stack = Stack(weights, np.zeros((n, rows.loss.n_scores)), intercept)
    nothing = np.zeros((rows.n_rows, rows.loss.n_scores))
    return AdditiveFit(tuple(range(rows.n_columns)), intercept, tables, nothing, nothing, (), nothing, stack)


def prior_precision(basis, member):
    """Return the precision of a column's table; that of its level is nearly 0."""
    n = len(basis.gaps)
    if basis.nominal:
        return np.eye(n) / member.categories[0]
    steps = np.diff(np.eye(n), axis=0)
    covariance = np.linalg.inv(steps.T @ (steps / (member.walks[0] * basis.gaps[:-1, None])) + 1e-7 * np.eye(n))
    for x in (basis.line, basis.square) if member.curve and n > 3 else ():
        covariance += member.curve * np.outer(x, x)
    return np.linalg.inv(covariance)


def dense_variances(rows, tables, intercept, member):
    """Return the covariance of the scores of each row by the Laplace approximation, all terms together."""
    n_scores = rows.loss.n_scores
    sizes = [1, *(len(basis.gaps) for basis in rows.bases)]
    design = np.concatenate(
        [np.ones((rows.n_rows, 1)), *(np.eye(n)[own] for n, own in zip(sizes[1:], rows.codes, strict=True))], axis=1
    )
    scores = intercept + sum(table[own] for table, own in zip(tables, rows.codes, strict=True))
    p = rows.loss.mean(scores)
    by_row = p[:, :, None] * (np.eye(n_scores) - p[:, None, :])
    information = np.einsum("i,ia,ib,ipq->apbq", rows.weights, design, design, by_row)
    ends = np.cumsum(sizes)
    for basis, first, last in zip(rows.bases, ends, ends[1:], strict=False):
        for q in range(n_scores):
            information[first:last, q, first:last, q] += prior_precision(basis, member)
    for q in range(n_scores):  # of classes, only differences are determined
        information[0, q, 0, q] += 1e-7
    n = len(design.T) * n_scores
    covariance = np.linalg.inv(information.reshape(n, n)).reshape(information.shape)
    return np.einsum("ia,ib,apbq->ipq", design, design, covariance)


def row_variances(rows, variances):
    """Return the sum of the variances of all terms of each row."""
    own = zip(variances.columns, rows.codes, strict=True)
    return variances.intercept + sum(column[codes] for column, codes in own)


@pytest.mark.parametrize("member", [0, 1, 2], ids=["walk", "stiff", "curve"])
def test_a_column_of_numbers_has_the_dense_posterior(member):
    rows, tables, intercept = make_rows(["numbers"], 2)
    expected = dense_variances(rows, tables, intercept, members_of_path(rows)[member])[:, 0]
    found = row_variances(rows, FitVariances(rows, None, "auto")(make_fit(rows, tables, intercept, member)))
    assert_allclose(found, expected, rtol=1e-3)


@pytest.mark.parametrize("member", [0, 1, 2], ids=["walk", "stiff", "curve"])
@pytest.mark.parametrize("kinds", [["categories"], ["numbers", "few", "categories"], ["categories"] * 4])
def test_independent_columns_nearly_have_the_joint_posterior(kinds, member):
    rows, tables, intercept = make_rows(kinds, 2, seed=1)
    expected = dense_variances(rows, tables, intercept, members_of_path(rows)[member])[:, 0, 0]
    found = row_variances(rows, FitVariances(rows, None, "auto")(make_fit(rows, tables, intercept, member)))[:, 0]
    assert 0.9 < found.mean() / expected.mean() < 1.1
    assert_allclose(found, expected, rtol=0.35)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_log_odds_of_classes_nearly_have_the_joint_posterior(n_classes):
    rows, tables, intercept = make_rows(["numbers", "categories"], n_classes, seed=2, n_rows=600)
    expected = dense_variances(rows, tables, intercept, members_of_path(rows)[0])
    fit = make_fit(rows, tables, intercept, 0)
    scores = intercept + sum(table[own] for table, own in zip(tables, rows.codes, strict=True))
    p, found = rows.loss.mean(scores), row_variances(rows, FitVariances(rows, None, "auto")(fit))
    errors = log_odds_errors(Evidence(to_fixed(scores.T), of_model=True), found.T)
    for c in range(n_classes):
        slope = np.where(np.arange(n_classes) == c, 1.0, -p / (1.0 - p[:, [c]]))
        joint = np.einsum("ip,iq,ipq->i", slope, slope, expected)
        assert 0.9 < (errors[c] ** 2).mean() / joint.mean() < 1.1


@every_loss
@pytest.mark.parametrize("seed", range(12))
def test_the_core_has_the_bits_of_its_specification(loss, seed):
    rows, rng = random_rows(seed, loss=loss), np.random.default_rng(seed)
    shape = int(rows.offsets[-1]), rows.loss.n_scores
    slopes, curvatures = rng.normal(size=shape) * 5.0, rng.gamma(0.3, 20.0, size=shape)
    curvatures[rng.random(shape) < 0.2] = 0.0
    for member in (*members_of_path(rows), *members_at_end(rows.loss)):
        found = column_posteriors(rows, member, slopes, curvatures)
        expected = column_posteriors(rows, member, slopes, curvatures, "reference")
        for own, other in zip(found, expected, strict=True):
            assert_array_equal(own, other)


@pytest.mark.parametrize("seed", range(4))
def test_tables_without_a_level_have_no_mean(seed):
    rows = random_rows(seed)
    curvatures = np.random.default_rng(seed).gamma(1.0, 3.0, size=(int(rows.offsets[-1]), 1))
    slopes = curvatures * np.random.default_rng(seed).normal(size=curvatures.shape)
    for member in members_at_end(rows.loss):
        means, variances = column_posteriors(rows, member, slopes, curvatures)
        for begin, end in zip(rows.offsets, rows.offsets[1:], strict=False):
            assert_allclose((curvatures * means)[begin:end].sum(), 0.0, atol=1e-9)
        assert (variances >= 0.0).all()


def test_a_missing_value_that_is_neutral_has_no_likelihood():
    rows, tables, intercept = make_rows(["numbers", "categories"], 2)
    mass = np.bincount(rows.codes[0], weights=rows.weights)
    neutral = replace(rows, missing=np.array([True, False]), neutral=[mass, None])
    fit = make_fit(neutral, tables, intercept, 0)
    before = FitVariances(neutral, None, "auto")(fit).columns[0]
    flipped = replace(neutral, target=np.where(rows.codes[0] == 0, 1.0 - rows.target, rows.target))
    assert_array_equal(before, FitVariances(flipped, None, "auto")(fit).columns[0])


def dense_cells(design, slopes, curvatures):
    """Return posterior mean and variance of a table by the inverse of the joint precision of margins and cells."""
    x, h, g, found = design.margins, curvatures.ravel(), slopes.ravel(), []
    projection = np.eye(len(h)) - x.T @ np.linalg.solve((x * h) @ x.T + np.eye(len(x)), x * h)
    for a, b in design.roots:
        root = np.kron(a, b)
        both = np.concatenate([x.T, root], axis=1)
        own = projection @ root
        for t2 in design.squared_scales:
            prior = np.concatenate([np.ones(len(x)), np.full(root.shape[1], 1.0 / t2)])
            covariance = np.linalg.inv(both.T @ (h[:, None] * both) + np.diag(prior))
            z = both.T @ g
            evidence = 0.5 * z @ covariance @ z + 0.5 * np.linalg.slogdet(covariance)[1] + 0.5 * np.log(prior).sum()
            cells = covariance[len(x) :, len(x) :]
            found.append((evidence, own @ (covariance @ z)[len(x) :], np.diag(own @ cells @ own.T)))
    logs, means, variances = map(np.array, zip(*found, strict=True))
    weights = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    mean = weights @ means
    return mean, weights @ (variances + means**2) - mean**2


@pytest.mark.parametrize(
    "prior", [TablePrior((0.5, 2.0), (Resolution(8, 8),)), TablePrior((0.1, 1.0), (Resolution(4, 4), Resolution(2, 8)))]
)
@pytest.mark.parametrize("shape", [(8, 8), (3, 6), (2, 2)])
def test_cells_of_a_pair_have_the_dense_posterior(prior, shape):
    rng = np.random.default_rng(3)
    curvatures = rng.gamma(0.5, 8.0, size=shape)
    slopes, design = curvatures * rng.normal(size=shape), pair_design(*map(PairAxis, shape), prior)
    mean, variance = dense_cells(design, slopes, curvatures)
    assert_allclose(cell_variances(design, slopes, curvatures).ravel(), variance, rtol=1e-9)
    assert_allclose(posterior_tables(design, slopes[None], curvatures[None])[1].ravel(), mean, atol=1e-9)
