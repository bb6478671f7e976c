"""The path over columns: when it ends, what its members say without pairs, and how long they may take."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from shape_tables import random_rows

from bayesieve import ScorecardClassifier
from bayesieve.additive.members import Effort, FittedPairs, fit_members
from bayesieve.additive.shape_path import PathFit, ShapePath
from bayesieve.exceptions import InterruptedSearchWarning


def nothing(function, items):
    """Let no group enter."""
    return []


def wide_rows(n_columns):
    """Return rows of the same column many times."""
    rows = random_rows(1, n_rows=40)
    return replace(
        rows,
        codes=[rows.codes[0]] * n_columns,
        bases=[rows.bases[0]] * n_columns,
        missing=np.full(n_columns, rows.missing[0]),
        monotone=np.zeros(n_columns, dtype=np.int8),
    )


def test_a_wide_table_ends_after_ten_steps_without_evidence():
    rows = wide_rows(31)
    path, groups = ShapePath(rows, [(k,) for k in range(31)], nothing, "auto"), [0] * (1 + rows.n_folds)
    for evidence in (-1.0, 0.0, 2.0, *[-1.0] * 9):
        path.add(groups, evidence)
        assert not path.ended
    path.add(groups, -1.0)
    assert path.ended


def test_a_table_of_thirty_columns_goes_through_all():
    rows = wide_rows(30)
    path, groups = ShapePath(rows, [(k,) for k in range(30)], nothing, "auto"), [0] * (1 + rows.n_folds)
    for _ in range(29):
        path.add(groups, -1.0)
        assert not path.ended


@pytest.mark.parametrize("fold", [0, 1])
def test_held_out_scores_of_members_are_without_pairs(fold):
    rows = random_rows(5, n_rows=80)
    assert rows.n_columns > 1
    table = np.random.default_rng(0).normal(size=(len(rows.bases[0].gaps), len(rows.bases[1].gaps)))
    added = table[rows.codes[0], rows.codes[1]]
    data = SimpleNamespace(
        evidence=lambda pairs, held_out, scores: np.ones(len(pairs)),
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
        shapes = fit.intercept + sum(fit.tables[k][rows.codes[k][own]] for k in (0, 1))
        assert_allclose(scores, shapes, atol=1e-9)


def test_shapes_and_weighted_pairs_add_up_to_all_scores():
    """Pairs are refitted beside shapes with the intercept of the model, also where their tables have another mean."""
    rows = random_rows(5, n_rows=80)
    added = np.rint(np.random.default_rng(0).normal(2.0, 0.5, rows.n_rows) * 2**40) / 2**40
    fit = fit_members(rows, [0, 1], pairs=FittedPairs((), added, added))
    assert_allclose(fit.out_of_fold - fit.shapes_out_of_fold, fit.stack.weights[-1] * added, atol=1e-12)


def test_the_effort_is_that_of_the_explanation():
    """30 cycles, or 10 above 5,000 rows; with more classes shapes move by 0.00005 per row and contrast in the last."""
    assert [Effort.of_rows(n).most_cycles for n in (100, 5000, 5001)] == [30, 30, 10]
    assert [Effort.of_rows(n, 4).most_cycles for n in (100, 5000, 5001)] == [30, 30, 10]
    assert Effort.of_rows(4000, 4).tolerance == pytest.approx(0.00005 * 4000 * 3)


def test_an_interrupted_path_has_the_size_that_is_enough_so_far(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, :5].sum(axis=1) + rng.logistic(size=300) > 0).astype(int)
    choose, calls = ShapePath.choose, []

    def interrupted(self):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return choose(self)

    monkeypatch.setattr(ShapePath, "choose", interrupted)
    with pytest.warns(InterruptedSearchWarning):
        stopped = ScorecardClassifier(n_pairs=0).fit(X, y)
    assert stopped.n_features_ == 3
    assert stopped.score(X, y) > 0.7
