"""Boosting: each method against its definition, the verbs of an engine, the compiled sums against the reference."""

from dataclasses import replace

import numpy as np
import pytest
from cases import make_segments, of_two_classes, plain_case, random_case
from draws import draws
from oracle.boosted import domain_partition, table_2
from scipy.optimize import minimize

from bayesieve._native import core
from bayesieve.models import BOOSTERS, Boosting
from bayesieve.search.engine import BoostEngine, MemorySegments, Moves, TrainTestSplit, add, drop
from bayesieve.search.engine.gradients.row_gradients import NativeGradientHistogram, ReferenceGradientHistogram

ALL = pytest.mark.parametrize("method", BOOSTERS)
NATS = 2.0**-40


def courses_of(case, model):
    """Return the training rows and the test rows of a boosted model; one set of rows if they are the same."""
    train = make_segments(replace(case, folds=[(fitting, fitting) for fitting, _ in case.folds]), model)
    test = make_segments(case, model)
    same = [fitting == scored for fitting, scored in case.folds]
    train, test = MemorySegments(train).parts(), MemorySegments(test).parts()
    return [TrainTestSplit(t, t if own else j) for t, j, own in zip(train, test, same, strict=True)]


def make_engine(case, method, *, backend="auto", n_threads=1, **parameters):
    model = Boosting(method, **parameters)
    return BoostEngine(courses_of(case, model), model, case.unit, backend, n_threads)


def sound_case(rng, **options):
    """Return a random case of two classes, both of which every fold learns from."""
    while True:
        case = of_two_classes(random_case(rng, **({"n_rows": 35, "n_columns": 5} | options)))
        if all(
            {case.labels[i] for i in fitting if case.units[i]} == {0, 1} and sum(case.units[i] for i in scored)
            for fitting, scored in case.folds
        ):
            return case


def training_case(rng, **options):
    """Return a case judged on its own rows, of weight one."""
    case = sound_case(rng, own_parts=False, **options)
    everything = list(range(len(case.labels)))
    case = replace(case, units=[1] * len(everything), unit=1.0, folds=[(everything, everything)])
    return replace(case, labels=[0, 1, *case.labels[2:]])


def additions(columns):
    return Moves.shift(np.array(columns, dtype=np.int32), np.arange(len(columns) + 1), 0.0, 1.0)


def signs_of(case):
    return [1 if label else -1 for label in case.labels]


def seen_parts(case):
    """Return the case with codes below the number of parts: no value is unseen in training."""
    columns = [[min(code, n - 1) for code in column] for column, n in zip(case.columns, case.n_bins, strict=True)]
    return replace(case, columns=columns)


@pytest.mark.parametrize("seed", range(draws(6, 15)))
def test_confidence_is_table_2(seed):
    rng = np.random.default_rng(seed)
    case = seen_parts(training_case(rng))
    case = replace(case, units=rng.integers(1, 4, len(case.labels)).tolist())
    n_rounds = len(case.columns) - 1
    chosen, rs, alphas = table_2(case.columns, case.n_bins, signs_of(case), case.units, n_rounds)
    engine = make_engine(case, "confidence")
    score = engine.reset({})
    for j, r in zip(chosen, rs, strict=True):
        left = [k for k in range(len(case.columns)) if k not in [each.column for each in engine.rounds]]
        scores = engine.score(additions(left))
        assert scores[left.index(j)] == pytest.approx(scores.max(), abs=1e-11)
        before, score = score, engine.apply(add([j]))
        assert score - before == pytest.approx(-0.5 * np.log(1 - r * r), abs=1e-9)
    np.testing.assert_allclose([each.alphas[0] for each in engine.rounds], alphas, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(draws(4, 8)))
def test_real_has_the_z_of_domain_partitioning(seed):
    case = seen_parts(training_case(np.random.default_rng(seed)))
    signs, n_rows = np.array(signs_of(case)), len(case.labels)
    # Without pseudo_count a pure part would have infinite log-odds: every part gets a row of each class.
    rows = [(j, b, y) for j, n in enumerate(case.n_bins) for b in range(n) for y in (0, 1) if n < 9]
    columns = [[*column, *(b if k == j else 0 for k, b, _ in rows)] for j, column in enumerate(case.columns)]
    case = plain_case(columns, [*case.labels, *(y for _, _, y in rows)], n_bins=case.n_bins)
    signs, n_rows = np.array(signs_of(case)), len(case.labels)
    engine = make_engine(case, "real", pseudo_count=1e-9)
    margin = np.zeros(n_rows)
    score = engine.reset({})
    for j in [j for j, n in enumerate(case.n_bins) if n < 9][:3]:
        w = np.exp(-signs * margin)
        z = domain_partition(case.columns[j], signs.tolist(), (w / w.sum()).tolist())
        before, score = score, engine.apply(add([j]))
        assert score - before == pytest.approx(-np.log(z), abs=1e-7)
        margin = margin + engine.rounds[-1].tables[0][np.array(case.columns[j])] * NATS
        assert score == pytest.approx(-np.log(np.exp(-signs * margin).mean()), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_logit_takes_a_newton_step(seed):
    """The step of a column minimizes the quadratic that touches the penalized log-likelihood; the gain is its fall."""
    rng = np.random.default_rng(seed)
    case = seen_parts(training_case(rng))
    y, n_rows = np.array(case.labels), len(case.labels)
    engine = make_engine(case, "logit", pseudo_count=0.7)
    score, f = engine.reset({}), np.full(n_rows, np.log(y.mean() / (1 - y.mean())))
    for j, column in enumerate(case.columns[:3]):
        p, codes = 1 / (1 + np.exp(-f)), np.array(column)
        used = np.unique(codes)
        place = np.searchsorted(used, codes)

        def quadratic(step, p=p, place=place):
            s = step[place]
            return (-(y - p) * s + 0.5 * p * (1 - p) * s * s).sum() + 0.5 * 0.7 * (step**2).sum()

        best = minimize(quadratic, np.zeros(len(used)), method="BFGS", options={"gtol": 1e-9})
        before, score = score, engine.apply(add([j]))
        np.testing.assert_allclose(engine.rounds[-1].tables[0][used] * NATS, best.x, atol=1e-5)
        assert (score - before) * n_rows == pytest.approx(-best.fun, abs=1e-7)
        f = f + engine.rounds[-1].tables[0][codes] * NATS
        np.testing.assert_allclose(engine.beliefs[0].scores[1] * NATS, f, atol=1e-9)


def test_brier_gains_are_the_fall_of_the_squared_error_of_both_classes():
    rng = np.random.default_rng(0)
    labels = (rng.random(400) < 0.3).astype(int)
    columns = [np.where(rng.random(400) < 0.7, labels, rng.integers(0, 2, 400)).tolist() for _ in range(3)]
    case = plain_case(columns, labels.tolist())
    halves = [(list(range(200)), list(range(200, 400))), (list(range(200, 400)), list(range(200)))]
    engine = make_engine(replace(case, folds=halves), "brier", shrinkage=0.5)

    def losses():
        return [
            2 * np.mean((labels[scored] - belief.probabilities[1]) ** 2)
            for (_, scored), belief in zip(halves, engine.beliefs, strict=True)
        ]

    engine.reset({})
    before = losses()
    for j in range(3):
        engine.apply(add([j]))
    for gained, lost in zip(engine.segment_scores, np.subtract(before, losses()), strict=True):
        assert gained == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@ALL
def test_held_out_rows_teach_nothing(method, seed):
    """Other labels among the judged rows change no step."""
    rng = np.random.default_rng(seed)
    case = sound_case(rng, folds=[(list(range(20)), list(range(20, 35)))])
    other = replace(case, labels=[*case.labels[:20], *(1 - label for label in case.labels[20:])])
    steps = []
    for each in (case, other):
        engine = make_engine(each, method)
        engine.reset(dict.fromkeys(range(3), 1.0))
        steps.append([(each.column, each.alphas, each.tables[0].tolist()) for each in engine.rounds])
    assert steps[0] == steps[1]


@pytest.mark.parametrize("seed", range(draws(2, 4)))
@pytest.mark.parametrize("replaced", [False, True])
@ALL
def test_scores_are_what_applying_gives(method, replaced, seed):
    rng = np.random.default_rng(seed)
    case = sound_case(rng)
    engine = make_engine(case, method, replace=replaced, shrinkage=0.7)
    score, left = engine.reset({}), list(range(len(case.columns)))
    assert score == 0.0
    for _ in range(3):
        scores = engine.score(additions(left), exact=True)
        token = engine.snapshot()
        for j, expected in zip(left, scores.tolist(), strict=True):
            assert engine.apply(add([j])) == expected
            assert np.mean(engine.segment_scores) == pytest.approx(expected, abs=1e-11)
            engine.restore(token)
        assert engine.score(additions(left)).tolist() == scores.tolist()
        j = left.pop(int(np.argmax(scores)))
        score = engine.apply(add([j]))
    order = list(dict.fromkeys(each.column for each in engine.rounds))
    again = make_engine(case, method, replace=replaced, shrinkage=0.7)
    assert again.reset(dict.fromkeys(order, 1.0)) == score
    again.repeat([each.column for each in engine.rounds])
    assert again.segment_scores == engine.segment_scores


@ALL
def test_repeated_columns_bring_more_than_new_ones(method):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 300)
    columns = [np.where(rng.random(300) < 0.9, labels, 1 - labels), rng.integers(0, 2, 300)]
    case = plain_case([column.tolist() for column in columns], labels.tolist())
    once, several = (make_engine(case, method, replace=again, shrinkage=0.2) for again in (False, True))
    for engine in (once, several):
        engine.reset({0: 1.0, 1: 1.0})
    assert [each.column for each in once.rounds] == [0, 1]
    assert [each.column for each in several.rounds][:3] == [0, 0, 0]
    assert sum(several.segment_scores) > sum(once.segment_scores)


@ALL
def test_what_was_added_stays(method):
    engine = make_engine(training_case(np.random.default_rng(0)), method)
    engine.reset({0: 1.0})
    for move in (drop([0]), add([1, 2])):
        with pytest.raises(ValueError, match="one at a time; what was added cannot be dropped"):
            engine.apply(move)


@pytest.mark.parametrize("seed", range(5))
@ALL
def test_a_weight_is_so_many_copies(method, seed):
    rng = np.random.default_rng(seed)
    case = training_case(rng)
    units = rng.integers(0, 4, len(case.labels))
    units[:2] = 1
    rows = np.repeat(np.arange(len(units)), units).tolist()
    everything = list(range(len(rows)))
    copied = replace(
        case,
        columns=[[column[i] for i in rows] for column in case.columns],
        labels=[case.labels[i] for i in rows],
        units=[1] * len(rows),
        folds=[(everything, everything)],
    )
    weighted = replace(case, units=units.tolist())
    states = []
    for each in (weighted, copied):
        engine = make_engine(each, method)
        engine.reset({0: 1.0, 2: 1.0})
        states.append((engine.segment_scores, engine.score(additions([1, 3, 4])).tolist()))
    assert states[0] == states[1]


@ALL
def test_names_of_codes_and_constants(method):
    """Columns whose codes are named otherwise tie; a constant brings the class shares, where they are not the start."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 60)
    column = rng.integers(0, 3, 60)
    case = plain_case([column, (2 - column), np.zeros(60, dtype=int)], labels.tolist(), n_bins=[3, 3, 2])
    engine = make_engine(case, method)
    first, renamed, constant = engine.score(additions([0, 1, 2])).tolist()
    assert first == renamed > constant
    share = labels.mean()
    prior = {
        "confidence": -0.5 * np.log(1 - (2 * share - 1) ** 4),
        "real": -np.log(2 * np.sqrt(share * (1 - share))),
    }
    assert constant == pytest.approx(prior.get(method, 0.0), abs=1e-3)


@pytest.mark.parametrize("seed", range(draws(2, 12)))
@pytest.mark.skipif(core is None, reason="there is no compiled core")
@ALL
def test_compiled_sums_give_the_same_bits(method, seed):
    rng = np.random.default_rng(seed)
    case = sound_case(rng, sparse=int(rng.integers(0, 3)))
    model = {"shrinkage": float(rng.choice([1.0, 0.3])), "replace": bool(rng.integers(2))}
    compiled = make_engine(case, method, n_threads=1 + seed % 2, **model)
    reference = make_engine(replace(case, sparse=0), method, backend="reference", **model)
    left = list(range(len(case.columns)))
    for _ in range(len(left)):
        scores = compiled.score(additions(left))
        assert scores.tolist() == reference.score(additions(left)).tolist()
        j = left.pop(int(np.argmax(scores)))
        assert compiled.apply(add([j])) == reference.apply(add([j]))
        assert compiled.segment_scores == reference.segment_scores
    for one, other in zip(compiled.rounds, reference.rounds, strict=True):
        assert one[:2] == other[:2]
        assert [table.tolist() for table in one.tables] == [table.tolist() for table in other.tables]


@pytest.mark.skipif(core is None, reason="there is no compiled core")
def test_compiled_sums_refuse_what_is_out_of_range():
    case = training_case(np.random.default_rng(0))
    codes = make_segments(case)[0].codes
    pulls = np.ones((codes.n_rows, 3), dtype=np.int64)
    everything = np.arange(codes.n_columns)
    found = NativeGradientHistogram(codes).sums(everything, pulls)
    np.testing.assert_array_equal(found, ReferenceGradientHistogram(codes).sums(everything, pulls))
    with pytest.raises(ValueError, match="positions of columns"):
        NativeGradientHistogram(codes).sums(everything + 1, pulls)
    with pytest.raises(ValueError, match="one entry per row"):
        NativeGradientHistogram(codes).sums(everything, pulls[:-1])
    with pytest.raises(ValueError, match="smaller than its n_codes"):
        NativeGradientHistogram(replace(codes, n_bins=codes.n_bins * 0)).sums(everything, pulls)


@ALL
def test_extreme_rows_and_weights(method):
    """A perfect column, huge and tiny weights: everything stays finite, and a perfect column is the best."""
    labels = [0, 1] * 20
    case = plain_case([labels, [0, 0, 1, 1] * 10], labels)
    for units in ([1] * 40, [2**30, 1] * 20, [2**30] * 40):
        engine = make_engine(replace(case, units=units), method)
        scores = engine.score(additions([0, 1]))
        assert scores[0] > scores[1]
        engine.apply(add([0]))
        assert np.isfinite(engine.score(additions([1]))).all()
        lead = engine.beliefs[0].scores[1]
        assert lead[1::2].min() > lead[::2].max()
