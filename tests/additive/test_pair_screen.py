"""The screen of all pairs, against dense linear algebra; the core against its NumPy twin."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import every_loss, random_pair_rows
from draws import draws

from bayesieve._native import available
from bayesieve.additive.pair_screen import screen_basis, screen_pairs
from bayesieve.additive.rows import PairRows


def nothing():
    pass


@pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
@every_loss
@pytest.mark.parametrize("seed", range(draws(16, 60)))
def test_the_screen_has_the_bits_of_its_twin(seed, loss):
    rows, scores, _ = random_pair_rows(seed, loss, n_columns=8 + seed % 7)
    columns = np.flatnonzero(rows.n_bins > 1)
    core = screen_pairs(rows, scores, columns, nothing)
    twin = screen_pairs(replace(rows, backend="reference"), scores, columns, nothing)
    assert len(core) == len(columns) * (len(columns) - 1) // 2
    assert np.array_equal(core, twin)


def test_the_screen_is_that_of_the_definition():
    """Bayes factors of effects that are products of contrasts, by dense linear algebra."""
    random = np.random.default_rng(7)
    n_bins, n_rows = np.array([4, 3, 2, 4]), 800
    codes = (random.random((4, n_rows)) * n_bins[:, None]).astype(np.uint8)
    log_odds = random.normal(size=n_rows)
    target = (random.random(n_rows) < 0.5).astype(int)
    rows = PairRows(codes, n_bins, target, np.ones(n_rows), np.arange(n_rows) % 5)
    factors = screen_pairs(rows, log_odds[:, None], np.arange(4), nothing)
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
