# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the table: one per seed."""

from functools import partial

from bayesieve.papers.experiment import Experiment
from bayesieve.papers.paper_004.paper_methods import METHODS
from bayesieve.papers.paper_004.paper_summary import summarize
from bayesieve.papers.paper_004.replicate import run_seed

__all__ = ["indicators_table"]


def indicators_table(seeds: int = 20, series: int = 6000) -> Experiment:
    """Return the experiment over seeds 1, 2, ..."""
    keys = [method.key for method in METHODS]
    return Experiment(
        journal_name="seeds.jsonl",
        noun="seeds",
        jobs=range(1, seeds + 1),
        run=partial(run_seed, n_series=series),
        n_steps=1 + len(METHODS),  # the simulation, and each method
        most_processes=seeds,
        name=lambda record: int(record["seed"]),
        fits=lambda record: record["n_series"] == series and list(record["rows"]) == keys,
        summarize=summarize,
    )
