"""Scorecards with few bins per column, and the bins that are kept apart."""

from dataclasses import replace

import numpy as np
import pytest

from bayesieve.bins import Groups, Intervals
from bayesieve.data import Values
from bayesieve.exceptions import ParameterError
from bayesieve.models import ScoreTable, simplify_table

NAT = 2**40


def card_of(partition, log_odds):
    table = np.zeros((partition.n_bins + 1, 2), dtype=np.int64)
    table[:-1, 1] = np.array(log_odds) * NAT
    return ScoreTable("x", partition, table, 0.5)


def simplified(card, mass, max_bins):
    """Simplify a table whose bins have this mass."""
    return simplify_table(
        card if card.counts is not None else replace(card, counts=np.asarray(mass)[:, None]), max_bins
    )


def log_odds_of(card, labels):
    """Return the log-odds that a card gives to each label, and to a missing value."""
    codes = card.partition.bins_of(Values("x", labels))
    return ((card.table[codes, 1] - card.table[codes, 0]) / NAT).tolist()


def test_neighboring_intervals_are_merged_and_the_bin_of_missing_values_stays():
    bins = Intervals(
        np.array([1.0, 2.0, 3.0, 4.0]), True, counts=np.array([[1, 1], [2, 0], [3, 3], [1, 2], [2, 2], [5, 5]])
    )
    card = card_of(bins, [0.0, 0.5, 3.0, 3.5, 0.0, 3.25])
    simple = simplified(card, bins.counts.sum(axis=1).astype(float), 4)
    assert simple.partition.bounds.tolist() == [2.0, 4.0]
    assert simple.partition.counts.tolist() == [[3, 1], [4, 5], [2, 2], [5, 5]]
    assert log_odds_of(simple, np.array([0.5, 1.5, 2.5, 3.5, 9.0])) == pytest.approx(
        [(2 * 0.0 + 2 * 0.5) / 4] * 2 + [(6 * 3.0 + 3 * 3.5) / 9] * 2 + [0.0, 3.25]
    )
    assert (simple.name, simple.weight) == ("x", 0.5)


def test_special_values_stay_apart_and_a_joined_missing_value_moves_with_its_interval():
    bins = Intervals(np.array([1.0, 2.0]), False, joined=2, special=(7.0,))
    simple = simplified(card_of(bins, [0.0, 0.1, 5.0, -4.0]), np.ones(4), 3)
    assert (simple.partition.bounds.tolist(), simple.partition.joined, simple.partition.special) == ([2.0], 1, (7.0,))
    assert log_odds_of(simple, np.array([0.0, 1.5, 7.0, 8.0])) == pytest.approx([0.05, 0.05, -4.0, 5.0, 5.0])
    fewest = simplified(card_of(bins, [0.0, 0.1, 5.0, -4.0]), np.ones(4), 2)
    assert fewest.partition.describe(0) == "any value or missing"
    assert fewest.partition.n_bins == 2


def test_groups_of_the_most_similar_scores_are_merged():
    groups = Groups((("a",), ("b",), ("c",), ("d",)), True, other=3)
    simple = simplified(card_of(groups, [2.0, -1.0, 2.2, -1.5, 0.3]), np.array([1.0, 1.0, 3.0, 1.0, 2.0]), 3)
    assert simple.partition.groups == (("d", "b"), ("a", "c"))
    assert simple.partition.other == 0
    assert log_odds_of(simple, ("a", "b", "c", "d", "new")) == pytest.approx([2.15, -1.25, 2.15, -1.25, -1.25, 0.3])


def test_groups_of_three_classes_lie_along_their_main_direction():
    rng = np.random.default_rng(0)
    along = np.array([0.0, 3.0, 0.1, 3.1, 6.0])
    table = np.zeros((6, 3), dtype=np.int64)
    table[:-1] = np.rint(
        (along[:, None] * [1.0, -0.5, -0.5] + rng.normal(size=(5, 1))) * NAT
    )  # and any constant per bin
    card = ScoreTable("x", Groups((("a",), ("b",), ("c",), ("d",), ("e",)), False), table, 1.0)
    found = {frozenset(group) for group in simplified(card, np.ones(5), 3).partition.groups}
    assert found == {frozenset("ac"), frozenset("bd"), frozenset("e")}


def test_bins_without_rows_have_no_weight_in_means():
    bins = Intervals(np.array([1.0, 2.0]), False)
    simple = simplified(card_of(bins, [1.0, 9.0, 2.0]), np.array([3.0, 0.0, 1.0]), 2)
    assert log_odds_of(simple, np.array([0.0, 1.5, 3.0]))[:2] == pytest.approx([1.0, 1.0])
    empty = simplified(card_of(bins, [1.0, 9.0, 2.0]), np.zeros(3), 2)
    assert log_odds_of(empty, np.array([0.0]))[0] == pytest.approx(5.0)


def test_enough_bins_change_nothing():
    card = card_of(Intervals(np.array([1.0]), True), [1.0, 2.0, 3.0])
    card = replace(card, counts=np.ones((3, 1)))
    assert simplify_table(card, 3) is card


def test_bins_of_a_transformer_cannot_be_joined():
    class Foreign:
        n_bins = 5

    card = replace(card_of(Intervals(np.arange(4.0), False), [0.0] * 5), partition=Foreign())
    with pytest.raises(ParameterError, match="'x' has 5 bins made by a transformer"):
        simplified(card, np.ones(5), 3)
