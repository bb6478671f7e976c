"""Weak pairs that are taken together: where there are many of them, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.additive import PairRows, row_derivatives
from bayesieve.additive.pair_batch import _gain, find_batch, table_sizes
from bayesieve.additive.pair_tables import model_prior, posterior_tables

compiled = pytest.mark.skipif(not available(), reason="no compiled core")


def rows_of_table(seed, n_rows=3000, effect=0.0, n_classes=4, n_columns=9):
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
    codes = np.ascontiguousarray((values.argsort(axis=0).argsort(axis=0) * 8 // n_rows).T.astype(np.uint8))
    rows = PairRows(
        codes,
        np.full(n_columns, 8),
        target,
        np.ones(n_rows),
        random.permutation(n_rows) % 3,
        n_classes=n_classes,
        prior=model_prior(n_classes),
    )
    pairs = {(int(left[i]), int(right[i])) for i in chosen}
    if n_classes == 2:
        offset = offset[:, 1] - offset[:, 0]
    return rows, np.repeat(offset[None], 4, axis=0), pairs


@pytest.mark.parametrize("n_classes", [2, 4])
def test_many_weak_pairs_are_found(n_classes):
    rows, scores, true = rows_of_table(0, effect=0.3, n_classes=n_classes)
    found = find_batch(rows, scores, [], 16)
    assert len(found) >= 8
    assert len(true.intersection(found)) >= 8
    assert len(find_batch(rows, scores, [], 5)) <= 5
    assert found[0] not in find_batch(rows, scores, found[:1], 16)
    assert find_batch(rows, scores, [], 0) == []


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("seed", range(6))
def test_tables_without_pairs_get_none(seed, n_classes):
    rows, scores, _ = rows_of_table(10 + seed, (400, 1500)[seed % 2], n_classes=n_classes)
    assert find_batch(rows, scores, [], 16) == []


@compiled
@pytest.mark.parametrize("n_classes", [2, 4])
def test_twin_threads_and_order_of_rows_change_nothing(n_classes):
    rows, scores, _ = rows_of_table(1, 900, 0.6, n_classes)
    found = find_batch(rows, scores, [(0, 1)], 8)
    assert found
    order = np.random.default_rng(0).permutation(rows.n_rows)
    shuffled = replace(rows, codes=rows.codes[:, order], target=rows.target[order], fold=rows.fold[order])
    for own, beside in (
        (replace(rows, backend="reference"), scores),
        (replace(rows, n_threads=3), scores),
        (shuffled, scores[:, order]),
    ):
        assert find_batch(own, beside, [(0, 1)], 8) == found


def test_weights_are_copies_of_rows():
    rows, scores, _ = rows_of_table(2, 800, 0.3)
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
    found = find_batch(weighted, scores, [], 8)
    assert found
    assert find_batch(repeated, scores[:, copies], [], 8) == found
    saved = np.random.default_rng(1).integers(-(2**40), 2**40, rows.n_rows)
    assert_allclose(_gain(weighted, saved * weights), _gain(repeated, saved[copies]))


def test_the_standard_error_is_that_of_a_sum():
    rows, _, _ = rows_of_table(3, 50)
    saved = np.random.default_rng(1).integers(-(2**45), 2**45, 50)
    nats = saved * rows.loss_unit
    assert_allclose(_gain(rows, saved), (nats.sum(), np.sqrt(50) * nats.std()))


def test_the_labels_of_the_judged_fold_choose_no_pair_for_it():
    """Beside given scores, the order and the tables of fold 0 are those of the other rows."""
    rows, scores, _ = rows_of_table(4, 600, 0.3)
    others = replace(rows, weights=np.where(rows.fold == 0, 0.0, 1.0))
    target = np.where(rows.fold == 0, 3 - rows.target, rows.target)
    pairs = [(0, 1), (2, 5), (3, 4)]
    assert_array_equal(
        table_sizes(others, scores[0], pairs), table_sizes(replace(others, target=target), scores[0], pairs)
    )


def test_sizes_are_those_of_one_step():
    rows, scores, _ = rows_of_table(5, 400, 0.3)
    (size,), expected = table_sizes(rows, scores[0], [(1, 2)]), 0.0
    derivatives = row_derivatives(rows, scores[0])
    for g, h in zip(derivatives.gradient, derivatives.curvature, strict=True):
        gradient, curvature = np.zeros((2, 1, 8, 8))
        np.add.at(gradient[0], (rows.codes[1], rows.codes[2]), g * derivatives.unit)
        np.add.at(curvature[0], (rows.codes[1], rows.codes[2]), h * derivatives.unit)
        expected += (curvature * posterior_tables(gradient, curvature, prior=rows.prior)[1] ** 2).sum()
    assert_allclose(size, expected)
