"""Sums over rows for pairs of columns: the core against its NumPy twins, and both against the definition."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from draws import draws

from bayesieve._native import available
from bayesieve.additive import PairRows, cross_fit, fold_sums, log_likelihood, pair_sums, row_derivatives, screen_pairs
from bayesieve.additive.cross_fit import _fails
from bayesieve.additive.pair_rows import row_losses
from bayesieve.additive.screen_algebra import screen_basis

native = pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")


def random_rows(seed, n_columns=12):
    """Ties, copies of columns, columns of one bin, a single class, weights of 0, fractions."""
    random = np.random.default_rng(seed)
    n_rows = int(random.integers(1, 300)) if seed % 4 else int(random.integers(2000, 9000))
    n_bins = random.integers(1, 9, n_columns)
    codes = (random.random((n_columns, n_rows)) ** random.uniform(0.5, 3, (n_columns, 1)) * n_bins[:, None]).astype(
        np.uint8
    )
    if seed % 3 == 0:
        codes[1], n_bins[1] = codes[0], n_bins[0]
    target = (random.random(n_rows) < random.choice([0.0, 0.02, 0.5, 1.0])).astype(int)
    weights = [
        np.ones(n_rows),
        random.integers(0, 5, n_rows).astype(float),
        random.random(n_rows) * random.choice([1e-3, 1.0, 1e6]),
    ][seed % 3]
    fold = random.integers(0, random.integers(2, 7), n_rows)
    fold[0] = 1
    rows = PairRows(codes, n_bins, target, weights, fold, n_threads=int(random.integers(1, 4)))
    return rows, random.normal(size=n_rows) * random.choice([0.0, 0.5, 5.0, 300.0]), random


def nothing():
    pass


@native
@pytest.mark.parametrize("seed", range(draws(24, 60)))
def test_the_screen_has_the_bits_of_its_twin(seed):
    rows, log_odds, _ = random_rows(seed, n_columns=8 + seed % 7)
    columns = np.flatnonzero(rows.n_bins > 1)
    core = screen_pairs(rows, log_odds, columns, nothing)
    twin = screen_pairs(replace(rows, backend="reference"), log_odds, columns, nothing)
    assert len(core) == len(columns) * (len(columns) - 1) // 2
    assert np.array_equal(core, twin)


@native
@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_cells_have_the_bits_of_their_twins(seed):
    rows, log_odds, random = random_rows(seed)
    twin, derivatives = replace(rows, backend="reference"), row_derivatives(rows, log_odds)
    for a, b in zip(derivatives, row_derivatives(twin, log_odds), strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(row_losses(rows, log_odds), row_losses(twin, log_odds))
    pairs = [(a, b) for a in range(12) for b in range(12) if a != b]
    assert np.array_equal(pair_sums(rows, derivatives, pairs), pair_sums(twin, derivatives, pairs))
    for pair in (pairs[seed], pairs[-seed]):
        tables = random.normal(size=(rows.n_folds + 1, *rows.shape(pair)))
        for a, b in zip(fold_sums(rows, pair, log_odds, tables), fold_sums(twin, pair, log_odds, tables), strict=True):
            assert np.array_equal(a, b)


@native
@pytest.mark.parametrize("seed", range(draws(5, 40)))
def test_tables_have_the_bits_of_their_twins(seed):
    rows, log_odds, random = random_rows(seed)
    twin, pair = (
        replace(rows, backend="reference"),
        tuple(random.permutation(np.flatnonzero(rows.n_bins > 1))[:2].tolist()),
    )
    start = random.normal(size=(rows.n_folds + 1, *rows.shape(pair))) * random.choice([0.0, 0.1, 30.0])
    for own, n_steps in ((None, 3), (start, 2), (start[:1], 3), (start, 0)):
        tables = cross_fit(rows, pair, log_odds, own, n_steps).tables
        assert np.array_equal(tables, cross_fit(twin, pair, log_odds, own, n_steps).tables)


@native
def test_steps_that_fail_are_halved_as_the_twin_does(monkeypatch):
    rows, log_odds, random = random_rows(8)
    start, asked = random.normal(size=(rows.n_folds + 1, *rows.shape((0, 5)))) * 30.0, []
    compiled = cross_fit(rows, (0, 5), log_odds, start).tables

    def fails(*own):
        asked.append(_fails(*own))
        return asked[-1]

    monkeypatch.setattr(sys.modules[_fails.__module__], "_fails", fails)
    assert np.array_equal(compiled, cross_fit(replace(rows, backend="reference"), (0, 5), log_odds, start).tables)
    assert any(fails.any() for fails in asked)


@pytest.mark.parametrize("seed", [4, 5, 6, 8])
def test_sums_are_those_of_the_definition(seed):
    rows, log_odds, random = random_rows(seed)
    log_odds = np.clip(log_odds, -30, 30)
    pair = (0, 5)
    tables = random.normal(size=(rows.n_folds + 1, *rows.shape(pair)))
    sums = fold_sums(rows, pair, log_odds, tables)
    for k, table in enumerate(tables):
        shifted = log_odds + table[rows.codes[0], rows.codes[5]]
        weights, p = np.where(rows.fold == k, 0.0, rows.weights), 1.0 / (1.0 + np.exp(-shifted))
        expected = np.zeros((2, *table.shape))
        np.add.at(expected[0], (rows.codes[0], rows.codes[5]), weights * (rows.target - p))
        np.add.at(expected[1], (rows.codes[0], rows.codes[5]), weights * p * (1.0 - p))
        scale = rows.weights.sum()
        np.testing.assert_allclose(sums.gradient[k], expected[0], atol=1e-6 * scale)
        np.testing.assert_allclose(sums.curvature[k], expected[1], atol=1e-6 * scale)
        likelihood = -(weights * np.logaddexp(0.0, np.where(rows.target == 1, -shifted, shifted))).sum()
        assert sums.log_likelihood[k] == pytest.approx(likelihood, abs=1e-3 * scale)
    assert log_likelihood(rows, log_odds + tables[-1][rows.codes[0], rows.codes[5]]) == sums.log_likelihood[-1]


def test_the_screen_is_that_of_the_definition():
    """Bayes factors of effects that are products of contrasts, by dense linear algebra."""
    random = np.random.default_rng(7)
    n_bins, n_rows = np.array([4, 3, 2, 4]), 800
    codes = (random.random((4, n_rows)) * n_bins[:, None]).astype(np.uint8)
    log_odds = random.normal(size=n_rows)
    target = (random.random(n_rows) < 0.5).astype(int)
    rows = PairRows(codes, n_bins, target, np.ones(n_rows), np.arange(n_rows) % 5)
    factors = screen_pairs(rows, log_odds, np.arange(4), nothing)
    p, basis = 1.0 / (1.0 + np.exp(-log_odds)), screen_basis()
    for factor, a, b in zip(factors, *np.triu_indices(4, 1), strict=True):
        shape = n_bins[a], n_bins[b]
        g, h = np.zeros((2, *shape))
        np.add.at(g, (codes[a], codes[b]), target - p)
        np.add.at(h, (codes[a], codes[b]), p * (1.0 - p))
        g, h = g.ravel(), h.ravel()
        of_a, of_b = (basis.contrasts[n, :n, :n] for n in shape)
        products = np.kron(of_a, of_b).reshape(len(g), *shape)
        is_margin = np.add.outer(np.arange(shape[0]) == 0, np.arange(shape[1]) == 0) > 0
        margins, inner = products[:, is_margin], products[:, ~is_margin]
        half = inner @ np.kron(basis.halves[shape[0], : shape[0] - 1], basis.halves[shape[1], : shape[1] - 1])
        values = []
        for t2 in basis.squared_scales:
            for kernel in (inner @ inner.T, np.outer(half, half)):
                free = 1e4 * margins @ margins.T
                values.append(log_marginal(g, h, free + t2 * kernel) - log_marginal(g, h, free))
        assert factor == pytest.approx(np.log(np.mean(np.exp(values))), abs=1e-3)


def log_marginal(gradient, curvature, covariance):
    m = np.eye(len(gradient)) + curvature[:, None] * covariance
    return 0.5 * gradient @ covariance @ np.linalg.solve(m, gradient) - 0.5 * np.linalg.slogdet(m)[1]


@pytest.mark.parametrize(("name", "value"), [("n_bins", 9), ("n_bins", 1), ("weights", -1.0)])
def test_what_does_not_fit_is_refused(name, value):
    rows = {
        "codes": np.array([[1]], dtype=np.uint8),
        "n_bins": np.array([2]),
        "target": np.array([1]),
        "weights": np.array([1.0]),
        "fold": np.array([0]),
    }
    PairRows(**rows)
    with pytest.raises(ValueError, match=r"n_bins|Weights"):
        PairRows(**(rows | {name: np.array([value])}))
