"""Jobs in one process or several give the same results."""

import math

import pytest

from bayesieve.evaluation.jobs import run_jobs


@pytest.mark.slow
@pytest.mark.parametrize("n_processes", [1, 2])
def test_every_seed_once(n_processes):
    assert sorted(run_jobs(math.factorial, range(8), n_processes)) == [math.factorial(n) for n in range(8)]


@pytest.mark.slow
def test_an_error_is_raised_here():
    with pytest.raises(ValueError, match="not defined for negative"):
        list(run_jobs(math.factorial, [3, -1], 2))


def test_one_process_is_lazy():
    records = run_jobs(math.factorial, [1, -1], 1)
    assert next(records) == 1
