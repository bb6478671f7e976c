"""What a fit tells in a terminal."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesieve.cli.bin_table import show_label
from bayesieve.data import column_kinds
from bayesieve.report import Question

__all__ = ["print_data", "print_summary"]

_MOST_ROWS = 20
_PLURALS = {"integer": "integers", "number": "numbers", "category": "categories", "time": "times"}


def print_data(X: Any, counts: Mapping[Any, int], question: Question) -> None:
    """Tell how the file was read: kinds of columns, and rows of each class."""
    console = Console()
    kinds = Counter(column_kinds(X))
    types = ", ".join(f"{n} of {_PLURALS[kind]}" for kind, n in kinds.most_common())
    shown = ", ".join(f"{counts[label]:,} {show_label(label)}" for label in sorted(counts)[:6])
    more = f" and {len(counts) - 6} more classes" if len(counts) > 6 else ""
    looked_for = "" if question.positive is None else f"; looked for: {show_label(question.positive)}"
    n_rows, n_columns = sum(counts.values()), sum(kinds.values())
    lines = [f"{question.source or 'The table'}: {n_rows:,} rows, {n_columns:,} columns ({types})."]
    lines.append(f"Target {question.target}: {shown}{more}{looked_for}.")
    if question.n_without_target:
        lines.append(f"{question.n_without_target:,} rows have no {question.target!r} and are left out.")
    # Names and labels are the user's: as Text, their brackets are no markup.
    console.print(Text("\n".join(lines)))


def print_summary(summary: dict[str, Any], report: Path | None, model: Path | None) -> None:
    """Tell the verdict, the columns and the scores, and where they were written."""
    console = Console()
    columns = summary["columns"]
    for name, words in zip(columns["name"], columns["suspicion"], strict=True):
        if words:
            console.print(Text(f"Look at {name!r}: {words[0].lower()}{words[1:]}", style="yellow"))
    console.print()
    console.print(Text(summary["verdict"], style="bold"))
    console.print()
    console.print(_columns(summary))
    console.print(_scores(summary))
    if words := summary["judged"]["words"]:
        console.print(Text(words))
    for path, what in ((report, "report"), (model, "model")):
        if path is not None:
            console.print(Text(f"The {what} is in {path}."))
    if report is None and model is None:
        console.print("Nothing was written: --report FILE and --model FILE keep the result.")


def _columns(summary: dict[str, Any]) -> Table:
    told, n_folds = summary["columns"], summary["stability"]["n_folds"]
    chosen = [j for j, weight in enumerate(told["weight"]) if weight is not None]
    chosen.sort(key=lambda j: (-told["importance"][j], j))
    table = Table(title="The chosen columns", title_justify="left")
    table.add_column("column", overflow="fold")
    table.add_column("kind")
    again = [f"in {n_folds} folds"] if n_folds else []
    for heading in ("share of what is said", "adds (log loss)", *again):
        table.add_column(heading, justify="right")
    for j in chosen[:_MOST_ROWS]:
        adds = "" if told["gain"][j] is None else f"{told['gain'][j]:.4f}"
        folds = [str(told["folds"][j])] if n_folds else []
        table.add_row(Text(told["name"][j]), told["kind"][j], f"{told['importance'][j]:.0%}", adds, *folds)
    if len(chosen) > _MOST_ROWS:
        table.add_row(f"and {len(chosen) - _MOST_ROWS} more")
    return table


def _scores(summary: dict[str, Any]) -> Table:
    size = next(each for each in summary["sizes"] if each["chosen"])
    table = Table(title=f"What {size['n_columns']} columns are worth", title_justify="left")
    table.add_column("score")
    refitted = summary["judged"]["n_fitted"] is None
    table.add_column("outer folds (honest)" if refitted else "rows held out (honest)", justify="right")
    if refitted:
        table.add_column("folds of the fit (flattering)", justify="right")
    for name, metric in summary["metrics"].items():
        honest, during = size["honest"][name], size["fit"][name]
        better = "" if metric["rises"] else " (less is better)"
        flattering = [f"{during:.4f}"] if refitted else []
        table.add_row(f"{metric['title']}{better}", f"{honest['mean']:.4f} ± {honest['error']:.4f}", *flattering)
    return table
