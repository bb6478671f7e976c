"""Log losses: of smoothed probabilities, and with the cost of encoding a subset, against their definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from cases import make_segments, plain_case, random_case
from draws import draws
from oracle import brute_force

from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA, SmoothedLogLoss
from bayesieve.search.engine import ENGINES, Change, ReferenceEngine, add

engines = pytest.mark.parametrize("engine", ENGINES)


def expected_score(case, weights, n_rows):
    """Return the mean over folds of minus the mean loss."""
    means = []
    for rows in brute_force.believed(case, weights):
        total = sum(weight for _, _, weight in rows)
        lost = 0
        for scores, c, weight in rows:
            p = (n_rows * brute_force.posterior(scores)[c] + 0.5 / case.n_classes) / (n_rows + 0.5)
            lost += Fraction(round(-math.log(p) * 2**40), 2**40) * weight
        means.append(-lost / total)
    return float(sum(means) / len(means))


def random_weights(rng, n_columns):
    return {j: float(rng.choice([1.0, 0.5, 0.25, 0.8125])) for j in range(n_columns) if rng.integers(2)}


@engines
@pytest.mark.parametrize("seed", range(draws(16, 150)))
def test_scores_are_the_recount_and_every_engine_has_the_reference_bits(engine, seed):
    rng = np.random.default_rng([21, seed])
    case = random_case(rng)
    n_rows = [float(len(case.labels)), sum(case.units) * case.unit, 0.125, 1e9][seed % 4]
    segments, criterion = make_segments(case), SmoothedLogLoss(n_rows)
    tested, reference = (
        kind(segments, NaiveBayes(case.smoothing), criterion) for kind in (ENGINES[engine], ReferenceEngine)
    )
    weights = random_weights(rng, len(case.columns))
    moves = [(Change(j, weights.get(j, 0.0), after),) for j in range(len(case.columns)) for after in (0.0, 0.375, 1.0)]
    for state in ({}, weights):
        found = tested.reset(state)
        assert found == reference.reset(state)
        assert found == pytest.approx(expected_score(case, state, n_rows), rel=1e-12, abs=1e-10)
        here = [(Change(j, state.get(j, 0.0), after),) for ((j, _, after),) in moves]
        np.testing.assert_array_equal(tested.score(here), reference.score(here))
        np.testing.assert_array_equal(tested.score(here, exact=True), reference.score(here))
    assert tested.apply(moves[-1]) == reference.apply(moves[-1])


@engines
def test_no_row_costs_more_than_its_bound(engine):
    case = plain_case([[0, 0, 0, 1, 1, 1, 1, 0, 1]] * 400, [0, 0, 0, 0, 1, 1, 1, 1, 1])
    surest = ENGINES[engine](make_segments(case), NaiveBayes(), SmoothedLogLoss(9.0))
    assert -surest.reset(dict.fromkeys(range(400), 1.0)) == pytest.approx(
        2 / 9 * math.log(9.5 / 0.25) + 7 / 9 * math.log(9.5 / 9.25)
    )


@engines
def test_the_number_of_threads_does_not_matter(engine):
    from bayesieve.search.engine import make_engine

    case = random_case(np.random.default_rng(22), n_columns=9, n_rows=700)
    moves = [add([j]) for j in range(9)]
    found = [
        make_engine(make_segments(case), NaiveBayes(), SmoothedLogLoss(700.0), engine, n).score(moves).tolist()
        for n in (1, 2, 7)
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("n_columns", [1, 2, 3, 10, 300, 2000])
def test_costs_are_those_of_the_formula(n_columns):
    costs = CRITERIA["map"].subset_costs(n_columns)
    assert len(costs) == n_columns + 1
    for size in {0, 1, n_columns // 2, n_columns}:
        expected = math.log(n_columns + 1) + math.log(math.comb(n_columns + size - 1, size))
        assert costs[size] == pytest.approx(expected, abs=1e-8)


def test_every_column_costs_between_log_2_and_log_k():
    steps = CRITERIA["map"].subset_costs(50)
    steps = steps[1:] - steps[:-1]
    assert steps[0] == pytest.approx(math.log(50), abs=1e-11)
    assert steps[-1] == pytest.approx(math.log(99 / 50), abs=1e-11)
    assert (steps[1:] < steps[:-1]).all()


def test_without_candidates():
    assert CRITERIA["map"].subset_costs(0).tolist() == [0.0]


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "map"])
def test_other_criteria_count_rows_alone(name):
    assert CRITERIA[name].subset_costs(5) is None
