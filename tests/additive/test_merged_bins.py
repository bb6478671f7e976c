"""Bins that are merged: the largest price whose expected cost stays within a tolerance, by plain sums over rows."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from shape_tables import random_rows

from bayesieve.additive.members import AdditiveFit
from bayesieve.additive.merged_bins import bin_curvatures, merge_at_price, merge_tables, merge_within


def fit_of(rows, seed):
    """Return a fit of all columns with random scores."""
    rng = np.random.default_rng(seed)
    tables = [np.cumsum(rng.normal(scale=0.3, size=len(basis.gaps))) for basis in rows.bases]
    nothing, offset = np.zeros(rows.n_rows), rng.normal(scale=0.2, size=rows.n_rows)
    return AdditiveFit(tuple(range(rows.n_columns)), np.array(0.3), tables, nothing, nothing, (), offset)


def expected_cost(rows, fit, merged):
    """Return the mean divergence of two Bernoulli distributions, row by row."""
    total = 0.0
    for i in range(rows.n_rows):
        f, g = (
            fit.intercept + fit.offset[i] + sum(table[rows.codes[k][i]] for k, table in enumerate(tables))
            for tables in (fit.tables, [each.table for each in merged])
        )
        p = 1.0 / (1.0 + np.exp(-f))
        total += rows.weights[i] * (np.log1p(np.exp(g)) - np.log1p(np.exp(f)) - p * (g - f))
    return total / rows.weights.sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_price_is_the_largest_within_the_tolerance(seed):
    rows = random_rows(seed, n_rows=80)
    rows = replace(rows, weights=rows.weights / rows.weights.mean())
    fit, tolerance = fit_of(rows, seed), 0.002
    merged = merge_tables(rows, fit, tolerance)
    assert merged.cost == pytest.approx(expected_cost(rows, fit, merged.columns), abs=1e-12)
    assert merged.cost <= tolerance
    scores = fit.intercept + fit.offset + sum(t[rows.codes[k]] for k, t in enumerate(fit.tables))
    curvatures = bin_curvatures(rows, fit.columns, scores)
    higher = merge_at_price(rows, fit, curvatures, merged.price * 1.001)
    n_bins = [sum(len(each.scores) for each in columns) for columns in (merged.columns, higher)]
    one_each = (1 + rows.missing).sum()
    assert expected_cost(rows, fit, higher) > tolerance or n_bins[0] == one_each
    assert sum(map(len, fit.tables)) > n_bins[0] >= n_bins[1]


def test_without_a_tolerance_bins_stay_as_they_are():
    rows = random_rows(3, n_rows=80)
    fit = fit_of(rows, 3)
    merged = merge_tables(rows, fit, 0.0)
    assert (merged.price, merged.cost) == (0.0, 0.0)
    for each, table in zip(merged.columns, fit.tables, strict=True):
        np.testing.assert_array_equal(each.table, np.round(table, 2))


def test_a_price_is_lowered_until_merging_costs_little_enough():
    """Bins of hardly any curvature would be merged at every price above 0; at no tolerance none may change."""
    rows = SimpleNamespace(
        n_classes=2,
        weights=np.ones(10),
        missing=np.zeros(1, dtype=bool),
        monotone=np.zeros(1, dtype=np.int8),
        bases=[SimpleNamespace(nominal=False)],
    )
    table = np.array([0.0, 0.5, 1.0, 1.5])
    fit = AdditiveFit((0,), np.array(0.0), [table], np.zeros(10), np.zeros(10), (), np.zeros(10))
    hardly_any, price = [np.full(4, 1e-6)], 1.0
    (together,) = merge_within(rows, fit, hardly_any, price, 1.0)
    np.testing.assert_array_equal(together.table, [0.75] * 4)
    for tolerance in (0.0, 1e-8):  # both below what it costs to merge them: 5e-7 for 10 rows
        (apart,) = merge_within(rows, fit, hardly_any, price, tolerance)
        np.testing.assert_array_equal(apart.table, table)
    # 4 bins of curvature 1: one bin costs 0.5 x (2 x 0.745² + 2 x 0.245²) = 0.62, two cost 0.5 x 4 x 0.245² = 0.12.
    (pairs,) = merge_within(rows, fit, [np.ones(4)], price, 0.05)
    np.testing.assert_array_equal(pairs.table, [0.25, 0.25, 1.25, 1.25])


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_all_rows_that_are_those_of_the_sample_change_nothing(seed):
    rows = random_rows(seed, n_rows=80)
    rows = replace(rows, weights=rows.weights / rows.weights.mean())
    fit = fit_of(rows, seed)
    masses = [
        np.bincount(codes, weights=rows.weights, minlength=len(table))
        for codes, table in zip(rows.codes, fit.tables, strict=True)
    ]
    own, same = merge_tables(rows, fit, 0.002), merge_tables(rows, fit, 0.002, masses)
    assert same.price == pytest.approx(own.price, rel=1e-3)
    for a, b in zip(own.columns, same.columns, strict=True):
        np.testing.assert_array_equal(a.bins, b.bins)
        np.testing.assert_array_equal(a.scores, b.scores)
    tenfold = merge_tables(rows, fit, 0.0, [10.0 * mass for mass in masses])
    np.testing.assert_array_equal(tenfold.columns[0].table, np.round(fit.tables[0], 2))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("lead", [0, 2])
@pytest.mark.parametrize("price", [0.0, 0.1, 1.0])
def test_rounded_scores_keep_the_order_of_a_lead(sign, lead, price):
    rng = np.random.default_rng(0)
    steps = np.abs(rng.normal(scale=0.02, size=(40, 3)))
    steps[:, lead] = 0.0
    table = rng.normal(scale=0.1, size=(40, 1)) - sign * np.cumsum(steps, axis=0)  # lead minus others goes with sign
    rows = SimpleNamespace(
        n_classes=3,
        missing=np.zeros(1, dtype=bool),
        monotone=np.array([sign], dtype=np.int8),
        lead=np.array([lead]),
        bases=[SimpleNamespace(nominal=False)],
    )
    fit = SimpleNamespace(columns=(0,), tables=[table])
    (merged,) = merge_at_price(rows, fit, [rng.uniform(1.0, 3.0, size=(40, 3))], price)
    leads = np.round(merged.scores[:, [lead]] - merged.scores, 6)
    assert (sign * np.diff(leads, axis=0) >= 0.0).all()
    if price == 0.0:
        np.testing.assert_allclose(merged.table, table, atol=0.0151)  # two roundings, and the order
    else:
        assert len(merged.scores) < 40
