"""``bayesieve fit``: from a file to a small, explained model and what it is worth."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import typer

from bayesieve.cli.classes import check_classes
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.fitting import METRICS, Outputs, fit_and_tell
from bayesieve.cli.goals import Goal, read_amount
from bayesieve.cli.large_fit import fit_large
from bayesieve.cli.order import Order
from bayesieve.cli.settings import command_line, read_settings
from bayesieve.cli.splitting import split_columns
from bayesieve.cli.table_files import fingerprint, list_files, one_file
from bayesieve.data import read_file, read_table

__all__ = ["fit"]


def _configure(context: typer.Context, path: Path | None) -> Path | None:
    if path is not None:
        with one_sentence():
            names = {str(parameter.name) for parameter in context.command.params} - {"config", "help"}
            context.default_map = {**(context.default_map or {}), **read_settings(path, names)}
    return path


def fit(
    context: typer.Context,
    data: list[Path] = typer.Argument(
        help="A CSV, Parquet or ARFF file; with --memory or --dask, Parquet files or folders of them."
    ),
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
    memory: str | None = typer.Option(
        None, help="Read Parquet in blocks, and take about so much memory: 2GB for instance. Of Dask, each worker's."
    ),
    dask: str | None = typer.Option(
        None, help="Let Dask workers read the Parquet files: local starts some here, tcp://host:port is a scheduler."
    ),
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

      bayesieve fit calls.parquet --target churn --memory 2GB

    With --memory or --dask, rows spread over the table are held out, 100,000 at most, and one model is judged on them.
    """
    outputs = Outputs(report, model, as_json, checkpoint)
    with one_sentence():
        order = Order(
            target, goal, positive, floor, cost, amount, keep, drop, max_features, folds, time_limit,
            shlex.join(command_line(context)),
        )  # fmt: skip
        types = dict.fromkeys(numeric, "numeric") | dict.fromkeys(categorical, "categorical")
        if memory is None and dask is None:
            outputs.check(data)
            _fit_whole(order, one_file(data), types, outputs)
        else:
            files = list_files(data)
            outputs.check(files)
            fit_large(order, files, outputs, types=types, memory=memory, dask=dask)


def _fit_whole(order: Order, path: Path, types: Mapping[str, str], outputs: Outputs) -> None:
    """Read all rows."""
    frame = read_file(path, types=types)
    names = read_table(frame).names
    X, y = split_columns(frame, names, order.target, [])
    classes, counts = check_classes(y, order.target, order.folds)
    positive = order.looked_for(classes, counts)
    brings, amounts, told = read_amount(order.amount, X, read_table(X).names, y == positive)
    question = order.question(
        positive, len(classes), brings, amounts=amounts, source=path.name, fingerprint=fingerprint([path]),
        n_without_target=len(frame) - len(y),
    )  # fmt: skip
    classifier = order.classifier(question, names, order.folds + 1, told, scoring=METRICS)
    fit_and_tell(classifier, X, y, question, outputs, order.folds)
