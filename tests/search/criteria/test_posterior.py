"""The prior of a subset, against binomial coefficients in full."""

import math

import pytest

from bayesieve.search.criteria import CRITERIA


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
