# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve rank``: the columns of a file, ranked by a filter score."""

import json
from enum import StrEnum
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from bayesieve.cli import INTERRUPTED
from bayesieve.cli.files import TABLE, TableOptions, reads_table, refuse_options
from bayesieve.cli.fit_options import read_vote_count
from bayesieve.cli.terminal import VisibleText as Text, print_errors, progress_bar, visible
from bayesieve.data import read_table
from bayesieve.fit.filter import FILTERS

if TYPE_CHECKING:
    from bayesieve import FilterSelector, VoteSelector

__all__ = ["rank"]

_MOST_ROWS = 50  # of a printed table
_VOTE: Final = "vote"
_Score = StrEnum("_Score", [*FILTERS, _VOTE])  # type: ignore[misc]
_Likelihood = StrEnum("_Likelihood", ["expected", "log"])
_Discretizer = StrEnum("_Discretizer", ["modl", "mdlp", "equal_frequency", "equal_width", "none"])


@reads_table
def rank(
    data: Path = typer.Argument(help=TABLE),
    *,
    target: str = typer.Option(..., help="Name of the target column."),
    score: _Score = typer.Option(
        "mutual_info",
        help="Filter score that columns are ranked by; vote: how well columns vote together, two classes.",
    ),
    votes: str | None = typer.Option(
        None,
        help="With --score vote: how many columns must vote for the positive class: any, all, majority, a number, or "
        "a share such as 0.5; default: any.",
        show_default=False,
    ),
    criterion: _Likelihood | None = typer.Option(
        None,
        help="With --score vote: expected or log likelihood of the classes; default: expected.",
        show_default=False,
    ),
    positive: str | None = typer.Option(
        None, help="With --score vote: positive class; default: the less frequent of two.", show_default=False
    ),
    features: int | None = typer.Option(
        None, min=0, help="Number of columns to select; default: chosen automatically."
    ),
    column: list[str] = typer.Option([], help="Rank only this column; can be repeated."),
    drop: list[str] = typer.Option([], help="Column that must not be used; can be repeated."),
    discretizer: _Discretizer = typer.Option("modl", help="How columns are binned; none: each value is a bin."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Rank columns by a filter score, such as mutual information, or by how well they vote together.

    For instance:

      bayesieve rank people.csv --target bought --score mrmr

      bayesieve rank people.csv --target bought --score vote --votes all --criterion log
    """
    from bayesieve import FilterSelector
    from bayesieve.cli.column_roles import split_target_column

    with print_errors():
        frame = reading.read(data).frame
        X, y = split_target_column(frame, read_table(frame).names, target, column, drop)
        coding = None if discretizer == _Discretizer.none else discretizer.value
        n_features = "auto" if features is None else features
        of_votes = {"votes": votes, "criterion": criterion, "positive": positive}
        if score == _VOTE:
            selector = _vote_selector(y, target, n_features, coding, **of_votes)
        else:
            refuse_options(of_votes, f"--score {score.value}", "they are for --score vote")
            selector = FilterSelector(score.value, n_features=n_features, discretizer=coding, n_jobs=-1)
        with progress_bar("Ranking columns", None, lambda: 0):
            selector.fit(X, y)
        if n_dropped := len(frame) - len(y):
            typer.echo(visible(f"{n_dropped} of {len(frame)} rows have no {target!r} and are left out."), err=True)
        complete = getattr(selector, "path_", None) is None or selector.path_.complete
        names = read_table(X).names
        entries = _vote_entries(selector, names) if score == _VOTE else _entries(selector, names)
        if as_json:
            document = {
                "target": target,
                "score": score.value,
                "rows": len(y),
                "rows_without_target": n_dropped,
                "complete": complete,
                "columns": entries,
            }
            typer.echo(json.dumps(document))
        else:
            _print(entries, score.value)
        if not complete:
            typer.echo(f"Interrupted: {selector.n_features_} columns were selected.", err=True)
            raise typer.Exit(INTERRUPTED)


def _vote_selector(
    y: Any,
    target: str,
    n_features: int | str,
    discretizer: str | None,
    *,
    votes: str | None,
    criterion: str | None,
    positive: str | None,
) -> "VoteSelector":
    """Return the selector whose columns vote, scored on the training rows as in paper 001."""
    from bayesieve import VoteSelector
    from bayesieve.cli.column_roles import count_classes, find_positive

    classes, counts = count_classes(y, target, 1, are_classes=True)
    place = find_positive(positive, classes, counts)
    return VoteSelector(
        "any" if votes is None else read_vote_count(votes), criterion or "expected", n_features=n_features,
        pos_label=None if place is None else classes[place], cv=0, discretizer=discretizer, n_jobs=-1,
    )  # fmt: skip


def _vote_entries(selector: "VoteSelector", names: list[str]) -> list[dict[str, Any]]:
    """Return the columns in the order in which they were added, with the criterion after each; then the others."""
    path = selector.path_
    added = dict(zip((step.column for step in path.steps), path.values, strict=True))
    places = {name: rank for rank, name in enumerate(added, start=1)}
    last = len(added) + 1  # of all others
    entries = [
        {
            "rank": places.get(name, last),
            "name": name,
            "score": added.get(name),
            "selected": bool(selected),
        }
        for name, selected in zip(names, selector.support_, strict=True)
    ]
    return sorted(entries, key=lambda entry: entry["rank"])


def _entries(selector: "FilterSelector", names: list[str]) -> list[dict[str, Any]]:
    """Return the columns, best first; a column that was not scored has the score None."""
    entries = []
    for j in selector.ranking_.argsort().tolist():
        scored = not isnan(selector.scores_[j])
        entries.append(
            {
                "rank": int(selector.ranking_[j]),
                "name": names[j],
                "score": float(selector.scores_[j]) if scored else None,
                "selected": bool(selector.support_[j]),
            }
        )
    return entries


def _print(entries: list[dict[str, Any]], score: str) -> None:
    table = Table()
    table.add_column("rank", justify="right")
    table.add_column("column", overflow="fold")
    table.add_column(Text(score), justify="right")
    table.add_column("selected")
    for entry in entries[:_MOST_ROWS]:
        shown = "" if entry["score"] is None else f"{entry['score']:.6g}"
        # Names are the user's: as Text, their brackets are not markup.
        table.add_row(str(entry["rank"]), Text(entry["name"]), shown, "yes" if entry["selected"] else "")
    console = Console()
    console.print(table)
    if len(entries) > _MOST_ROWS:
        console.print(f"... and {len(entries) - _MOST_ROWS} more; --json prints all.")
