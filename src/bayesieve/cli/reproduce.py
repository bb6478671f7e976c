"""``bayesieve reproduce``: the tables of a paper, recomputed."""

import json
from enum import StrEnum
from functools import partial
from pathlib import Path

import typer
from joblib import effective_n_jobs
from rich.console import Console
from rich.markdown import Markdown

from bayesieve.cli.error_messages import INTERRUPTED, print_errors
from bayesieve.cli.progress_bar import progress_bar
from bayesieve.evaluation.jobs import run_remaining
from bayesieve.evaluation.journal import Journal
from bayesieve.experiments.experiment import Experiment

__all__ = ["reproduce"]


class _Paper(StrEnum):
    mailing = "000"
    recall = "001"
    classifier = "002"
    indicators = "004"


def reproduce(
    paper: _Paper = typer.Argument(
        help="000: mailing campaign, table 3; 001: voting selectors for recall, figures 2 to 4; 002: selective naive "
        "Bayes, tables 25.1 and 25.2; 004: indicators for engine monitoring, table 1."
    ),
    *,
    seeds: int | None = typer.Option(
        None, min=1, help="000, 004: number of simulated data sets; default: 10 and 20.", show_default=False
    ),
    people: int = typer.Option(95_412, min=500, help="000: number of people in a simulated mailing."),
    repeats: int = typer.Option(1, min=1, help="002: repetitions of ten-fold cross-validation on the UCI data sets."),
    sets: str = typer.Option("", help="001, 002: only these data sets, separated by commas."),
    cv: int = typer.Option(10, min=2, help="001: number of outer cross-validation folds."),
    sizes: int = typer.Option(50, min=1, help="001: maximum number of selected columns."),
    out: Path | None = typer.Option(
        None,
        help="Folder for the results, where an interrupted run resumes; default: paper_PAPER.",
        show_default=False,
    ),
    series: int = typer.Option(6000, min=120, help="004: number of series in the training set and in the test set."),
    n_jobs: int = typer.Option(-1, help="001, 004: number of parallel processes; -1: one per processor."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Recompute the tables and figures of a paper, with the published values beside them.

    Example: bayesieve reproduce 004 --seeds 20 --out paper_004
    """
    with print_errors():
        # Imported here, so that other commands do not load the libraries that papers compare with.
        from bayesieve.experiments.paper_000 import mailing_table
        from bayesieve.experiments.paper_001 import recall_tables
        from bayesieve.experiments.paper_002 import classifier_tables
        from bayesieve.experiments.paper_004 import indicators_table

        names = [name.strip() for name in sets.split(",") if name.strip()]
        experiments = {
            _Paper.mailing: lambda: mailing_table(seeds or 10, people),
            _Paper.recall: lambda: recall_tables(cv, sizes, names),
            _Paper.classifier: lambda: classifier_tables(repeats, names),
            _Paper.indicators: lambda: indicators_table(seeds or 20, series),
        }
        experiment = experiments[paper]()
        folder = out or Path(f"paper_{paper.value}")
        folder.mkdir(parents=True, exist_ok=True)
        journal = experiment.journal(folder)
        complete = _run(experiment, journal, int(effective_n_jobs(n_jobs)))
        records = journal.records(experiment.jobs)
        if not records:
            raise typer.Exit(INTERRUPTED)
        summary = experiment.summarize(records)
        text = experiment.markdown(summary)
        (folder / "table.md").write_text(text, encoding="utf-8")
        drawn = experiment.draw(records, folder)
    if as_json:
        typer.echo(json.dumps({**summary, "complete": complete}))
    else:
        _show(text)
    for note in experiment.notes:
        typer.echo(note, err=True)
    if not drawn:
        typer.echo("There is no plot: it needs matplotlib, pip install 'bayesieve[plot]'.", err=True)
    if not complete:
        done = f"{len(records)} of {len(experiment.jobs)} {experiment.noun}"
        typer.echo(f"Interrupted: {done} were finished; run the same command again to resume.", err=True)
        raise typer.Exit(INTERRUPTED)


def _run(experiment: Experiment, journal: Journal, n_jobs: int) -> bool:
    """Run the jobs that are not in the journal, and return whether all were finished; Ctrl-C keeps those that were."""
    left = [name for name in experiment.jobs if name not in journal]
    n_processes = max(1, min(n_jobs, len(left), experiment.most_processes))
    task = partial(experiment.run, n_threads=n_jobs // n_processes)
    steps: list[None] = []
    if n_processes == 1:
        task = partial(task, on_step=lambda: steps.append(None))
    done: list[None] = []
    title, n_steps = f"{len(left)} of {len(experiment.jobs)} {experiment.noun}", experiment.n_steps
    with progress_bar(title, len(left) * n_steps, lambda: max(len(steps), len(done) * n_steps)):
        return run_remaining(task, left, journal, n_processes, lambda record: done.append(None))


def _show(text: str) -> None:
    """Print drawn tables where they fit; elsewhere, and to files, print Markdown, so that no figure is cut."""
    console = Console()
    widest = max((len(line) for line in text.splitlines() if line.startswith("|")), default=0)
    if console.is_terminal and widest <= console.width:
        console.print(Markdown(text))
    else:
        typer.echo(text)
