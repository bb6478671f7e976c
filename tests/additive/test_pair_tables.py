"""Tables of pairs given scores of rows: alone, per fold, and fitted together."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import random_pair_rows, rows_with_a_product
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.additive import pair_tables
from bayesieve.additive.cell_prior import model_prior
from bayesieve.additive.pair_tables import cross_fit, cross_fit_margins, log_likelihood, refit_together
from bayesieve.additive.pairs import _ForwardSearch

every_number = pytest.mark.parametrize("n_classes", [2, 3])


def with_prior(rows):
    """Return rows whose tables have the prior of a model."""
    return replace(rows, prior=model_prior(rows.loss.tuning))


@pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
def test_steps_that_fail_are_halved_as_the_twin_does(monkeypatch):
    rows, scores, random = random_pair_rows(8)
    start, asked = random.normal(size=(rows.n_folds + 1, *rows.shape((0, 5)), 1)) * 30.0, []
    compiled, fails_of = cross_fit(rows, (0, 5), scores, start).tables, pair_tables._fails

    def fails(*own):
        asked.append(fails_of(*own))
        return asked[-1]

    monkeypatch.setattr(pair_tables, "_fails", fails)
    assert_array_equal(compiled, cross_fit(replace(rows, backend="reference"), (0, 5), scores, start).tables)
    assert any(fails.any() for fails in asked)


@pytest.mark.parametrize("backend", ["auto", "reference"])
@every_number
def test_each_table_is_fitted_beside_its_own_scores(backend, n_classes):
    rows, offset = rows_with_a_product(4, 300, 0.5, n_classes)
    weights = np.random.default_rng(0).integers(1, 4, rows.n_rows).astype(float)
    rows = with_prior(replace(rows, backend=backend, weights=weights))
    scores = offset + np.random.default_rng(1).normal(size=(4, *offset.shape))
    tables = cross_fit(rows, (0, 1), scores).tables
    for k, own in enumerate(scores):
        assert_array_equal(tables[k], cross_fit(rows, (0, 1), own).tables[k])
    outside = rows.fold != 1
    changed = np.where(outside[:, None], scores[1], 7.0)  # rows that a table leaves out have no effect on it
    assert_array_equal(tables, cross_fit(rows, (0, 1), np.array([scores[0], changed, *scores[2:]])).tables)


@every_number
def test_scores_of_each_fold_get_their_own_tables_and_the_last_ones_those_of_other_folds(n_classes):
    rows, offset = rows_with_a_product(5, 150, 0.5, n_classes)
    fit = cross_fit(rows, (0, 1), offset)
    added = fit.added(rows)
    for k in range(3):
        assert_array_equal(added[k], fit.tables[k][rows.codes[0], rows.codes[1]])
        assert_array_equal(added[3][rows.fold == k], added[k][rows.fold == k])


@every_number
def test_labels_of_a_fold_have_no_effect_on_its_tables_beside_scores_of_its_own(n_classes):
    """The scores of fold 0 are given; tables and corrected curves of two pairs are fitted given them."""
    rows, offset = rows_with_a_product(6, 1200, 1.5, n_classes)
    rng, own = np.random.default_rng(0), rows.fold == 0
    scores = offset + 0.1 * rng.normal(size=(4, *offset.shape))
    target = rows.target.copy()
    target[own] = rng.permutation(target[own])
    one, other = (fits_beside(each, scores) for each in (rows, replace(rows, target=target)))
    for a, b in zip(one, other, strict=True):
        assert_array_equal(a[0], b[0])
        assert (a[1] != b[1]).any()


def fits_beside(rows, scores):
    """Return tables of two pairs that are taken, each given the other, and margins of the first."""
    search = _ForwardSearch(rows, scores, (-np.inf, -np.inf), lambda: None)
    assert search.attempt((0, 1), 0.0)
    assert search.attempt((2, 4), 0.0)
    fit = cross_fit(rows, (0, 1), scores)
    return [term.tables for term in search.terms()] + [cross_fit_margins(rows, fit, scores).tables]


@every_number
def test_a_refitted_table_of_a_product_gains(n_classes):
    rows, offset = rows_with_a_product(3, 1500, 1.0, n_classes)
    (refitted,) = refit_together(rows, offset, [(0, 1)])
    gain = log_likelihood(rows, offset + refitted.out_of_fold) - log_likelihood(rows, offset)
    assert gain == refitted.gain
    assert gain > 10.0
    (alone,) = refit_together(rows, offset, [(4, 5)])
    assert alone.gain < 3.0
    assert refit_together(rows, offset, []) == ()


@every_number
def test_refits_begin_where_they_were(n_classes):
    rows, offset = rows_with_a_product(7, 1500, 1.0, n_classes)
    rows, pairs = with_prior(rows), [(0, 1), (2, 3)]
    first = refit_together(rows, offset, pairs)
    resumed, again = (refit_together(rows, 1.02 * offset, pairs, start=start) for start in (first, ()))
    for before, a, b in zip(first, resumed, again, strict=True):
        assert (a.columns, a.log_bayes_factor, a.gain) == (before.columns, before.log_bayes_factor, before.gain)
        assert (a.table != before.table).any()
        assert_allclose(a.table, b.table, atol=0.1)


@every_number
def test_tables_that_are_fitted_together_are_fitted_beside_those_of_the_same_rows(n_classes):
    """Tables of all rows, and those without a fold: a refit given the others of the same rows changes nothing."""
    rows, offset = rows_with_a_product(7, 600, 1.0, n_classes)
    rows, pairs = with_prior(rows), [(0, 1), (0, 3), (1, 3)]
    terms, twins = (refit_together(each, offset, pairs) for each in (rows, replace(rows, backend="reference")))
    for term, twin in zip(terms, twins, strict=True):
        assert_array_equal(term.tables, twin.tables)
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


@every_number
def test_copies_of_a_pair_share_its_table(n_classes):
    """Given out-of-fold tables, each of the copies explains what chance has done to all of them."""
    rows, offset = rows_with_a_product(8, 900, n_classes=n_classes)
    rows, pairs = with_prior(replace(rows, codes=rows.codes[[0, 1, 0, 1, 0, 1]])), [(0, 1), (2, 3), (4, 5)]
    search = _ForwardSearch(rows, offset, (-np.inf, -np.inf), lambda: None)
    assert all(search.attempt(pair, 0.0) for pair in pairs)
    together, out_of_fold = (
        np.square(sum(term.table[rows.codes[0], rows.codes[1]] for term in terms)).sum()
        for terms in (refit_together(rows, offset, pairs), search.terms())
    )
    assert together < 0.8 * out_of_fold
