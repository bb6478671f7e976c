"""Gradient sums of shapes: the compiled core is its NumPy twin, sums of blocks add up, corrections do what they say."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from shape_tables import random_rows

from bayesieve._native import available
from bayesieve.additive import ShapeState, make_shape_fit
from bayesieve.additive.members import MemberSet
from bayesieve.additive.stacked_shapes import ShapeLayout, StackedShapes, block_sums
from bayesieve.bins import Codes
from bayesieve.models import Tables
from bayesieve.search.engine import Segment

compiled = pytest.mark.skipif(not available(), reason="no compiled core")


def rows_of(seed):
    """Return random rows of two classes, or of three to six in every other case."""
    rows, rng = random_rows(seed), np.random.default_rng(seed)
    if seed % 2 == 0:
        return rows
    n_classes = int(rng.integers(3, 7))
    return replace(rows, target=rng.integers(0, n_classes, rows.n_rows).astype(np.float64), n_classes=n_classes)


def members_of(rows):
    return [member for chain in MemberSet.of_classes(rows.n_classes).final for member in chain]


def in_state(rows, member, backend="auto"):
    """Return the state of a fit after two cycles."""
    fit = member.fit(rows, None, backend)
    fit.run(range(rows.n_columns), 2, 0.0)
    return fit.state


def test_a_pass_over_a_hundred_columns_of_64_bins_sends_less_than_a_mebibyte():
    n_rows, n_columns, n_bins, rng = 50, 100, 64, np.random.default_rng(0)
    codes = Codes.empty([n_bins] * n_columns, n_rows)
    codes.narrow[:] = rng.integers(0, n_bins, codes.narrow.shape)
    tables = Tables(np.zeros(2, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros(1, dtype=np.int64))
    segment = Segment(codes, np.arange(n_rows, dtype=np.int32) % 2, np.ones(n_rows, dtype=np.int64), 2, tables)
    layout = ShapeLayout(tuple(range(n_columns)), (np.arange(n_bins, dtype=np.uint16),) * n_columns, (), 1.0, 40)
    members, n = members_of(random_rows(0)), n_columns * n_bins
    states = tuple(
        ShapeState(np.array(0.0), rng.normal(size=n), rng.random(n * (member.no_effect > 0)), ()) for member in members
    )
    priors = tuple((member.priors, member.no_effect) for member in members)
    model = StackedShapes(priors, states, np.full(len(members), 0.25), (), np.array(0.0))
    sums = block_sums(segment, layout, model, "auto")
    assert sums.gradients.shape == (len(members) * (n + 1) + 1, 2)
    assert len(pickle.dumps((layout, model))) + len(pickle.dumps(sums)) < 2**20


@compiled
@pytest.mark.parametrize("seed", range(16))
def test_the_compiled_sums_are_the_reference(seed):
    rows, rng = rows_of(seed), np.random.default_rng(seed)
    fold = [None, 0][int(rng.integers(2))]
    for member in members_of(rows):
        state = in_state(rows, member)
        shift = np.rint(rng.normal(size=(rows.n_rows, *rows.score_shape)) * 2**40) / 2**40
        slopes = rng.integers(-(2**30), 2**30, len(state.tables) + int(np.prod(rows.score_shape)))
        seen = []
        for backend in ("auto", "reference"):
            fit = make_shape_fit(rows, member.priors, fold, no_effect=member.no_effect, backend=backend, start=state)
            fit.shift(shift)
            sums = fit.sums()
            fit.correct(slopes, sums[:, 1] * 2)
            fit.run(range(rows.n_columns), 2, 0.0)
            seen.append([sums, fit.scores, *fit.state.arrays])
        for one, other in zip(*seen, strict=True):
            assert_array_equal(one, other)


@compiled
@pytest.mark.parametrize("n_members", [1, 4, 5])
@pytest.mark.parametrize("seed", range(0, 16, 2))
def test_fits_in_one_pass_are_fits_one_by_one(seed, n_members):
    rows, rng = rows_of(seed), np.random.default_rng(seed)
    members = [*members_of(rows), *members_of(rows)][:: 1 if seed % 4 else -1][:n_members]
    states = tuple(in_state(rows, member) for member in members)
    tables = tuple(np.rint(rng.normal(size=n) * 2**40) / 2**40 for n in (4, 81)[: seed % 3])
    cells = [rng.integers(0, len(table), rows.n_rows).astype(np.uint8) for table in tables]
    priors = tuple((member.priors, member.no_effect) for member in members)
    model = StackedShapes(priors, states, rng.random(n_members), tables, np.array(0.25 * seed - 70.0 * (seed == 6)))
    found, scores = model.sums(rows, cells, "auto")
    for backend in ("auto", "reference"):
        expected, expected_scores = model.sums_of_fits(rows, cells, backend)
        assert_array_equal(found.gradients, expected.gradients)
        assert_array_equal(scores, expected_scores)
        assert found.loss == expected.loss


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_parts_add_up(seed):
    rows = rows_of(seed)
    cut = rows.n_rows // 3
    for member in members_of(rows)[-2:]:
        state, parts = in_state(rows, member), []
        for own in (slice(None), slice(cut), slice(cut, None)):
            some = replace(
                rows,
                codes=[codes[own] for codes in rows.codes],
                target=rows.target[own],
                weights=rows.weights[own],
                fold_ends=np.array([len(rows.target[own])]),
                given_bits=rows.bits,
            )
            fit = make_shape_fit(some, member.priors, None, no_effect=member.no_effect, start=state)
            parts.append(fit.sums())
        assert_array_equal(parts[0], parts[1] + parts[2])


@pytest.mark.parametrize("seed", range(6))
def test_a_correction_by_the_other_rows_stands_still_where_all_rows_do(seed):
    rows, member = rows_of(seed), members_of(rows_of(seed))[0]
    every = member.fit(rows, None, "auto")
    every.run(range(rows.n_columns), 400, 1e-12)
    state, half = every.state, slice(0, rows.n_rows // 2)
    some = replace(
        rows,
        codes=[codes[half] for codes in rows.codes],
        target=rows.target[half],
        weights=rows.weights[half],
        fold_ends=np.array([len(rows.target[half])]),
        given_bits=rows.bits,
    )
    fit = make_shape_fit(some, member.priors, None, start=state)
    whole = every.sums()
    fit.correct(whole[:, 0] - fit.sums()[:, 0], whole[:, 1])
    before = fit.scores
    fit.run(range(rows.n_columns), 1, 0.0)
    assert_allclose(fit.scores, before, atol=1e-3)
