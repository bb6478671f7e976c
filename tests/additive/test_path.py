"""The path over columns: when it ends, what its members say without pairs, and how long they may take."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import copies_of_a_column, every_loss, random_rows
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve.additive.divisions import Division
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.members import Effort, fit_member
from bayesieve.additive.path import BestGroups, ColumnPath, PathFit, loss_alone, path_sizes
from bayesieve.additive.stack import fit_stack


def groups_of(path, n):
    """Return the first n groups of each fit that are left."""
    return [group for fit in path._fits for group in fit.rest[:n]]


def one_by_one(function, items):
    return [function(item) for item in items]


def test_a_wide_table_takes_several_after_ten_steps_without_evidence_and_goes_on_to_all():
    rows = copies_of_a_column(1, 40, 31)
    path = ColumnPath([Division.of_all(rows)], [(k,) for k in range(31)], one_by_one, "auto")
    for evidence in (-1.0, 0.0, 2.0, *[-1.0] * 9):
        path.add(groups_of(path, 1), evidence)
        assert path.n_next == 1
    path.add(groups_of(path, 1), -1.0)
    sizes = [13]
    while not path.ended:
        assert path.n_next == max(1, round(0.2 * sizes[-1]))
        path.add(groups_of(path, path.n_next)[: (1 + rows.n_folds) * min(path.n_next, 31 - sizes[-1])], -1.0)
        sizes.append(len(path.order))
    assert sizes == [13, 16, 19, 23, 28, 31]
    assert sorted(path.order) == list(range(31))


def test_a_wide_table_takes_several_from_fifty_columns_on():
    rows = copies_of_a_column(1, 40, 60)
    path = ColumnPath([Division.of_all(rows)], [(k,) for k in range(60)], one_by_one, "auto")
    for _ in range(50):
        assert path.n_next == 1
        path.add(groups_of(path, 1), 1.0)
    assert path.n_next == 10


def test_a_table_of_thirty_columns_goes_through_all_one_by_one():
    rows = copies_of_a_column(1, 40, 30)
    path = ColumnPath([Division.of_all(rows)], [(k,) for k in range(30)], one_by_one, "auto")
    for _ in range(30):
        assert path.n_next == 1
        assert not path.ended
        path.add(groups_of(path, 1), -1.0)
    assert path.ended


@every_loss
@pytest.mark.parametrize("fold", [0, 1])
def test_held_out_scores_of_members_are_without_pairs(fold, loss):
    rows = random_rows(5, n_rows=80, loss=loss)
    assert rows.n_columns > 1
    shape = len(rows.bases[0].gaps), len(rows.bases[1].gaps), rows.loss.n_scores
    table = np.random.default_rng(0).normal(size=shape)
    added = table[rows.codes[0], rows.codes[1]]
    data = SimpleNamespace(
        log_bayes_factors=lambda pairs, held_out, scores: np.ones(len(pairs)),
        table=lambda pair, fold, scores: table,
        contribution=lambda pair, own: own[rows.codes[pair[0]], rows.codes[pair[1]]],
    )
    groups = [(k,) for k in range(rows.n_columns)]
    path = PathFit(Division.of_all(rows, data), fold, groups, "auto", {(0, 1): 1.0})
    for group in (0, 1):
        path.add([group])
    path.follow()
    own = slice(*rows.fold(fold))
    *members, pairs = path.held_out
    assert_array_equal(pairs, added[own])
    for scores, fit in zip(members, path._members, strict=True):
        columns = fit.intercept + sum(fit.tables[k][rows.codes[k][own]] for k in (0, 1))
        assert_allclose(scores, columns, atol=1e-9)


@pytest.mark.parametrize(
    ("largest", "every", "per_doubling", "sizes"),
    [
        (0, 50, 10, []),
        (3, 50, 10, [1, 2, 3]),
        (20, 4, 1, [1, 2, 3, 4, 8, 16, 20]),
        (9, 4, 2, [1, 2, 3, 4, 6, 8, 9]),
    ],
)
def test_sizes_that_are_scored(largest, every, per_doubling, sizes):
    assert path_sizes(largest, every, per_doubling) == sizes


class Asked:
    """Evidence of columns that is given beforehand; remembers which were asked for."""

    def __init__(self, evidence):
        self._evidence, self.asked, self.scores = np.array(evidence), [], None

    def log_bayes_factors(self, columns):
        self.asked.append(len(columns))
        return self._evidence[list(columns)]

    def run(self, columns, most_cycles, tolerance):
        pass


def test_all_evidence_of_many_classes_is_asked_at_six_times_the_size():
    n_columns = 60
    rows = replace(copies_of_a_column(1, 60, n_columns), loss=loss_of_classes(3), target=np.arange(60.0) % 3)
    path = PathFit(Division.of_all(rows), None, [(k,) for k in range(n_columns)], "auto")
    path._adaptive = asked = Asked(np.arange(n_columns, 0.0, -1.0))
    chosen = []
    for _ in range(40):
        chosen += path.best(1, 60).groups
        path.add(chosen[-1:])
    assert chosen == list(range(40))
    assert [size for size, n in enumerate(asked.asked) if n > 4] == [0, 6, 36]


def test_evidence_of_pairs_that_has_risen_is_seen_at_twice_the_size():
    n_columns = 8
    rows = copies_of_a_column(5, 80, n_columns)
    pairs = [(5, 6), (6, 7)]
    factors = {pair: 0.0 for pair in pairs}
    data = SimpleNamespace(
        log_bayes_factors=lambda asked, held_out, scores: np.array([factors[pair] for pair in asked])
    )
    path = PathFit(
        Division.of_all(rows, data), None, [(k,) for k in range(n_columns)], "auto", dict.fromkeys(pairs, 1e9)
    )
    path._adaptive = Asked([9.0, 8.0, 7.0, 6.0, 5.0, 1.0, 1.0, 1.0])
    chosen = []
    for size in range(5):
        if size == 3:
            factors[6, 7] = 50.0
        chosen += path.best(1, 8).groups
        path.add(chosen[-1:])
    assert chosen[:4] == [0, 1, 2, 3]  # all pairs were asked at the size 2
    assert chosen[4] == 6


@pytest.mark.parametrize("classes", [2, 3])
def test_several_groups_are_those_of_the_largest_evidence(classes):
    n_columns = 40
    target = np.arange(60.0) % classes
    rows = replace(copies_of_a_column(1, 60, n_columns), loss=loss_of_classes(classes), target=target)
    evidence = np.random.default_rng(0).permutation(n_columns).astype(float)
    path = PathFit(Division.of_all(rows), None, [(k,) for k in range(n_columns)], "auto")
    path._adaptive = Asked(evidence)
    chosen = []
    for n in (1, 7, 1, 9, 30):
        found = path.best(n, n_columns)
        assert found.log_bayes_factor == evidence[found.groups[0]]
        assert (found.partner, len(found.groups)) == (-1, n)
        chosen += found.groups
        path.add(found.groups)
    assert chosen == [*np.argsort(-evidence).tolist(), *[-1] * 8]
    assert path.best(2, n_columns).groups == [-1, -1]


def path_with_pairs(evidence, factors):
    """Return a fit whose columns and pairs have given evidence."""
    rows = copies_of_a_column(5, 80, len(evidence))
    data = SimpleNamespace(
        log_bayes_factors=lambda asked, held_out, scores: np.array([factors[pair] for pair in asked]),
        table=lambda pair, fold, scores: np.zeros((4, 4, 1)),
        contribution=lambda pair, table: np.zeros((80, 1)),
    )
    path = PathFit(
        Division.of_all(rows, data), None, [(k,) for k in range(len(evidence))], "auto", dict.fromkeys(factors, 1e9)
    )
    path._adaptive = Asked(evidence)
    path._tied = []
    return path


def test_a_pair_of_two_new_columns_counts_where_both_have_room():
    path = path_with_pairs([5.0, 4.0, 1.0, 1.0], {(2, 3): 30.0})
    last, two = path.best(1, 1), path.best(2, 2)
    assert (last.groups, last.log_bayes_factor, last.partner) == ([0], 5.0, -1)
    assert (two.groups[0], two.log_bayes_factor, two.partner) == (2, 16.0, 3)
    assert two.first(2) == [2, 3]
    assert two.first(1) == [2]


def test_a_pair_of_two_new_columns_that_matter_more_by_themselves_waits_for_one_of_them():
    path = path_with_pairs([9.0, 8.0, 7.0, 1.0], {(1, 2): 14.0})
    assert path.best(1, 4) == BestGroups([0], 9.0, -1)
    path.add([1])
    assert path.best(1, 3) == BestGroups([2], 21.0, -1)


def test_a_pair_counts_for_its_last_column():
    path = path_with_pairs([5.0, 4.0, 1.0, 1.0], {(0, 2): 6.0})
    assert path.best(1, 1).groups == [0]
    path.order.append(0)
    path.rest.remove(0)
    found = path.best(1, 1)
    assert (found.groups, found.log_bayes_factor, found.partner) == ([2], 7.0, -1)


def test_partners_enter_one_after_the_other_in_every_fit():
    rows = copies_of_a_column(1, 40, 6)
    path = ColumnPath([Division.of_all(rows)], [(k,) for k in range(6)], one_by_one, "auto")
    best = [BestGroups([2, 5], 9.0, 3), BestGroups([4, 1], 8.0, -1), BestGroups([0, 2], 8.0, 4)]
    path._fits = [SimpleNamespace(best=lambda n, room, own=own: own) for own in best]
    assert path.choose(1, 1) == ([2, 4, 0], 9.0)
    groups, evidence = path.choose(1, 2)
    assert (groups, evidence) == ([2, 3, 4, 1, 0, 4], 9.0)
    path._fits[0].order = []
    assert path.steps(groups) == [[2, 4, 0], [3, 1, 4]]


@every_loss
@pytest.mark.parametrize("columns", [(0,), (1,), (0, 1)])
def test_the_loss_of_columns_alone_is_that_of_stacked_members_without_each_fold(columns, loss):
    rows = replace(random_rows(5, n_rows=150, loss=loss), fold_ends=np.array([75, 150]))
    effort, scores = Effort.of_rows(150, rows.loss), []
    for q in range(rows.n_folds):
        scores.append([])
        for chain in rows.loss.tuning.chains:
            fit = None
            for member in chain:
                fit = fit_member(member, rows, q, "auto", fit)
                fit.run(columns, effort.most_cycles, effort.tolerance)
                scores[q].append(fit.scores_of_fold(q))
    by_member = np.concatenate(scores, axis=1)
    shares = np.array([member.share for chain in rows.loss.tuning.chains for member in chain])
    prior, judged = shares / shares.sum(), np.empty((150, rows.loss.n_scores))
    stack = fit_stack(rows.loss, by_member, rows.target, rows.weights, prior)
    for q in range(rows.n_folds):
        own, weights = slice(*rows.fold(q)), rows.weights.copy()
        weights[own] = 0.0
        judged[own] = fit_stack(rows.loss, by_member, rows.target, weights, prior, stack).scores(by_member[:, own])
    expected = np.average(rows.loss.losses(judged, rows.target), weights=rows.weights)
    assert loss_alone(rows, columns, "auto") == pytest.approx(expected, abs=1e-7)


def test_with_many_rows_or_for_losses_alone_one_tied_member_follows():
    few = random_rows(1, n_rows=50)
    many = replace(few, codes=[np.tile(own, 101) for own in few.codes], target=np.tile(few.target, 101),
                   weights=np.tile(few.weights, 101), fold_ends=101 * few.fold_ends)  # fmt: skip
    for rows, n_members in ((few, 4), (many, 2)):
        first = Division.of_all(rows)
        path = ColumnPath(
            [first, replace(first, is_first=False)], [(k,) for k in range(rows.n_columns)], one_by_one, "auto"
        )
        n_folds = rows.n_folds
        assert [len(fit._members) for fit in path._fits] == [n_members] * (1 + n_folds) + [2] * n_folds


def test_a_pair_is_worth_no_more_than_its_evidence_given_all_columns():
    """Before strong columns are in, what one column adds to another looks like a pair."""
    rows = random_rows(5, n_rows=80)
    data = SimpleNamespace(log_bayes_factors=lambda pairs, held_out, scores: np.full(len(pairs), 500.0))
    groups = [(k,) for k in range(3)]
    for evidence, first in ((500.0, [1, 2]), (8.0, [0])):
        path = PathFit(Division.of_all(rows, data), None, groups, "auto", {(1, 2): evidence})
        path._adaptive = Asked([20.0, 5.0, 5.0])
        best = path.best(2, 3)
        assert best.first(2 if best.partner >= 0 else 1) == first
