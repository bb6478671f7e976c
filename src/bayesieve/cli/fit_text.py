# SPDX-License-Identifier: BSD-3-Clause
"""The terminal output of a fit."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bayesieve.cli.check import MOST_FINDINGS
from bayesieve.cli.terminal import VisibleText as Text
from bayesieve.data import column_kinds
from bayesieve.models.scorecard import join_texts
from bayesieve.report import ReportContext, Summary, format_counts, format_label
from bayesieve.report.context import COLUMN_TYPES
from bayesieve.report.data_check import DataFindings
from bayesieve.report.formats import plural

__all__ = ["print_data", "print_summary"]

_MOST_ROWS = 20


def print_data(X: Any, counts: Mapping[Any, int], context: ReportContext, classifier: Any) -> None:
    """Print how the file was read: types of the columns that the classifier may use, and rows per class."""
    console = Console()
    dropped = set(getattr(classifier, "estimator", classifier).drop or ())
    names = [str(name) for name in X.columns]
    kinds = Counter(kind for name, kind in zip(names, column_kinds(X), strict=True) if name not in dropped)
    types = ", ".join(f"{n} {COLUMN_TYPES[kind]}" for kind, n in kinds.most_common())
    classes = format_counts((format_label(label), counts[label]) for label in sorted(counts)[:6])
    more = f" and {len(counts) - 6} more classes" if len(counts) > 6 else ""
    positive = "" if context.positive is None else f"; positive class: {format_label(context.positive)}"
    n_rows, n_columns = sum(counts.values()), sum(kinds.values())
    left_out = f"; {len(dropped):,} more {'is' if len(dropped) == 1 else 'are'} not used" if dropped else ""
    lines = [f"{context.source or 'Table'}: {n_rows:,} rows, {plural(n_columns, 'column')} ({types}){left_out}."]
    lines.append(f"Target {context.target}: {classes}{more}{positive}.")
    if n_missing := context.n_without_target:
        rows = "1 row has" if n_missing == 1 else f"{n_missing:,} rows have"
        lines.append(f"{rows} no {context.target!r} and {'is' if n_missing == 1 else 'are'} left out.")
    # Names and labels are the user's: as Text, their brackets are not markup.
    console.print(Text("\n".join(lines)))


def print_summary(summary: Summary, report: Path | None, model: Path | None, advice: str) -> None:
    """Print warnings, the verdict, the selected columns and the scores, and which files were written.

    ``advice`` has the options of the command that write files.
    """
    console = Console()
    for name, warning in summary.columns.warnings:
        if not _is_printed(summary.findings, name):
            console.print(Text(f"Check column {name!r}: {warning[0].lower()}{warning[1:]}", style="yellow"))
    _print_verdict(console, summary)
    if any(summary.columns.selected):
        console.print(_columns_table(summary, report is not None))
    if any(len(term.columns) == 2 for term in summary.terms):
        console.print(_pairs_table(summary))
    console.print(_scores_table(summary))
    console.print(_comparison_table(summary))
    if description := summary.evaluation.description:
        console.print(Text(description))
    _print_files(console, {"report": report, "model": model}, advice)


def _is_printed(findings: DataFindings | None, name: str) -> bool:
    """Return whether the check of the data, which is printed before the fit, has the same warning of a column."""
    shown = [] if findings is None else findings.shown[:MOST_FINDINGS]
    return any(each.kind in ("identifier", "leak") and each.text.startswith(f"Column {name!r}: ") for each in shown)


def _print_files(console: Console, files: Mapping[str, Path | None], advice: str) -> None:
    for title, path in files.items():
        if path is not None:
            console.print(Text(f"The {title} was written to {path}."))
    if not any(files.values()):
        console.print(f"No file was written; add {advice} to keep the result.")


def _print_verdict(console: Console, summary: Summary) -> None:
    first, *others = summary.verdict_sentences
    console.print()
    console.print(Text(first, style="bold"))
    for sentence in others:
        console.print(Text(sentence))
    enough = summary.marks.nearly_all
    if enough is not None and 0 < enough < summary.selected.n_columns:
        console.print(Text(f"--max-features {enough} fits the smaller model."))
    for note in summary.stability.notes:
        console.print(Text(note, style="yellow"))
    console.print()


def _columns_table(summary: Summary, has_report: bool) -> Table:
    columns = summary.columns
    n_folds = summary.evaluation.n_folds
    selected = [j for j, inside in enumerate(columns.selected) if inside]
    selected.sort(key=lambda j: (-columns.importance[j], j))
    table = Table(title="Selected columns", title_justify="left")
    table.add_column("column", overflow="fold")
    table.add_column("type")
    frequency = ["selected in folds"] if n_folds else []
    for heading in ("importance", f"gain ({summary.search.criterion})", *frequency):
        table.add_column(heading, justify="right")
    for j in selected[:_MOST_ROWS]:
        gain = "" if columns.gain[j] is None else f"{columns.gain[j]:.4f}"
        folds = [f"{columns.n_folds_selected[j]} of {n_folds}"] if n_folds else []
        cells = [COLUMN_TYPES[columns.type[j]], f"{columns.importance[j]:.0%}", gain, *folds]
        table.add_row(Text(columns.name[j]), *cells)
    if len(selected) > _MOST_ROWS:
        table.add_row(f"and {len(selected) - _MOST_ROWS} more")
    lines = []
    for title, meaning in (("Importance", summary.model.importance), ("Gain", summary.model.gain)):
        lines.append(f"{title}: {meaning[0].lower()}{meaning[1:]}.")
    if columns.rarely_selected(n_folds):
        hint = "see Redundancy in the report" if has_report else "add --report FILE to see which are redundant"
        lines.append(f"Columns selected in few folds are unstable; {hint}.")
    table.caption = "\n".join(lines)
    table.caption_justify = "left"
    return table


def _pairs_table(summary: Summary) -> Table:
    pairs = [term for term in summary.terms if len(term.columns) == 2]
    table = Table(title="Pairs of columns", title_justify="left")
    table.add_column("pair", overflow="fold")
    for heading in ("importance", "log Bayes factor", "gain (log loss)"):
        table.add_column(heading, justify="right")
    for pair in pairs[:_MOST_ROWS]:
        factor = "" if pair.log_bayes_factor is None else f"{pair.log_bayes_factor:.1f}"
        gain = "" if pair.gain is None else f"{pair.gain:.4f}"
        label = join_texts(*(summary.columns.name[j] for j in pair.columns))
        table.add_row(Text(label), f"{pair.importance:.0%}", factor, gain)
    if len(pairs) > _MOST_ROWS:
        table.add_row(f"and {len(pairs) - _MOST_ROWS} more")
    lines = [
        "Importance: as a share of the sum over columns and pairs.",
        "Gain: the improvement of the out-of-fold log loss per row by the pair.",
    ]
    table.caption = "\n".join(lines)
    table.caption_justify = "left"
    return table


def _comparison_table(summary: Summary) -> Table:
    selected = summary.selected
    table = Table(title=f"Models on the same {_groups(summary)}", title_justify="left")
    table.add_column("model", overflow="fold")
    for metric in summary.metrics.values():
        table.add_column(metric.title, justify="right")
    models = [(f"this model, {plural(selected.n_columns, 'column')}", selected.held_out)]
    models += [(model.name, model.scores) for model in summary.comparison.models]
    for name, scores in models:
        table.add_row(name, *(f"{scores[metric].mean:.4f}" for metric in summary.metrics))
    lines = ["The accuracy of class frequencies is the share of the most frequent class."]
    if left_out := summary.comparison.left_out:
        lines.append(left_out)
    table.caption = "\n".join(lines)
    table.caption_justify = "left"
    return table


def _groups(summary: Summary) -> str:
    return "folds" if summary.evaluation.n_train is None else "rows"


def _scores_table(summary: Summary) -> Table:
    size = summary.selected
    table = Table(title=f"Scores with {plural(size.n_columns, 'column')}", title_justify="left")
    table.add_column("metric")
    table.add_column(summary.evaluation.method, justify="right")
    cross_validated = summary.evaluation.n_train is None
    table.caption = f"± standard error over {_groups(summary)}."
    if summary.context.goal in ("recall", "precision", "profit"):
        table.caption += "\nAccuracy is that of the most probable class, whatever the threshold."
    table.caption_justify = "left"
    if cross_validated:
        table.add_column("selection score", justify="right")
        table.caption += f"\n{summary.model.selection_score}."
    for name, metric in summary.metrics.items():
        held_out, optimistic = size.held_out[name], size.optimistic[name]
        scores = [f"{held_out.mean:.4f} ± {held_out.standard_error:.4f}"]
        table.add_row(metric.directed_title, *scores, *([f"{optimistic:.4f}"] if cross_validated else []))
    return table
