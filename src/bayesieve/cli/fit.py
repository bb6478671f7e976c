# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve fit``: from a file to a small, interpretable model and its cross-validated scores."""

import shlex
import warnings
from dataclasses import replace
from pathlib import Path

import typer

from bayesieve.cli.files import TABLE, TableOptions, list_files, reads_table, single_file
from bayesieve.cli.fit_options import METHODS, FitOptions, Goal, Method, Task, command_line, read_config
from bayesieve.cli.terminal import print_errors, print_stages
from bayesieve.exceptions import ManyClassesWarning

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
    task: Task | None = typer.Option(
        None, help="classify: the target is a class, also where it has more than 20 different whole numbers."
    ),
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
    amount_known: bool = typer.Option(
        False,
        "--amount-known",
        help="With --amount COLUMN: the column has the revenue of every row, also of new ones, and is used as it is, "
        "such as a monthly price.",
    ),
    amount_feature: bool = typer.Option(
        False, "--amount-feature", help="With --amount-known: the column may be selected as a feature, too."
    ),
    keep: list[str] = typer.Option([], help="Column that must be selected; can be repeated."),
    drop: list[str] = typer.Option([], help="Column that must not be used; can be repeated."),
    numeric: list[str] = typer.Option([], help="Treat this column as numbers; can be repeated."),
    categorical: list[str] = typer.Option([], help="Treat this column as categories; can be repeated."),
    column: list[str] = typer.Option(
        [],
        help="scorecard: what is required of a column, such as age:monotone=increasing; can be repeated. With more "
        "than two classes, age:monotone=ill:increasing is for the class ill.",
    ),
    ordered: list[str] = typer.Option(
        [],
        help="scorecard: the categories of a column in their order, such as size=small,medium,large, so that neighbors "
        'share bins; can be repeated. One with a comma is in quotes: \'sales="1,000 - 1,999","2,000 - 4,999"\'.',
    ),
    columns: Path | None = typer.Option(
        None,
        help='scorecard: JSON or TOML file of columns and their fields, such as {"age": {"monotone": "increasing"}}.',
    ),
    missing: str | None = typer.Option(
        None,
        help="scorecard: learn, so that missing values have points of their own, or neutral, so that they have those "
        "of the average row, 0; default: learn. --column age:missing=neutral is for one column.",
        show_default=False,
    ),
    feature_group: list[str] = typer.Option(
        [],
        "--feature-group",
        help="Columns that are selected together or not at all, such as internet=security,backup,support; can be "
        "repeated, also for one group.",
    ),
    max_features: int | None = typer.Option(None, min=1, help="Maximum number of selected columns."),
    features: int | None = typer.Option(
        None, min=1, help="Number of selected columns; default: chosen automatically.", show_default=False
    ),
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
    votes: str | None = typer.Option(
        None,
        help="vote: how many columns must vote for the positive class: any, all, majority, a number, or a share such "
        "as 0.5; default: any, with --goal precision all.",
        show_default=False,
    ),
    search: str | None = typer.Option(
        None,
        help="nb, esnb, vote: how subsets of the columns are searched: forward, backward, forward-backward, "
        "backward-forward, floating or fast-forward-backward; default of nb: weights select the columns.",
        show_default=False,
    ),
    criterion: str | None = typer.Option(
        None,
        help="nb, esnb, vote: the score that a search optimizes: error, error_probability, brier, log_loss, auc, lift, "
        "map and others; vote: expected or log, too.",
        show_default=False,
    ),
    weights: str | None = typer.Option(
        None,
        help="nb, esnb: weights of columns: penalized, fractional, averaged, or none, which is plain naive Bayes.",
        show_default=False,
    ),
    bins: str | None = typer.Option(
        None, help="nb, esnb: average of all partitions of a column (averaged) or the best one.", show_default=False
    ),
    boosting: str | None = typer.Option(
        None,
        help="boost: what a step improves: logit, brier, confidence or real; default: logit.",
        show_default=False,
    ),
    edits: Path | None = typer.Option(
        None,
        help="scorecard: file of edits by hand, as edit --save-edits writes it, to make in the model of all rows.",
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
        help="Fit tuned gradient boosting and logistic regression on the same rows, and with --max-features the method "
        "without this limit; default: for up to 30 seconds.",
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

      bayesieve fit customers.csv --target churn --goal profit --cost 20 --amount monthly_charge --amount-known

      bayesieve fit people.csv --target bought --max-features 5 --pairs 0

      bayesieve fit patients.csv --target ill --column age:monotone=increasing

      bayesieve fit people.csv --target bought --method boost

      bayesieve fit calls.parquet --target churn --memory 2GB

    With --memory or --dask, one model is evaluated on at most 100,000 held-out rows, spread evenly over the table.
    """
    from bayesieve.cli.column_fields import read_column_options
    from bayesieve.cli.column_roles import RowRoles
    from bayesieve.cli.fit_in_memory import fit_file
    from bayesieve.cli.fit_outputs import FitOutputs

    outputs = FitOutputs(report, model, as_json, checkpoint, what_if)
    with print_errors(), print_stages(profile), outputs.interruptible():
        warnings.simplefilter("ignore", ManyClassesWarning)  # without --task the command ends, with it they are meant
        options = FitOptions(
            target, method, goal, positive, floor, cost, amount, keep, drop, max_features, pairs, cv, time_limit,
            shlex.join(command_line(context)), compare, min_gain, one_se,
            {"votes": votes, "search": search, "criterion": criterion, "weights": weights, "bins": bins,
             "boosting": boosting, "missing": missing},
            read_column_options(column, columns, ordered), amount_known, amount_feature, task is Task.classify,
            feature_group, features, edits,
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
