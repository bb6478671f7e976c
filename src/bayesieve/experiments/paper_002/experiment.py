"""The jobs of the tables: one per table, set, method and repeat."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from bayesieve.datasets import load_gisette
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_002.challenge import LOADERS, PROBED, run_challenge, run_probes
from bayesieve.experiments.paper_002.folds import KHIOPS_ROW, METHODS, SETS, run_folds
from bayesieve.experiments.paper_002.paper_figure import draw_plane
from bayesieve.experiments.paper_002.paper_summary import summarize
from bayesieve.experiments.paper_002.paper_table import markdown
from bayesieve.experiments.paper_002.perceptron import run_perceptron
from bayesieve.experiments.paper_002.variants import VARIANTS
from bayesieve.experiments.peers import KHIOPS

__all__ = ["classifier_tables", "run_job"]

_TABLES: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    "challenge": run_challenge,
    "perceptron": run_perceptron,
    "probes": run_probes,
    "folds": run_folds,
}


def classifier_tables(n_repeats: int = 1, names: Sequence[str] = ()) -> Experiment:
    """Return the experiment on all data sets, or on those named; UCI sets have ``n_repeats`` times ten folds."""
    unknown = [name for name in names if name not in (*LOADERS, *SETS)]
    if unknown:
        raise ParameterError(f"There is no data set {unknown[0]!r}; choose from {', '.join((*LOADERS, *SETS))}.")
    notes = []
    challenge = [name for name in LOADERS if not names or name in names]
    if "gisette" in challenge and (reason := _missing_gisette()):
        challenge.remove("gisette")
        notes.append(reason)
    uci_sets = [name for name in SETS if not names or name in names]
    methods = [method for method in METHODS if method != KHIOPS_ROW or KHIOPS.exists]
    if uci_sets and not KHIOPS.exists:
        notes.append(KHIOPS.recipe)
    jobs: list[tuple[Hashable, ...]] = [("challenge", name, each) for name in challenge for each in VARIANTS]
    jobs += [("perceptron", name) for name in challenge]
    jobs += [("probes", name, each) for name in challenge for each in PROBED]
    jobs += [("folds", name, method, k) for k in range(1, n_repeats + 1) for name in uci_sets for method in methods]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=jobs,
        run=run_job,
        n_steps=1,
        most_processes=1,
        name=lambda record: tuple(record["job"]),
        fits=lambda record: record["job"][0] in _TABLES,
        summarize=lambda records: summarize(records, notes),
        markdown=markdown,
        draw=draw_plane,
        notes=tuple(notes),
    )


def run_job(name: tuple[Any, ...], n_threads: int = 1, on_step: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Run a job by its name, on one thread, as the peers do."""
    table, *arguments = name
    record = _TABLES[table](*arguments)
    on_step()
    return {"job": list(name), **record}


def _missing_gisette() -> str | None:
    """Return the reason why GISETTE is skipped, None if its files are present."""
    try:
        load_gisette("valid")
    except DataError as error:
        return str(error)
    return None
