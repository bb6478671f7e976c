# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve drift``: new rows compared with the training rows of a model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from bayesieve.cli.files import ModelFile, NewRows, TableOptions, check_output_paths, fingerprint, reads_table
from bayesieve.cli.terminal import VisibleText as Text, add_names, print_errors
from bayesieve.data import read_table, write_atomically

if TYPE_CHECKING:
    from bayesieve.quality import Drift, ScoreDrift

__all__ = ["drift"]

_MOST_ROWS: Final = 30
_WIDTH, _WIDTH_WITH_MISSING = 42, 62  # of the other columns, when folded
_MOST_UNSEEN: Final = 5  # columns whose unseen values are named


@reads_table
def drift(
    model: ModelFile,
    data: NewRows,
    *,
    target: str | None = typer.Option(
        None, help="Name of the target column; default: that of the training, if the file has it."
    ),
    report: Path | None = typer.Option(None, help="HTML file to write."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Compare new rows with the training rows of a model: columns, predicted probabilities, and with labels the loss.

    The population stability index (PSI) of each column is computed from the counts of bins in the model file. What
    chance explains does not count; beyond it, a PSI below 0.1 is usually called small, and from 0.25 on large.

    Example: bayesieve drift model.json december.csv --report drift.html
    """
    from bayesieve import drift as compare_rows, load
    from bayesieve.cli.new_rows import read_labeled_file, read_new_rows, target_name
    from bayesieve.models.number_scorecard import refuse_numbers
    from bayesieve.report import known_amounts, render_drift
    from bayesieve.report.formats import rows_left_out

    with print_errors():
        check_output_paths({"--report": report}, [model, data])
        fitted = load(model)
        refuse_numbers(fitted, "Comparisons of drift")
        name = target_name(fitted, target)
        frame, X = read_new_rows(fitted, data, reading)
        y = None
        n_without = 0
        if target is not None or name in read_table(frame).names:
            frame, X, y, n_without = read_labeled_file(fitted, data, reading, name)
        drifted = compare_rows(fitted, X, y, amounts=known_amounts(fitted, frame))
        notes = [rows_left_out(n_without, name)] if n_without else []
        notes += _notes(drifted, data, y is not None)
        if report is not None:
            page = render_drift(drifted, source=data.name, model=model.name, notes=notes)
            write_atomically(report, page.encode(), "The report")
        if as_json:
            document = {"model": model.name, "source": data.name, "target": name if y is not None else None}
            typer.echo(json.dumps({**document, "rows_without_target": n_without, "notes": notes, **drifted.to_dict()}))
            return
        _print(drifted)
        for note in notes:
            typer.echo(note)
        if report is not None:
            typer.echo(f"The report was written to {report}.")


def _notes(drifted: "Drift", data: Path, labeled: bool) -> Iterator[str]:
    """Yield what could not be compared, and what should not."""
    if not labeled:
        yield "The classes of these rows are not known, so losses are not compared; --target names a column."
    if drifted.record is None:
        yield "The model file has no held-out scores of the training, so scores are not compared."
    elif drifted.record.fingerprint == fingerprint([data]):
        yield "This is the file that the model was trained on, so the scores of its rows are optimistic."
    elif drifted.record.tested == fingerprint([data]):
        yield (
            "This is the file of fit --test: the scores and observed frequencies 'then' are those of the same rows, so "
            "that they cannot differ. Columns and predicted probabilities are compared with the training rows."
        )


def _print(drifted: "Drift") -> None:
    """Print the verdict, and tables of columns, predicted probabilities and scores."""
    console = Console()
    console.print(Text(drifted.verdict, style="bold"), soft_wrap=True)
    console.print()
    console.print(_columns(drifted))
    for score in drifted.scores:
        console.print(_probabilities(score))
    if drifted.metrics:
        console.print(_metrics(drifted))


def _columns(drifted: "Drift") -> Table:
    from bayesieve.report.formats import plural

    sizes = f"{plural(len(drifted.columns), 'column')} of the model, {plural(drifted.n_rows, 'new row')}"
    table = Table(title=sizes, title_justify="left")
    has_missing = any(column.missing_then or column.missing_now for column in drifted.columns)
    names = [column.name for column in drifted.columns[:_MOST_ROWS]]
    add_names(table, "column", names, _WIDTH_WITH_MISSING if has_missing else _WIDTH)
    of_missing = ("missing then", "missing now") if has_missing else ()
    for heading in ("PSI", "by chance", "drift", *of_missing, "unseen"):
        table.add_column(heading, justify="right")
    for column in drifted.columns[:_MOST_ROWS]:
        then = "" if column.missing_then is None else f"{column.missing_then:.1%}"
        missing = [then, f"{column.missing_now:.1%}"] if has_missing else []
        cells = [f"{column.psi:.4f}", f"{column.by_chance:.4f}", column.level, *missing]
        table.add_row(Text(column.name), *cells, column.unseen_share)
    lines = ["By chance: the PSI that one of a hundred samples of the training rows would exceed in any column."]
    if len(drifted.columns) > _MOST_ROWS:
        lines.append(f"... and {len(drifted.columns) - _MOST_ROWS} more columns; --json prints all.")
    for column in [each for each in drifted.columns if each.unseen_values][:_MOST_UNSEEN]:
        values = ", ".join(value[:20] for value, _ in column.unseen_values[:3])
        lines.append(f"Unseen in {column.name}: {values}.")
    table.caption, table.caption_justify = Text("\n".join(lines)), "left"
    return table


def _probabilities(score: "ScoreDrift") -> Table:
    """Return rows, observed frequencies and mean predictions per group of predicted probabilities."""
    from bayesieve.report import format_label
    from bayesieve.report.formats import upper_end

    table = Table(title=Text(f"Predicted probability of {format_label(score.label)}"), title_justify="left")
    labeled = not np.isnan(score.now.observed).all()
    now = ["observed now"] if labeled else []
    for heading in ("up to", "rows then", "rows now", "observed then", *now, "mean predicted now"):
        table.add_column(heading, justify="right")
    shares = (score.then.n_rows / score.then.n_rows.sum(), score.now.n_rows / score.now.n_rows.sum())
    bounds = [*score.then.bounds.tolist(), 1.0]
    for g, bound in enumerate(bounds):
        observed = [score.now.observed[g]] if labeled else []
        rates = (score.then.observed[g], *observed, score.now.predicted[g])
        shown = ["" if np.isnan(rate) else f"{rate:.3f}" for rate in rates]
        table.add_row(upper_end(bound), *(f"{share[g]:.1%}" for share in shares), *shown)
    table.caption = (
        f"PSI {score.psi:.3f} ({score.by_chance:.3f} by chance; {score.level}); mean {score.then.mean:.3f} then, "
        f"{score.now.mean:.3f} now."
    )
    table.caption_justify = "left"
    return table


def _metrics(drifted: "Drift") -> Table:
    from bayesieve.report.metrics import TITLES
    from bayesieve.report.promise import CHANGES

    table = Table(title="Scores", title_justify="left")
    for heading in ("metric", "then", "now", "change"):
        table.add_column(heading, justify="left" if heading == "metric" else "right")
    for metric in drifted.metrics:
        then = "" if metric.then is None else f"{metric.then:.4f} ± {metric.then_error:.4f}"
        table.add_row(TITLES[metric.name], then, f"{metric.now:.4f} ± {metric.now_error:.4f}", CHANGES[metric.change])
    table.caption = "± standard error. Within chance: they differ by at most two standard errors of the difference."
    table.caption_justify = "left"
    return table
