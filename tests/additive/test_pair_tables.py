"""Pairs of columns with more than two classes: twins to the last bit; found where they are, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.false_pairs import choice_of_table
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.additive import PairRows, cross_fit, cross_fit_margins, fold_sums, log_likelihood, row_derivatives
from bayesieve.additive.joint_tables import refit_together
from bayesieve.additive.pair_evidence import pair_evidence
from bayesieve.additive.pair_search import _ForwardSearch, find_pairs
from bayesieve.additive.pair_tables import model_prior

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


def with_prior(rows):
    """Return rows whose tables have the prior of a model."""
    return replace(rows, prior=model_prior(rows.n_classes))


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


@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_each_table_is_fitted_beside_its_own_scores(backend):
    rows, offset = class_rows(4, 200, 0.5)
    rows = replace(rows, backend=backend, weights=np.random.default_rng(0).integers(1, 4, 200).astype(float))
    scores = offset + np.random.default_rng(1).normal(size=(4, 200, 3))
    tables = cross_fit(rows, (0, 1), scores).tables
    for k, own in enumerate(scores):
        assert_array_equal(tables[k], cross_fit(rows, (0, 1), own).tables[k])
    outside = rows.fold != 1
    changed = np.where(outside[:, None], scores[1], 7.0)  # rows that a table leaves out have no effect on it
    assert_array_equal(tables, cross_fit(rows, (0, 1), np.array([scores[0], changed, *scores[2:]])).tables)


def test_scores_of_each_fold_get_their_own_tables_and_the_last_ones_those_of_other_folds():
    rows, offset = class_rows(5, 150, 0.5)
    fit = cross_fit(rows, (0, 1), offset)
    added = fit.added(rows)
    for k in range(3):
        assert_array_equal(added[k], fit.tables[k][rows.codes[0], rows.codes[1]])
        assert_array_equal(added[3][rows.fold == k], added[k][rows.fold == k])


def test_the_first_pair_is_the_same_beside_equal_scores_of_each_fold():
    rows, offset = class_rows(3, 1500, 1.0)
    (one,), (other,) = (find_pairs(rows, own, most=1).terms for own in (offset, np.array([offset] * 4)))
    assert (one.columns, one.log_bayes_factor, one.gain) == (other.columns, other.log_bayes_factor, other.gain)


def test_labels_of_a_fold_have_no_effect_on_its_tables_beside_scores_of_its_own():
    """The scores of fold 0 are given; tables and corrected curves of two pairs are fitted beside them."""
    rows, offset = class_rows(6, 1200, 1.5)
    rng, own = np.random.default_rng(0), rows.fold == 0
    scores = offset + 0.1 * rng.normal(size=(4, 1200, 3))
    target = rows.target.copy()
    target[own] = rng.permutation(target[own])
    one, other = (fits_beside(each, scores) for each in (rows, replace(rows, target=target)))
    for a, b in zip(one, other, strict=True):
        assert_array_equal(a[0], b[0])
        assert (a[1] != b[1]).any()


def fits_beside(rows, scores):
    """Return tables of two pairs that are taken, each beside the other, and margins of the first."""
    search = _ForwardSearch(rows, scores, (-np.inf, -np.inf), lambda: None)
    assert search.attempt((0, 1), 0.0)
    assert search.attempt((2, 4), 0.0)
    fit = cross_fit(rows, (0, 1), scores)
    return [term.tables for term in search.terms()] + [cross_fit_margins(rows, fit, scores).tables]


def test_refits_begin_where_they_were():
    rows, offset = class_rows(7, 1500, 1.0)
    rows, pairs = with_prior(rows), [(0, 1), (2, 3)]
    first = refit_together(rows, offset, pairs)
    resumed, again = (refit_together(rows, 1.02 * offset, pairs, start=start) for start in (first, ()))
    for before, a, b in zip(first, resumed, again, strict=True):
        assert (a.columns, a.log_bayes_factor, a.gain) == (before.columns, before.log_bayes_factor, before.gain)
        assert (a.table != before.table).any()
        assert_allclose(a.table, b.table, atol=0.1)


def test_tables_that_are_fitted_together_are_fitted_beside_those_of_the_same_rows():
    """Tables of all rows, and those without a fold: a refit beside the others of the same rows changes nothing."""
    rows, offset = class_rows(7, 600, 1.0)
    rows, pairs = with_prior(rows), [(0, 1), (0, 3), (1, 3)]
    terms = refit_together(rows, offset, pairs)
    for _ in range(40):
        terms = refit_together(rows, offset, pairs, start=terms)
    for term in terms:
        scores = np.repeat(offset[None], 4, axis=0)
        for other in terms:
            if other is not term:
                scores += other.tables[:, rows.codes[other.columns[0]], rows.codes[other.columns[1]]]
        assert_allclose(cross_fit(rows, term.columns, scores, term.tables, 2).tables, term.tables, atol=0.002)
        assert_array_equal(
            term.out_of_fold, term.tables[rows.fold, rows.codes[term.columns[0]], rows.codes[term.columns[1]]]
        )


def test_copies_of_a_pair_share_its_table():
    """Beside out-of-fold tables each of the copies explains what chance has done to all of them."""
    rows, offset = class_rows(8, 900)
    rows, pairs = with_prior(replace(rows, codes=rows.codes[[0, 1, 0, 1, 0, 1]])), [(0, 1), (2, 3), (4, 5)]
    search = _ForwardSearch(rows, offset, (-np.inf, -np.inf), lambda: None)
    assert all(search.attempt(pair, 0.0) for pair in pairs)
    together, out_of_fold = (
        np.square(sum(term.table[rows.codes[0], rows.codes[1]] for term in terms)).sum()
        for terms in (refit_together(rows, offset, pairs), search.terms())
    )
    assert together < 0.8 * out_of_fold


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
    (refitted,) = refit_together(rows, offset, [(0, 1)])
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
