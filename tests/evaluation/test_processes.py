"""Seeds in one process or several are the same seeds."""

import math

import pytest

from bayesieve.evaluation.processes import run_jobs


@pytest.mark.parametrize("n_processes", [1, 2])
def test_every_seed_once(n_processes):
    assert sorted(run_jobs(math.factorial, range(8), n_processes)) == [math.factorial(n) for n in range(8)]


def test_a_fault_arrives():
    with pytest.raises(ValueError, match="not defined for negative"):
        list(run_jobs(math.factorial, [3, -1], 2))


def test_one_process_waits_until_it_is_asked():
    records = run_jobs(math.factorial, [1, -1], 1)
    assert next(records) == 1
