"""``bayesieve fit``: from a file to a small, explained model and what it is worth."""

import hashlib
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from bayesieve import SelectiveNaiveBayes
from bayesieve.cli.bin_table import show_label
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.fit_text import print_data, print_summary
from bayesieve.cli.goals import Goal, check_goal, read_amount, wanted_threshold
from bayesieve.cli.places import check_places
from bayesieve.cli.settings import command_line, read_settings
from bayesieve.cli.splitting import split_columns
from bayesieve.cli.watching import watched
from bayesieve.data import read_file, read_table, resolve_columns, write_whole
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import FoldShelf, Question, judge, render_page, summarize

__all__ = ["METRICS", "Outputs", "fit", "fit_and_tell"]

METRICS = ("error", "auc", "brier", "log_loss")
_INTERRUPTED = 130  # what a shell makes of Ctrl-C
_MOST_CLASSES = 100


@dataclass(frozen=True)
class Outputs:
    """Where results go.

    Attributes
    ----------
    report, model : path or None
        Files to write. Beside the report stands its summary, as JSON.
    as_json : bool
        Whether the summary is printed as JSON.
    checkpoint : path or None
        A folder in which finished parts are kept.
    """

    report: Path | None = None
    model: Path | None = None
    as_json: bool = False
    checkpoint: Path | None = None

    @property
    def summary(self) -> Path | None:
        """Where the report's numbers go."""
        return None if self.report is None else self.report.with_suffix(".json")

    def check(self, data: Path | None = None) -> None:
        """Refuse places that cannot or must not be written, before any work."""
        if self.report is not None and self.report.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"--report is an HTML file, got {str(self.report)!r}.")
        written = {"--report": self.report, "the summary of --report": self.summary, "--model": self.model}
        check_places(written, [] if data is None else [data])
        if self.checkpoint is not None:
            self.checkpoint.mkdir(parents=True, exist_ok=True)


def _configure(context: typer.Context, path: Path | None) -> Path | None:
    if path is not None:
        with one_sentence():
            names = {str(parameter.name) for parameter in context.command.params} - {"config", "help"}
            context.default_map = {**(context.default_map or {}), **read_settings(path, names)}
    return path


def fit(
    context: typer.Context,
    data: Path = typer.Argument(help="A CSV, Parquet or ARFF file."),
    *,
    target: str = typer.Option(..., help="The column with the class."),
    goal: Goal = typer.Option(Goal.probability, help="What the model is for."),
    positive: str | None = typer.Option(
        None, help="The class that is looked for; of two, the rarer.", show_default=False
    ),
    floor: float | None = typer.Option(None, help="recall, precision: at least this share; 0.9 if not given."),
    cost: float | None = typer.Option(None, help="profit: what acting on a row costs."),
    amount: str | None = typer.Option(
        None,
        help="profit: what a positive row brings, if it is acted on: a number, or a column, which is then not used.",
    ),
    keep: list[str] = typer.Option([], help="A column that must be used; may be repeated."),
    drop: list[str] = typer.Option([], help="A column that must not be used; may be repeated."),
    numeric: list[str] = typer.Option([], help="A column of numbers that looks like text; may be repeated."),
    categorical: list[str] = typer.Option([], help="A column of categories that look like numbers; may be repeated."),
    max_features: int | None = typer.Option(None, min=1, help="The most columns."),
    folds: int = typer.Option(5, min=2, help="How often the fit is repeated for the honest estimate."),
    report: Path | None = typer.Option(None, help="An HTML file to write; its numbers go to a .json beside it."),
    model: Path | None = typer.Option(None, help="A model file to write, for predict, explain and export."),
    time_limit: float | None = typer.Option(None, min=0, help="Seconds for all fits together; each has its share."),
    checkpoint: Path | None = typer.Option(None, help="A folder that keeps what is done: the same command goes on."),
    config: Path | None = typer.Option(
        None, help="A TOML file with these options, for repeated runs.", is_eager=True, callback=_configure
    ),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Find the few columns that tell a class, weigh them, and measure honestly what they are worth.

    Types are guessed from all values and shown; columns that look like identifiers or give the target away are named.

    For instance:

      bayesieve fit people.csv --target bought --report report.html --model model.json

      bayesieve fit patients.csv --target ill --goal recall --floor 0.95 --drop patient_id

      bayesieve fit donors.parquet --target gave --goal profit --cost 0.68 --amount 15
    """
    outputs = Outputs(report, model, as_json, checkpoint)
    with one_sentence():
        types = dict.fromkeys(numeric, "numeric") | dict.fromkeys(categorical, "categorical")
        outputs.check(data)
        frame = read_file(data, types=types)
        names = read_table(frame).names
        X, y = split_columns(frame, names, target, [])
        kept, dropped = (
            [names[j] for j in resolve_columns(list(each), names, option)]
            for each, option in ((keep, "--keep"), (drop, "--drop"))
        )
        _check_target(y, target, folds)
        classes = np.unique(y).tolist()
        wanted = _find_positive(positive, classes, y)
        brings, amounts, told = read_amount(amount, X, read_table(X).names, y == wanted)
        promised = check_goal(goal, len(classes), floor, cost, brings)
        fingerprint = "sha256:" + hashlib.sha256(data.expanduser().read_bytes()).hexdigest()
        question = Question(
            target, goal.value, wanted, promised, cost, brings, data.name, fingerprint, len(frame) - len(y),
            shlex.join(command_line(context)), amounts,
        )  # fmt: skip
        classifier = SelectiveNaiveBayes(
            n_features="auto" if max_features is None else (0, max_features),
            threshold=wanted_threshold(goal, promised, cost, brings),
            pos_label=wanted,
            scoring=METRICS,
            keep=kept or None,
            drop=[*dropped, *([] if told is None or told in dropped else [told])] or None,
            max_time=None if time_limit is None else time_limit / (folds + 1),
            n_jobs=-1,
        )
        fit_and_tell(classifier, X, y, question, outputs, folds)


def fit_and_tell(
    classifier: Any, X: Any, y: NDArray[Any], question: Question, outputs: Outputs, n_folds: int = 5
) -> None:
    """Fit on all rows, then without each fold; print and write what was found."""
    if not outputs.as_json:
        print_data(X, y, question)
    done: list[None] = []
    shelf = None
    if outputs.checkpoint is not None:
        shelf = FoldShelf(outputs.checkpoint, f"{question.fingerprint} {question.target} {n_folds} {classifier}")
    with watched("Fitting, then again without each fold", n_folds + 1, lambda: len(done)):
        model = classifier.fit(X, y)
        done.append(None)
        if outputs.model is not None:
            model.save(outputs.model)
        stopped = not model.path_.complete and model.max_time is None
        honest = None if stopped else judge(model, X, y, n_folds, shelf, lambda: done.append(None))
    if honest is None:
        again = "the same command goes on" if outputs.checkpoint else "with --checkpoint FOLDER it could go on"
        kept = f"the model is in {outputs.model}" if outputs.model else "no model was written"
        typer.echo(f"Interrupted before the honest estimate was done; {kept}; {again}.", err=True)
        raise typer.Exit(_INTERRUPTED)
    summary = summarize(model, X, honest, question)
    if outputs.report is not None and outputs.summary is not None:
        write_whole(outputs.report, render_page(summary).encode(), "The report")
        write_whole(outputs.summary, json.dumps(summary, indent=1).encode(), "The summary")
    if outputs.as_json:
        typer.echo(json.dumps(summary))
    else:
        print_summary(summary, outputs.report, outputs.model)


def _check_target(y: NDArray[Any], target: str, n_folds: int) -> None:
    try:
        labels, counts = np.unique(y, return_counts=True)
    except TypeError:
        raise DataError(f"The target {target!r} mixes numbers and text; make it one or the other.") from None
    if len(labels) == 1:
        raise DataError(f"The target {target!r} is {labels.tolist()[0]!r} in every row; two classes are needed.")
    if len(labels) > _MOST_CLASSES:
        raise DataError(
            f"The target {target!r} has {len(labels):,} different values; a class with {_MOST_CLASSES} at most was "
            "expected, so name another column as --target."
        )
    rarest = int(counts.argmin())
    if counts[rarest] < n_folds:
        raise DataError(
            f"Of the target {target!r}, {show_label(labels.tolist()[rarest])!r} has {counts[rarest]} rows; at least "
            f"{n_folds} are needed, one for each fold of the honest estimate, so join or remove it, or give --folds."
        )


def _find_positive(wanted: str | None, classes: list[Any], y: NDArray[Any]) -> Any:
    """Return the class that is looked for: the one asked for, or the rarer of two, the second on ties."""
    labels = [show_label(label) for label in classes]
    if wanted is not None and wanted not in labels:
        raise ParameterError(f"--positive is {wanted!r}; the classes are {', '.join(labels[:10])}.")
    if wanted is not None and len(classes) > 2:
        raise ParameterError(f"--positive is for two classes; this target has {len(classes)}.")
    if len(classes) > 2:
        return None
    if wanted is not None:
        return classes[labels.index(wanted)]
    return classes[0] if (y == classes[0]).sum() < (y == classes[1]).sum() else classes[1]
