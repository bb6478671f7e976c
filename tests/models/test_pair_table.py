"""Tables of pairs in a scorecard: scores, importances and names, against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pair_models import ONE

from bayesieve.bins import Groups, Intervals
from bayesieve.models import PairTable, Scorecard, ScoreTable, importances, simplify_scorecard, term_importances


def random_table(random, n_bins, n_classes):
    table = np.zeros((*(n + 1 for n in n_bins), n_classes), dtype=np.int64)
    table[tuple(slice(n) for n in n_bins)] = random.integers(-3 * ONE, 3 * ONE, (*n_bins, n_classes))
    return table


def make_card(seed=0, n_classes=2):
    random = np.random.default_rng(seed)
    a, b = Intervals(np.array([1.0, 2.0]), missing=True), Groups((("x",), ("y", "z")), missing=False)
    table = ScoreTable("a", a, random_table(random, (4,), n_classes), 1.0, random.integers(0, 9, (4, n_classes)))
    pair = PairTable(
        ("a", "b"), (a, b), random_table(random, (4, 2), n_classes), random.integers(0, 9, (4, 2, n_classes))
    )
    other = PairTable(
        ("c", "a"), (b, a), random_table(random, (2, 4), n_classes), random.integers(0, 9, (2, 4, n_classes))
    )
    start = random.integers(-ONE, ONE, n_classes)
    return Scorecard(np.arange(n_classes), start, (table,), (20.0,) * n_classes, laplace=True, pairs=(pair, other))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_the_sum_of_tables_and_cells(n_classes):
    card, random = make_card(n_classes=n_classes), np.random.default_rng(1)
    codes = [random.integers(0, 5, 50)]
    pair_codes = [(random.integers(0, 5, 50), random.integers(0, 3, 50)), (random.integers(0, 3, 50), codes[0])]
    scores = card.evidence(50, codes, pair_codes).scores
    for i in range(50):
        expected = card.start + card.tables[0].table[codes[0][i]]
        for pair, (first, second) in zip(card.pairs, pair_codes, strict=True):
            expected = expected + pair.table[first[i], second[i]]
        assert_array_equal(scores[:, i], expected)


def test_unseen_values_add_nothing():
    card = make_card()
    seen, unseen = np.array([0, 1]), np.array([4, 4])
    codes = [np.array([0, 1])]
    with_unseen = card.evidence(2, codes, [(unseen, np.array([0, 1])), (np.array([2, 2]), seen)])
    assert_array_equal(with_unseen.scores, replace(card, pairs=()).evidence(2, codes).scores)


def test_codes_of_each_pair_are_required():
    with pytest.raises(ValueError, match="shorter"):
        make_card().evidence(2, [np.array([0, 1])])


def test_columns_are_those_of_tables_then_of_pairs():
    card = make_card()
    assert card.names == ["a"]
    assert card.columns == ["a", "b", "c"]
    assert [pair.label for pair in card.pairs] == ["a × b", "c × a"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_importance_is_the_mean_absolute_deviation_over_rows(n_classes):
    """One row per unit of weight; the deviation of each row from the mean of all, added over classes."""
    card = make_card(n_classes=n_classes)

    def deviation(table, counts):
        cells = counts.sum(axis=-1).ravel()
        rows = np.repeat(table.reshape(len(cells), -1) / ONE, cells, axis=0)
        rows = rows - rows.mean(axis=1, keepdims=True)
        return np.abs(rows - rows.mean(axis=0)).mean(axis=0).sum()

    sizes = np.array(
        [deviation(card.tables[0].table[:-1], card.tables[0].counts)]
        + [deviation(pair.table[:-1, :-1], pair.counts) for pair in card.pairs]
    )
    sizes /= sizes.sum()
    assert_allclose(term_importances(card.tables, card.pairs), sizes)
    own, first, second = sizes
    expected = [second / 2, first / 2, 0.0, own + first / 2 + second / 2]
    assert_allclose(importances(card.tables, {"c": 0, "b": 1, "d": 2, "a": 3}, card.pairs), expected)


def test_importance_needs_counts():
    card = make_card()
    with pytest.raises(ValueError, match="'a × b' has no counts"):
        term_importances(card.tables, [replace(card.pairs[0], counts=None)])


def test_simplify_leaves_pairs_alone():
    card = make_card()
    simple = simplify_scorecard(card, 2)
    assert simple.tables[0].partition.n_bins < 4
    assert simple.pairs is card.pairs


def test_a_cell_is_described_by_both_bins():
    pair = make_card().pairs[0]
    assert pair.describe(0, 1) == "<= 1 × y, z"
    assert pair.describe(4, 2) == "unseen × unseen"
    assert pair.n_bins == (4, 2)
    assert pair.cells[:3] == [(0, 0), (0, 1), (1, 0)]
