# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the table: one per campaign, the real one if its files are present."""

from functools import partial

from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_000.campaign import has_real_files
from bayesieve.experiments.paper_000.paper_methods import METHODS
from bayesieve.experiments.paper_000.paper_summary import summarize
from bayesieve.experiments.paper_000.replicate import REAL, run_campaign

__all__ = ["mailing_table"]


def mailing_table(seeds: int = 10, people: int = 95_412) -> Experiment:
    """Return the experiment on the real campaign and on simulated ones of seeds 1, 2, ..."""
    keys = [method.key for method in METHODS]
    real = has_real_files()
    missing = "The files of KDD Cup 1998 (kdd98/cup98LRN.txt, cup98VAL.txt) are not in BAYESIEVE_DATA."
    return Experiment(
        journal_name="campaigns.jsonl",
        noun="campaigns",
        jobs=[*([REAL] if real else []), *range(1, seeds + 1)],
        run=partial(run_campaign, n_rows=people),
        n_steps=1 + len(METHODS),
        most_processes=1,  # a campaign needs a gigabyte
        name=lambda record: record["campaign"],
        fits=lambda record: record["n_rows"] == people and list(record["rows"]) == keys,
        summarize=summarize,
        notes=() if real else (missing,),
    )
