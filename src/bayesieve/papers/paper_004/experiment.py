# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the table: four per seed, of which the cost of searches is measured on a few seeds."""

from functools import partial
from typing import Final

from bayesieve.papers.experiment import Experiment
from bayesieve.papers.paper_004.paper_methods import METHODS
from bayesieve.papers.paper_004.paper_summary import summarize
from bayesieve.papers.paper_004.replicate import JOBS, run_job

__all__ = ["indicators_table"]

_MOST_SEEDS: Final = {"cost": 3, "scorecard": 5}  # of jobs whose means need fewer


def indicators_table(seeds: int = 20, series: int = 6000) -> Experiment:
    """Return the experiment over seeds 1, 2, ..."""
    keys = [method.key for method in METHODS]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=[(kind, seed) for kind in JOBS for seed in range(1, min(seeds, _MOST_SEEDS.get(kind, seeds)) + 1)],
        run=partial(run_job, n_series=series),
        n_steps=1 + len(METHODS),  # the simulation, and each method of the table
        most_processes=seeds,
        name=lambda record: tuple(record["job"]),
        fits=lambda record: (
            record["n_series"] == series and (record["job"][0] != "table" or list(record["rows"]) == keys)
        ),
        summarize=summarize,
    )
