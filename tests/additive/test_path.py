"""The path over columns: when it ends, what its members say without pairs, and how long they may take."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import copies_of_a_column, every_loss, random_rows
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.path import ColumnPath, PathFit, path_sizes


def nothing(function, items):
    """Let no group enter."""
    return []


def test_a_wide_table_ends_after_ten_steps_without_evidence():
    rows = copies_of_a_column(1, 40, 31)
    path, groups = ColumnPath(rows, [(k,) for k in range(31)], nothing, "auto"), [0] * (1 + rows.n_folds)
    for evidence in (-1.0, 0.0, 2.0, *[-1.0] * 9):
        path.add(groups, evidence)
        assert not path.ended
    path.add(groups, -1.0)
    assert path.ended


def test_a_table_of_thirty_columns_goes_through_all():
    rows = copies_of_a_column(1, 40, 30)
    path, groups = ColumnPath(rows, [(k,) for k in range(30)], nothing, "auto"), [0] * (1 + rows.n_folds)
    for _ in range(29):
        path.add(groups, -1.0)
        assert not path.ended


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
    path = PathFit(rows, fold, groups, "auto", data, [(0, 1)])
    for group in (0, 1):
        path.add(group)
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
    path = PathFit(rows, None, [(k,) for k in range(n_columns)], "auto", None, ())
    path._adaptive = asked = Asked(np.arange(n_columns, 0.0, -1.0))
    chosen = []
    for _ in range(40):
        chosen.append(path.best()[0])
        path.add(chosen[-1])
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
    path = PathFit(rows, None, [(k,) for k in range(n_columns)], "auto", data, pairs)
    path._adaptive = Asked([9.0, 8.0, 7.0, 6.0, 5.0, 1.0, 1.0, 1.0])
    chosen = []
    for size in range(5):
        if size == 3:
            factors[6, 7] = 50.0
        chosen.append(path.best()[0])
        path.add(chosen[-1])
    assert chosen[:4] == [0, 1, 2, 3]  # all pairs were asked at the size 2
    assert chosen[4] == 6
