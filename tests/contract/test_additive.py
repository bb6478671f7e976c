"""What every loss and every place of rows owes to a scorecard: the tables of the NumPy twins, to the last bit.

A new loss is tested by its entry in `additive_rows.every_loss`, a new place of rows by its entry in ``PLACES``.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from additive.test_block_sums import random_model
from additive.test_fit import members_of
from additive.test_members import class_rows
from additive.test_stack import random_problem
from additive_rows import every_loss, in_units, random_pair_rows, random_rows, with_classes
from blocks import SentBlocks
from cut_tables import cut
from draws import draws, meetings
from numpy.testing import assert_array_equal

from bayesieve import ScorecardClassifier
from bayesieve._native import available, core
from bayesieve.additive.cell_prior import SEARCH_PRIOR, model_priors
from bayesieve.additive.fit import start_fit
from bayesieve.additive.loss import LOGISTIC, softmax, softmax_numpy
from bayesieve.additive.members import ChainFits, fit_judged_scores, fit_member, fit_members, priors_of
from bayesieve.additive.pair_tables import (
    cross_fit,
    fold_sums,
    pair_log_bayes_factors,
    pair_sums,
    row_derivatives,
    row_losses,
    row_terms_numpy,
)
from bayesieve.data import MemoryBlocks
from bayesieve.fit import block_folds

compiled = pytest.mark.skipif(not available(), reason="compares the compiled core with NumPy")
nothing_may_be_selected = pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")

# ---- Cyclic fits


def random_steps(rows, rng, n_steps):
    """Return what to do with a fit, step by step: names of methods, and their arguments."""
    n_scores, n_entries = rows.loss.n_scores, int(rows.offsets[-1]) * rows.loss.n_scores
    everything = rng.permutation(rows.n_columns).tolist()
    for _ in range(n_steps):
        kind = rng.choice(["log_bayes_factors", "run", "run", "shift", "correct", "sums"])
        if kind == "log_bayes_factors":
            yield kind, (everything,)
        elif kind == "run":
            own = everything[: int(rng.integers(0, rows.n_columns + 1))]
            yield kind, (own, int(rng.integers(1, 4)), float(rng.choice([0.0, 0.01])))
        elif kind == "shift":
            yield kind, (in_units(rng.normal(size=(rows.n_rows, n_scores)) * rng.choice([0.1, 1.0, 30.0])),)
        elif kind == "correct":
            size = 2 ** int(rng.integers(20, rows.bits + 1))
            slopes, least = rng.integers(-size, size, n_entries + n_scores), rng.integers(0, size, n_entries + n_scores)
            yield kind, (slopes, least)
        else:
            yield kind, ()


def numbers_of(fit, fold):
    """Return all numbers that a fit shows."""
    return [fit.sums(), fit.scores, fit.scores_of_fold(fold), *fit.state.arrays]


def follow(rows, member, fold, backend, start, steps):
    """Return every number that a fit shows on its way."""
    fit = start_fit(rows, priors_of(member), fold, no_effect=member.no_effect, backend=backend, start=start)
    seen = numbers_of(fit, fold)
    for name, arguments in steps:
        answer = getattr(fit, name)(*arguments)
        seen += [np.asarray(answer)] if answer is not None else numbers_of(fit, fold)
    return [*seen, *numbers_of(fit, fold)], fit


def assert_same(found, expected, case):
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other, err_msg=str(case))


@compiled
@every_loss
@pytest.mark.parametrize("part", range(6))
def test_cyclic_fits_have_the_bits_of_their_twin(loss, part):
    """A fit goes on where another one of other priors was, or in a state, among shifts and corrections."""
    for seed in range(100 * part, 100 * part + draws(25, 100)):
        rng = np.random.default_rng([seed, 91])
        rows = random_rows(seed, loss=loss)
        fold = [None, *range(rows.n_folds)][int(rng.integers(rows.n_folds + 1))]
        members, starts = rng.permutation(np.array(members_of(rows), dtype=object))[:2], [None, None]
        for member in members:
            steps, found = list(random_steps(rows, rng, 4)), []
            for i, backend in enumerate(("auto", "reference")):
                seen, fit = follow(rows, member, fold, backend, starts[i], steps)
                found.append(seen)
                starts[i] = replace(fit.state, weights=()) if seed % 2 else fit
            assert_same(*found, (loss, seed, member))


@compiled
@pytest.mark.parametrize("n_classes", [3, 4, 5, 8, 9, 13, 17, 21, 26, 33])
def test_cyclic_fits_of_any_number_of_classes_have_the_bits_of_their_twin(n_classes):
    rows = with_classes(random_rows(n_classes), n_classes, n_classes)
    rng = np.random.default_rng(n_classes)
    steps = list(random_steps(rows, rng, 5))
    for member in members_of(rows)[1:4:2]:
        found = [follow(rows, member, 0, backend, None, steps)[0] for backend in ("auto", "reference")]
        assert_same(*found, member)


@compiled
@every_loss
def test_classes_that_are_missing_outside_a_fold_have_the_bits_of_the_twin(loss):
    """All rows of a class, or all but those of one class, are in the fold that a fit leaves out."""
    for seed in range(draws(10, 40)):
        rows = random_rows(seed, loss=loss)
        begin, end = rows.fold(1)
        target = rows.target.copy()
        outside = np.r_[0:begin, end : rows.n_rows]
        target[begin:end] = 1.0
        if loss == "softmax":
            target[outside] = np.where(target[outside] == 1.0, 0.0, target[outside])
        rows, steps = replace(rows, target=target), list(random_steps(rows, np.random.default_rng(seed), 3))
        for member in members_of(rows)[::2]:
            found = [follow(rows, member, 1, backend, None, steps)[0] for backend in ("auto", "reference")]
            assert_same(*found, (seed, member))
            assert all(np.isfinite(each).all() for each in found[0])


@every_loss
@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_a_fit_that_goes_to_a_state_has_the_bits_of_one_that_begins_there(loss, backend):
    for seed in range(draws(6, 30)):
        rows, rng = random_rows(seed, loss=loss), np.random.default_rng(seed)
        for member in members_of(rows):
            walked = fit_member(member, rows, 0, backend)
            walked.run(range(rows.n_columns), 2, 0.0)
            state = walked.state
            for name, arguments in random_steps(rows, rng, 2):
                if name != "correct":
                    getattr(walked, name)(*arguments)
            walked._cycles.go_to(state.intercept, state.tables, state.variances)
            walked.set_weights(state.weights)
            direct = start_fit(rows, priors_of(member), 0, no_effect=member.no_effect, backend=backend, start=state)
            for fit in (walked, direct):
                fit.run(range(rows.n_columns), 2, 0.0)
            assert_same(numbers_of(walked, 0), numbers_of(direct, 0), (seed, member))


@compiled
@every_loss
@pytest.mark.parametrize("n_members", [1, 4, 5])
@pytest.mark.parametrize("seed", range(draws(7, 20)))
def test_sums_of_all_members_in_one_pass_are_those_one_by_one(seed, n_members, loss):
    rows = random_rows(seed, loss=loss)
    model, cells = random_model(rows, seed, n_members)
    found, scores = model.sums(rows, cells, "auto")
    for backend in ("auto", "reference"):
        expected, expected_scores = model.sums_of_fits(rows, cells, backend)
        assert_array_equal(found.gradients, expected.gradients)
        assert_array_equal(scores, expected_scores)
        assert found.loss == expected.loss


# ---- Losses of rows, and sums over them


@compiled
@every_loss
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 255, 256, 300, 1024])
@pytest.mark.parametrize("seed", range(draws(4, 12)))
def test_stack_sums_have_the_bits_of_their_twin(seed, loss, n_rows):
    made, scores, target, weights, prior = random_problem(seed, loss, max(n_rows, 20))
    rng = np.random.default_rng(seed)
    own = np.ascontiguousarray(scores[:, :n_rows]), target[:n_rows], weights[:n_rows]
    for unit in (2.0**-20, 2.0**-52 if n_rows < 300 and loss == "logistic" else 2.0**-40):  # few bits and many
        b = rng.normal(size=made.n_scores)
        found = core.stack_sums(made.name, (*own, unit), prior, b)
        assert_array_equal(found, made.stack_sums((*own, unit), prior, b))


@compiled
def test_losses_have_the_bits_of_their_twin():
    rng = np.random.default_rng(5)
    for n in (0, 1, 255, 256, 1000):
        z = np.concatenate([rng.normal(size=n) * 10.0 ** rng.integers(-12, 4, n), [0.0, -0.0, 700.5, -np.inf, np.nan]])
        scores, target = z[:, None], rng.integers(0, 2, len(z)).astype(np.float64)
        with np.errstate(invalid="ignore"):
            expected = LOGISTIC.losses_numpy(scores, target)
        found = LOGISTIC.losses(scores, target)
        assert_array_equal(found.view(np.int64)[:-1], expected.view(np.int64)[:-1])
        assert np.isnan(found[-1])


@compiled
@pytest.mark.parametrize("seed", range(draws(6, 20)))
def test_the_softmax_has_the_bits_of_its_twin(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(int(rng.integers(1, 200)), int(rng.integers(2, 30)))) * 10.0 ** rng.integers(-3, 4)
    for one, other in zip(softmax(scores), softmax_numpy(scores), strict=True):
        assert_array_equal(one, other)


@compiled
@every_loss
@pytest.mark.parametrize("seed", range(draws(16, 60)))
def test_row_terms_and_sums_of_cells_have_the_bits_of_their_twins(seed, loss):
    rows, scores, random = random_pair_rows(seed, loss)
    twin, derivatives = replace(rows, backend="reference"), row_derivatives(rows, scores)
    assert_same(derivatives, row_derivatives(twin, scores), seed)
    assert_array_equal(row_losses(rows, scores), row_losses(twin, scores))
    for steps in (2.0**10, 2.0**rows.gradient_bits):
        arrays = np.ascontiguousarray(scores), rows.targets, rows.integer_weights
        found = core.row_derivatives(rows.loss.name, arrays, steps, 2.0**rows.loss_bits)
        assert_same(found, row_terms_numpy(rows, scores, steps), seed)
    pairs = [(a, b) for a in range(12) for b in range(12) if a != b]
    for own in derivatives.by_score:
        assert_array_equal(pair_sums(rows, own, pairs), pair_sums(twin, own, pairs))
    some = [pair for pair in pairs if min(rows.shape(pair)) > 1][:9]
    assert_array_equal(pair_log_bayes_factors(rows, scores, some), pair_log_bayes_factors(twin, scores, some))
    for pair in (pairs[seed], pairs[-seed]):
        tables = random.normal(size=(rows.n_folds + 1, *rows.shape(pair), scores.shape[1]))
        of_tables = scores + random.normal(size=(len(tables), *scores.shape))
        for own in (scores, of_tables):
            assert_same(fold_sums(rows, pair, own, tables), fold_sums(twin, pair, own, tables), (seed, pair))


@compiled
@every_loss
@pytest.mark.parametrize("seed", range(draws(5, 40)))
def test_tables_of_pairs_have_the_bits_of_their_twins(seed, loss):
    rows, scores, random = random_pair_rows(seed, loss)
    prior = [SEARCH_PRIOR, *model_priors(rows.loss.tuning)][seed % 2]
    twin, pair = replace(rows, backend="reference"), random.permutation(np.flatnonzero(rows.n_bins > 1))[:2].tolist()
    start = random.normal(size=(rows.n_folds + 1, *rows.shape(pair), scores.shape[1])) * random.choice([0.0, 0.1, 30.0])
    of_tables = scores + random.normal(size=(len(start), *scores.shape))
    for offset, own, n_steps in ((scores, None, 3), (scores, start, 2), (scores, start[:1], 3), (of_tables, start, 2)):
        found, expected = (cross_fit(each, pair, offset, own, n_steps, prior).tables for each in (rows, twin))
        assert_array_equal(found, expected)
    assert_array_equal(cross_fit(rows, pair, scores, start, 0, prior).tables, rows.loss.centered(start))


@compiled
@every_loss
@pytest.mark.parametrize("seed", range(draws(2, 6)))
def test_stacked_members_have_the_bits_of_their_twins(seed, loss):
    rows = random_rows(seed, 60, loss)
    found, expected = (
        fit_members(ChainFits(rows, backend), range(rows.n_columns)) for backend in ("auto", "reference")
    )
    for one, other in ((found.stack, expected.stack), (found, expected)):
        assert_array_equal(one.intercept, other.intercept)
    assert_same(found.tables, expected.tables, seed)
    assert_array_equal(found.out_of_fold, expected.out_of_fold)


@compiled
def test_judged_scores_have_the_bits_of_their_twin():
    rows = class_rows([20, 45, 60], seed=2)
    assert_array_equal(fit_judged_scores(rows).scores, fit_judged_scores(rows, "reference").scores)


# ---- Scorecards


def random_table(seed, loss):
    """Return a table with ties, missing values, categories, a copy and a constant, classes and weights.

    Every third table has a class of four rows, which some folds lack.
    """
    rng, n_rows = np.random.default_rng([seed, 92]), [120, 90, 100][seed % 3]
    n_classes = 2 if loss == "logistic" else 3 + seed % 2
    x, kind, first = rng.normal(size=(n_rows, 2)), rng.integers(0, 5, n_rows), np.arange(4 * n_classes)
    scores = rng.normal(size=(5, n_classes))[kind] + rng.gumbel(size=(n_rows, n_classes))
    scores[:, 0] += 3.0 * x[:, 0] + 4.0 * x[:, 0] * x[:, 1]
    scores[first, first % n_classes] += 100.0
    if seed % 3 == 2:
        scores[4 * n_classes :, -1] = -100.0
    table = pd.DataFrame(np.round(x, 1), columns=["a", "b"]).assign(kind=[f"v{i}" for i in kind])
    table.loc[rng.random(n_rows) < 0.15, "b"] = np.nan
    table["copy"], table["constant"], table["few"] = table["a"], 1.0, rng.integers(0, 3, n_rows)
    weights = [None, rng.integers(0, 4, n_rows).astype(float), rng.gamma(1.0, 1.0, n_rows) + 0.01][(seed + 1) % 3]
    if weights is not None:
        weights[first] = 1.0
    return table, scores.argmax(axis=1), weights


def in_memory(model, table, y, weights):
    """Fit a table."""
    return model.fit(table, y, weights)


def in_blocks(kind, ends=(0.0, 0.3, 0.3, 0.31)):
    """Return a fit of a table that is cut into blocks, which begin at some shares of its rows: one is empty."""

    def fit(model, table, y, weights):
        return model.fit(cut(table, y, weights, [int(len(y) * end) for end in ends], kind), None)

    return fit


def in_dask(model, table, y, weights):
    """Fit the rows of three partitions."""
    dask_frames = pytest.importorskip("dask.dataframe")
    columns = table.assign(y=y, w=1.0 if weights is None else weights)
    frame = dask_frames.from_pandas(columns, npartitions=3)
    return model.fit(frame[list(table.columns)], frame["y"], None if weights is None else frame["w"])


PLACES = {
    "memory": in_memory,
    "one block": in_blocks(MemoryBlocks, (0.0,)),
    "blocks": in_blocks(MemoryBlocks),
    "blocks that are sent": in_blocks(SentBlocks),
    "Dask": in_dask,
}
OPTIONS = [{"cv": 3}, {"n_features": "best", "cv": 3}, {"n_features": 2, "cv": 2, "n_pairs": [("a", "b")]}]


def answers(place, backend, seed, loss, *, all_sizes=True):
    """Return what a scorecard shows: path, columns, pairs, probabilities and intervals, by default of all sizes."""
    table, y, weights = random_table(seed, loss)
    model = PLACES[place](ScorecardClassifier(backend=backend, **OPTIONS[seed % 3]), table, y, weights)
    columns = [table.name for table in model.scorecard_.tables]
    found = [model.path_.steps, model.path_.order, columns, model.pairs_]
    models = [model, *map(model.select, model.selection_.by_size if all_sizes else ())]
    return found + [own(table).tobytes() for each in models for own in (each.predict_proba, each.predict_interval)]


@cache
def expected_answers(seed, loss):
    """Return the answers of the NumPy twins in memory."""
    return answers("memory", "reference", seed, loss)


@cache
def expected_of_a_sample(seed, loss):
    """Return the answers of the NumPy twins in one block; a test has set the number of sampled rows."""
    return answers("one block", "reference", seed, loss, all_sizes=False)


@compiled
@pytest.mark.slow
@nothing_may_be_selected
@every_loss
@pytest.mark.parametrize("seed", range(draws(3, 12)))
def test_scorecards_have_the_bits_of_the_twins(seed, loss):
    assert answers("memory", "auto", seed, loss) == expected_answers(seed, loss)


@nothing_may_be_selected
@every_loss
@pytest.mark.parametrize(
    ("place", "backend", "seed"),
    meetings(["one block", "blocks", "blocks that are sent"], ["auto", "reference"], range(draws(3, 12))),
)
def test_scorecards_in_blocks_have_the_bits_of_those_in_memory(place, backend, seed, loss):
    assert answers(place, backend, seed, loss) == expected_answers(seed, loss)


@pytest.mark.slow
@nothing_may_be_selected
@every_loss
@pytest.mark.parametrize(
    ("place", "backend", "seed"),
    meetings(["blocks", "blocks that are sent"], ["auto", "reference"], range(draws(3, 12))),
)
def test_scorecards_of_a_sample_and_all_rows_do_not_depend_on_blocks(place, backend, seed, loss, monkeypatch):
    """The columns come from fewer rows than there are, and the final fit is that of all rows in blocks."""
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 50)
    assert answers(place, backend, seed, loss, all_sizes=False) == expected_of_a_sample(seed, loss)


@pytest.fixture(scope="module")
def workers():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


@pytest.mark.slow
@nothing_may_be_selected
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:Port .* is already in use")
@every_loss
@pytest.mark.parametrize(("backend", "seed"), meetings(["auto", "reference"], range(draws(3, 12))))
@pytest.mark.parametrize("most_rows", [50, 500_000])
def test_scorecards_on_workers_have_the_bits_of_those_here(workers, most_rows, backend, seed, loss, monkeypatch):
    monkeypatch.setattr(block_folds, "_MOST_ROWS", most_rows)
    is_sample = most_rows == 50
    expected = expected_of_a_sample(seed, loss) if is_sample else expected_answers(seed, loss)
    assert answers("Dask", backend, seed, loss, all_sizes=not is_sample) == expected
