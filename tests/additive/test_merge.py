"""Bins that are merged: the largest price whose expected cost stays within a tolerance, by plain sums over rows."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import every_loss, random_rows
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.members import AdditiveFit
from bayesieve.additive.merge import (
    bin_curvatures,
    merge_at_price,
    merge_tables,
    merge_within,
)

LEAST = 0.1  # of the curvature of a row that has the share of each class as its probability


# ---- Curvatures of bins


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_curvatures_are_sums_over_rows(n_classes):
    rng = np.random.default_rng(n_classes)
    n_rows, loss = 200, loss_of_classes(n_classes)
    scores = rng.normal(scale=3.0, size=(n_rows, loss.n_scores))
    rows = SimpleNamespace(
        loss=loss,
        target=rng.integers(0, n_classes, n_rows).astype(np.float64),
        weights=rng.uniform(0.5, 2.0, n_rows),
        codes=[rng.integers(0, 4, n_rows), rng.integers(0, 7, n_rows)],
        bases=[SimpleNamespace(gaps=np.zeros(n)) for n in (4, 7)],
    )
    odds = np.exp(loss.class_scores(scores))
    p = odds / odds.sum(axis=1, keepdims=True)
    shares = np.array([rows.weights[rows.target == c].sum() for c in range(n_classes)]) / rows.weights.sum()
    of_rows = np.maximum(p * (1 - p), LEAST * shares * (1 - shares)) * rows.weights[:, None]
    for found, codes, n_bins in zip(bin_curvatures(rows, [0, 1], scores), rows.codes, (4, 7), strict=True):
        expected = np.array([of_rows[codes == v].sum(axis=0) for v in range(n_bins)])
        assert_allclose(found, expected[:, -loss.n_scores :], rtol=1e-6, atol=2e-6)


# ---- All columns


def rows_of(seed, loss):
    """Return rows of mean weight 1."""
    rows = random_rows(seed, 80, loss)
    return replace(rows, weights=rows.weights / rows.weights.mean(), monotone=np.zeros_like(rows.monotone))


def fit_of(rows, seed):
    """Return a fit of all columns with random scores."""
    rng, n_scores = np.random.default_rng(seed), rows.loss.n_scores
    tables = [np.cumsum(rng.normal(scale=0.3, size=(len(basis.gaps), n_scores)), axis=0) for basis in rows.bases]
    nothing, offset = np.zeros((rows.n_rows, n_scores)), rng.normal(scale=0.2, size=(rows.n_rows, n_scores))
    intercept = np.linspace(0.3, 0.6, n_scores)
    return AdditiveFit(tuple(range(rows.n_columns)), intercept, tables, nothing, nothing, (), offset)


def scores_of(rows, fit, tables):
    return fit.intercept + fit.offset + sum(table[rows.codes[k]] for k, table in enumerate(tables))


def expected_cost(rows, fit, merged):
    """Return the mean divergence of the distributions of the class, row by row."""
    before, after = (
        rows.loss.class_scores(scores_of(rows, fit, tables)) for tables in (fit.tables, [each.table for each in merged])
    )
    logs, others = (each - logsumexp(each, axis=1)[:, None] for each in (before, after))
    return np.average((np.exp(logs) * (logs - others)).sum(axis=1), weights=rows.weights)


@every_loss
@pytest.mark.parametrize("seed", range(8))
def test_the_price_is_the_largest_within_the_tolerance(seed, loss):
    rows = rows_of(seed, loss)
    fit, tolerance = fit_of(rows, seed), 0.002
    merged = merge_tables(rows, fit, tolerance)
    assert merged.cost == pytest.approx(expected_cost(rows, fit, merged.columns), abs=1e-12)
    assert merged.cost <= tolerance
    curvatures = bin_curvatures(rows, fit.columns, scores_of(rows, fit, fit.tables))
    higher = merge_at_price(rows, fit, curvatures, merged.price * 1.001)
    n_bins = [sum(len(each.scores) for each in columns) for columns in (merged.columns, higher)]
    one_each = (1 + rows.missing).sum()
    assert expected_cost(rows, fit, higher) > tolerance or n_bins[0] == one_each
    assert sum(map(len, fit.tables)) > n_bins[0] >= n_bins[1]


@every_loss
def test_without_a_tolerance_bins_stay_as_they_are(loss):
    rows = rows_of(3, loss)
    fit = fit_of(rows, 3)
    merged = merge_tables(rows, fit, 0.0)
    assert (merged.price, merged.cost) == (0.0, 0.0)
    for each, table in zip(merged.columns, fit.tables, strict=True):
        assert_array_equal(each.table, np.round(table, 2))


def one_column(table, n_rows=10, direction=None):
    """Return rows without codes of one column of numbers, and a fit with its table."""
    loss = loss_of_classes(2 if table.shape[1] == 1 else table.shape[1])
    rows = SimpleNamespace(
        loss=loss,
        weights=np.ones(n_rows),
        missing=np.zeros(1, dtype=bool),
        direction=lambda k: direction,
        bases=[SimpleNamespace(nominal=False)],
    )
    nothing = np.zeros((n_rows, table.shape[1]))
    return rows, AdditiveFit((0,), np.zeros(table.shape[1]), [table], nothing, nothing, (), nothing)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_a_price_is_lowered_until_merging_costs_little_enough(n_scores):
    """Bins of hardly any curvature would be merged at every price above 0; at no tolerance none may change."""
    table = np.repeat([[0.0], [0.5], [1.0], [1.5]], n_scores, axis=1)
    rows, fit = one_column(table)
    hardly_any, price = [np.full((4, n_scores), 1e-6)], 1.0
    (together,) = merge_within(rows, fit, hardly_any, price, 1.0)
    assert_array_equal(together.table, np.full((4, n_scores), 0.75))
    for tolerance in (0.0, 1e-8):  # both below what it costs to merge them: 5e-7 for 10 rows
        (apart,) = merge_within(rows, fit, hardly_any, price, tolerance)
        assert_array_equal(apart.table, table)
    # 4 bins of curvature 1: one bin costs 0.5 x (2 x 0.745² + 2 x 0.245²) = 0.62, two cost 0.5 x 4 x 0.245² = 0.12;
    # times the number of scores.
    (pairs,) = merge_within(rows, fit, [np.ones((4, n_scores))], price, 0.05 * n_scores)
    assert_array_equal(pairs.table, np.repeat([[0.25], [0.25], [1.25], [1.25]], n_scores, axis=1))


@every_loss
@pytest.mark.parametrize("seed", range(4))
def test_weights_of_all_rows_that_are_those_of_the_sample_change_nothing(seed, loss):
    rows = rows_of(seed, loss)
    fit = fit_of(rows, seed)
    masses = [
        np.bincount(codes, weights=rows.weights, minlength=len(table))
        for codes, table in zip(rows.codes, fit.tables, strict=True)
    ]
    own, same = merge_tables(rows, fit, 0.002), merge_tables(rows, fit, 0.002, masses)
    assert same.price == pytest.approx(own.price, rel=1e-3)
    for a, b in zip(own.columns, same.columns, strict=True):
        assert_array_equal(a.bins, b.bins)
        assert_array_equal(a.scores, b.scores)
    tenfold = merge_tables(rows, fit, 0.0, [10.0 * mass for mass in masses])
    assert_array_equal(tenfold.columns[0].table, np.round(fit.tables[0], 2))


def test_costs_of_many_rows_of_many_classes_are_those_of_some(monkeypatch):
    """Every second, every third, ... row is enough where a row has many scores."""
    rows = rows_of(1, "softmax")
    fit = fit_of(rows, 1)
    tuning = replace(rows.loss.tuning, merge_rows=40)
    monkeypatch.setattr(rows.loss, "tuning", tuning)
    merged = merge_tables(rows, fit, 0.002)
    half = replace(rows, codes=[own[::2] for own in rows.codes], target=rows.target[::2], weights=rows.weights[::2])
    of_half = expected_cost(half, replace(fit, offset=fit.offset[::2]), merged.columns)
    assert merged.cost == pytest.approx(of_half, abs=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("lead", [0, 2])
@pytest.mark.parametrize("price", [0.0, 0.1, 1.0])
def test_rounded_scores_keep_the_order_of_a_lead(sign, lead, price):
    rng = np.random.default_rng(0)
    steps = np.abs(rng.normal(scale=0.02, size=(40, 3)))
    steps[:, lead] = 0.0
    table = rng.normal(scale=0.1, size=(40, 1)) - sign * np.cumsum(steps, axis=0)  # lead minus others goes with sign
    rows, fit = one_column(table, direction=(0, sign, lead))
    (merged,) = merge_at_price(rows, fit, [rng.uniform(1.0, 3.0, size=(40, 3))], price)
    leads = np.round(merged.scores[:, [lead]] - merged.scores, 6)
    assert (sign * np.diff(leads, axis=0) >= 0.0).all()
    if price == 0.0:
        assert_allclose(merged.table, table, atol=0.0151)  # two roundings, and the order
    else:
        assert len(merged.scores) < 40


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("price", [0.0, 0.1, 1.0])
def test_merged_log_odds_keep_their_order(sign, price):
    rng = np.random.default_rng(0)
    table = sign * np.cumsum(np.abs(rng.normal(scale=0.02, size=(40, 1))), axis=0)
    rows, fit = one_column(table, direction=(0, sign, 0))
    (merged,) = merge_at_price(rows, fit, [rng.uniform(1.0, 3.0, size=(40, 1))], price)
    assert (sign * np.diff(merged.table, axis=0) >= 0.0).all()
