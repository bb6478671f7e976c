"""``bayesieve fit``: from a file to a small, explained model and what it is worth."""

import hashlib
import shlex
from pathlib import Path

import numpy as np
import typer

from bayesieve import SelectiveNaiveBayes
from bayesieve.cli.classes import check_classes, find_positive
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.fitting import METRICS, Outputs, fit_and_tell
from bayesieve.cli.goals import Goal, check_goal, read_amount, wanted_threshold
from bayesieve.cli.settings import command_line, read_settings
from bayesieve.cli.splitting import split_columns
from bayesieve.data import read_file, read_table, resolve_columns
from bayesieve.exceptions import ParameterError
from bayesieve.report import Question

__all__ = ["fit"]


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
        check_classes(y, target, folds)
        classes = np.unique(y).tolist()
        if positive is not None and len(classes) != 2:
            raise ParameterError(f"--positive is for two classes; this target has {len(classes)}.")
        place = find_positive(positive, classes, y)
        wanted = None if place is None else classes[place]
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
