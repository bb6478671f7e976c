"""The reference engine against the recount from raw rows."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from cases import make_segments, plain_case, random_case
from draws import ALL_DRAWS, draws
from oracle import brute_force

from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import Change, ReferenceEngine, make_engine

SEEDS = range(draws(80, 200))
BLOCKS = range(20)
# Errors and areas are ratios of integers on both sides; losses allow for another exp and another order of sums.
TOLERANCES = {"error": 0.0, "balanced_error": 0.0, "auc": 0.0, "lift": 0.0}


def engine_for(case, criterion):
    return ReferenceEngine(make_segments(case), NaiveBayes(case.smoothing), CRITERIA[criterion])


def assert_same(found, expected, criterion):
    tolerance = TOLERANCES.get(criterion, 1e-10)
    np.testing.assert_allclose(found, expected, rtol=0 if tolerance == 0 else 1e-13, atol=tolerance)


def random_state(rng, n_columns):
    """Return column weights: none, some ones, some fractions."""
    return {j: [1.0, 1.0, 0.5, 0.3][rng.integers(4)] for j in range(n_columns) if rng.integers(2)}


def random_moves(rng, state, n_columns):
    """Return moves of one column and of several, to weights 0, 1 and between."""
    sizes = [1] * n_columns + [min(2, n_columns), n_columns]
    moves = []
    for first, size in enumerate(sizes):
        columns = [(first + k) % n_columns for k in range(size)]
        moves.append(tuple(Change(j, state.get(j, 0.0), [0.0, 1.0, 1.0, 0.7][rng.integers(4)]) for j in columns))
    return moves


def after(state, move):
    changed = {**state, **{change.column: change.after for change in move}}
    return {j: weight for j, weight in changed.items() if weight}


@cache
def script(seed):
    """Return a case, a state, moves, and every row's believed classes after each: shared by all criteria."""
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    state = random_state(rng, len(case.columns))
    moves = random_moves(rng, state, len(case.columns))
    return case, state, moves, [brute_force.believed(case, after(state, move)) for move in ((), *moves)]


def expected_scores(case, believed, criterion):
    segments = brute_force.scores_of(believed, case.n_classes, criterion)
    return brute_force.mean(segments), [float(score) for score in segments]


def met_by(criterion, seeds):
    """Return every other case, those that the next criterion does not meet; all of them by ``make nightly``."""
    return seeds[list(CRITERIA).index(criterion) % 2 :: 2] if not ALL_DRAWS else seeds


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("block", BLOCKS)
def test_reset_score_and_apply_equal_the_recount(block, criterion):
    for seed in met_by(criterion, SEEDS[block :: len(BLOCKS)]):
        case, state, moves, believed = script(seed)
        engine = engine_for(case, criterion)
        here, *there = [expected_scores(case, rows, criterion) for rows in believed]
        assert_same(engine.reset(state), here[0], criterion)
        assert_same(engine.segment_scores, here[1], criterion)
        assert_same(engine.score(moves), [mean for mean, _ in there], criterion)
        assert_same(engine.segment_scores, here[1], criterion)
        last = seed % len(moves)
        assert_same(engine.apply(moves[last]), there[last][0], criterion)
        assert_same(engine.segment_scores, there[last][1], criterion)


@pytest.mark.parametrize("block", BLOCKS)
def test_evidence_equals_the_recount_to_the_last_bit(block):
    for seed in SEEDS[block :: len(BLOCKS)]:
        case, state, _, believed = script(seed)
        model = NaiveBayes(case.smoothing)
        for segment, rows in zip(make_segments(case), believed[0], strict=True):
            evidence = model.begin(segment.tables.start, len(rows))
            for j, weight in state.items():
                evidence = model.shift(evidence, j, segment.tables.column(j), segment.codes.column(j), 0.0, weight)
            assert evidence.T.tolist() == [scores for scores, _, _ in rows]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_score_is_the_mean_over_segments(criterion):
    case = random_case(np.random.default_rng(7), n_rows=20, n_columns=3)
    case = replace(case, units=[1] * 20, folds=[([*range(20)], [*range(5)]), ([*range(9)], [*range(9, 20)])])
    engine = engine_for(case, criterion)
    score = engine.reset({0: 1.0, 2: 1.0})
    assert len(engine.segment_scores) == 2
    assert score == pytest.approx(sum(engine.segment_scores) / 2, abs=1e-15)


def test_the_cases_have_the_difficulties_that_they_promise():
    cases = [script(seed)[0] for seed in SEEDS]
    assert {case.n_classes for case in cases} == {2, 3, 4, 5}
    assert {len(case.folds) for case in cases} == {1, 2, 3, 4}
    assert {max(case.n_bins) for case in cases} >= {254, 255, 256, 300}
    assert any(len(case.labels) == 1 for case in cases)
    assert any(0 in case.units for case in cases)
    assert any(max(case.units) > 2**24 * min(case.units) > 0 for case in cases)
    assert any(case.columns[i] == case.columns[0] for case in cases for i in range(1, len(case.columns)))
    assert any(parts in column for case in cases for column, parts in zip(case.columns, case.n_bins, strict=True))
    assert any(case.labels.count(c) == 1 for case in cases for c in range(case.n_classes))
    assert any(script(seed)[1] and len(script(seed)[0].folds) > 1 for seed in SEEDS)
    tied = sum(
        scores.count(max(scores)) > 1
        for seed in SEEDS
        for believed in script(seed)[3]
        for rows in believed
        for scores, _, _ in rows
    )
    assert tied > 100


# Three rows, one column, smoothing 1, by hand: class 0 has codes 0, 0; class 1 has code 1.
# P(0) = 2/3, P(code 0 | 0) = 3/4, P(code 0 | 1) = 1/3, so the odds for class 0 are 2 x 9/4 at code 0 and 2 x 3/8 at 1.
BY_HAND = {
    "error": -0 / 3,
    "error_probability": -(2 * (1 / 5.5) + 0.75 / 1.75) / 3,
    "brier": -(2 * 2 * (1 / 5.5) ** 2 + 2 * (0.75 / 1.75) ** 2) / 3,
    "log_loss": -(2 * np.log(5.5 / 4.5) + np.log(1.75)) / 3,
    "balanced_error": -0 / 2,
    "auc": 1.0,
    "lift": 1 / 6 + 2 / 3,  # the one positive of three rows is taken first
    "refinement": -0 / 3,  # the order is perfect
    "map": -(2 * np.log(5.5 / 4.5) + np.log(1.75) + np.log(2)) / 3,  # none or the one column: log 2
}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_engine_and_oracle_agree_with_pencil_and_paper(criterion):
    case = plain_case([[0, 0, 1]], [0, 0, 1], smoothing=1.0)
    engine = make_engine(make_segments(case), NaiveBayes(1.0), CRITERIA[criterion], "reference")
    assert engine.reset({0: 1.0}) == pytest.approx(BY_HAND[criterion], abs=1e-11)
    assert brute_force.score(case, [0], criterion) == pytest.approx(BY_HAND[criterion], abs=1e-11)


def test_errors_that_move_between_folds_tie():
    # Five folds of ten rows; a column wrong 5, 4, 3, 0, 0 times and one wrong 4, 2, 2, 2, 2 times: 12 of 50 each.
    # Rounded fold by fold, the sum of 0.5, 0.4, 0.3 differs in its last bit from that of the others.
    labels = [0, 1] * 25
    columns = []
    for n_wrong in ([5, 4, 3, 0, 0], [4, 2, 2, 2, 2]):
        flips = [int(i < k) for k in n_wrong for i in range(10)]
        columns.append([c ^ flip for c, flip in zip(labels, flips, strict=True)])
    everything = list(range(50))
    folds = [(everything, everything[k : k + 10]) for k in range(0, 50, 10)]
    for criterion in ("error", "balanced_error"):
        engine = engine_for(plain_case(columns, labels, folds=folds), criterion)
        assert engine.reset({0: 1.0}) == engine.reset({1: 1.0}) == pytest.approx(-12 / 50, abs=1e-15)


def test_a_tie_between_classes_goes_to_the_first():
    case = plain_case([[0, 1, 0, 1]], [0, 0, 1, 1], smoothing=1.0)
    assert engine_for(case, "error").reset({0: 1.0}) == -2 / 4
    assert engine_for(case, "auc").reset({0: 1.0}) == 1 / 2
    # A tie counted as correct would make this column perfect.
    assert brute_force.score(case, [0], "error") == -2 / 4
