"""Tables of pairs given scores of rows: alone, per fold, and fitted together."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import random_pair_rows, rows_with_a_product
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.additive import cell_prior, pair_tables
from bayesieve.additive.loss import LOGISTIC
from bayesieve.additive.pair_tables import chosen_prior, cross_fit, cross_fit_margins, log_likelihood, refit_together
from bayesieve.additive.pairs import _ForwardSearch
from bayesieve.additive.rows import PairRows

every_number = pytest.mark.parametrize("n_classes", [2, 3])


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
    rows = replace(rows, backend=backend, weights=weights)
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


def refitted(rows, offset, pairs, **options):
    """Return tables of the same pairs in each fold."""
    return refit_together(rows, offset, [pairs] * (rows.n_folds + 1), **options)


@every_number
def test_a_refitted_table_of_a_product_gains(n_classes):
    rows, offset = rows_with_a_product(3, 1500, 1.0, n_classes)
    without = log_likelihood(rows, offset)
    (added,) = refitted(rows, offset, [(0, 1)]).out_of_fold(rows).values()
    assert log_likelihood(rows, offset + added) - without > 10.0
    (alone,) = refitted(rows, offset, [(4, 5)]).out_of_fold(rows).values()
    assert log_likelihood(rows, offset + alone) - without < 3.0
    assert refitted(rows, offset, []).out_of_fold(rows) == {}


@every_number
def test_each_fold_has_pairs_of_its_own(n_classes):
    rows, offset = rows_with_a_product(3, 400, 1.0, n_classes)
    pairs = [[(0, 1)], [(0, 1), (2, 3)], [], [(2, 3)]]
    joint = refit_together(rows, offset, pairs)
    assert [len(own) for own in joint.tables] == [1, 2, 0, 1]
    assert_array_equal(joint.tables[0][0], refitted(rows, offset, [(0, 1)]).tables[0][0])
    for own, table in zip(joint.tables[1], refitted(rows, offset, [(0, 1), (2, 3)]).tables[1], strict=True):
        assert_array_equal(own, table)
    added = joint.out_of_fold(rows)
    for pair, in_folds in (((0, 1), {0: 0, 1: 0}), ((2, 3), {1: 1})):
        for fold in range(rows.n_folds):
            own = rows.fold == fold
            table = joint.tables[fold][in_folds[fold]] if fold in in_folds else np.zeros_like(joint.tables[0][0])
            assert_array_equal(added[pair][own], rows.added(pair, table)[own])


@every_number
def test_refits_begin_where_they_were(n_classes):
    rows, offset = rows_with_a_product(7, 1500, 1.0, n_classes)
    pairs = [(0, 1), (2, 3)]
    first = refitted(rows, offset, pairs)
    resumed, again = (refitted(rows, 1.02 * offset, pairs, start=start) for start in (first, None))
    for before, a, b in zip(first.tables[-1], resumed.tables[-1], again.tables[-1], strict=True):
        assert (a != before).any()
        assert_allclose(a, b, atol=0.1)


@every_number
def test_tables_that_are_fitted_together_are_fitted_beside_those_of_the_same_rows(n_classes):
    """Tables of all rows, and those without a fold: a refit given the others of the same rows changes nothing."""
    rows, offset = rows_with_a_product(7, 600, 1.0, n_classes)
    pairs = [(0, 1), (0, 3), (1, 3)]
    joint, twin = (refitted(each, offset, pairs) for each in (rows, replace(rows, backend="reference")))
    for own, others in zip(joint.tables, twin.tables, strict=True):
        for table, other in zip(own, others, strict=True):
            assert_array_equal(table, other)
    for _ in range(40):
        joint = refitted(rows, offset, pairs, start=joint)
    for i, pair in enumerate(pairs):
        scores, start = np.repeat(offset[None], 4, axis=0), np.array([tables[i] for tables in joint.tables])
        for k, tables in enumerate(joint.tables):
            for other, table in zip(pairs, tables, strict=True):
                if other != pair:
                    scores[k] += rows.added(other, table)
        assert_allclose(cross_fit(rows, pair, scores, start, 2, joint.priors[pair]).tables, start, atol=0.002)
        a, b = (rows.codes[j] for j in pair)
        assert_array_equal(joint.out_of_fold(rows)[pair], start[rows.fold, a, b])


@every_number
def test_copies_of_a_pair_share_its_table(n_classes):
    """Given out-of-fold tables, each of the copies would explain what chance has done to all of them."""
    rows, offset = rows_with_a_product(8, 900, n_classes=n_classes)
    rows, pairs = replace(rows, codes=rows.codes[[0, 1, 0, 1, 0, 1]]), [(0, 1), (2, 3), (4, 5)]
    joint = refitted(rows, offset, pairs)
    scores = np.repeat(offset[None], 4, axis=0)
    apart = []
    for pair in pairs:  # each given out-of-fold tables of those before it
        apart.append(cross_fit(rows, pair, scores, prior=joint.priors[pair]))
        scores = scores + apart[-1].out_of_fold(rows)
    together, out_of_fold = (
        np.square(sum(table[rows.codes[0], rows.codes[1]] for table in tables)).sum()
        for tables in (joint.tables[-1], [fit.tables[-1] for fit in apart])
    )
    assert together < 0.8 * out_of_fold


def fine_rows(seed, n_rows, score, n_bins=32, loss=LOGISTIC):
    """Return rows of two columns of many bins, whose score is a function of both."""
    random = np.random.default_rng(seed)
    values = random.random((2, n_rows))
    log_odds = score(*values)
    target = (random.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    codes, fold = (values * n_bins).astype(np.uint8), random.permutation(n_rows) % 3
    return PairRows(codes, np.full(2, n_bins), target, np.ones(n_rows), fold, loss=loss)


def test_evidence_chooses_the_resolution():
    wave = fine_rows(0, 6000, lambda a, b: 4.0 * np.sin(40.0 * a) * np.sign(b - 0.5))
    product = fine_rows(0, 6000, lambda a, b: 8.0 * (a - 0.5) * (b - 0.5))
    chosen = [chosen_prior(each, (0, 1), np.zeros((6000, 1))).resolutions[0].a for each in (wave, product)]
    assert chosen == [16, 8]


def test_a_table_jumps_where_that_has_far_more_evidence(monkeypatch):
    signs = fine_rows(0, 6000, lambda a, b: np.sign((a - 0.5) * (b - 0.5)))
    product = fine_rows(0, 6000, lambda a, b: 8.0 * (a - 0.5) * (b - 0.5))
    chosen = [chosen_prior(each, (0, 1), np.zeros((6000, 1))) for each in (signs, product)]
    assert [prior.resolutions[0].is_smooth for prior in chosen] == [False, True]
    assert all(prior.fills_cells for prior in chosen)
    jumps = table_of(signs)
    monkeypatch.setattr(cell_prior, "JUMP_PRICE", 1000.0)
    smooth = table_of(signs)
    near = np.s_[15:17, 16:24]
    assert np.abs(jumps[near]).mean() > 1.2 * np.abs(smooth[near]).mean()


def table_of(rows):
    """Return the table of a model of two columns."""
    return refit_together(rows, np.zeros((rows.n_rows, 1)), [[(0, 1)]] * 4).tables[-1][0][..., 0]


def test_cells_without_rows_have_what_their_neighbors_let_expect():
    rows = fine_rows(1, 400, lambda a, b: 6.0 * np.sign((a - 0.5) * (b - 0.5)))
    offset = np.zeros((400, 1))
    joint = refit_together(rows, offset, [[(0, 1)]] * 4)
    table = joint.tables[-1][0][..., 0]
    n = np.zeros((32, 32))
    np.add.at(n, (rows.codes[0], rows.codes[1]), 1)
    side = np.sign(np.arange(32) - 15.5)
    empty = n == 0
    assert empty.sum() > 500
    assert (np.sign(table) == np.outer(side, side))[empty].mean() > 0.9


def test_the_prior_of_a_pair_is_that_of_its_first_table_of_all_rows():
    rows = fine_rows(0, 3000, lambda a, b: 4.0 * np.sin(40.0 * a) * np.sign(b - 0.5))
    first = refit_together(rows, np.zeros((3000, 1)), [[(0, 1)]] * 4)
    again = refit_together(rows, np.zeros((3000, 1)), [[(0, 1)]] * 4, start=first)
    assert first.priors == again.priors == {(0, 1): chosen_prior(rows, (0, 1), np.zeros((3000, 1)))}
