# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve reproduce``: the tables and figures of the papers, recomputed."""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markdown import Markdown

from bayesieve.cli import INTERRUPTED
from bayesieve.cli.terminal import print_errors, progress_bar
from bayesieve.papers.bibliography import PAPERS

if TYPE_CHECKING:
    from bayesieve.evaluation.jobs import Journal
    from bayesieve.papers.experiment import Experiment

__all__ = ["reproduce"]

_Paper = StrEnum("_Paper", [(f"paper_{number}", number) for number in PAPERS] + [("all", "all")])  # type: ignore[misc]
_LIST = "; ".join(f"{number}: {paper.title} ({paper.content})" for number, paper in PAPERS.items())


def reproduce(
    paper: _Paper = typer.Argument(help=f"{_LIST}; all: one after the other."),
    *,
    quick: bool = typer.Option(False, "--quick", help="A small version, of seconds per paper: less data, fewer runs."),
    seeds: int | None = typer.Option(
        None, min=1, help="000, 004: number of simulated data sets; default: 10 and 20.", show_default=False
    ),
    people: int | None = typer.Option(
        None, min=500, help="000: number of people in a simulated mailing; default: 95,412.", show_default=False
    ),
    repeats: int | None = typer.Option(
        None,
        min=1,
        help="002: repetitions of ten-fold cross-validation on the UCI data sets; default: 1.",
        show_default=False,
    ),
    sets: str | None = typer.Option(None, help="001, 002, 003: only these data sets, separated by commas."),
    cv: int | None = typer.Option(
        None, min=2, help="001, 003: number of outer cross-validation folds; default: 10.", show_default=False
    ),
    sizes: int | None = typer.Option(
        None, min=1, help="001, 003: maximum number of selected columns; default: 50 and 10.", show_default=False
    ),
    out: Path | None = typer.Option(
        None,
        help="Folder for the results, where an interrupted run resumes, or of their folders; default: paper_PAPER, "
        "with --quick paper_PAPER_quick.",
        show_default=False,
    ),
    series: int | None = typer.Option(
        None,
        min=120,
        help="004: number of series in the training set and the test set; default: 6000.",
        show_default=False,
    ),
    n_jobs: int = typer.Option(-1, help="Number of parallel processes; -1: one per processor."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Recompute the tables and figures of a paper, next to the published values.

    The folder gets the table, pictures and result.json, from which the pages of the documentation are made.

    Example: bayesieve reproduce 004 --seeds 20 --out paper_004
    """
    from joblib import effective_n_jobs

    names = None if sets is None else tuple(name.strip() for name in sets.split(",") if name.strip())
    given = {"seeds": seeds, "people": people, "repeats": repeats, "sets": names, "cv": cv, "sizes": sizes}
    given["series"] = series
    numbers = list(PAPERS) if paper.value == "all" else [paper.value]
    runs: dict[str, _Run] = {}
    with print_errors():
        for number in numbers:
            name = f"paper_{number}_quick" if quick else f"paper_{number}"
            folder = (out or Path()) / name if out is None or len(numbers) > 1 else out
            run = _reproduce(number, given, folder, quick=quick, n_jobs=int(effective_n_jobs(n_jobs)))
            if run is not None:
                runs[number] = run
                if not as_json:
                    _show(run.table)
                run.report()
        if as_json:
            plain = {number: run.plain() for number, run in runs.items()}
            typer.echo(json.dumps(plain if len(numbers) > 1 else plain.get(numbers[0])))
        if not all(run.result["complete"] for run in runs.values()):
            raise typer.Exit(INTERRUPTED)


@dataclass(frozen=True)
class _Run:
    """An experiment, its result, and the tables as Markdown."""

    experiment: "Experiment"
    result: dict[str, Any]
    table: str

    def plain(self) -> dict[str, Any]:
        """Return the summary as JSON has it, and whether the run is complete."""
        return {**self.result["summary"], "complete": self.result["complete"]}

    def report(self) -> None:
        """Print what was skipped and whether the run was interrupted."""
        for note in self.experiment.notes:
            typer.echo(note, err=True)
        if not self.result["complete"]:
            done = f"{self.result['n_finished']} of {self.result['n_jobs']} {self.experiment.noun}"
            typer.echo(f"Interrupted: {done} were finished; run the same command again to resume.", err=True)


def _reproduce(number: str, given: dict[str, Any], folder: Path, *, quick: bool, n_jobs: int) -> _Run | None:
    """Run an experiment, and write its tables, pictures and result; return None if there is no data set for it."""
    from bayesieve.papers.papers import EXPERIMENTS
    from bayesieve.papers.saved_result import count_parts, dump_result, plain_result

    paper = EXPERIMENTS[number]
    experiment = paper(given, quick=quick)
    if not experiment.jobs:
        typer.echo("\n".join(experiment.notes), err=True)
        return None
    folder.mkdir(parents=True, exist_ok=True)
    journal = experiment.journal(folder)
    _run(experiment, journal, n_jobs)
    records = journal.records(experiment.jobs)
    if not records:
        raise typer.Exit(INTERRUPTED)
    parts = count_parts(experiment.jobs, journal.__contains__)
    result = plain_result(number, _command(number, given, quick=quick), parts, experiment.summarize(records))
    run = _Run(experiment, result, paper.markdown(result["summary"]))
    (folder / "result.json").write_text(dump_result(result), encoding="utf-8")
    (folder / "table.md").write_text(run.table, encoding="utf-8")
    for name, picture in paper.pictures(result["summary"]).items():
        (folder / name).write_text(picture, encoding="utf-8")
    typer.echo(f"The table, pictures and result.json were written to {folder}.", err=True)
    return run


def _command(number: str, given: dict[str, Any], *, quick: bool) -> str:
    """Return the command that computes the result."""
    options = [f"--{name} {','.join(value) if name == 'sets' else value}" for name, value in given.items() if value]
    return " ".join(["bayesieve reproduce", number, *(["--quick"] if quick else []), *options])


def _run(experiment: "Experiment", journal: "Journal", n_jobs: int) -> bool:
    """Run the jobs that are not in the journal, and return whether all were finished; Ctrl-C keeps those that were."""
    from bayesieve.evaluation.jobs import run_remaining

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
