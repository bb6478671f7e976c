"""The choice of pairs, one by one and weak ones together: finds interactions, and none where there are none."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import codes_of_eight, rows_with_a_product
from benchmarks.false_pairs import choice_of_table
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.additive.cell_prior import posterior_tables, weak_prior
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.pair_tables import log_likelihood, pair_log_bayes_factors, refit_together, row_derivatives
from bayesieve.additive.pairs import _gain, find_pairs, find_weak_pairs, table_sizes
from bayesieve.additive.rows import PairRows

compiled = pytest.mark.skipif(not available(), reason="no compiled core")


def rows_of(values, target, **kwargs):
    """Rows of numbers, in eight bins of equal frequency."""
    codes = codes_of_eight(values)
    arguments = {"weights": np.ones(len(values)), "fold": np.arange(len(values)) % 5} | kwargs
    return PairRows(codes, np.full(len(codes), 8), target, **arguments)


def draw(log_odds, random):
    return (random.random(len(log_odds)) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)


@pytest.fixture(scope="module")
def interactions():
    """A strong product of columns 0 and 1, a weaker one of columns 2 and 3, and four columns of noise."""
    random = np.random.default_rng(0)
    values = random.normal(size=(1500, 8))
    offset = 0.5 * values[:, :1]
    return rows_of(
        values, draw(offset[:, 0] + values[:, 0] * values[:, 1] + 0.7 * values[:, 2] * values[:, 3], random)
    ), offset


def test_exclusive_or_among_many_columns_is_found():
    random = np.random.default_rng(1)
    values = random.normal(size=(3000, 100))
    target = draw(0.6 * np.sign(values[:, 31] * values[:, 77]), random)
    choice = find_pairs(rows_of(values, target), np.zeros((3000, 1)))
    (term,) = choice.terms
    assert term.columns == (31, 77)
    assert term.columns == choice.log_bayes_factors[0][0]
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
    found = {term.columns for term in find_pairs(rows_of(values, target), np.zeros((1500, 1))).terms}
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
    assert find_pairs(rows_of(values, draw(offset, random)), offset[:, None]).terms == ()


@pytest.mark.parametrize("seed", [32, 35, 44, 47, 59, 68, 83, 95])
def test_columns_that_depend_on_those_of_a_pair_are_in_no_other(seed):
    """Without corrected curves each of these tables has one to three further pairs."""
    random = np.random.default_rng(seed)
    base = (0.0, -3.5)[seed // 3 % 2]
    values = 0.5 * random.normal(size=(4000, 30)) + random.normal(size=(4000, 5))[:, np.arange(30) % 5]
    offset = base + values[:, 0] + np.abs(values[:, 1]) - 0.8 + 0.5 * values[:, 2]
    target = draw(offset + 0.8 * values[:, 0] * values[:, 3], random)
    rows = rows_of(values, target, fold=random.permutation(4000) % 5)
    assert [term.columns for term in find_pairs(rows, offset[:, None]).terms] == [(0, 3)]


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
        assert np.corrcoef(in_sample[:, 0], term.out_of_fold[:, 0])[0, 1] > 0.9


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
    assert pair_log_bayes_factors(rows, np.zeros((2000, 1)), [(0, 1)])[0] < 0.0
    assert find_pairs(rows, np.zeros((2000, 1))).terms == ()


def test_only_candidates_are_taken(interactions):
    rows, offset = interactions
    choice = find_pairs(rows, offset, candidates=[(2, 3), (4, 5), (6, 6)])
    assert [term.columns for term in choice.terms] == [(2, 3)]
    assert len(choice.log_bayes_factors) == 2
    assert len(find_pairs(rows, offset, most=1).terms) == 1


def test_refitted_pairs_are_those_of_the_search_but_for_corrected_curves(interactions):
    rows, offset = interactions
    terms = find_pairs(rows, offset).terms
    pairs = [term.columns for term in terms]
    refitted = refit_together(rows, offset, [pairs] * (rows.n_folds + 1))
    for term, table in zip(terms, refitted.tables[-1], strict=True):
        searched, fitted = interaction(term.table[..., 0]), interaction(table[..., 0])
        assert np.corrcoef(searched.ravel(), fitted.ravel())[0, 1] > 0.97  # their priors differ


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
    assert find_pairs(rows, np.full((200, 1), 9.0)).terms == ()
    constant = PairRows(
        np.zeros((3, 200), dtype=np.uint8), np.ones(3, dtype=np.int64), rows.target, rows.weights, rows.fold
    )
    assert find_pairs(constant, np.zeros((200, 1))).terms == ()
    with pytest.raises(ValueError, match="folds"):
        find_pairs(replace(rows, fold=np.zeros(200, dtype=int)), np.zeros((200, 1)))
    with pytest.raises(ValueError, match="finite"):
        find_pairs(rows, np.full((200, 1), np.nan))


def test_without_candidates_there_is_no_pair_and_no_bar(interactions):
    rows, offset = interactions
    choice = find_pairs(rows, offset, candidates=[])
    assert (choice.terms, choice.bar, choice.log_bayes_factors) == ((), 0.0, ())


def test_columns_of_two_values_can_be_a_pair_that_is_named():
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, (3, 400)).astype(np.uint8)
    target = draw(2.0 * np.where(codes[0] == codes[1], 1.0, -1.0), random)
    rows = PairRows(codes, np.full(3, 2), target, weights=np.ones(400), fold=np.arange(400) % 5)
    (term,) = find_pairs(rows, np.zeros((400, 1)), candidates=[(0, 2), (0, 1), (1, 1)]).terms
    assert term.columns == (0, 1)
    assert (np.sign(term.table[..., 0]) == [[1, -1], [-1, 1]]).all()


# ---- With a table per class the gain decides


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_first_pair_is_the_same_beside_equal_scores_of_each_fold(n_classes):
    rows, offset = rows_with_a_product(3, 1500, 1.0, n_classes)
    (one,), (other,) = (find_pairs(rows, own, most=1).terms for own in (offset, np.array([offset] * 4)))
    assert (one.columns, one.log_bayes_factor, one.gain) == (other.columns, other.log_bayes_factor, other.gain)


def test_a_product_is_found_and_its_table_is_that_of_its_class():
    rows, offset = rows_with_a_product(3, 1500, 1.0)
    (term,) = find_pairs(rows, offset).terms
    assert term.columns == (0, 1)
    assert term.table.shape == (8, 8, 3)
    assert_allclose(term.table.sum(axis=2), 0.0, atol=1e-9)
    own = term.table[..., 0] - term.table[..., 1:].mean(axis=2)
    assert own[0, 0] > 0.5 > -0.5 > own[0, 7]


@pytest.mark.parametrize("seed", range(6))
def test_additive_tables_of_classes_get_no_pair(seed):
    rows, offset = rows_with_a_product(10 + seed, (300, 1200)[seed % 2], n_classes=3 + seed % 3)
    assert find_pairs(rows, offset).terms == ()


@pytest.mark.parametrize("seed", [1, 43, 58, 76])
def test_columns_of_classes_that_depend_on_those_of_a_pair_are_in_no_other(seed):
    """Without corrected curves each of these tables has one or two further pairs."""
    assert [term.columns for term in choice_of_table(seed, 0.8, n_classes=4).terms] == [(0, 3)]


# ---- Weak pairs


def rows_with_weak_pairs(seed, n_rows=3000, effect=0.0, n_classes=4, n_columns=9):
    """Return rows and additive scores of each fold; several pairs of columns have a weak product, of random classes."""
    random, n_pairs = np.random.default_rng(seed), 12
    values = random.normal(size=(n_rows, n_columns))
    offset = values[:, :n_classes] * [1.0, 0.5, 0.2, 0.0][:n_classes]
    left, right = np.triu_indices(n_columns, 1)
    chosen = random.choice(len(left), n_pairs, replace=False)
    scores = offset.copy()
    for i in chosen:
        scores += effect * (values[:, left[i]] * values[:, right[i]])[:, None] * random.normal(size=n_classes)
    target = (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    loss = loss_of_classes(n_classes)
    rows = PairRows(
        codes_of_eight(values),
        np.full(n_columns, 8),
        target,
        np.ones(n_rows),
        random.permutation(n_rows) % 3,
        loss=loss,
    )
    pairs = {(int(left[i]), int(right[i])) for i in chosen}
    if n_classes == 2:
        offset = offset[:, 1:2] - offset[:, :1]
    return rows, np.repeat(offset[None], 4, axis=0), pairs


@pytest.mark.parametrize("n_classes", [2, 4])
def test_many_weak_pairs_are_found(n_classes):
    rows, scores, true = rows_with_weak_pairs(0, effect=0.3, n_classes=n_classes)
    *of_folds, found = find_weak_pairs(rows, scores, [], 16)
    assert len(found) >= 8
    assert len(true.intersection(found)) >= 8
    assert len(of_folds) == rows.n_folds
    assert all(len(true.intersection(own)) >= 6 for own in of_folds)
    assert max(map(len, find_weak_pairs(rows, scores, [], 5))) <= 5
    assert found[0] not in find_weak_pairs(rows, scores, found[:1], 16)[-1]
    assert not any(find_weak_pairs(rows, scores, [], 0))


def test_rows_of_a_fold_have_no_part_in_its_weak_pairs():
    rows, scores, _ = rows_with_weak_pairs(1, 900, 0.6)
    own = rows.fold == 1
    target = rows.target.copy()
    target[own] = np.random.default_rng(0).permutation(target[own])
    kept, other = (find_weak_pairs(each, scores, [], 8) for each in (rows, replace(rows, target=target)))
    assert kept[1]
    assert other[1] == kept[1]
    assert other[-1] != kept[-1]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("seed", range(6))
def test_additive_tables_get_no_weak_pairs(seed, n_classes):
    rows, scores, _ = rows_with_weak_pairs(10 + seed, (400, 1500)[seed % 2], n_classes=n_classes)
    assert not any(find_weak_pairs(rows, scores, [], 16))


@compiled
@pytest.mark.parametrize("n_classes", [2, 4])
def test_twin_threads_and_order_of_rows_change_no_weak_pair(n_classes):
    rows, scores, _ = rows_with_weak_pairs(1, 900, 0.6, n_classes)
    found = find_weak_pairs(rows, scores, [(0, 1)], 8)
    assert all(found)
    order = np.random.default_rng(0).permutation(rows.n_rows)
    shuffled = replace(rows, codes=rows.codes[:, order], target=rows.target[order], fold=rows.fold[order])
    for own, given in (
        (replace(rows, backend="reference"), scores),
        (replace(rows, n_threads=3), scores),
        (shuffled, scores[:, order]),
    ):
        assert find_weak_pairs(own, given, [(0, 1)], 8) == found


def test_weights_are_copies_of_rows_of_weak_pairs():
    rows, scores, _ = rows_with_weak_pairs(2, 800, 0.3)
    weights = np.random.default_rng(0).integers(1, 4, rows.n_rows)
    copies = np.repeat(np.arange(rows.n_rows), weights)
    weighted = replace(rows, weights=weights.astype(float))
    repeated = replace(
        rows,
        codes=rows.codes[:, copies],
        target=rows.target[copies],
        fold=rows.fold[copies],
        weights=np.ones(len(copies)),
    )
    found = find_weak_pairs(weighted, scores, [], 8)
    assert all(found)
    assert find_weak_pairs(repeated, scores[:, copies], [], 8) == found
    saved = np.random.default_rng(1).integers(-(2**40), 2**40, rows.n_rows)
    assert_allclose(_gain(weighted, saved * weights), _gain(repeated, saved[copies]))


def test_the_standard_error_is_that_of_a_sum():
    rows, _, _ = rows_with_weak_pairs(3, 50)
    saved = np.random.default_rng(1).integers(-(2**45), 2**45, 50)
    nats = saved * rows.loss_unit
    assert_allclose(_gain(rows, saved), (nats.sum(), np.sqrt(50) * nats.std()))


def test_the_labels_of_the_judged_fold_choose_no_pair_for_it():
    """Given scores of rows, the order and the tables of fold 0 are those of the other rows."""
    rows, scores, _ = rows_with_weak_pairs(4, 600, 0.3)
    others = replace(rows, weights=np.where(rows.fold == 0, 0.0, 1.0))
    target = np.where(rows.fold == 0, 3 - rows.target, rows.target)
    pairs = [(0, 1), (2, 5), (3, 4)]
    assert_array_equal(
        table_sizes(others, scores[0], pairs), table_sizes(replace(others, target=target), scores[0], pairs)
    )


def test_sizes_are_those_of_one_step():
    rows, scores, _ = rows_with_weak_pairs(5, 400, 0.3)
    (size,), expected = table_sizes(rows, scores[0], [(1, 2)]), 0.0
    derivatives, design = row_derivatives(rows, scores[0]), rows.design((1, 2), weak_prior(rows.loss.tuning))
    for g, h in zip(derivatives.gradient, derivatives.curvature, strict=True):
        gradient, curvature = np.zeros((2, 1, 8, 8))
        np.add.at(gradient[0], (rows.codes[1], rows.codes[2]), g * derivatives.unit)
        np.add.at(curvature[0], (rows.codes[1], rows.codes[2]), h * derivatives.unit)
        expected += (curvature * posterior_tables(design, gradient, curvature)[1] ** 2).sum()
    assert_allclose(size, expected)
