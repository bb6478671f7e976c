"""The experiment's data: halves of each class, a new test set, and no column that is constant on half A."""

import numpy as np

from bayesieve.papers.paper_004.problem import make_problem


def test_halves_are_stratified_and_the_test_set_is_new():
    problem = make_problem(1, n_series=240)
    assert np.bincount(problem.train.target).tolist() == [60, 20, 20, 20]
    assert np.bincount(problem.validation.target).tolist() == [60, 20, 20, 20]
    assert np.bincount(problem.test.target).tolist() == [120, 40, 40, 40]
    ones = problem.train.indicators.mean(axis=0)
    assert ((ones > 0) & (ones < 1)).all()
    assert 600 < problem.n_columns < 814
    assert problem.test.indicators.shape == (240, problem.n_columns)
    again, other = make_problem(1, n_series=240), make_problem(2, n_series=240)
    assert again.names == problem.names
    np.testing.assert_array_equal(again.test.indicators, problem.test.indicators)
    assert (
        other.test.indicators.shape != problem.test.indicators.shape
        or (other.test.indicators != problem.test.indicators).any()
    )
