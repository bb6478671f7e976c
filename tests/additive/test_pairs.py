"""The forward choice of pairs: finds interactions, and none where there are none."""

from dataclasses import replace

import numpy as np
import pytest
from draws import draws

from bayesieve.additive import PairRows, cross_fit, log_likelihood
from bayesieve.additive.joint_tables import refit_together
from bayesieve.additive.pair_evidence import pair_evidence
from bayesieve.additive.pair_search import find_pairs
from bayesieve.additive.pair_tables import model_prior


def rows_of(values, target, **kwargs):
    """Rows of numbers, in eight bins of equal frequency."""
    ranks = values.argsort(axis=0).argsort(axis=0)
    codes = np.ascontiguousarray((ranks * 8 // len(values)).T.astype(np.uint8))
    arguments = {"weights": np.ones(len(values)), "fold": np.arange(len(values)) % 5} | kwargs
    return PairRows(codes, np.full(len(codes), 8), target, **arguments)


def draw(log_odds, random):
    return (random.random(len(log_odds)) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)


@pytest.fixture(scope="module")
def interactions():
    """A strong product of columns 0 and 1, a weaker one of columns 2 and 3, and four columns of noise."""
    random = np.random.default_rng(0)
    values = random.normal(size=(1500, 8))
    offset = 0.5 * values[:, 0]
    return rows_of(
        values, draw(offset + values[:, 0] * values[:, 1] + 0.7 * values[:, 2] * values[:, 3], random)
    ), offset


def test_exclusive_or_among_many_columns_is_found():
    random = np.random.default_rng(1)
    values = random.normal(size=(3000, 100))
    target = draw(0.6 * np.sign(values[:, 31] * values[:, 77]), random)
    choice = find_pairs(rows_of(values, target), np.zeros(3000))
    (term,) = choice.terms
    assert term.columns == (31, 77)
    assert term.columns == choice.evidence[0][0]
    assert term.log_bayes_factor > choice.bar
    assert term.gain > choice.bar
    np.testing.assert_allclose(term.table[:3, :3].mean(), 0.6, atol=0.15)
    np.testing.assert_allclose(term.table[:3, 5:].mean(), -0.6, atol=0.15)


def test_many_weak_pairs_lower_the_bar_for_the_others():
    """25 of 45 pairs interact a little; with a bar that rises as they are taken, 12 would be found."""
    random = np.random.default_rng(2)
    values = random.normal(size=(1500, 10))
    weak = {(a, b) for b in range(10) for a in range(b) if (a + b) % 2}
    target = draw(sum(0.35 * values[:, a] * values[:, b] for a, b in sorted(weak, key=lambda p: p[::-1])), random)
    found = {term.columns for term in find_pairs(rows_of(values, target), np.zeros(1500)).terms}
    assert len(found) >= 15
    assert found <= weak


@pytest.mark.parametrize("seed", range(draws(8, 20)))
def test_additive_tables_get_no_pair(seed):
    random = np.random.default_rng(100 + seed)
    n_rows, share = (300, 1000, 4000)[seed % 3], (0.0, -3.0)[seed % 2]
    values = random.normal(size=(n_rows, 15))
    if seed % 4 > 1:
        values = 0.5 * values + random.normal(size=(n_rows, 3))[:, np.arange(15) % 3]
    offset = share + values[:, 0] + np.abs(values[:, 1]) - 0.8 + 0.5 * values[:, 2]
    assert find_pairs(rows_of(values, draw(offset, random)), offset).terms == ()


@pytest.mark.parametrize("seed", [32, 35, 44, 47, 59, 68, 83, 95])
def test_columns_that_depend_on_those_of_a_pair_are_in_no_other(seed):
    """Without corrected curves each of these tables has one to three further pairs."""
    random = np.random.default_rng(seed)
    base = (0.0, -3.5)[seed // 3 % 2]
    values = 0.5 * random.normal(size=(4000, 30)) + random.normal(size=(4000, 5))[:, np.arange(30) % 5]
    offset = base + values[:, 0] + np.abs(values[:, 1]) - 0.8 + 0.5 * values[:, 2]
    target = draw(offset + 0.8 * values[:, 0] * values[:, 3], random)
    rows = rows_of(values, target, fold=random.permutation(4000) % 5)
    assert [term.columns for term in find_pairs(rows, offset).terms] == [(0, 3)]


def interaction(table):
    """A table less its means per row and column."""
    return table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()


def test_terms_add_up(interactions):
    rows, offset = interactions
    choice = find_pairs(rows, offset)
    assert [term.columns for term in choice.terms] == [(0, 1), (2, 3)]
    total = offset + sum(term.out_of_fold for term in choice.terms)
    gain = log_likelihood(rows, total) - log_likelihood(rows, offset)
    assert gain == pytest.approx(sum(term.gain for term in choice.terms), rel=0.1)
    for term in choice.terms:
        in_sample = term.table[rows.codes[term.columns[0]], rows.codes[term.columns[1]]]
        assert np.corrcoef(in_sample, term.out_of_fold)[0, 1] > 0.9


def assert_same(choice, other, rows=slice(None)):
    assert [t.columns for t in choice.terms] == [t.columns for t in other.terms]
    for a, b in zip(choice.terms, other.terms, strict=True):
        assert np.array_equal(a.table, b.table)
        assert np.array_equal(a.out_of_fold[rows], b.out_of_fold)
        assert (a.log_bayes_factor, a.gain) == (b.log_bayes_factor, b.gain)
    assert choice.bar == other.bar


def permuted(rows, order):
    parts = {name: getattr(rows, name)[order] for name in ("target", "weights", "fold")}
    return replace(rows, codes=np.ascontiguousarray(rows.codes[:, order]), **parts)


def test_the_order_of_rows_and_threads_do_not_matter(interactions):
    rows, offset = interactions
    order = np.random.default_rng(2).permutation(rows.n_rows)
    choice = find_pairs(rows, offset)
    assert_same(choice, find_pairs(permuted(rows, order), offset[order]), order)
    assert_same(choice, find_pairs(replace(rows, n_threads=2), offset))


def test_the_reference_finds_the_same(interactions):
    rows, offset = interactions
    candidates = [(0, 1), (2, 3), (4, 5)]
    reference = find_pairs(replace(rows, backend="reference"), offset, candidates=candidates)
    assert_same(find_pairs(rows, offset, candidates=candidates), reference)


def test_a_row_of_weight_two_is_two_rows(interactions):
    rows, offset = interactions
    count = np.random.default_rng(3).integers(0, 3, rows.n_rows)
    copies = np.repeat(np.arange(rows.n_rows), count)
    weighted = replace(rows, weights=count.astype(float))
    assert_same(find_pairs(weighted, offset), find_pairs(permuted(rows, copies), offset[copies]), copies)


def test_a_copy_of_a_column_is_not_a_pair():
    random = np.random.default_rng(4)
    values = random.normal(size=(2000, 4))
    values[:, 1], values[:, 2] = values[:, 0], -values[:, 0]
    target = draw(np.sin(3.0 * values[:, 0]), random)
    rows = rows_of(values, target)
    assert pair_evidence(rows, np.zeros(2000), [(0, 1)])[0] < 0.0
    assert find_pairs(rows, np.zeros(2000)).terms == ()


def test_only_candidates_are_taken(interactions):
    rows, offset = interactions
    choice = find_pairs(rows, offset, candidates=[(2, 3), (4, 5), (6, 6)])
    assert [term.columns for term in choice.terms] == [(2, 3)]
    assert len(choice.evidence) == 2
    assert len(find_pairs(rows, offset, most=1).terms) == 1


def test_refitted_pairs_are_those_of_the_search_but_for_corrected_curves(interactions):
    rows, offset = interactions
    terms = find_pairs(rows, offset).terms
    refitted = refit_together(rows, offset, [term.columns for term in terms])
    assert [term.columns for term in terms] == [term.columns for term in refitted]
    for a, b in zip(terms, refitted, strict=True):
        np.testing.assert_allclose(interaction(a.table), interaction(b.table), atol=0.1)
    assert (terms[0].log_bayes_factor, terms[0].gain) == (refitted[0].log_bayes_factor, refitted[0].gain)
    (alone,) = refit_together(rows, offset, [(4, 5)])
    assert alone.gain < 3.0
    assert refit_together(rows, offset, []) == ()


def test_a_check_that_raises_stops_the_search(interactions):
    rows, offset = interactions
    calls = []

    def check():
        calls.append(len(calls))
        if len(calls) == 5:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        find_pairs(rows, offset, check=check)


def test_constant_columns_and_single_classes_have_no_pairs():
    random = np.random.default_rng(5)
    rows = rows_of(random.normal(size=(200, 3)), np.ones(200, dtype=int))
    assert find_pairs(rows, np.full(200, 9.0)).terms == ()
    constant = PairRows(
        np.zeros((3, 200), dtype=np.uint8), np.ones(3, dtype=np.int64), rows.target, rows.weights, rows.fold
    )
    assert find_pairs(constant, np.zeros(200)).terms == ()
    with pytest.raises(ValueError, match="folds"):
        find_pairs(replace(rows, fold=np.zeros(200, dtype=int)), np.zeros(200))
    with pytest.raises(ValueError, match="finite"):
        find_pairs(rows, np.full(200, np.nan))


def test_without_candidates_there_is_no_pair_and_no_bar(interactions):
    rows, offset = interactions
    choice = find_pairs(rows, offset, candidates=[])
    assert (choice.terms, choice.bar, choice.evidence) == ((), 0.0, ())


def test_columns_of_two_values_can_be_a_pair_that_is_named():
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, (3, 400)).astype(np.uint8)
    target = draw(2.0 * np.where(codes[0] == codes[1], 1.0, -1.0), random)
    rows = PairRows(codes, np.full(3, 2), target, weights=np.ones(400), fold=np.arange(400) % 5)
    (term,) = find_pairs(rows, np.zeros(400), candidates=[(0, 2), (0, 1), (1, 1)]).terms
    assert term.columns == (0, 1)
    assert (np.sign(term.table) == [[1, -1], [-1, 1]]).all()


@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_each_table_is_fitted_beside_its_own_scores(interactions, backend):
    rows, offset = interactions
    rows = replace(rows, backend=backend, prior=model_prior(2))
    scores = offset + 0.5 * np.random.default_rng(1).normal(size=(rows.n_folds + 1, rows.n_rows))
    tables = cross_fit(rows, (0, 1), scores).tables
    for k, own in enumerate(scores):
        assert np.array_equal(tables[k], cross_fit(rows, (0, 1), own).tables[k])
    assert np.array_equal(tables, cross_fit(replace(rows, backend="reference"), (0, 1), scores).tables)


def test_tables_of_a_model_are_fitted_beside_those_of_the_same_rows_by_the_core_and_the_twin(interactions):
    rows, offset = interactions
    rows, pairs = replace(rows, prior=model_prior(2)), [(0, 1), (2, 3), (0, 2)]
    terms, twins = (refit_together(each, offset, pairs) for each in (rows, replace(rows, backend="reference")))
    for term, twin in zip(terms, twins, strict=True):
        assert np.array_equal(term.tables, twin.tables)
    for _ in range(30):
        terms = refit_together(rows, offset, pairs, start=terms)
    for term in terms:
        scores = offset + sum(
            other.tables[:, rows.codes[other.columns[0]], rows.codes[other.columns[1]]]
            for other in terms
            if other is not term
        )
        again = cross_fit(rows, term.columns, scores, term.tables, 2).tables
        np.testing.assert_allclose(again, term.tables, atol=0.002)
