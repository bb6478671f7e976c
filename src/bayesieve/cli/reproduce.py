"""``bayesieve reproduce``: the table of a paper, computed again."""

import json
from enum import StrEnum
from functools import partial
from pathlib import Path

import typer
from joblib import effective_n_jobs
from rich.console import Console
from rich.markdown import Markdown

from bayesieve.cli.failure import one_sentence
from bayesieve.cli.watching import watched
from bayesieve.experiments.paper_004 import METHODS, Journal, draw_paths, markdown, run_seed, run_seeds, summarize

__all__ = ["reproduce"]

_N_ROWS = 1 + len(METHODS)  # of a seed: the simulation, and each method
_INTERRUPTED = 130  # what a shell makes of Ctrl-C


class _Paper(StrEnum):
    indicators = "004"


def reproduce(
    paper: _Paper = typer.Argument(help="004: indicators for engine monitoring, table 1."),
    *,
    seeds: int = typer.Option(20, min=1, help="How many simulated data sets."),
    out: Path = typer.Option(
        Path("paper_004"), help="The folder for results; a run that was interrupted goes on there."
    ),
    series: int = typer.Option(6000, min=120, help="Series of the training set, and of the test set."),
    n_jobs: int = typer.Option(-1, help="Seeds at a time, each in a process; -1 is one for each processor."),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Compute the table of a paper again, beside the paper's own figures.

    Example: bayesieve reproduce 004 --seeds 20 --out paper_004
    """
    wanted = range(1, seeds + 1)
    with one_sentence():
        out.mkdir(parents=True, exist_ok=True)
        journal = Journal(out / "seeds.jsonl", series)
        complete = _run(journal, wanted, series, int(effective_n_jobs(n_jobs)))
        records = journal.records(wanted)
        if not records:
            raise typer.Exit(_INTERRUPTED)
        summary = summarize(records)
        text = markdown(summary)
        (out / "table.md").write_text(text, encoding="utf-8")
        drawn = draw_paths(records, out / "paths.png")
    if as_json:
        typer.echo(json.dumps({**summary, "complete": complete}))
    else:
        console = Console()
        console.print(Markdown(text))
    if not drawn:
        typer.echo("No picture: it needs matplotlib, pip install 'bayesieve[plot]'.", err=True)
    if not complete:
        typer.echo(f"Interrupted: {len(records)} of {seeds} seeds were done; the same command goes on.", err=True)
        raise typer.Exit(_INTERRUPTED)


def _run(journal: Journal, seeds: range, series: int, n_jobs: int) -> bool:
    """Run the seeds that are not in the journal, and tell whether all were done; Ctrl-C keeps those that were."""
    left = [seed for seed in seeds if seed not in journal]
    n_processes = max(1, min(n_jobs, len(left)))
    task = partial(run_seed, n_series=series, n_threads=n_jobs // n_processes)
    rows: list[None] = []
    if n_processes == 1:
        task = partial(task, on_row=lambda: rows.append(None))
    done = 0
    try:
        with watched(f"{len(left)} of {len(seeds)} seeds", len(left) * _N_ROWS, lambda: max(len(rows), done * _N_ROWS)):
            for record in run_seeds(task, left, n_processes):
                journal.add(record)
                done += 1
    except KeyboardInterrupt:
        return False
    return True
