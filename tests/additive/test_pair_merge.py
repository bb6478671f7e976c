"""Bins of pairs are merged where that costs little, missing values never with others."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve.additive.cell_prior import SEARCH_PRIOR
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.members import PairFit
from bayesieve.additive.pair_merge import PairMerge, merge_pair
from bayesieve.additive.rows import PairRows


def stepped(n_a, n_b, n_scores=1):
    """Return a table of two steps, in rows and in columns, and random curvatures."""
    random = np.random.default_rng(0)
    table = np.zeros((n_a, n_b, n_scores))
    table[n_a // 2 :, n_b // 4 :] = random.normal(2.0, 0.5, n_scores)
    return table, random.uniform(0.5, 2.0, table.shape)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_equal_rows_and_columns_are_merged_at_any_price(n_scores):
    table, curvatures = stepped(12, 8, n_scores)
    merged = merge_pair(table, curvatures, 1e-6, (False, False))
    assert [own.tolist() for own in merged.bins] == [[0] * 6 + [1] * 6, [0, 0] + [1] * 6]
    assert_allclose(merged.table, np.round(table, 2), atol=1e-12)
    assert merge_pair(table, curvatures, 1e6, (False, False)).scores.shape == (1, 1, n_scores)


def test_merged_cells_have_the_weighted_mean_of_their_scores():
    random = np.random.default_rng(1)
    table, curvatures = random.normal(size=(6, 5, 2)), random.uniform(0.1, 3.0, (6, 5, 2))
    merged = merge_pair(table, curvatures, 1.5, (False, False))
    for i in range(merged.scores.shape[0]):
        for j in range(merged.scores.shape[1]):
            cells = np.ix_(merged.bins[0] == i, merged.bins[1] == j)
            mean = (curvatures[cells] * table[cells]).sum((0, 1)) / curvatures[cells].sum((0, 1))
            assert_allclose(merged.scores[i, j], mean, atol=0.0051)


def test_missing_values_stay_apart_and_no_price_merges_nothing():
    table, curvatures = stepped(6, 8)
    merged = merge_pair(table, curvatures, 1e6, (True, False))
    assert [own.tolist() for own in merged.bins] == [[0] * 5 + [1], [0] * 8]
    same = merge_pair(table, curvatures, 0.0, (True, False))
    assert [own.tolist() for own in same.bins] == [list(range(6)), list(range(8))]
    assert_array_equal(same.scores, table)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("tolerance", [0.0, 0.001, 0.01, 0.1])
def test_the_expected_cost_of_all_pairs_stays_within_the_tolerance(tolerance, n_classes):
    random, n = np.random.default_rng(2), 3000
    loss = loss_of_classes(n_classes)
    codes = random.integers(0, 16, (3, n)).astype(np.uint8)
    rows = PairRows(
        codes, np.full(3, 16), random.integers(0, n_classes, n), np.ones(n), random.integers(0, 3, n), loss=loss
    )
    grid = np.linspace(-1.0, 1.0, 16)
    table = np.outer(grid, grid)[..., None] * random.uniform(0.5, 1.5, loss.n_scores)
    pairs = tuple(PairFit(pair, table, 0.0, 0.0, SEARCH_PRIOR) for pair in ((0, 1), (0, 2)))
    fit = SimpleNamespace(out_of_fold=np.zeros((n, loss.n_scores)), pairs=pairs)
    merge = PairMerge(rows, np.zeros(3, dtype=bool), fit)
    price = merge.price(tolerance)
    tables, cost = [merge.at_price(pair, price, np.zeros_like(table)) for pair in pairs], 0.0
    for pair, own in zip(pairs, tables, strict=True):
        change = np.maximum(np.abs(own.table - pair.table) - 0.005, 0.0)
        cost += 0.5 * (merge.of_cells(pair.columns) * change**2).sum() / n
    assert cost <= tolerance * (1 + 1e-9)
    n_cells = sum(own.scores[..., 0].size for own in tables)
    assert n_cells == 512 if tolerance == 0.0 else n_cells < 300
    assert cost >= 0.3 * min(tolerance, 0.02)


def test_errors_of_merged_cells_are_those_of_rows():
    """The squared error of a row is the variance of its cell, and the square of what merging has changed."""
    random, n = np.random.default_rng(3), 500
    codes = random.integers(0, 6, (2, n)).astype(np.uint8)
    rows = PairRows(codes, np.full(2, 6), random.integers(0, 2, n), random.random(n), random.integers(0, 3, n))
    pair = PairFit((0, 1), random.normal(size=(6, 6, 1)), 0.0, 0.0, SEARCH_PRIOR)
    variances = random.random((6, 6, 1))
    merged = PairMerge(rows, np.zeros(2, dtype=bool), SimpleNamespace(out_of_fold=np.zeros((n, 1)))).at_price(
        pair, 20.0, variances
    )
    a, b = (own[codes[k]] for k, own in enumerate(merged.bins))
    own = (variances + (pair.table - merged.table) ** 2)[codes[0], codes[1], 0]
    assert merged.scores.size < 36
    for i, j in np.ndindex(*merged.scores.shape[:2]):
        inside = (a == i) & (b == j)
        if inside.any():
            assert_allclose(merged.errors[i, j, 0] ** 2, np.average(own[inside], weights=rows.weights[inside]))
