"""The jobs of the table: one per seed."""

from functools import partial

from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_004.paper_figure import draw_paths
from bayesieve.experiments.paper_004.paper_methods import METHODS
from bayesieve.experiments.paper_004.paper_summary import summarize
from bayesieve.experiments.paper_004.paper_table import markdown
from bayesieve.experiments.paper_004.replicate import run_seed

__all__ = ["indicators_table"]


def indicators_table(n_seeds: int, n_series: int) -> Experiment:
    """Return the experiment over seeds 1, 2, ..."""
    keys = [method.key for method in METHODS]
    return Experiment(
        journal_name="seeds.jsonl",
        noun="seeds",
        jobs=range(1, n_seeds + 1),
        run=partial(run_seed, n_series=n_series),
        n_steps=1 + len(METHODS),  # the simulation, and each method
        most_processes=n_seeds,
        name=lambda record: int(record["seed"]),
        fits=lambda record: record["n_series"] == n_series and list(record["rows"]) == keys,
        summarize=summarize,
        markdown=markdown,
        draw=lambda records, folder: draw_paths(records, folder / "paths.png"),
    )
