"""Gradient sums of all members over a block of rows: one pass is fits one by one, and little is sent."""

import pickle

import numpy as np
import pytest
from additive_rows import every_loss, in_units, random_rows, some_rows
from numpy.testing import assert_array_equal

from bayesieve.additive.block_sums import BlockLayout, PairCells, StackedFits, add_sums, block_sums, cell_counts
from bayesieve.additive.fit import FitState
from bayesieve.additive.loss import LOGISTIC, loss_of_classes
from bayesieve.additive.members import fit_member, members_at_end, priors_of
from bayesieve.bins import CodedRows, Codes


def random_model(rows, seed, n_members=5):
    """Return members after two cycles, with tables of up to two pairs, and the cell of each row."""
    rng, n_scores = np.random.default_rng(seed), rows.loss.n_scores
    members = [*members_at_end(rows.loss)] * 2
    members = members[:: 1 if seed % 2 else -1][:n_members]
    states = []
    for member in members:
        fit = fit_member(member, rows, None, "auto")
        fit.run(range(rows.n_columns), 2, 0.0)
        states.append(fit.state)
    tables = tuple(in_units(rng.normal(size=(n, n_scores))) for n in (4, 81)[: seed % 3])
    cells = [rng.integers(0, len(table), rows.n_rows).astype(np.uint8) for table in tables]
    priors = tuple((priors_of(member), member.no_effect) for member in members)
    intercept = np.full(n_scores, 0.25 * seed - 70.0 * (seed == 6))
    return StackedFits(priors, tuple(states), rng.random(n_members), tables, intercept), cells


def test_a_pass_over_a_hundred_columns_of_64_bins_sends_less_than_a_mebibyte():
    n_rows, n_columns, n_bins, rng = 50, 100, 64, np.random.default_rng(0)
    codes = Codes.empty([n_bins] * n_columns, n_rows)
    codes.narrow[:] = rng.integers(0, n_bins, codes.narrow.shape)
    coded = CodedRows(codes, np.arange(n_rows, dtype=np.int32) % 2, np.ones(n_rows, dtype=np.int64), 2)
    layout = BlockLayout(tuple(range(n_columns)), (np.arange(n_bins, dtype=np.uint16),) * n_columns, (), 1.0, 40)
    members, n = members_at_end(LOGISTIC), n_columns * n_bins
    states = tuple(
        FitState(np.zeros(1), rng.normal(size=n), rng.random(n * (member.no_effect > 0)), ()) for member in members
    )
    priors = tuple((priors_of(member), member.no_effect) for member in members)
    model = StackedFits(priors, states, np.full(len(members), 0.25), (), np.zeros(1))
    sums = block_sums(coded, layout, model, "auto")
    assert sums.gradients.shape == (len(members) * (n + 1) + 1, 2)
    assert len(pickle.dumps((layout, model))) + len(pickle.dumps(sums)) < 2**20


@every_loss
@pytest.mark.parametrize("seed", range(6))
def test_sums_of_blocks_add_up(seed, loss):
    rows = random_rows(seed, loss=loss)
    model, cells = random_model(rows, seed, 2)
    cut = rows.n_rows // 3
    parts = [
        model.sums(some_rows(rows, own), [each[own] for each in cells], "auto")
        for own in (slice(None), slice(cut), slice(cut, None))
    ]
    (whole, scores), (first, first_scores), (second, second_scores) = parts
    added = add_sums(first, second)
    assert_array_equal(whole.gradients, added.gradients)
    assert whole.loss == added.loss
    assert_array_equal(scores, np.concatenate([first_scores, second_scores]))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_blocks_of_no_rows_add_nothing(n_classes):
    rng, n_bins = np.random.default_rng(0), [3, 5]
    codes = Codes.empty(n_bins, 40)
    codes.narrow[:] = [rng.integers(0, n, 40) for n in n_bins]
    target, weights = rng.integers(0, n_classes, 40).astype(np.int32), rng.integers(1, 5, 40)
    pair = PairCells((0, 1), (np.array([0, 1, 1]), np.array([0, 0, 1, 2, 2])), (2, 3))
    places, loss = tuple(np.arange(n + 1, dtype=np.uint16) for n in n_bins), loss_of_classes(n_classes)
    layout = BlockLayout((0, 1), places, (pair,), 1.0, 20, loss)
    coded = CodedRows(codes, target, weights, n_classes)
    rows = layout.rows(coded)
    n_scores = rows.loss.n_scores
    tables = np.zeros(int(rows.offsets[-1]) * n_scores)
    state = FitState(np.zeros(n_scores), tables, np.empty(0), ())
    tied = members_at_end(rows.loss)[0]
    model = StackedFits(((priors_of(tied), 0.0),), (state,), np.ones(1), (np.zeros((6, n_scores)),), np.zeros(n_scores))
    nothing = CodedRows(Codes.empty(n_bins, 0), target[:0], weights[:0], n_classes)
    sums, none = (block_sums(each, layout, model, "auto") for each in (coded, nothing))
    assert_array_equal(add_sums(sums, none).gradients, sums.gradients)
    assert none.loss == 0
    expected = np.zeros((2, 3, n_classes), dtype=np.int64)
    np.add.at(expected, (pair.bins[0][codes.column(0)], pair.bins[1][codes.column(1)], target), weights)
    assert_array_equal(cell_counts(coded, layout)[0], expected)
    assert not cell_counts(nothing, layout)[0].any()
