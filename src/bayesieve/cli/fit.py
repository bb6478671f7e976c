# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve fit``: from a file to a small, interpretable model and its cross-validated scores."""

import shlex
from dataclasses import replace
from pathlib import Path

import typer

from bayesieve.cli.files import TABLE, TableOptions, list_files, reads_table, single_file
from bayesieve.cli.fit_options import METHODS, FitOptions, Goal, Method, command_line, read_config
from bayesieve.cli.terminal import print_errors, print_stages

__all__ = ["fit"]

_METHODS = "; ".join(f"{method.value} ({entry.title})" for method, entry in METHODS.items())


def _configure(context: typer.Context, path: Path | None) -> Path | None:
    if path is not None:
        with print_errors():
            names = {
                flag.removeprefix("--"): str(parameter.name)
                for parameter in context.command.params
                for flag in parameter.opts
                if flag.startswith("--") and parameter.name not in ("config", "help")
            }
            context.default_map = {**(context.default_map or {}), **read_config(path, names)}
    return path


@reads_table
def fit(
    context: typer.Context,
    data: list[Path] = typer.Argument(help=f"{TABLE} With --memory or --dask, Parquet files or folders of them."),
    *,
    target: str = typer.Option(..., help="Name of the target column."),
    method: Method = typer.Option(Method.scorecard, help=f"Estimator: {_METHODS}."),
    goal: Goal = typer.Option(Goal.probability, help="Goal of the model, which sets the decision threshold."),
    positive: str | None = typer.Option(
        None, help="Positive class; default: the less frequent of two.", show_default=False
    ),
    floor: float | None = typer.Option(
        None, help="Minimum recall or precision (with --goal recall or precision); default: 0.9."
    ),
    cost: float | None = typer.Option(None, help="With --goal profit: cost of acting on a row."),
    amount: str | None = typer.Option(
        None,
        help="With --goal profit: revenue of acting on a positive row; a number, or a column with the revenue of each "
        "positive row, which is then estimated for each row and is not a feature.",
    ),
    keep: list[str] = typer.Option([], help="Column that must be selected; can be repeated."),
    drop: list[str] = typer.Option([], help="Column that must not be used; can be repeated."),
    numeric: list[str] = typer.Option([], help="Treat this column as numbers; can be repeated."),
    categorical: list[str] = typer.Option([], help="Treat this column as categories; can be repeated."),
    max_features: int | None = typer.Option(None, min=1, help="Maximum number of selected columns."),
    min_gain: float | None = typer.Option(
        None,
        min=0,
        max=1,
        help="scorecard: share of the improvement over class frequencies that selected columns keep; default: 0.99. "
        "With more than two classes less may be lost: with three, 0.99 means 0.995.",
    ),
    one_se: bool = typer.Option(
        False, "--one-se", help="nb, esnb, vote, boost: the fewest columns within one standard error of the best score."
    ),
    pairs: str | None = typer.Option(
        None,
        help="scorecard: maximum number of pairs of columns that have points together; default: auto, as many as have "
        "evidence.",
        show_default=False,
    ),
    cv: int | None = typer.Option(
        None, min=2, help="Number of outer cross-validation folds; default: 5.", show_default=False
    ),
    group: str | None = typer.Option(
        None, help="Column of groups, such as a patient: rows of one group stay in one fold. It is not a feature."
    ),
    weight: str | None = typer.Option(None, help="Column with the weights of rows. It is not a feature."),
    time: str | None = typer.Option(
        None, help="Column of times: each fold is tested on rows that follow its training rows. It is not a feature."
    ),
    test: Path | None = typer.Option(
        None, help="File of test rows, on which the model is evaluated, instead of cross-validation."
    ),
    memory: str | None = typer.Option(
        None, help="Read Parquet files in blocks, within about this much memory, such as 2GB; with --dask, per worker."
    ),
    dask: str | None = typer.Option(
        None,
        help="Read Parquet files on Dask workers: local starts workers on this machine, "
        "tcp://host:port connects to a scheduler.",
    ),
    compare: bool | None = typer.Option(
        None,
        "--compare/--no-compare",
        help="Fit logistic regression and gradient boosting in the same outer folds; default: for up to 30 seconds.",
        show_default=False,
    ),
    report: Path | None = typer.Option(
        None, help="HTML file to write; its numbers go to a .report.json file next to it."
    ),
    what_if: bool = typer.Option(
        False,
        "--what-if",
        help="Add a form to the report in which a reader enters values and sees the probability and its reasons; the "
        "report then holds the categories of the columns.",
    ),
    model: Path | None = typer.Option(None, help="Model file to write, for predict, explain and export."),
    time_limit: float | None = typer.Option(None, min=0, help="Time limit for all fits together, in seconds."),
    checkpoint: Path | None = typer.Option(
        None, help="Folder for finished folds, so that the same command resumes after an interruption."
    ),
    config: Path | None = typer.Option(
        None, help="TOML file with these options, for repeated runs.", is_eager=True, callback=_configure
    ),
    profile: bool = typer.Option(
        False,
        "--profile",
        help="Print how long each stage took, from reading to the report.",
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Select the few columns that predict a class, fit a model, and estimate its scores by nested cross-validation.

    Column types are inferred from all values. Columns that look like identifiers or leak the target are reported.

    For instance:

      bayesieve fit people.csv --target bought --report report.html --model model.json

      bayesieve fit patients.csv --target ill --goal recall --floor 0.95 --drop patient_id

      bayesieve fit donors.parquet --target gave --goal profit --cost 0.68 --amount gift

      bayesieve fit people.csv --target bought --max-features 5 --pairs 0

      bayesieve fit people.csv --target bought --method boost

      bayesieve fit calls.parquet --target churn --memory 2GB

    With --memory or --dask, one model is evaluated on at most 100,000 held-out rows, spread evenly over the table.
    """
    from bayesieve.cli.column_roles import RowRoles
    from bayesieve.cli.fit_in_memory import fit_file
    from bayesieve.cli.fit_outputs import FitOutputs

    outputs = FitOutputs(report, model, as_json, checkpoint, what_if)
    with print_errors(), print_stages(profile), outputs.interruptible():
        options = FitOptions(
            target, method, goal, positive, floor, cost, amount, keep, drop, max_features, pairs, cv, time_limit,
            shlex.join(command_line(context)), compare, min_gain, one_se,
        )  # fmt: skip
        types = dict.fromkeys(numeric, "numeric") | dict.fromkeys(categorical, "categorical")
        roles = RowRoles(group, weight, time, test)
        if memory is None and dask is None:
            outputs.check(data)
            fit_file(options, single_file(data), replace(reading, types=types), outputs, roles)
        else:
            from bayesieve.cli.fit_in_blocks import fit_in_blocks, refuse_in_blocks

            refuse_in_blocks(options, replace(reading, types=types), roles)
            files = list_files(data)
            outputs.check(files)
            fit_in_blocks(options, files, outputs, memory=memory, dask=dask)
