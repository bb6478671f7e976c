"""Members, what pairs add to them, and fits that had seen nothing of a judged fold."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import every_loss, in_units, random_rows
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve.additive.cell_prior import SEARCH_PRIOR
from bayesieve.additive.loss import LOGISTIC, loss_of_classes
from bayesieve.additive.members import (
    ChainFits,
    Effort,
    FittedPairs,
    fit_judged_scores,
    fit_member,
    fit_member_stack,
    fit_members,
    scores_by_others,
    stack_prior,
)
from bayesieve.additive.pair_tables import JointTables
from bayesieve.additive.priors import column_basis
from bayesieve.additive.rows import AdditiveRows
from bayesieve.additive.stack import fit_stack


def class_rows(ends, n_classes=3, seed=0):
    """Return rows of three columns, the first of which knows the class; weights differ."""
    rng, n_rows = np.random.default_rng(seed), ends[-1]
    target = rng.integers(0, n_classes, n_rows)
    codes = [np.where(rng.random(n_rows) < 0.6, target, rng.integers(0, 4, n_rows)), *rng.integers(0, 5, (2, n_rows))]
    bases = []
    for own, values in zip(codes, (None, np.arange(5.0), np.arange(5.0)), strict=True):
        mass = np.bincount(own, minlength=4 if values is None else 5) + 1.0
        bases.append(column_basis(mass, None if values is None else (values, (0.0, 4.0)), has_missing=False))
    return AdditiveRows(
        [own.astype(np.uint16) for own in codes],
        bases,
        np.zeros(3, dtype=bool),
        np.zeros(3, dtype=np.int8),
        target.astype(np.float64),
        rng.integers(1, 4, n_rows).astype(np.float64),
        np.array(ends, dtype=np.int64),
        loss=loss_of_classes(n_classes),
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
    (chain,) = rows.loss.tuning.chains
    for q in range(3):
        by_member = np.zeros((len(chain), rows.n_rows, 3))
        for f in set(range(3)) - {q}:
            for of_member, own in zip(by_member, member_scores(rows, chain, q, f), strict=True):
                of_member[slice(*rows.fold(f))] = own
        outside = np.r_[0 : rows.fold(q)[0], rows.fold(q)[1] : rows.n_rows]
        inside = by_member[:, outside], rows.target[outside], rows.weights[outside]
        stack = fit_stack(rows.loss, *inside, stack_prior(chain, has_pairs=False))
        assert_allclose(scores[q][outside], stack.scores(by_member[:, outside]), atol=1e-9)
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
    effort, fit, order, result = Effort.of_rows(rows.n_rows, rows.loss), None, None, []
    for member in chain:
        fit = fit_member(member, left, None, "auto", fit)
        order = np.argsort(-fit.log_bayes_factors([0, 1, 2]), kind="stable").tolist() if order is None else order
        fit.run(order, effort.most_cycles, effort.tolerance)
        codes = [own[slice(*rows.fold(f))] for own in rows.codes]
        result.append(fit.intercept + sum(table[own] for table, own in zip(fit.tables, codes, strict=True)))
    return result


@every_loss
def test_labels_of_a_fold_have_no_effect_on_the_weights_of_its_scores(loss):
    rows = random_rows(4, n_rows=60, loss=loss)
    scores = np.random.default_rng(0).normal(size=(2, 60, rows.loss.n_scores)) + rows.target[:, None]
    prior = np.array([0.5, 0.5])
    stack = fit_member_stack(rows, scores, prior)
    judged = scores_by_others(rows, scores, prior, stack)
    for q in range(rows.n_folds):
        own, target = slice(*rows.fold(q)), rows.target.copy()
        target[own] = target[own][::-1]
        other = scores_by_others(replace(rows, target=target), scores, prior, stack)
        assert_array_equal(other[own], judged[own])
    assert np.abs(judged - stack.scores(scores)).max() > 0.001
    many = replace(rows, fold_ends=np.array([60]))
    assert_array_equal(scores_by_others(many, scores, prior, stack), stack.scores(scores))  # there is no other fold


def test_threads_change_no_bit():
    rows = class_rows([20, 45, 60], seed=2)
    assert_array_equal(fit_judged_scores(rows).scores, fit_judged_scores(rows, n_threads=3).scores)


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


def test_the_effort_is_that_of_the_explanation():
    """30 cycles, or 10 above 5,000 rows; with more classes tables move by 0.00005 per row and contrast in the last."""
    for loss in (LOGISTIC, loss_of_classes(4)):
        assert [Effort.of_rows(n, loss).most_cycles for n in (100, 5000, 5001)] == [30, 30, 10]
    assert Effort.of_rows(4000, loss_of_classes(4)).tolerance == pytest.approx(0.00005 * 4000 * 3)
    assert [Effort.of_rows(n, LOGISTIC).tolerance for n in (100, 5000)] == [0.1, 0.1]


@pytest.mark.parametrize("n_scores", [1, 3])
def test_pairs_add_tables_without_the_fold_to_held_out_rows(n_scores):
    rng = np.random.default_rng(1)
    pairs, codes = [(0, 1), (0, 2)], rng.integers(0, 3, (3, 20))
    of_folds = [pairs, pairs[1:], [], pairs[:1]]  # each fold has pairs of its own
    tables = [tuple(rng.normal(size=(3, 4, n_scores)) for _ in own) for own in [*of_folds, pairs]]
    joint = JointTables((*map(tuple, of_folds), tuple(pairs)), tuple(tables), dict.fromkeys(pairs, SEARCH_PRIOR))
    loss = SimpleNamespace(n_scores=n_scores)
    rows = SimpleNamespace(
        weights=np.full(20, 2.0),
        n_rows=20,
        loss=loss,
        codes=codes,
        fold=np.repeat(range(4), 5),
        added=lambda pair, table: table[codes[pair[0]], codes[pair[1]]],
    )
    data = SimpleNamespace(
        rows=rows,
        fine=rows,
        contribution=rows.added,
        figures=lambda offset, own, held_out: [(3.0, 4.0 + each[15:].any()) for each in held_out],
    )
    fitted = FittedPairs.of_tables(joint, np.zeros((20, n_scores)), data)
    assert [(each.columns, each.gain) for each in fitted.tables] == [((0, 1), 0.125), ((0, 2), 0.1)]
    everywhere = sum(rows.added(pair, table) for pair, table in zip(pairs, tables[-1], strict=True))
    of_rows = SimpleNamespace(fold=lambda f: (5 * f, 5 * f + 5))
    assert_array_equal(fitted.of_fold(of_rows, None), everywhere)
    for fold, own in enumerate(of_folds):
        added, inside = fitted.of_fold(of_rows, fold), np.s_[5 * fold : 5 * fold + 5]
        held_out = sum((rows.added(*each) for each in zip(own, tables[fold], strict=True)), np.zeros((20, n_scores)))
        assert_allclose(added[inside], held_out[inside], atol=2.0**-39)
        assert_array_equal(np.delete(added, inside, axis=0), np.delete(everywhere, inside, axis=0))


@every_loss
def test_columns_and_weighted_pairs_add_up_to_all_scores(loss):
    """Pairs are refitted given columns with the intercept of the model, also where their tables have another mean."""
    rows = random_rows(5, n_rows=80, loss=loss)
    added = in_units(np.random.default_rng(0).normal(2.0, 0.5, (rows.n_rows, rows.loss.n_scores)))
    fit = fit_members(ChainFits(rows, pairs=FittedPairs((), added, added)), [0, 1])
    assert_allclose(fit.out_of_fold - fit.columns_out_of_fold, fit.stack.weights[-1] * added, atol=1e-12)


@every_loss
def test_a_fit_is_the_weighted_sum_of_its_members(loss):
    rows = random_rows(5, n_rows=80, loss=loss)
    fit = fit_members(ChainFits(rows), [1, 0])
    tables = {
        k: sum(
            weight * state.tables.reshape(-1, rows.loss.n_scores)[slice(*rows.offsets[k : k + 2])]
            for weight, state in zip(fit.stack.weights, fit.states, strict=True)
        )
        for k in (0, 1)
    }
    for k, table in zip(fit.columns, fit.tables, strict=True):
        assert_allclose(table, tables[k], atol=1e-12)
    turned = fit.in_order([0, 1])
    assert turned.columns == (0, 1)
    assert_array_equal(turned.tables[0], fit.tables[1])
    several = fit_members(ChainFits(rows), [1, 0], n_threads=3)
    assert_array_equal(several.out_of_fold, fit.out_of_fold)
