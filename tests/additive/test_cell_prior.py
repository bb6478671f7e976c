"""Log Bayes factors and tables of pairs, against dense linear algebra and quadrature."""

import numpy as np
import pytest

from bayesieve._native import available
from bayesieve.additive.cell_prior import (
    SEARCH_PRIOR,
    PairAxis,
    Resolution,
    TablePrior,
    axis_blocks,
    joint_factors,
    log_bayes_factors,
    model_priors,
    pair_design,
    posterior_margins,
    posterior_tables,
    weak_prior,
)
from bayesieve.additive.constants import CELL_SCALES
from bayesieve.additive.loss import loss_of_classes

SHAPES = [(2, 2), (2, 3), (3, 5), (4, 4), (8, 2), (5, 8), (8, 8)]


def log_marginal(gradient, curvature, covariance):
    """The logarithm of the mean of exp(G'u - u'Hu / 2) over u ~ N(0, C)."""
    m = np.eye(len(gradient)) + curvature[:, None] * covariance
    return 0.5 * gradient @ covariance @ np.linalg.solve(m, gradient) - 0.5 * np.linalg.slogdet(m)[1]


def plain(shape, prior=SEARCH_PRIOR):
    """Return the design of tables of two columns whose bins all resemble their neighbors."""
    return pair_design(*map(PairAxis, shape), prior)


def dense(gradient, curvature, prior=SEARCH_PRIOR, design=None):
    """The definition: average Bayes factor and average posterior mean, less its projection on the margins."""
    g, h = gradient.ravel(), curvature.ravel()
    design = plain(gradient.shape, prior) if design is None else design
    x = design.margins.T
    factors, means = [], []
    for a, b in design.roots:
        kernel = np.kron(a @ a.T, b @ b.T)
        for variance in prior.variances:
            covariance = x @ x.T + variance * kernel
            factors.append(log_marginal(g, h, covariance) - log_marginal(g, h, x @ x.T))
            means.append(variance * kernel @ np.linalg.solve(np.eye(len(g)) + h[:, None] * covariance, g))
    weights = np.exp(np.array(factors) - max(factors))
    mean = weights / weights.sum() @ np.array(means)
    projection = x @ np.linalg.solve(x.T @ (h[:, None] * x) + np.eye(x.shape[1]), x.T * h)
    return max(factors) + np.log(weights.mean()), (mean - projection @ mean).reshape(gradient.shape)


def dense_effects(gradient, curvature):
    """The definition of the posterior mean of all effects, margins included."""
    g, h = gradient.ravel(), curvature.ravel()
    design = plain(gradient.shape)
    margins, factors, means = design.margins.T @ design.margins, [], []
    for a, b in design.roots:
        for t in CELL_SCALES:
            covariance = margins + t**2 * np.kron(a @ a.T, b @ b.T)
            factors.append(log_marginal(g, h, covariance))
            means.append(covariance @ np.linalg.solve(np.eye(len(g)) + h[:, None] * covariance, g))
    weights = np.exp(np.array(factors) - max(factors))
    return (weights / weights.sum() @ np.array(means)).reshape(gradient.shape)


def random_sums(shape, n, seed, size=30.0):
    random = np.random.default_rng(seed)
    curvature = size * random.random((n, *shape)) * (random.random((n, *shape)) < 0.8)
    return 2.0 * random.normal(size=curvature.shape) * np.sqrt(curvature), curvature


def test_the_oracle_is_an_integral():
    gradient, curvature = np.array([1.5, -0.5]), np.array([2.0, 0.7])
    covariance = np.array([[0.5, 0.2], [0.2, 0.8]])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    root = np.linalg.cholesky(covariance)
    total = 0.0
    for x, wx in zip(nodes, weights, strict=True):
        for y, wy in zip(nodes, weights, strict=True):
            u = root @ np.array([x, y])
            total += wx * wy * np.exp(gradient @ u - 0.5 * curvature @ u**2)
    assert np.log(total / (2 * np.pi)) == pytest.approx(log_marginal(gradient, curvature, covariance), rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_factors_and_tables_are_those_of_the_definition(shape):
    gradients, curvatures = random_sums(shape, 5, seed=1)
    factors, tables = posterior_tables(plain(gradients.shape[1:]), gradients, curvatures)
    for g, h, factor, table in zip(gradients, curvatures, factors, tables, strict=True):
        expected = dense(g, h)
        assert factor == pytest.approx(expected[0], abs=1e-5)
        np.testing.assert_allclose(table, expected[1], atol=1e-6)
    assert np.array_equal(log_bayes_factors(plain(gradients.shape[1:]), gradients, curvatures), factors)


FINE = [
    (PairAxis(32), PairAxis(32)),
    (PairAxis(30, (0, 29)), PairAxis(32, (7,))),
    (PairAxis(8, tuple(range(8))), PairAxis(20)),
    (PairAxis(2), PairAxis(32)),
    (PairAxis(9), PairAxis(5, (0,))),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("axes", FINE)
def test_tables_of_a_model_are_those_of_the_definition(axes, n_classes):
    sums = random_sums((axes[0].n_bins, axes[1].n_bins), 2, seed=6)
    tuning = loss_of_classes(n_classes).tuning
    for prior in (*model_priors(tuning), weak_prior(tuning)):
        assert max(prior.variances) == (4.0 if n_classes == 2 else 1.0)
        design = pair_design(*axes, prior)
        assert len(design.roots) == 1
        factors, tables = posterior_tables(design, *sums)
        for g, h, factor, table in zip(*sums, factors, tables, strict=True):
            expected = dense(g, h, prior, design)
            assert factor == pytest.approx(expected[0], abs=1e-4)
            np.testing.assert_allclose(table, expected[1], atol=1e-5)


@pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
@pytest.mark.parametrize("axes", FINE)
def test_the_core_has_the_bits_of_its_twin_in_tables_of_a_model(axes):
    sums = random_sums((axes[0].n_bins, axes[1].n_bins), 2, seed=7)
    for prior in model_priors(loss_of_classes(2).tuning):
        design = pair_design(*axes, prior)
        core, twin = (posterior_tables(design, *sums, backend=each) for each in ("auto", "reference"))
        for one, other in zip(core, twin, strict=True):
            assert np.array_equal(one, other)


def test_blocks_have_equally_many_bins_and_unlike_bins_alone():
    assert axis_blocks(PairAxis(8), 4).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert axis_blocks(PairAxis(8, (0,)), 2).tolist() == [0] + [1] * 7
    assert axis_blocks(PairAxis(7, (0, 6)), 4).tolist() in ([0, 1, 1, 1, 2, 2, 3], [0, 1, 1, 2, 2, 2, 3])
    assert axis_blocks(PairAxis(3, (0,)), 8).tolist() == [0, 1, 2]
    assert axis_blocks(PairAxis(8, tuple(range(8))), 4).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]  # categories


def test_effects_are_interpolated_between_centers_but_not_across_unlike_bins():
    smooth = TablePrior((1.0,), (Resolution(4, 4, True),))
    a, b = pair_design(PairAxis(8), PairAxis(9, (0,)), smooth).roots[0]
    blocks = np.linalg.cholesky(1.0 - np.abs(np.subtract.outer(range(4), range(4))) / 4)  # centers at 0.5, 2.5, ...
    expected = [np.interp(np.arange(8), [0.5, 2.5, 4.5, 6.5], column) for column in blocks.T]
    np.testing.assert_allclose(a, np.array(expected).T, atol=1e-6)
    np.testing.assert_allclose(b[0], blocks[0], atol=1e-6)
    centers = [np.flatnonzero(axis_blocks(PairAxis(9, (0,)), 4) == k).mean() for k in range(1, 4)]
    others = [np.interp(np.arange(1, 9), centers, column[1:]) for column in blocks.T]
    np.testing.assert_allclose(b[1:], np.array(others).T, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_margins_and_tables_add_up_to_the_effects_of_cells(shape):
    gradients, curvatures = random_sums(shape, 5, seed=3)
    tables, margins = (
        posterior_tables(plain(gradients.shape[1:]), gradients, curvatures)[1],
        posterior_margins(plain(gradients.shape[1:]), gradients, curvatures),
    )
    for g, h, table, margin in zip(gradients, curvatures, tables, margins, strict=True):
        np.testing.assert_allclose(table + margin, dense_effects(g, h), atol=1e-5)


@pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1e-3, 30.0, 1e6])
def test_the_core_has_the_bits_of_its_twin(shape, size):
    sums = random_sums(shape, 40, seed=2, size=size)
    sums[0][0] = sums[1][0] = 0.0
    for core, twin in zip(
        posterior_tables(plain(shape), *sums, 2),
        posterior_tables(plain(shape), *sums, backend="reference"),
        strict=True,
    ):
        assert np.array_equal(core, twin)
    assert np.array_equal(
        log_bayes_factors(plain(shape), *sums), log_bayes_factors(plain(shape), *sums, backend="reference")
    )
    assert np.array_equal(
        posterior_margins(plain(shape), *sums), posterior_margins(plain(shape), *sums, backend="reference")
    )


def test_no_rows_are_no_evidence():
    factors, tables = posterior_tables(plain((4, 5)), np.zeros((1, 4, 5)), np.zeros((1, 4, 5)))
    assert abs(factors[0]) < 1e-12
    assert not tables.any()


@pytest.mark.parametrize("shape", SHAPES)
def test_margins_have_no_table(shape):
    random = np.random.default_rng(3)
    h = 100.0 * random.random((1, *shape))
    curves = 0.5 * random.normal(size=(1, shape[0], 1)) + 0.5 * random.normal(size=(1, 1, shape[1]))
    factors, tables = posterior_tables(plain(shape), h * curves, h)
    assert factors[0] < 0.0
    assert np.abs(tables).max() < 0.05


def test_a_table_has_no_margins():
    random = np.random.default_rng(4)
    h = 50.0 + 100.0 * random.random((1, 8, 8))
    _, tables = posterior_tables(plain((8, 8)), h * random.normal(size=h.shape), h)
    for axis in (1, 2):
        assert np.abs((h * tables).sum(axis=axis) / h.sum(axis=axis)).max() < 0.02 * np.abs(tables).max()


def test_a_transposed_table_has_the_same_evidence():
    gradients, curvatures = random_sums((3, 8), 10, seed=5)
    factors, tables = posterior_tables(plain(gradients.shape[1:]), gradients, curvatures)
    other = posterior_tables(plain((8, 3)), gradients.transpose(0, 2, 1), curvatures.transpose(0, 2, 1))
    np.testing.assert_allclose(other[0], factors, atol=1e-7)
    np.testing.assert_allclose(other[1], tables.transpose(0, 2, 1), atol=1e-7)


def test_evidence_of_several_scores_is_an_average_over_which_have_an_effect():
    factors = np.random.default_rng(0).normal(scale=4.0, size=(3, 20))
    expected = []
    for own in factors.T:
        by_share = []
        for share in (0.125, 0.5):
            total = 0.0
            for effects in np.ndindex(2, 2, 2):
                chance = np.prod([share if each else 1.0 - share for each in effects])
                total += chance * np.exp(sum(factor for factor, each in zip(own, effects, strict=True) if each))
            by_share.append(total)
        expected.append(np.log(np.mean(by_share)))
    np.testing.assert_allclose(joint_factors(factors), expected, rtol=1e-12)
    np.testing.assert_array_equal(joint_factors(factors[:1]), factors[0])
