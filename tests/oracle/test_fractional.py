"""Fractional weights against plain loops that recompute the objective from raw rows."""

import numpy as np
import pytest
from cases import make_segments, plain_case, random_case
from draws import draws
from oracle import fractional

from bayesieve.exceptions import InterruptedSearchWarning
from bayesieve.models import NaiveBayes
from bayesieve.search import SearchRun, WeightPrior, fractional_weights
from bayesieve.search.criteria import SmoothedLogLoss
from bayesieve.search.engine import ENGINES, make_engine

engines = pytest.mark.parametrize("backend", ENGINES)


def problem(seed, **changes):
    """Return a case scored on its training rows, costs of its columns, and the weight of its rows."""
    rng = np.random.default_rng([31, seed])
    case = random_case(rng, n_columns=int(rng.integers(1, 6)), n_rows=int(rng.choice([2, 8, 20, 35])))
    rows = list(range(len(case.labels)))
    units, unit = [(case.units, case.unit), ([1 + u % 5 for u in case.units], 0.5)][int(max(case.units) > 2**12)]
    case = plain_case(case.columns, case.labels, n_bins=case.n_bins, n_classes=case.n_classes, units=units, unit=unit)
    costs = rng.choice([0.5, 3.0, 10.0, 40.0], len(case.columns)) * rng.random(len(case.columns))
    return case, costs, float(rng.choice([0.0, 5.0])), sum(units[i] for i in rows) * unit


def descend(case, costs, null_cost, n_rows, backend="reference", n_threads=1, **options):
    engine = make_engine(make_segments(case), NaiveBayes(case.smoothing), SmoothedLogLoss(n_rows), backend, n_threads)
    return fractional_weights(engine, WeightPrior(costs, null_cost), n_rows, **options)


@engines
@pytest.mark.parametrize("seed", range(draws(12, 30)))
def test_weights_and_every_objective_are_those_of_the_loops(backend, seed):
    case, costs, null_cost, n_rows = problem(seed)
    order = np.random.default_rng(seed).permutation(len(costs))
    found = descend(case, costs, null_cost, n_rows, backend, 2, order=order, seed=seed)
    weights, trace = fractional.descend(case, costs.tolist(), null_cost, n_rows, order.tolist(), seed)
    assert found.weights.tolist() == weights
    np.testing.assert_allclose(found.objective, trace, rtol=1e-11, atol=1e-9)
    assert found.complete


def test_the_problems_have_something_to_find():
    found = [descend(*problem(seed)) for seed in range(60)]
    weights = np.concatenate([each.weights for each in found])
    assert (weights == 0).sum() > 20
    assert (weights == 1).sum() > 5
    assert ((weights > 0) & (weights < 1)).sum() > 20
    assert any(np.diff(each.objective).max(initial=-1) > 0 for each in found)  # a lowered weight may cost a little


@engines
def test_bits_do_not_depend_on_engine_or_threads(backend):
    case, costs, null_cost, n_rows = problem(7)
    expected = descend(case, costs, null_cost, n_rows)
    for n_threads in (1, 2, 7):
        found = descend(case, costs, null_cost, n_rows, backend, n_threads)
        assert found.weights.tolist() == expected.weights.tolist()
        assert found.objective == expected.objective
        assert found.n_trials == expected.n_trials


def test_only_columns_of_the_order_have_a_weight():
    case, costs, null_cost, n_rows = problem(3)
    kept = np.array([1, 0]) if len(costs) > 1 else np.array([0])
    found = descend(case, costs, null_cost, n_rows, order=kept)
    assert not found.weights[[j for j in range(len(costs)) if j not in kept]].any()
    assert not descend(case, costs, null_cost, n_rows, order=np.empty(0, dtype=np.intp)).weights.any()


def test_weights_are_multiples_of_the_last_step():
    for seed in range(20):
        case, costs, null_cost, n_rows = problem(seed)
        steps = descend(case, costs, null_cost, n_rows).weights * 2.0 ** (np.ceil(np.log2(n_rows + 1)) - 1)
        assert (steps == np.rint(steps)).all()


def test_dear_columns_stay_out_and_free_ones_enter():
    labels = [0, 0, 0, 0, 1, 1, 1, 1] * 4
    column = [0, 0, 0, 1, 1, 1, 1, 0] * 4
    case = plain_case([column, column], labels)
    assert not descend(case, np.full(2, 1e4), 0.0, 32.0).weights.any()
    assert descend(case, np.array([1e4, 0.0]), 0.0, 32.0).weights.tolist()[0] == 0.0
    assert descend(case, np.array([1e4, 0.0]), 0.0, 32.0).weights.tolist()[1] > 0.5


def test_a_copy_of_a_column_brings_nothing():
    """The sum of the weights of twins is what one of them would have."""
    labels = [0, 0, 0, 0, 1, 1, 1, 1] * 8
    column = [0, 0, 0, 1, 1, 1, 1, 0] * 8
    alone = descend(plain_case([column], labels), np.ones(1), 0.0, 64.0).weights.sum()
    twins = descend(plain_case([column, column], labels), np.ones(2), 0.0, 64.0).weights.sum()
    assert twins == pytest.approx(alone, abs=0.1)


def test_time_may_end():
    found = descend(*problem(3), run=SearchRun(max_time=0))
    assert not found.complete
    assert not found.weights.any()
    assert len(found.objective) == 1


def test_an_interruption_keeps_what_was_found():
    case, costs, null_cost, n_rows = problem(3)
    engine = make_engine(make_segments(case), NaiveBayes(case.smoothing), SmoothedLogLoss(n_rows), "reference")
    whole = fractional_weights(engine, WeightPrior(costs, null_cost), n_rows)
    score, calls = engine.score, iter(range(100))

    def interrupted(moves, **options):
        if next(calls) == 9:
            raise KeyboardInterrupt
        return score(moves, **options)

    engine.score = interrupted
    with pytest.warns(InterruptedSearchWarning, match="search was interrupted; the best result so far"):
        part = fractional_weights(engine, WeightPrior(costs, null_cost), n_rows)
    assert not part.complete
    assert part.objective == whole.objective[: len(part.objective)]
