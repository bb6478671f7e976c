"""Cyclic fits reach the optimum of a penalized likelihood, whatever the order of rows and where they begin."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from additive_rows import every_loss, in_units, random_rows, some_rows
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import logsumexp

from bayesieve.additive.fit import start_fit
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.members import fit_member, members_at_end, priors_of
from bayesieve.additive.priors import ShapePriors, column_basis
from bayesieve.additive.rows import AdditiveRows


def members_of(rows):
    """Return all members, those of the path and of the end."""
    tuning = rows.loss.tuning
    return [*members_at_end(rows.loss), *tuning.tied, tuning.adaptive]


def follow(rows, chain, fold, backend, shift):
    """Return every number that the fits of a chain show on their way, scores of all rows first."""
    everything, seen, fit = list(range(rows.n_columns)), [], None
    for member in chain:
        fit = fit_member(member, rows, fold, backend, fit)
        seen.append(fit.log_bayes_factors(everything))
        fit.run(everything[:1], 2, 0.0)
        fit.shift(shift)
        seen += [fit.log_bayes_factors(everything), np.array([fit.run(everything[::-1], 4, 0.01)])]
        seen += [fit.intercept, *fit.tables]
    return [fit.scores, *seen]


@every_loss
@pytest.mark.parametrize("seed", range(draws(6, 10)))
def test_the_order_of_rows_within_folds_does_not_matter(loss, seed):
    rows, rng = random_rows(seed, loss=loss), np.random.default_rng(seed)
    tuning, fold = rows.loss.tuning, [0, None][seed % 2]
    order = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in pairwise(np.append(0, rows.fold_ends))])
    permuted = replace(
        rows, codes=[own[order] for own in rows.codes], target=rows.target[order], weights=rows.weights[order]
    )
    nothing, chain = np.zeros((rows.n_rows, rows.loss.n_scores)), (tuning.adaptive, *tuning.tied)
    one, other = (follow(each, chain, fold, "auto", nothing) for each in (rows, permuted))
    assert_array_equal(one[0][order], other[0])
    for a, b in zip(one[1:], other[1:], strict=True):
        assert_array_equal(a, b)


@every_loss
@pytest.mark.parametrize("seed", range(draws(8, 20)))
def test_tables_are_centered_and_leads_are_monotone(loss, seed):
    rows = random_rows(seed, loss=loss)
    for member in members_of(rows):
        fit = fit_member(member, rows, None, "auto")
        fit.run(list(range(rows.n_columns)), 3, 0.0)
        if loss == "softmax":
            assert_allclose(fit.intercept.sum(), 0.0, atol=1e-8)
        for k, table in enumerate(fit.tables):
            if loss == "softmax":
                assert_allclose(table.sum(axis=1), 0.0, atol=1e-8)
            scores = rows.loss.class_scores(table)
            lead = 1 if loss == "logistic" else int(rows.lead[k])
            leads = (scores[:, [lead]] - scores)[int(rows.missing[k]) :]
            # Log-odds are exactly in order: an update is clipped at 2 per bin, and rounded, which keeps the order.
            # Differences of two scores are multiples of 2^-40 that were rounded one by one.
            least = 0.0 if loss == "logistic" else -1e-11
            assert (rows.monotone[k] * np.diff(leads, axis=0) >= least).all()


def plain_rows(seed, n_classes, *, nominal=False, n_rows=60, strength=0.4):
    """Return two columns of four bins that know something of the class."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, n_classes, n_rows)
    first = target * 2 if n_classes == 2 else target % 4
    codes = [np.where(rng.random(n_rows) < strength, first, rng.integers(0, 4, n_rows)) for _ in "ab"]
    values = [(np.arange(4.0), (0.0, 3.0)), None if nominal else (np.arange(4.0) ** 2, (0.0, 9.0))]
    bases = [
        column_basis(np.bincount(own, minlength=4) + 0.0, each, has_missing=False)
        for own, each in zip(codes, values, strict=True)
    ]
    nothing, weights = np.zeros(2, dtype=np.int8), rng.integers(1, 3, n_rows) * 1.0
    missing, ends = nothing.astype(bool), np.array([n_rows])
    loss = loss_of_classes(n_classes)
    return AdditiveRows(codes, bases, missing, nothing, target * 1.0, weights, ends, loss=loss)


def penalized_loss(rows, variance):
    """Return the penalized negative log-likelihood of the intercepts and the scores of all bins."""
    n, truth = rows.loss.n_scores, rows.target.astype(np.intp)

    def scores(x):
        return x[:n] + sum(table[own] for table, own in zip(tables(x), rows.codes, strict=True))

    def tables(x):
        return x[n:].reshape(len(rows.codes), 4, n)

    def loss(x):
        z, penalty = rows.loss.class_scores(scores(x)), 0.0
        for basis, table in zip(rows.bases, tables(x), strict=True):
            if basis.nominal:
                penalty += (table**2).sum() / (2 * variance / 4)
            else:
                penalty += (np.diff(table, axis=0) ** 2 / (2 * variance * basis.gaps[:-1, None])).sum()
        return rows.weights @ (logsumexp(z, axis=1) - z[np.arange(len(z)), truth]) + penalty

    return loss, scores


@pytest.mark.parametrize(("n_classes", "nominal"), [(2, False), (2, True), (3, False), (4, False)])
@pytest.mark.parametrize("seed", range(draws(3, 8)))
def test_a_tied_member_reaches_the_penalized_optimum(seed, n_classes, nominal):
    """Levels of walks are free and those of categories are held at 0, so that what rows get has one solution.

    A bound of the curvature decides how fast, not where to.
    """
    rows, variance = plain_rows(seed, n_classes, nominal=nominal, n_rows=40 if n_classes == 2 else 60), 0.5
    loss, scores = penalized_loss(rows, variance)
    fit = start_fit(rows, ShapePriors((variance,), (), (variance / 4,)), None)
    fit.run([0, 1], 400, 1e-12)
    best = minimize(loss, np.zeros(9 * rows.loss.n_scores), method="BFGS")
    found, expected = (rows.loss.class_scores(each) for each in (fit.scores, scores(best.x)))
    # Categories are centered after each update, where the prior would have them near 0.
    assert_allclose(found - found[:, :1], expected - expected[:, :1], atol=0.03 if nominal else 2e-3)
    if not nominal:
        reached = loss(np.concatenate([fit.intercept, *(table.ravel() for table in fit.tables)]))
        assert_allclose(reached, best.fun, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_fit_that_begins_where_another_ended_arrives_sooner(n_classes):
    rows = plain_rows(7, n_classes, n_rows=400)
    loose = members_at_end(rows.loss)[1]
    cold = fit_member(loose, rows, None, "auto")
    n_cold = cold.run([0, 1], 100, 1e-3)
    warm = fit_member(loose, rows, None, "auto", cold)
    assert_array_equal(warm.scores, cold.scores)
    assert warm.run([0, 1], 100, 1e-3) < n_cold


def in_state(rows, member, backend="auto"):
    """Return the state of a fit after two cycles."""
    fit = fit_member(member, rows, None, backend)
    fit.run(range(rows.n_columns), 2, 0.0)
    return fit.state


def fit_at(rows, member, state):
    """Return a fit of a member in a state."""
    return start_fit(rows, priors_of(member), None, no_effect=member.no_effect, start=state)


@every_loss
@pytest.mark.parametrize("seed", range(5))
def test_sums_of_parts_add_up(loss, seed):
    rows = random_rows(seed, loss=loss)
    cut = rows.n_rows // 3
    for member in members_at_end(rows.loss)[-2:]:
        state = in_state(rows, member)
        parts = (slice(None), slice(cut), slice(cut, None))
        whole, first, second = (fit_at(some_rows(rows, own), member, state).sums() for own in parts)
        assert_array_equal(whole, first + second)


@every_loss
@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6])
def test_a_correction_by_the_other_rows_stands_still_where_all_rows_do(loss, seed):
    rows = random_rows(seed, loss=loss)
    member = members_at_end(rows.loss)[0]
    every = fit_member(member, rows, None, "auto")
    every.run(range(rows.n_columns), 400, 1e-12)
    fit, whole = fit_at(some_rows(rows, slice(rows.n_rows // 2)), member, every.state), every.sums()
    fit.correct(whole[:, 0] - fit.sums()[:, 0], whole[:, 1])
    before = fit.scores
    fit.run(range(rows.n_columns), 1, 0.0)
    assert_allclose(fit.scores, before, atol=1e-3)


@every_loss
@pytest.mark.parametrize("seed", range(4))
def test_a_state_is_where_the_fit_was_and_what_was_added_to_scores_is_taken_away(loss, seed):
    rows = random_rows(seed, loss=loss)
    added = in_units(np.random.default_rng(seed).normal(size=(rows.n_rows, rows.loss.n_scores)))
    for member in members_of(rows):
        fit = fit_member(member, rows, 0, "auto")
        fit.shift(added)
        fit.run(range(rows.n_columns), 2, 0.0)
        again = start_fit(rows, ShapePriors((1.0,), (), (1.0,)), 0, no_effect=member.no_effect, start=fit.state)
        for one, other in zip(again.state.arrays[:3], fit.state.arrays[:3], strict=True):
            assert_array_equal(one, other)
        assert_array_equal(again.scores, fit.scores - added)
