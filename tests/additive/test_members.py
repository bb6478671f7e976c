"""Scores beside which gains of pairs are judged come from fits that had seen nothing of the judged fold."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.additive import ShapeRows
from bayesieve.additive.class_stack import fit_class_stack
from bayesieve.additive.judged_scores import fit_judged_scores
from bayesieve.additive.members import Effort, MemberSet, stack_prior
from bayesieve.additive.shape_data import column_basis

compiled = pytest.mark.skipif(not available(), reason="no compiled core")


def class_rows(ends, n_classes=3, seed=0):
    """Return rows of three columns, the first of which knows the class; weights differ."""
    rng, n_rows = np.random.default_rng(seed), ends[-1]
    target = rng.integers(0, n_classes, n_rows)
    codes = [np.where(rng.random(n_rows) < 0.6, target, rng.integers(0, 4, n_rows)), *rng.integers(0, 5, (2, n_rows))]
    bases = []
    for own, values in zip(codes, (None, np.arange(5.0), np.arange(5.0)), strict=True):
        mass = np.bincount(own, minlength=4 if values is None else 5) + 1.0
        bases.append(column_basis(mass, None if values is None else (values, (0.0, 4.0)), has_missing=False))
    return ShapeRows(
        [own.astype(np.uint16) for own in codes],
        bases,
        np.zeros(3, dtype=bool),
        np.zeros(3, dtype=np.int8),
        target.astype(np.float64),
        rng.integers(1, 4, n_rows).astype(np.float64),
        np.array(ends, dtype=np.int64),
        n_classes=n_classes,
    )


@pytest.mark.parametrize("q", range(4))
def test_labels_of_a_judged_fold_have_no_effect_on_its_scores(q):
    rows = class_rows([30, 50, 75, 100])
    own, target = slice(*rows.fold(q)), rows.target.copy()
    target[own] = np.roll(target[own], 7)
    assert (target != rows.target).any()
    before, after = fit_judged_scores(rows), fit_judged_scores(replace(rows, target=target))
    assert_array_equal(before.scores[q], after.scores[q])
    for other in set(range(4)) - {q}:
        assert (before.scores[other] != after.scores[other]).any()


def test_scores_are_those_of_rows_without_two_folds():
    rows = class_rows([25, 45, 80], seed=1)
    scores = fit_judged_scores(rows).scores
    (chain,) = MemberSet.of_classes(3).final
    for q in range(3):
        by_member = np.zeros((len(chain), rows.n_rows, 3))
        for f in set(range(3)) - {q}:
            for of_member, own in zip(by_member, member_scores(rows, chain, q, f), strict=True):
                of_member[slice(*rows.fold(f))] = own
        outside = np.r_[0 : rows.fold(q)[0], rows.fold(q)[1] : rows.n_rows]
        inside = by_member[:, outside], rows.target[outside], rows.weights[outside]
        stack = fit_class_stack(*inside, stack_prior(chain, has_pairs=False))
        assert_allclose(scores[q][outside], stack.log_odds(by_member[:, outside]), atol=1e-9)
        assert not scores[q][slice(*rows.fold(q))].any()


def member_scores(rows, chain, q, f):
    """Return the scores of fold f by members whose table has no rows of folds q and f, from their tables of bins."""
    kept = np.concatenate([np.arange(*rows.fold(k)) for k in range(3) if k not in (q, f)])
    left = replace(
        rows,
        codes=[own[kept] for own in rows.codes],
        target=rows.target[kept],
        weights=rows.weights[kept],
        fold_ends=np.array([len(kept)]),
    )
    effort, fit, order, result = Effort.of_rows(rows.n_rows, 3), None, None, []
    for member in chain:
        fit = member.fit(left, None, "auto", fit)
        order = np.argsort(-fit.evidence([0, 1, 2]), kind="stable").tolist() if order is None else order
        fit.run(order, effort.most_cycles, effort.tolerance)
        codes = [own[slice(*rows.fold(f))] for own in rows.codes]
        result.append(fit.intercept + sum(table[own] for table, own in zip(fit.tables, codes, strict=True)))
    return result


@compiled
def test_threads_and_the_twin_change_no_bit():
    rows = class_rows([20, 45, 60], seed=2)
    scores = fit_judged_scores(rows).scores
    assert_array_equal(scores, fit_judged_scores(rows, n_threads=3).scores)
    assert_array_equal(scores, fit_judged_scores(rows, "reference").scores)


@pytest.mark.parametrize(
    ("ends", "n_classes", "expected"),
    [
        ([20, 40], 3, None),  # no rows are left
        ([0, 20, 20, 40], 3, None),  # two folds have rows
        ([20, 40, 60], 2, None),
        ([20, 20, 40, 60], 3, [20, 40, 60]),
        (list(range(10, 101, 10)), 3, [20, 40, 60, 80, 100]),
        (list(range(10, 71, 10)), 4, [10, 20, 40, 50, 70]),
    ],
)
def test_there_are_three_to_five_judged_folds_or_none(ends, n_classes, expected):
    judged = fit_judged_scores(class_rows(ends, n_classes))
    if expected is None:
        assert judged is None
    else:
        assert_array_equal(np.cumsum(np.bincount(judged.fold)), expected)
        assert judged.scores.shape == (len(expected), ends[-1], n_classes)
        assert np.isfinite(judged.scores).all()


def test_columns_of_wide_tables_are_those_that_both_folds_allow():
    rows = class_rows([30, 60, 90])
    parts = [frozenset({0, 1, 2}), frozenset({0, 1}), frozenset({0, 1, 2}), frozenset({0, 2})]
    limited = fit_judged_scores(replace(rows, taking_part=tuple(parts))).scores
    alone = fit_judged_scores(replace(rows, taking_part=(frozenset({0}),) * 4)).scores
    first, last = slice(*rows.fold(0)), slice(*rows.fold(2))
    # without folds 0 and 2 column 0 alone: equal bins of it have equal scores
    for bin_ in range(4):
        assert len(np.unique(limited[0][last][rows.codes[0][last] == bin_], axis=0)) <= 1
    assert len(np.unique(limited[1][first], axis=0)) > 4
    assert len(np.unique(alone[1][first], axis=0)) <= 4


def test_a_check_that_raises_ends_the_fits():
    def check():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        fit_judged_scores(class_rows([20, 40, 60]), check=check)
