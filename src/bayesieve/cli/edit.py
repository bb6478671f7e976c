# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve edit``: change the bins, points and columns of a saved scorecard, and see what it costs."""

import json
from pathlib import Path

import typer

from bayesieve.cli.files import TABLE, ModelFile, TableOptions, check_output_paths, reads_table
from bayesieve.cli.terminal import print_errors
from bayesieve.exceptions import ParameterError

__all__ = ["edit"]


@reads_table
def edit(
    model: ModelFile,
    data: Path | None = typer.Argument(
        None, help=f"{TABLE[:-1]}, the rows that the model was fitted to; not needed with --no-refit."
    ),
    *,
    keep: list[str] = typer.Option([], help="Column to add to the model; can be repeated, as all options of edits."),
    drop: list[str] = typer.Option([], help="Column to take out of the model."),
    replace: list[str] = typer.Option([], help="Column to replace by another one, such as zip=region."),
    missing: list[str] = typer.Option(
        [], help="How missing values of a column count: income:neutral, or income:learn for points of their own."
    ),
    monotone: list[str] = typer.Option(
        [], help="Direction of a column: age:increasing; of more than two classes, age:ill:increasing."
    ),
    no_pair: list[str] = typer.Option([], "--no-pair", help="Pair to take out of the model: age,sex."),
    special: list[str] = typer.Option([], help="Number that gets a bin of its own: income:-1."),
    split: list[str] = typer.Option([], help="Where a bin is divided: age:45."),
    merge: list[str] = typer.Option([], help="Bins that become one, by their numbers: age:2,3."),
    points: list[str] = typer.Option(
        [], help="Points of a bin: age:4=-0.3; of more than two classes, age:4=ill:0.5,well:-0.5."
    ),
    pair: list[str] = typer.Option([], help="Pair that gets points together: age,sex."),
    edits: Path | None = typer.Option(None, help="File of edits to add, as --save-edits writes it."),
    undo: int = typer.Option(0, min=0, help="Number of last edits of the model to take back first."),
    why: str = typer.Option("", help="Reason, which the model file keeps."),
    author: str = typer.Option("", help="Who makes the edits, which the model file keeps."),
    no_refit: bool = typer.Option(
        False, "--no-refit", help="Change the points of edited bins alone; other points are not learned again."
    ),
    alternatives: str | None = typer.Option(
        None, help="Show which columns could stand in for this one, and what each costs.", show_default=False
    ),
    target: str | None = typer.Option(None, help="Name of the target column; default: that of the training."),
    group: str | None = typer.Option(None, help="Column of groups, as in fit."),
    weight: str | None = typer.Option(None, help="Column with the weights of rows, as in fit."),
    out: Path | None = typer.Option(None, help="Model file to write."),
    save_edits: Path | None = typer.Option(None, "--save-edits", help="JSON file to write with all edits."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Change a saved scorecard by hand, and show what each edit costs on rows that no fit has seen.

    Without edits, the bins of the model are printed with their numbers and points.

    For instance:

      bayesieve edit model.json

      bayesieve edit model.json people.csv --merge age:2,3 --why "too few rows" --out corrected.json

      bayesieve edit corrected.json people.csv --points age:0=-0.3 --out corrected2.json

      bayesieve edit corrected.json people.csv --undo 1 --out before.json

      bayesieve edit model.json people.csv --alternatives zip

    Edits of one command are made in the order of the options in this help; --edits comes first.
    """
    from bayesieve import load
    from bayesieve.cli.edit_text import print_alternatives, print_bins, print_changes
    from bayesieve.cli.edited_model import read_edits, read_rows, require_scorecard

    with print_errors():
        check_output_paths({"--out": out, "--save-edits": save_edits}, [model, *([] if data is None else [data])])
        fitted = require_scorecard(load(model))
        given = {
            "keep": keep, "drop": drop, "replace": replace, "missing": missing, "monotone": monotone,
            "no_pair": no_pair, "special": special, "split": split, "merge": merge, "points": points, "pair": pair,
        }  # fmt: skip
        made = read_edits(fitted, given, edits, undo, author=author, why=why)
        rows = None if data is None else read_rows(fitted, data, reading, target, group, weight)
        if alternatives is not None:
            if rows is None:
                raise ParameterError("--alternatives needs the rows that the model was fitted to.")
            print_alternatives(fitted.alternatives(alternatives, *rows.arguments, **rows.options), as_json=as_json)
            return
        if made == fitted.edits_:
            print_bins(fitted, as_json=as_json)
            return
        if rows is None and len(made) and not no_refit:
            raise ParameterError("Give the rows that the model was fitted to, too, or --no-refit.")
        arguments, options = ((), {}) if rows is None else rows
        edited = fitted.edited(made, *arguments, **options, refit=not no_refit)
        if out is not None:
            edited.save(out)
        if save_edits is not None:
            made.save(save_edits)
        if as_json:
            typer.echo(json.dumps([change.to_plain() for change in edited.changes_]))
        else:
            print_changes(edited, out, has_rows=rows is not None)
