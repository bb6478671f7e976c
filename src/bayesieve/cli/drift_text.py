# SPDX-License-Identifier: BSD-3-Clause
"""Drift as tables and sentences in a terminal."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bayesieve.cli.input_files import fingerprint
from bayesieve.cli.terminal_text import VisibleText as Text
from bayesieve.quality import Drift
from bayesieve.report import format_label
from bayesieve.report.formats import plural
from bayesieve.report.sizes import METRICS

__all__ = ["drift_notes", "print_drift"]

_MOST_ROWS = 30


def drift_notes(found: Drift, data: Path, labeled: bool) -> Iterator[str]:
    """Yield what could not be compared, and what should not."""
    if not labeled:
        yield "The classes of these rows are not known, so losses are not compared; --target names a column."
    if found.record is None:
        yield "The model file has no held-out scores of the training, so scores are not compared."
    elif found.record.fingerprint == fingerprint([data]):
        yield "This is the file that the model was trained on, so the scores of its rows are optimistic."


def print_drift(found: Drift) -> None:
    """Print the verdict, and tables of columns, predicted probabilities and scores."""
    console = Console()
    console.print(Text(found.verdict, style="bold"), soft_wrap=True)
    console.print()
    console.print(_columns(found))
    for score in found.scores:
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
            table.add_row(f"{bound:.3f}", *(f"{share[g]:.1%}" for share in shares), *shown)
        table.caption = (
            f"PSI {score.psi:.3f} ({score.level}); mean {score.then.mean:.3f} then, {score.now.mean:.3f} now."
        )
        table.caption_justify = "left"
        console.print(table)
    if found.metrics:
        console.print(_metrics(found))


def _columns(found: Drift) -> Table:
    sizes = f"{plural(len(found.columns), 'column')} of the model, {plural(found.n_rows, 'new row')}"
    table = Table(title=sizes, title_justify="left")
    table.add_column("column", overflow="fold")
    has_missing = any(column.missing_then or column.missing_now for column in found.columns)
    of_missing = ("missing then", "missing now") if has_missing else ()
    for heading in ("PSI", "by chance", "drift", *of_missing, "unseen"):
        table.add_column(heading, justify="right")
    has_unseen = any(column.unseen_values for column in found.columns)
    if has_unseen:
        table.add_column("unseen values", overflow="fold")
    for column in found.columns[:_MOST_ROWS]:
        then = "" if column.missing_then is None else f"{column.missing_then:.1%}"
        missing = [then, f"{column.missing_now:.1%}"] if has_missing else []
        values = ", ".join(value[:20] for value, _ in column.unseen_values[:3])
        cells = [f"{column.psi:.3f}", f"{column.by_chance:.3f}", column.level, *missing]
        table.add_row(Text(column.name), *cells, f"{column.unseen:.1%}", *([Text(values)] if has_unseen else []))
    lines = ["By chance: the PSI that one of a hundred samples of the training rows would exceed."]
    if len(found.columns) > _MOST_ROWS:
        lines.append(f"... and {len(found.columns) - _MOST_ROWS} more columns; --json prints all.")
    table.caption, table.caption_justify = "\n".join(lines), "left"
    return table


def _metrics(found: Drift) -> Table:
    table = Table(title="Scores", title_justify="left")
    for heading in ("metric", "then", "now", "change"):
        table.add_column(heading, justify="left" if heading == "metric" else "right")
    for metric in found.metrics:
        then = "" if metric.then is None else f"{metric.then:.4f} ± {metric.then_error:.4f}"
        table.add_row(METRICS[metric.name].title, then, f"{metric.now:.4f} ± {metric.now_error:.4f}", metric.change)
    return table
