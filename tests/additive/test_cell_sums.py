"""Sums over rows per cell of pairs of columns, against the definition."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import every_loss, random_pair_rows
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from bayesieve.additive.pair_tables import fold_sums, log_likelihood, pair_sums, row_derivatives


@every_loss
@pytest.mark.parametrize("seed", [4, 5, 6, 8])
def test_sums_are_those_of_the_definition(seed, loss):
    rows, scores, random = random_pair_rows(seed, loss)
    scores, pair, cells = np.clip(scores, -30, 30), (0, 5), (rows.codes[0], rows.codes[5])
    tables, n_scores = random.normal(size=(rows.n_folds + 1, *rows.shape(pair), scores.shape[1])), scores.shape[1]
    sums, own, scale = fold_sums(rows, pair, scores, tables), rows.target.astype(int), rows.weights.sum()
    for k, table in enumerate(tables):
        z = rows.loss.class_scores(scores + table[cells])
        weights, p = np.where(rows.fold == k, 0.0, rows.weights), np.exp(z - logsumexp(z, axis=1)[:, None])
        curvature = p * (1.0 - p) if loss == "logistic" else p * np.minimum(2.0 * (1.0 - p), 1.0)
        gradient = np.eye(z.shape[1])[own] - p
        for found, of_rows in ((sums.gradient, gradient), (sums.curvature, curvature)):
            expected = np.zeros(table.shape)
            np.add.at(expected, cells, weights[:, None] * of_rows[:, -n_scores:])
            assert_allclose(found[k], expected, atol=1e-6 * scale)
        likelihood = weights @ (z[np.arange(len(z)), own] - logsumexp(z, axis=1))
        assert sums.log_likelihood[k] == pytest.approx(likelihood, abs=1e-3 * scale)
    assert log_likelihood(rows, scores + tables[-1][cells]) == sums.log_likelihood[-1]


@every_loss
def test_derivatives_are_those_of_the_log_likelihood(loss):
    rows, scores, random = random_pair_rows(2, loss)
    rows = replace(rows, weights=random.integers(0, 3, rows.n_rows).astype(float))
    scores, step = np.clip(scores, -5, 5), 1e-5
    derivatives = row_derivatives(rows, scores)
    for q, own in enumerate(derivatives.by_score):
        change = step * (np.arange(scores.shape[1]) == q)
        slope = (log_likelihood(rows, scores + change) - log_likelihood(rows, scores - change)) / (2.0 * step)
        assert_allclose(own.gradient.sum() * own.unit, slope, rtol=1e-4, atol=1e-3)


@every_loss
def test_cells_of_pairs_are_those_of_both_columns(loss):
    rows, scores, _ = random_pair_rows(5, loss)
    for own in row_derivatives(rows, scores).by_score:
        sums = pair_sums(rows, own, [(0, 1), (1, 0), (2, 3)])
        np.testing.assert_array_equal(sums[0], sums[1].swapaxes(0, 1))
        for a, b in ((0, 0), (1, 2)):
            inside = (rows.codes[2] == a) & (rows.codes[3] == b)
            assert sums[2, a, b].tolist() == [own.gradient[inside].sum(), own.curvature[inside].sum()]
