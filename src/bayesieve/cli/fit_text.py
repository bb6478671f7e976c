# SPDX-License-Identifier: BSD-3-Clause
"""The terminal output of a fit."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bayesieve.cli.check import MOST_FINDINGS
from bayesieve.cli.terminal import VisibleText as Text, add_names
from bayesieve.data import column_kinds
from bayesieve.models.scorecard import join_texts
from bayesieve.report import ReportContext, Summary, format_counts, format_label
from bayesieve.report.comparison import describe_others
from bayesieve.report.context import COLUMN_TYPES
from bayesieve.report.data_check import DataFindings
from bayesieve.report.formats import money, no_features, plural, rows_left_out, small
from bayesieve.report.metrics import TITLES
from bayesieve.report.promise import CHANGES, Promise
from bayesieve.report.shared_facts import shared_fact_sentences
from bayesieve.report.threshold import Decision

__all__ = ["print_data", "print_summary"]

_MOST_ROWS = 20
_NO = frozenset({"0", "-1", "false", "no", "n", "negative"})
_WIDTH, _WIDTH_WITH_FOLDS = 43, 57  # of the other columns, when folded


def print_data(X: Any, counts: Mapping[Any, int], context: ReportContext, classifier: Any) -> None:
    """Print how the file was read: types of the columns that the classifier may use, and rows per class."""
    console = Console()
    dropped = set(getattr(classifier, "estimator", classifier).drop or ())
    names = [str(name) for name in X.columns]
    kinds = Counter(kind for name, kind in zip(names, column_kinds(X), strict=True) if name not in dropped)
    types = ", ".join(f"{n} {COLUMN_TYPES[kind]}" for kind, n in kinds.most_common())
    classes = format_counts((format_label(label), counts[label]) for label in sorted(counts))
    positive = "" if context.positive is None else f"; positive class: {_positive(context.positive, counts)}"
    n_rows, n_columns = sum(counts.values()), sum(kinds.values())
    columns = f"{plural(n_columns, 'column')} ({types}){no_features(len(dropped))}"
    lines = [f"{context.source or 'Table'}: {n_rows:,} rows, {columns}."]
    lines.append(f"Target {context.target}: {classes}{positive}.")
    if context.n_without_target:
        lines.append(rows_left_out(context.n_without_target, context.target))
    # Names and labels are the user's: as Text, their brackets are not markup.
    console.print(Text("\n".join(lines)))


def _positive(label: Any, counts: Mapping[Any, int]) -> str:
    """Return the positive class; where it is called no, that it is the less frequent one, and how to name the other."""
    text = format_label(label)
    (other,) = (each for each in counts if each != label)
    if text.casefold() not in _NO or counts[label] > counts[other]:
        return text
    return f"{text}, the less frequent one (--positive {shlex.quote(format_label(other))} names the other)"


def print_summary(
    summary: Summary, report: Path | None, model: Path | None, advice: str, *, is_fit: bool = True
) -> None:
    """Print warnings, the verdict, the selected columns of a fit and the scores, and which files were written.

    ``advice`` has the options of the command that write files.
    """
    console = Console()
    for name, warning in summary.columns.warnings:
        if not _is_printed(summary.findings, name):
            console.print(Text(f"Check column {name!r}: {warning[0].lower()}{warning[1:]}", style="yellow"))
    _print_verdict(console, summary)
    for each in _tables(summary, is_fit=is_fit, has_report=report is not None):
        console.print(each)
    if description := summary.evaluation.description:
        console.print(Text(description))
    _print_files(console, {"report": report, "model": model}, advice)


def _tables(summary: Summary, *, is_fit: bool, has_report: bool) -> Iterator[Table]:
    """Yield what came of other rows, or what a fit selected; then what the decisions bring, and other models."""
    promise = summary.promise
    if has_promise := promise is not None and not promise.are_same_rows:
        yield _promise_table(summary, promise)
    if is_fit and any(summary.columns.selected):
        yield _columns_table(summary, has_report)
    if is_fit and any(len(term.columns) == 2 for term in summary.terms):
        yield _pairs_table(summary)
    if not has_promise:
        yield _scores_table(summary)
    if summary.decision is not None and summary.decision.profit is not None:
        yield _profit_table(summary, summary.decision)
    yield _comparison_table(summary)


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
    names = [columns.name[j] for j in selected[:_MOST_ROWS]]
    add_names(table, "column", names, _WIDTH_WITH_FOLDS if n_folds else _WIDTH)
    table.add_column("type")
    frequency = ["selected in folds"] if n_folds else []
    for heading in ("importance", "gain", *frequency):
        table.add_column(heading, justify="right")
    for j in selected[:_MOST_ROWS]:
        folds = [f"{columns.n_folds_selected[j]} of {n_folds}"] if n_folds else []
        cells = [COLUMN_TYPES[columns.type[j]], f"{columns.importance[j]:.0%}", small(columns.gain[j]), *folds]
        table.add_row(Text(columns.name[j]), *cells)
    if len(selected) > _MOST_ROWS:
        table.add_row(f"and {len(selected) - _MOST_ROWS} more")
    lines = []
    for title, meaning in (("Importance", summary.model.importance), ("Gain", summary.model.gain)):
        lines.append(f"{title}: {meaning[0].lower()}{meaning[1:]}.")
    lines += shared_fact_sentences(summary.shared_facts)
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
        factor = "" if pair.log_bayes_factor is None else f"{pair.log_bayes_factor:.1f}".replace("-0.0", "0.0")
        label = join_texts(*(summary.columns.name[j] for j in pair.columns))
        table.add_row(Text(label), f"{pair.importance:.0%}", factor, small(pair.gain))
    if len(pairs) > _MOST_ROWS:
        table.add_row(f"and {len(pairs) - _MOST_ROWS} more")
    lines = [
        "Importance: as a share of the sum over columns and pairs.",
        "Gain: the improvement of the out-of-fold log loss per row by the pair.",
    ]
    table.caption = "\n".join(lines)
    table.caption_justify = "left"
    return table


def _promise_table(summary: Summary, promise: Promise) -> Table:
    table = Table(title="Promised and found", title_justify="left")
    for heading in ("score", f"promised, {promise.evaluation}", "these rows", "change"):
        table.add_column(heading, justify="right" if heading[0] in "pt" else "left")
    for each in promise.scores:
        both = (f"{score.mean:.4f} ± {score.standard_error:.4f}" for score in (each.promised, each.found))
        table.add_row(TITLES[each.metric], *both, CHANGES[each.change])
    table.caption = "± standard error. Within chance: they differ by at most two standard errors of the difference."
    table.caption += _accuracy_note(summary)
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
    if what := describe_others(summary.comparison):
        lines.append(what)
    table.caption = "\n".join(lines)
    table.caption_justify = "left"
    return table


def _accuracy_note(summary: Summary) -> str:
    if summary.context.goal not in ("recall", "precision", "profit"):
        return ""
    return "\nAccuracy is that of the most probable class, whatever the threshold."


def _groups(summary: Summary) -> str:
    return "folds" if summary.evaluation.n_train is None else "rows"


def _profit_table(summary: Summary, decision: Decision) -> Table:
    """Return what the decisions bring, next to what was promised and what chance gives."""
    table = Table(title=f"Profit, {summary.evaluation.method}", title_justify="left")
    table.add_column("rows acted on", overflow="fold")
    table.add_column("number", justify="right")
    table.add_column("profit", justify="right")
    n_rows, n_acted = summary.data.n_rows, f"{decision.n_acted:,}"
    low, high = (money(each) for each in decision.profit_interval or (0.0, 0.0))
    rows = [("those of the model", n_acted, _shown(decision.profit))]
    rows.append(("the same, as the model expects", n_acted, _shown(decision.expected_profit)))
    if decision.promised_profit is not None:
        promised = f"{money(decision.promised_profit)} ± {money(decision.promised_error or 0.0)}"
        rows.append((f"promised: per row as in the evaluation of the training, × {n_rows:,}", "", promised))
    rows.append(("as many rows drawn at random", n_acted, _shown(decision.profit_by_chance)))
    rows.append(("all rows", f"{n_rows:,}", _shown(decision.profit_of_all_rows)))
    for row in rows:
        table.add_row(*row)
    table.caption = f"95% interval of the profit of the model: {low} to {high}."
    table.caption_justify = "left"
    return table


def _shown(profit: float | None) -> str:
    return "" if profit is None else money(profit)


def _scores_table(summary: Summary) -> Table:
    size = summary.selected
    table = Table(title=f"Scores with {plural(size.n_columns, 'column')}", title_justify="left")
    table.add_column("metric")
    table.add_column(summary.evaluation.method, justify="right")
    cross_validated = summary.evaluation.n_train is None
    table.caption = f"± standard error over {_groups(summary)}."
    table.caption += _accuracy_note(summary)
    table.caption_justify = "left"
    if cross_validated:
        table.add_column("selection score", justify="right")
        table.caption += f"\n{summary.model.selection_score}."
    for name, metric in summary.metrics.items():
        held_out, optimistic = size.held_out[name], size.optimistic[name]
        scores = [f"{held_out.mean:.4f} ± {held_out.standard_error:.4f}"]
        table.add_row(metric.directed_title, *scores, *([f"{optimistic:.4f}"] if cross_validated else []))
    return table
