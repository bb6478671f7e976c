"""The tables' jobs: one a part, a set, a method and a repeat."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from bayesieve.datasets import load_gisette
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.experiments.experiment import Experiment
from bayesieve.experiments.paper_002.challenge import LOADERS, PROBED, run_challenge, run_probes
from bayesieve.experiments.paper_002.folds import KHIOPS_ROW, METHODS, SETS, run_folds
from bayesieve.experiments.paper_002.perceptron import run_perceptron
from bayesieve.experiments.paper_002.picture import draw_plane
from bayesieve.experiments.paper_002.summary import summarize
from bayesieve.experiments.paper_002.table import markdown
from bayesieve.experiments.paper_002.variants import VARIANTS
from bayesieve.experiments.peers import KHIOPS

__all__ = ["classifier_tables", "run_job"]

_PARTS: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    "challenge": run_challenge,
    "perceptron": run_perceptron,
    "probes": run_probes,
    "folds": run_folds,
}


def classifier_tables(n_repeats: int = 1, wanted: Sequence[str] = ()) -> Experiment:
    """Return the experiment, of all data sets or of some; ten folds of the UCI sets are drawn some times."""
    unknown = [name for name in wanted if name not in (*LOADERS, *SETS)]
    if unknown:
        raise ParameterError(f"There is no set {unknown[0]!r}; there are {', '.join((*LOADERS, *SETS))}.")
    notes = []
    challenge = [name for name in LOADERS if not wanted or name in wanted]
    if "gisette" in challenge and (reason := _why_no_gisette()):
        challenge.remove("gisette")
        notes.append(reason)
    tables = [name for name in SETS if not wanted or name in wanted]
    methods = [method for method in METHODS if method != KHIOPS_ROW or KHIOPS.exists]
    if tables and not KHIOPS.exists:
        notes.append(KHIOPS.recipe)
    names: list[tuple[Hashable, ...]] = [("challenge", name, each) for name in challenge for each in VARIANTS]
    names += [("perceptron", name) for name in challenge]
    names += [("probes", name, each) for name in challenge for each in PROBED]
    names += [("folds", name, method, k) for k in range(1, n_repeats + 1) for name in tables for method in methods]
    return Experiment(
        journal_name="jobs.jsonl",
        noun="jobs",
        jobs=names,
        run=run_job,
        n_steps=1,
        most_processes=1,
        name=lambda record: tuple(record["job"]),
        fits=lambda record: record["job"][0] in _PARTS,
        summarize=lambda records: summarize(records, notes),
        markdown=markdown,
        draw=draw_plane,
        notes=tuple(notes),
    )


def run_job(name: tuple[Any, ...], n_threads: int = 1, on_step: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Do a job by its name; everything runs on one thread, as the peers do."""
    part, *arguments = name
    record = _PARTS[part](*arguments)
    on_step()
    return {"job": list(name), **record}


def _why_no_gisette() -> str | None:
    """Return why GISETTE, whose matrix is rarely at hand, is left out."""
    try:
        load_gisette("valid")
    except DataError as error:
        return str(error)
    return None
