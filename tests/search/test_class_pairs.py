"""Pairs of columns with more than two classes: twins to the last bit; found where they are, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.false_pairs import choice_of_table
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.engine.pairs import PairRows, cross_fit, fold_sums, log_likelihood, row_derivatives
from bayesieve.search.pair_evidence import pair_evidence
from bayesieve.search.pair_search import find_pairs, refit_pairs

compiled = pytest.mark.skipif(not available(), reason="no compiled core")


def class_rows(seed, n_rows=900, effect=0.0, n_classes=3):
    """Return rows of six columns and their additive scores; columns 0 and 1 multiply into the first class."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(n_rows, 6))
    offset = np.zeros((n_rows, n_classes))
    offset[:, 0], offset[:, 1] = values[:, 0], 0.7 * np.abs(values[:, 2])
    scores = offset.copy()
    scores[:, 0] += effect * values[:, 0] * values[:, 1]
    target = (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    codes = np.ascontiguousarray((values.argsort(axis=0).argsort(axis=0) * 8 // n_rows).T.astype(np.uint8))
    fold = random.permutation(n_rows) % 3
    return PairRows(codes, np.full(6, 8), target, np.ones(n_rows), fold, n_classes=n_classes), offset


@compiled
@pytest.mark.parametrize("n_classes", [3, 5])
def test_the_compiled_sums_are_those_of_the_twin_to_the_last_bit(n_classes):
    rows, offset = class_rows(1, 200, 0.5, n_classes)
    rows = replace(rows, weights=np.random.default_rng(0).integers(0, 4, 200).astype(float))
    twin = replace(rows, backend="reference")
    for one, other in zip(row_derivatives(rows, offset), row_derivatives(twin, offset), strict=True):
        assert_array_equal(one, other)
    tables = np.random.default_rng(1).normal(size=(4, 8, 8, n_classes))
    for one, other in zip(
        fold_sums(rows, (0, 3), offset, tables), fold_sums(twin, (0, 3), offset, tables), strict=True
    ):
        assert_array_equal(one, other)
    assert log_likelihood(rows, offset) == log_likelihood(twin, offset)
    assert_array_equal(pair_evidence(rows, offset, [(0, 1), (2, 4)]), pair_evidence(twin, offset, [(0, 1), (2, 4)]))
    assert_array_equal(cross_fit(rows, (0, 1), offset).tables, cross_fit(twin, (0, 1), offset).tables)


def test_derivatives_are_those_of_the_log_loss():
    rows, offset = class_rows(2, 50)
    derivatives, step = row_derivatives(rows, offset), 1e-5
    for q in range(3):
        shifted = [offset + sign * step * (np.arange(3) == q) for sign in (1.0, -1.0)]
        slope = (log_likelihood(rows, shifted[0]) - log_likelihood(rows, shifted[1])) / (2.0 * step)
        assert_allclose(derivatives.gradient[q].sum() * derivatives.unit, slope, rtol=1e-4, atol=1e-3)


def test_a_product_is_found_and_its_table_is_that_of_its_class():
    rows, offset = class_rows(3, 1500, 1.0)
    (term,) = find_pairs(rows, offset).terms
    assert term.columns == (0, 1)
    assert term.table.shape == (8, 8, 3)
    assert_allclose(term.table.sum(axis=2), 0.0, atol=1e-9)
    own = term.table[..., 0] - term.table[..., 1:].mean(axis=2)
    assert own[0, 0] > 0.5 > -0.5 > own[0, 7]
    (refitted,) = refit_pairs(rows, offset, [(0, 1)])
    gain = log_likelihood(rows, offset + refitted.out_of_fold) - log_likelihood(rows, offset)
    assert gain > 10.0


@pytest.mark.parametrize("seed", range(6))
def test_additive_tables_get_no_pair(seed):
    rows, offset = class_rows(10 + seed, (300, 1200)[seed % 2], n_classes=3 + seed % 3)
    assert find_pairs(rows, offset).terms == ()


@pytest.mark.parametrize("seed", [1, 43, 58, 76])
def test_columns_that_depend_on_those_of_a_pair_are_in_no_other(seed):
    """Without corrected curves each of these tables has one or two further pairs."""
    assert [term.columns for term in choice_of_table(seed, 0.8, n_classes=4).terms] == [(0, 3)]
