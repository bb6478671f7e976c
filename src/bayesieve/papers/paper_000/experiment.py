# SPDX-License-Identifier: BSD-3-Clause
"""The jobs: for each campaign the table, paths and the scorecard; the real campaign if its files are present."""

from functools import partial

from bayesieve.papers.experiment import Experiment
from bayesieve.papers.paper_000.campaign import has_donor_file, has_targets, missing_real_files
from bayesieve.papers.paper_000.paper_methods import METHODS
from bayesieve.papers.paper_000.paper_summary import summarize
from bayesieve.papers.paper_000.replicate import DONOR, REAL, run_job

__all__ = ["mailing_table"]


def mailing_table(seeds: int = 10, people: int = 95_412, *, download: bool = True, n_halves: int = 10) -> Experiment:
    """Return the experiment on the real campaign, halves of the donor table, and simulated ones of seeds 1, 2, ..."""
    keys = [method.key for method in METHODS]
    missing = missing_real_files(download=download)
    halves = [f"{DONOR} {seed}" for seed in range(1, n_halves + 1)] if has_donor_file() else []
    notes = [] if missing is None else [missing]
    if not halves:
        notes.append("The donor table (donor/donor.csv) is not in BAYESIEVE_DATA.")
    campaigns = [*([] if missing else [REAL]), *halves, *range(1, seeds + 1)]
    return Experiment(
        journal_name="campaigns.jsonl",
        noun="jobs",
        jobs=[
            *([("targets", REAL)] if has_targets() else []),
            *((kind, campaign) for campaign in campaigns for kind in ("table", "paths", "scorecard")),
        ],
        run=partial(run_job, n_rows=people),
        n_steps=1 + len(METHODS),
        most_processes=1,  # a campaign needs a gigabyte
        name=lambda record: (record["kind"], record["campaign"]),
        fits=lambda record: record["n_rows"] == people and set(record.get("rows", ())) <= set(keys),
        summarize=summarize,
        notes=tuple(notes),
    )
