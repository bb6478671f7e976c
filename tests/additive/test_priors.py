"""The basis of a column, and posteriors of its table: by dense linear algebra, integrals and isotonic regression."""

import numpy as np
import pytest
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import dblquad, quad
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression

from bayesieve.additive.priors import ShapeBasis, ShapePriors, column_basis, make_monotone, shape_posterior

SEEDS = pytest.mark.parametrize("seed", range(draws(8, 20)))


def random_column(seed, n_bins=None, *, nominal=False):
    """Return a basis, and slopes that sum to zero with curvatures, of which some bins have none."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12)) if n_bins is None else n_bins
    curvatures = rng.gamma(1.0, 5.0, n)
    if n > 3:
        curvatures[int(rng.integers(n))] = 0.0
    slopes = rng.normal(size=n) * np.sqrt(curvatures)
    slopes -= curvatures * slopes.sum() / curvatures.sum()
    basis = ShapeBasis(rng.uniform(0.05, 1.0, n), *rng.normal(size=(3, n)), nominal=nominal)
    return basis, slopes, curvatures


def hold(curvatures):
    """Return the precision of the level of a walk."""
    return 1e-4 * curvatures.sum() / len(curvatures) + 1e-12


def walk_precision(basis, t, curvatures):
    """Return the prior precision of a walk, with its level held."""
    n = len(curvatures)
    steps = np.diff(np.eye(n), axis=0)
    precision = steps.T @ np.diag(1.0 / (t * basis.gaps[: n - 1])) @ steps
    precision[0, 0] += hold(curvatures)
    return precision


def dense_posterior(precision, slopes, curvatures):
    """Return mean, variances and log Bayes factor under a Gaussian prior, by matrices."""
    inverse = np.linalg.inv(precision + np.diag(curvatures))
    mean = inverse @ slopes
    log_determinants = [np.linalg.slogdet(each)[1] for each in (precision + np.diag(curvatures), precision)]
    return mean, np.diag(inverse), 0.5 * slopes @ mean - 0.5 * np.subtract(*log_determinants)


def level_share(curvatures):
    """Return what a level alone, which is free, would lose: a Bayes factor is against a constant."""
    return 0.5 * np.log((curvatures.sum() + hold(curvatures)) / hold(curvatures))


@SEEDS
def test_walks(seed):
    basis, slopes, curvatures = random_column(seed)
    walks = (0.02, 0.5, 12.0, 300.0)
    posterior = shape_posterior(basis, ShapePriors(walks, (), ()), slopes, curvatures)
    for m, t in enumerate(walks, start=1):
        precision = walk_precision(basis, t, curvatures)
        mean, variance, factor = dense_posterior(precision, slopes, curvatures)
        assert_allclose(posterior.mean[m], mean, rtol=1e-6, atol=1e-8)
        assert_allclose(posterior.variance[m], variance, rtol=1e-6)
        assert_allclose(posterior.log_bayes_factor[m], factor + level_share(curvatures), rtol=1e-6, atol=1e-6)


@SEEDS
def test_lines(seed):
    basis, slopes, curvatures = random_column(seed)
    posterior = shape_posterior(basis, ShapePriors((), (0.02, 0.2), ()), slopes, curvatures)
    lines = [(x, t) for x in (basis.line, basis.rank) for t in (0.02, 0.2)]
    for m, (x, t) in enumerate(lines, start=1):
        variance = 1.0 / (1.0 / t + x @ np.diag(curvatures) @ x)
        slope = variance * (x @ slopes)

        def density(b, x=x, t=t, slope=slope):
            return np.exp(b * (x @ slopes) - b * b * (curvatures @ x**2) / 2 - b * b / (2 * t)) / np.sqrt(2 * np.pi * t)

        reach = 12.0 * np.sqrt(variance)
        evidence, _ = quad(density, slope - reach, slope + reach, epsabs=0.0)
        assert_allclose(posterior.mean[m], slope * x)
        assert_allclose(posterior.variance[m], variance * x**2)
        assert_allclose(posterior.log_bayes_factor[m], np.log(evidence), rtol=1e-8, atol=1e-10)


@SEEDS
def test_categories(seed):
    basis, slopes, curvatures = random_column(seed, nominal=True)
    variances = (0.03, 0.1, 1.6)
    posterior = shape_posterior(basis, ShapePriors((), (), variances), slopes, curvatures)
    for m, t in enumerate(variances, start=1):
        mean, variance, factor = dense_posterior(np.eye(len(slopes)) / t, slopes, curvatures)
        assert_allclose(posterior.mean[m], mean, atol=1e-14)
        assert_allclose(posterior.variance[m], variance)
        assert_allclose(posterior.log_bayes_factor[m], factor, atol=1e-12)


@SEEDS
def test_curves(seed):
    n = 4 + seed % 8
    basis, slopes, curvatures = random_column(seed, n)
    t, tau = 0.5, 0.2
    posterior = shape_posterior(basis, ShapePriors((t,), (), (), curve=tau), slopes, curvatures)
    lines = np.column_stack([basis.line, basis.square])
    covariance = np.linalg.inv(walk_precision(basis, t, curvatures)) + tau * lines @ lines.T
    mean, _, factor = dense_posterior(np.linalg.inv(covariance), slopes, curvatures)
    assert_allclose(posterior.mean[1], mean, rtol=1e-5, atol=1e-7)
    assert_allclose(posterior.log_bayes_factor[1], factor + level_share(curvatures), rtol=1e-6, atol=1e-6)


def test_curves_of_three_bins_are_walks():
    basis, slopes, curvatures = random_column(0, 3)
    walk, curve = (
        shape_posterior(basis, ShapePriors((0.5,), (), (), curve=tau), slopes, curvatures) for tau in (0.0, 0.2)
    )
    np.testing.assert_array_equal(walk.mean, curve.mean)


def test_evidence_of_a_walk_over_two_bins_by_integration():
    """The level has a wide prior in both models, and only the step distinguishes them."""
    basis, slopes, curvatures = random_column(3, 2)
    t = 0.5
    held, spread = hold(curvatures), t * basis.gaps[0]

    def joint(step, level):
        s = np.array([level, level + step])
        prior = -held * level**2 / 2 - step**2 / (2 * spread) - np.log(2 * np.pi * spread) / 2
        return np.exp(slopes @ s - curvatures @ s**2 / 2 + prior)

    def constant(level):
        return np.exp(slopes.sum() * level - curvatures.sum() * level**2 / 2 - held * level**2 / 2)

    wide = 12.0 / np.sqrt(curvatures.sum())
    reach = 12.0 * np.sqrt(spread)
    with_step, _ = dblquad(joint, -wide - reach, wide + reach, -reach, reach, epsabs=0.0, epsrel=1e-9)
    without, _ = quad(constant, -wide, wide, epsabs=0.0)
    posterior = shape_posterior(basis, ShapePriors((t,), (), ()), slopes, curvatures)
    assert_allclose(posterior.log_bayes_factor[1], np.log(with_step / without), rtol=1e-5)


@SEEDS
@pytest.mark.parametrize("nominal", [False, True])
def test_several_likelihoods_at_once_have_the_bits_of_each_alone(seed, nominal):
    """The NumPy twin of many classes is as fast as it is because it has one call for all of them."""
    n = 2 + seed % 9
    basis, _, _ = random_column(seed, n, nominal=nominal)
    slopes, curvatures = np.array([random_column(100 * seed + k, n)[1:] for k in range(6)]).transpose(1, 0, 2)
    priors = ShapePriors((0.02, 0.5, 12.0), (0.02, 0.2), (0.03, 1.6), curve=0.2)
    together = shape_posterior(basis, priors, slopes, curvatures)
    for k in range(6):
        alone = shape_posterior(basis, priors, slopes[k], curvatures[k])
        np.testing.assert_array_equal(together.mean[k], alone.mean)
        np.testing.assert_array_equal(together.variance[k], alone.variance)
        np.testing.assert_array_equal(together.log_bayes_factor[k], alone.log_bayes_factor)


def test_nothing_comes_first():
    basis, slopes, curvatures = random_column(0)
    posterior = shape_posterior(basis, ShapePriors((0.5,), (0.1,), ()), slopes, curvatures)
    assert len(posterior.log_bayes_factor) == ShapePriors((0.5,), (0.1,), ()).n_components(nominal=False) == 4
    assert not posterior.mean[0].any()
    assert not posterior.variance[0].any()
    assert posterior.log_bayes_factor[0] == 0.0


@SEEDS
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("begin", [0, 1])
def test_monotone_sequences_are_isotonic_regressions(seed, sign, begin):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    x, weights = rng.integers(-5, 6, n) / 2.0, rng.gamma(1.0, 1.0, n) + 1e-3
    found = make_monotone(x, weights, begin, sign)
    isotonic, place = IsotonicRegression(increasing=sign > 0), np.arange(n - begin)
    expected = isotonic.fit(place, x[begin:], sample_weight=weights[begin:]).predict(place)
    assert_allclose(found[begin:], expected, atol=1e-12)
    assert (sign * np.diff(found[begin:]) >= 0).all()
    np.testing.assert_array_equal(found[:begin], x[:begin])


@pytest.mark.parametrize("has_missing", [False, True])
def test_lines_of_a_column_of_numbers(has_missing):
    rng = np.random.default_rng(0)
    mass = rng.integers(1, 50, 9).astype(np.float64)
    first = int(has_missing)
    means = np.sort(rng.normal(size=9 - first))
    basis = column_basis(mass, (means, (means[1], means[-2])), has_missing=has_missing)
    own = mass[first:] / mass.sum()
    for line in (basis.line, basis.rank, basis.square):
        assert_array_equal(line[:first], 0.0)
        assert_allclose([own @ line[first:], own @ line[first:] ** 2], [0.0, 1.0], atol=1e-6)
    assert own @ (basis.line * basis.square)[first:] == pytest.approx(0.0, abs=1e-6)
    assert basis.line[first] == basis.line[first + 1]  # clipped
    shares = (np.cumsum(mass[first:]) - mass[first:] / 2) / mass[first:].sum()
    assert np.corrcoef(basis.rank[first:] - own @ basis.rank[first:], norm.ppf(shares))[0, 1] == pytest.approx(1.0)
    # Half of the variance is shared equally by the steps between numbers, half by the rows on both sides.
    n_steps = 8 - first
    steps = (1.0 / n_steps + (mass[1:] + mass[:-1]) / 2 / mass.sum()) / 2
    assert_allclose(basis.gaps[first:-1], steps[first:], atol=1e-6)
    assert basis.gaps[-1] == 1.0
    assert not has_missing or basis.gaps[0] == 1.0


def test_normal_scores_of_the_rarest_ranks_are_clipped():
    basis = column_basis(np.array([1.0, 10.0, 1e6, 10.0, 1.0]), (np.arange(5.0), (0.0, 4.0)), has_missing=False)
    assert basis.rank[0] == basis.rank[1] < basis.rank[2] < basis.rank[3] == basis.rank[4]
    assert basis.line[0] < basis.line[1]
