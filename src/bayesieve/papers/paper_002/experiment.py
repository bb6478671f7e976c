# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the tables: one per table, set, method and repeat."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Final

from bayesieve.papers.experiment import Experiment
from bayesieve.papers.paper_002.ablation import run_ablation
from bayesieve.papers.paper_002.challenge import LOADERS, PROBED, run_challenge, run_later, run_probes
from bayesieve.papers.paper_002.folds import KHIOPS_ROW, METHODS, SETS, run_folds
from bayesieve.papers.paper_002.noise import run_noise
from bayesieve.papers.paper_002.paper_summary import summarize
from bayesieve.papers.paper_002.perceptron import run_perceptron
from bayesieve.papers.paper_002.readings import run_readings
from bayesieve.papers.paper_002.scorecard import run_later_scorecard, run_scorecard
from bayesieve.papers.paper_002.variants import VARIANTS
from bayesieve.papers.peers import KHIOPS
from bayesieve.papers.present_sets import check_names, present_sets

__all__ = ["classifier_tables", "run_job"]

_TABLES: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    "challenge": run_challenge,
    "later": run_later,
    "readings": run_readings,
    "perceptron": run_perceptron,
    "probes": run_probes,
    "noise": run_noise,
    "ablation": run_ablation,
    "scorecard": run_scorecard,
    "later_scorecard": run_later_scorecard,
    "folds": run_folds,
}


def classifier_tables(repeats: int = 1, sets: Sequence[str] = (), *, is_small: bool = False) -> Experiment:
    """Return the experiment on all data sets, or on those named.

    UCI sets have ``repeats`` times ten folds. The small version has no table 25.2, no probes and two classifiers.
    """
    check_names(sets, (*LOADERS, *SETS))
    challenge, notes = present_sets(
        {name: partial(load, "valid") for name, load in LOADERS.items() if not sets or name in sets}
    )
    uci_sets, absent = present_sets({name: load for name, load in SETS.items() if not sets or name in sets})
    notes += absent
    methods = [method for method in METHODS if method != KHIOPS_ROW or KHIOPS.exists]
    if uci_sets and not KHIOPS.exists:
        notes.append(KHIOPS.recipe)
    variants = PROBED if is_small else tuple(VARIANTS)
    jobs: list[tuple[Hashable, ...]] = [("challenge", name, each) for name in challenge for each in variants]
    jobs += [("later", name) for name in challenge]
    if not is_small:
        jobs += [("readings", name) for name in challenge]
        jobs += [(table, name) for table in ("perceptron", "later_scorecard") for name in challenge]
        jobs += [("probes", name, each) for name in challenge for each in PROBED]
        jobs += [("noise", name) for name in challenge]
        jobs += [("ablation", name) for name in (*challenge, *uci_sets)]
    jobs += [
        ("folds", name, method, k)
        for k in range(1, repeats + 1)
        for name in uci_sets
        for method in (variants if is_small else methods)
    ]
    jobs += [("scorecard", name) for name in (*challenge, *uci_sets)]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=jobs,
        run=run_job,
        n_steps=1,
        most_processes=1,
        name=lambda record: tuple(record["job"]),
        fits=lambda record: record["job"][0] in _TABLES,
        summarize=summarize,
        notes=tuple(notes),
    )


def run_job(name: tuple[Any, ...], n_threads: int = 1, on_step: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Run a job by its name, on one thread, as the peers do."""
    table, *arguments = name
    record = _TABLES[table](*arguments)
    on_step()
    return {"job": list(name), **record}
