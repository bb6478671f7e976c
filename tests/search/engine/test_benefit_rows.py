"""The mean benefit inside the search: stakes and thresholds against brute force, and against the general form."""

from dataclasses import replace

import numpy as np
import pytest
from cases import make_segments, random_case
from draws import draws

from bayesieve.models import NaiveBayes
from bayesieve.search.criteria.benefit import Benefit
from bayesieve.search.engine import BACKENDS, MemorySegments, ReferenceEngine, add, drop, make_engine
from bayesieve.search.engine.benefit_rows import in_units

KINDS = ("matrix", "rows", "gifts", "sure")


def random_benefits(rng, kind, n_rows, n_actions=2, n_classes=2):
    if kind == "matrix":
        return rng.normal(size=(1, n_actions, n_classes))
    if kind == "rows":
        return rng.normal(size=(n_rows, n_actions, n_classes))
    if kind == "gifts":
        benefits = np.zeros((n_rows, 2, 2))
        benefits[:, 1] = np.array([-0.68, -0.68]) + np.column_stack([np.zeros(n_rows), rng.integers(1, 200, n_rows)])
        return benefits
    return rng.integers(-1, 2, size=(n_rows, n_actions, n_classes)).astype(float)  # often one action is always better


def with_benefits(case, rng, kind, **shape):
    benefits = random_benefits(rng, kind, len(case.labels), **shape)
    segments = make_segments(case)
    if kind == "matrix":
        return MemorySegments(replace(segment, benefits=benefits) for segment in segments)
    return MemorySegments(
        replace(segment, benefits=benefits[scored]) for segment, (_, scored) in zip(segments, case.folds, strict=True)
    )


def brute_score(segments, columns):
    """Return the mean over segments of the mean benefit, a row at a time."""
    means = []
    for segment in segments:
        total = 0.0
        for i, c in enumerate(segment.target):
            evidence = segment.tables.start.astype(float)
            for j in columns:
                evidence = evidence + segment.tables.column(j)[segment.codes.column(j)[i]]
            p = np.exp((evidence - evidence.max()) / 2**40)
            benefits = segment.benefits[i if len(segment.benefits) > 1 else 0]
            action = int(np.argmax(benefits @ (p / p.sum())))
            total += float(segment.weights[i]) * benefits[action, c]
        means.append(total / float(segment.weights.sum()))
    return float(np.mean(means))


def engines(segments):
    yield from (
        make_engine(segments, NaiveBayes(), Benefit(), backend, 2) for backend in BACKENDS if backend != "native"
    )
    yield ReferenceEngine(in_units(segments), NaiveBayes(), Benefit())


@pytest.mark.parametrize("kind", ["matrix", "rows", "gifts"])
@pytest.mark.parametrize("seed", range(draws(5, 12)))
def test_two_actions_against_brute_force(seed, kind):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n_classes=2, n_rows=30, n_columns=4, sparse=seed % 3)
    segments = with_benefits(case, rng, kind)
    for columns in ([], [0], [1, 3], [0, 1, 2, 3]):
        expected = brute_score(segments, columns)
        for engine in engines(segments):
            assert engine.reset(dict.fromkeys(columns, 1.0)) == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(draws(4, 8)))
def test_more_actions_and_classes_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    n_classes, n_actions = int(rng.integers(2, 5)), int(rng.integers(1, 5))
    case = random_case(rng, n_classes=n_classes, n_rows=25, n_columns=3)
    shape = {"n_actions": n_actions, "n_classes": n_classes}
    segments = with_benefits(case, rng, ["matrix", "rows"][seed % 2], **shape)
    engine = make_engine(segments, NaiveBayes(), Benefit())
    for columns in ([], [0], [0, 1, 2]):
        found = engine.reset(dict.fromkeys(columns, 1.0))
        assert found == pytest.approx(brute_score(segments, columns), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(draws(5, 12)))
def test_engines_agree_to_the_last_bit(seed, kind):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n_classes=2, sparse=seed % 3)
    segments = with_benefits(case, rng, kind)
    tested, reference = (make_engine(segments, NaiveBayes(), Benefit(), each) for each in ("auto", "reference"))
    assert tested.reset({}) == reference.reset({})
    n_columns, inside = len(case.columns), set()
    for j in [*range(n_columns), *range(0, n_columns, 2)]:
        moves = [drop([k]) if k in inside else add([k]) for k in range(n_columns)]
        np.testing.assert_array_equal(tested.score(moves, exact=True), reference.score(moves, exact=True))
        before = tested.snapshot()
        assert tested.apply(moves[j]) == reference.apply(moves[j])
        after = tested.segment_scores
        tested.restore(before)
        tested.apply(moves[j])
        assert tuple(tested.segment_scores) == tuple(after) == tuple(reference.segment_scores)
        inside ^= {j}


def test_sure_actions_and_equal_expectations():
    """Of equal expectations action 0 is taken, also where a more probable positive class is in favor of it."""
    rng = np.random.default_rng(0)
    case = random_case(rng, n_classes=2, n_rows=20, n_columns=1, labels=[0, 1] * 10, units=[1] * 20, unit=1.0)
    case = replace(case, folds=[(list(range(20)), list(range(20)))])
    for matrix, mean in [
        ([[0, 0], [1, 1]], 1.0),
        ([[0, 0], [-1, -1]], 0.0),
        ([[0, 0], [0, 0]], 0.0),
        ([[0, 0], [-1, 1]], 0.0),  # even chances: nothing is expected of either
        ([[2, 0], [1, 1]], 1.0),
        ([[0, 0], [1, -1]], 0.0),
        ([[0, 3], [3, 0]], 1.5),
    ]:
        benefits = np.array([matrix], dtype=float)
        segments = MemorySegments(replace(each, benefits=benefits) for each in make_segments(case))
        for engine in engines(segments):
            assert engine.reset({}) == mean


def test_more_thresholds_than_a_column_holds():
    n_rows = 70_000
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, n_rows)
    codes = np.where(rng.random(n_rows) < 0.3, labels, rng.integers(0, 2, n_rows))
    case = random_case(rng, n_classes=2, n_rows=3, n_columns=1)
    rows = list(range(n_rows))
    case = replace(
        case, columns=[codes.tolist()], n_bins=[2], labels=labels.tolist(), units=[1] * n_rows, unit=1.0,
        folds=[(rows, rows)], smoothing="auto", own_parts=False,
    )  # fmt: skip
    segments = with_benefits(case, rng, "rows")
    exact = ReferenceEngine(in_units(segments), NaiveBayes(), Benefit())
    assert make_engine(segments, NaiveBayes(), Benefit()).reset({0: 1.0}) == pytest.approx(
        exact.reset({0: 1.0}), rel=1e-4
    )
