"""Weighing: the reference against derivatives and a general optimizer, the compiled core against the reference."""

import numpy as np
import pytest
from draws import draws
from scipy.optimize import minimize
from tests.cases import make_segments, random_case

from bayesieve._native import core
from bayesieve.search.engine import MemorySegments, make_weighing
from bayesieve.search.engine.gradients.weights import DescentWeighing, MemoryWeighing

NATS = 2.0**-40


def reference_weighing(segments, unit):
    return DescentWeighing(MemorySegments(segments), unit, "reference")


def objective(segments, unit, start, weights):
    """Return the log-likelihood of all rows."""
    total = 0.0
    for segment in segments:
        scores = np.repeat(start[:, None], segment.codes.n_rows, axis=1)
        for j, weight in enumerate(weights):
            scores = scores + weight * segment.tables.column(j).T[:, segment.codes.column(j)] * NATS
        scores = scores - scores.max(axis=0)
        own = scores[segment.target, np.arange(len(segment.target))]
        total += ((own - np.log(np.exp(scores).sum(axis=0))) * segment.weights * unit).sum()
    return total


def sound_case(seed, **options):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n_rows=35, smoothing=1.0, **options)
    return case, make_segments(case), rng


@pytest.mark.parametrize("seed", range(draws(12, 30)))
def test_slopes_are_derivatives(seed):
    case, segments, rng = sound_case(seed)
    n_columns = len(case.columns)
    start = rng.normal(size=case.n_classes)
    weights = np.round(rng.uniform(0, 1.5, n_columns) * 2**20) / 2**20
    weighing = reference_weighing(segments, case.unit)
    weighing.reset(np.rint(start / NATS).astype(np.int64), weights)
    slopes, _ = weighing.slopes(np.arange(n_columns, dtype=np.int32))
    for j in range(n_columns):
        step = np.eye(n_columns)[j] * 1e-5
        ahead, behind = (objective(segments, case.unit, start, weights + sign * step) for sign in (1, -1))
        assert slopes[j] == pytest.approx((ahead - behind) / 2e-5, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(draws(6, 15)))
def test_descent_reaches_the_optimum(seed):
    case, segments, rng = sound_case(seed, n_classes=2 + seed % 3)
    n_columns, n_classes = len(case.columns), case.n_classes
    penalties = rng.uniform(0.2, 3.0, n_columns)
    weighing = reference_weighing(segments, case.unit)
    weighing.descend(np.arange(n_columns, dtype=np.int32), penalties, tolerance=1e-6, most_rounds=3000)

    def loss(point):
        start = np.append(0.0, point[: n_classes - 1])
        weights = point[n_classes - 1 :]
        return -objective(segments, case.unit, start, weights) + penalties @ weights

    found = np.append((weighing.start[1:] - weighing.start[0]) * NATS, weighing.weights)
    bounds = [(-15.0, 15.0)] * (n_classes - 1) + [(0.0, None)] * n_columns
    best = minimize(loss, found.clip(*np.array([(a, b or 99) for a, b in bounds]).T), bounds=bounds, method="L-BFGS-B")
    assert loss(found) <= best.fun + 1e-3 * (1 + abs(best.fun)) or np.abs(found[: n_classes - 1]).max() > 15


def correlated_case(seed, n_rows=400, n_classes=2):
    """Return columns that are noisy copies of three others: coordinate descent needs hundreds of rounds."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_rows)
    sources = [np.where(rng.random(n_rows) < 0.4, labels, rng.integers(0, n_classes, n_rows)) for _ in range(3)]
    columns = [
        np.where(rng.random(n_rows) < 0.97, sources[k % 3], rng.integers(0, n_classes, n_rows)).tolist()
        for k in range(12)
    ]
    case = random_case(rng, n_rows=n_rows)
    every = list(range(n_rows))
    return type(case)(
        columns, [n_classes] * 12, labels.tolist(), n_classes, [1] * n_rows, 1.0, [(every, every)], smoothing=1.0
    )


def best_objective(segments, unit, penalties, first):
    """Return the maximum that a general optimizer reaches from a point: start of all classes but one, then weights."""
    n_classes, n_columns = segments[0].n_classes, len(penalties)
    design = [
        np.stack([segment.tables.column(j)[segment.codes.column(j)] * NATS for j in range(n_columns)], axis=2)
        for segment in segments
    ]

    def loss(point):
        start, weights = np.append(0.0, point[: n_classes - 1]), point[n_classes - 1 :]
        total, slopes = float(penalties @ weights), np.append(np.zeros(n_classes - 1), penalties)
        for segment, scores in zip(segments, design, strict=True):
            evidence = start + scores @ weights
            logs = evidence - np.logaddexp.reduce(evidence, axis=1, keepdims=True)
            rows, mass = np.arange(len(logs)), segment.weights * unit
            total -= float((logs[rows, segment.target] * mass).sum())
            residual = (np.eye(n_classes)[segment.target] - np.exp(logs)) * mass[:, None]
            slopes = slopes - np.append(residual.sum(axis=0)[1:], np.einsum("ic,icj->j", residual, scores))
        return total, slopes

    bounds = [(None, None)] * (n_classes - 1) + [(0.0, None)] * n_columns
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 20_000, "maxfun": 40_000}
    return -minimize(loss, first, jac=True, bounds=bounds, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(draws(3, 12)))
def test_correlated_columns_need_few_rounds_to_the_maximum(seed, n_classes):
    case = correlated_case(seed, n_classes=n_classes)
    segments = make_segments(case)
    penalties = np.random.default_rng(seed).uniform(0.5, 1.5, 12)
    weighing = make_weighing(MemorySegments(segments), 1.0)
    rounds = weighing.descend(np.arange(12, dtype=np.int32), penalties)
    assert rounds <= 9
    found = np.append((weighing.start[1:] - weighing.start[0]) * NATS, weighing.weights)
    reached = weighing.scores()[0] * weighing.mass - float(penalties @ weighing.weights)
    # The last step is shorter than 0.01 standard errors: 0.01² / 2 below the maximum, had it not been taken.
    assert reached >= best_objective(segments, 1.0, penalties, found) - 5e-5


@pytest.mark.parametrize("shift", [-30.0, 4.0, 30.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_from_a_far_start_the_maximum_is_the_same(shift, n_classes):
    """Second derivatives of rows far from the boundary are tiny: a plain Newton step would go far beyond."""
    segments = make_segments(correlated_case(7, n_classes=n_classes))
    penalties, everything = np.full(12, 1.0), np.arange(12, dtype=np.int32)
    near, far = (make_weighing(MemorySegments(segments), 1.0) for _ in range(2))
    near.descend(everything, penalties, tolerance=1e-4)
    start = far.start.copy()
    start[-1] += int(shift * 2**40)
    far.reset(start, np.full(12, 3.0))
    far.descend(everything, penalties, tolerance=1e-4)
    objectives = [each.scores()[0] * each.mass - float(penalties @ each.weights) for each in (near, far)]
    assert objectives[1] == pytest.approx(objectives[0], abs=1e-5)


# From 16 rows per code on, the core adds up every second or fourth row in a table of its own; 1,024 rows are changed
# at a time.
SIZES = [{}] * draws(24, 120) + [
    {"n_rows": n_rows, "n_classes": n_classes} for n_rows, n_classes in ((4096, 2), (4999, 2), (17_002, 2), (2100, 3))
]


@pytest.mark.skipif(core is None, reason="there is no compiled core")
@pytest.mark.parametrize("seed", range(len(SIZES)))
def test_the_core_has_the_bits_of_the_reference(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, **SIZES[seed])
    segments = make_segments(case)
    n_columns = len(case.columns)
    columns = rng.permutation(n_columns).astype(np.int32)
    penalties = rng.choice([0.0, 0.1, 2.0], n_columns)
    twins = [reference_weighing(segments, case.unit), MemoryWeighing(segments, case.unit, 1 + seed % 2)]
    results = []
    for weighing in twins:
        start = segments[0].tables.start + np.arange(case.n_classes) * 2**36
        weighing.reset(start, np.linspace(0.0, 1.0, n_columns))
        first = weighing.slopes(columns)
        rounds = weighing.descend(columns, penalties, tolerance=1e-3, most_rounds=12)
        results.append(
            [*first, rounds, weighing.start, weighing.weights, *weighing.slopes(columns), *weighing.scores()]
        )
    for reference, native in zip(*results, strict=True):
        np.testing.assert_array_equal(native, reference)


@pytest.mark.slow
@pytest.mark.skipif(core is None, reason="there is no compiled core")
def test_threads_over_rows_change_nothing():
    rng = np.random.default_rng(3)
    n_rows = 70_000
    labels = rng.integers(0, 3, n_rows)
    columns = [(labels * (rng.random(n_rows) < 0.3) + rng.integers(0, 3, n_rows)).tolist() for _ in range(4)]
    case = random_case(rng, n_rows=35)
    case = type(case)(
        columns, [5] * 4, labels.tolist(), 3, [1] * n_rows, 1.0, [(list(range(n_rows)), list(range(n_rows)))]
    )
    segments = make_segments(case)
    found = []
    for n_threads in (1, 2, 3):
        weighing = make_weighing(segments, 1.0, n_threads=n_threads)
        weighing.descend(np.arange(4, dtype=np.int32), np.full(4, 2.0))
        found.append((weighing.weights.tolist(), weighing.start.tolist()))
    assert found[0] == found[1] == found[2]
    assert max(found[0][0]) > 0
