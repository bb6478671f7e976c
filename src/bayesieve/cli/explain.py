# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve explain``: the contribution of each column to the prediction of one row."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from bayesieve import load
from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.new_rows import read_new_rows
from bayesieve.cli.output_paths import check_output_paths
from bayesieve.cli.table_file import TABLE, TableOptions, reads_table
from bayesieve.cli.visible_text import VisibleText as Text
from bayesieve.data import pick_rows, write_table
from bayesieve.exceptions import ParameterError
from bayesieve.explanations.benefit_explanation import BenefitExplanation
from bayesieve.explanations.row_explanation import RowExplanation, RowExplanations, show_probability
from bayesieve.explanations.vote_explanation import VoteExplanation
from bayesieve.report import format_label

__all__ = ["explain"]


@reads_table
def explain(
    model: Path = typer.Argument(help="Model file written by fit."),
    data: Path = typer.Argument(help=f"{TABLE[:-1]}, with the columns of the model."),
    *,
    row: int = typer.Option(1, min=1, help="Row of the file, counted from 1 without the header."),
    out: Path | None = typer.Option(
        None, help="A .csv or .parquet file to write: prediction, probability and largest contributions of every row."
    ),
    top: int = typer.Option(3, min=1, help="With --out: number of contributions per row."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Show the contributions of the columns to the log-odds for one row (for vote models: each column's vote).

    The log-odds are those of the positive class (of more than two classes: of the predicted one against the next
    probable); the largest contributions come first.

    Example: bayesieve explain model.json new.csv --row 3

    Example: bayesieve explain model.json new.csv --out reasons.csv
    """
    with print_errors():
        check_output_paths({"--out": out}, [model, data])
        fitted = load(model)
        frame, X = read_new_rows(fitted, data, reading)
        if out is not None:
            write_table(_reasons(fitted, X, top), out)
            typer.echo(f"The reasons of {len(frame)} rows were written to {out}.", err=True)
            return
        if row > len(frame):
            raise ParameterError(f"--row is {row}; {data} has {len(frame)} rows.")
        one_row = pick_rows(X, [row - 1])
        explanation = fitted.explain(one_row)[0]
        probabilities = fitted.predict_proba(one_row)[0].tolist()
    labels = [format_label(label) for label in fitted.classes_.tolist()]
    if as_json:
        document = {"row": row, "probabilities": dict(zip(labels, probabilities, strict=True)), **asdict(explanation)}
        typer.echo(json.dumps(document, default=str))
        return
    console = Console()
    console.print(Text(f"Row {row}: {_headline(explanation, fitted, one_row)}."))
    if isinstance(explanation, BenefitExplanation):
        console.print(Text(_decision(explanation)))
        if explanation.start is not None:
            console.print(_amounts(explanation))
        explanation = explanation.probability
    console.print(_votes(explanation) if isinstance(explanation, VoteExplanation) else _contributions(explanation))


def _reasons(fitted: Any, X: Any, n_reasons: int) -> dict[str, list[Any]]:
    """Return the largest contributions of every row, beside its number in the file."""
    found = [each.probability if isinstance(each, BenefitExplanation) else each for each in fitted.explain(X)]
    explanations = RowExplanations(each for each in found if isinstance(each, RowExplanation))
    if len(explanations) < len(found):
        raise ParameterError(f"--out needs log-odds that add up over columns; this {type(fitted).__name__} has votes.")
    return {"row": list(range(1, len(explanations) + 1)), **explanations.reasons(n_reasons)}


def _headline(explanation: RowExplanation | VoteExplanation | BenefitExplanation, fitted: Any, one_row: Any) -> str:
    """Return the predicted class, and the probability and the threshold behind it; of benefits, the probability."""
    if isinstance(explanation, BenefitExplanation):
        inner = explanation.probability
        label = inner.positive if isinstance(inner, VoteExplanation) else inner.favored
        return f"P({format_label(label)}) = {show_probability(inner.probability or 0.0)}"
    if isinstance(explanation, RowExplanation):
        return explanation.headline(format_label)
    predicted, threshold = format_label(fitted.predict(one_row).tolist()[0]), fitted.threshold_.probability
    chance = show_probability(explanation.probability)
    return (
        f"predicted class {predicted}; P({format_label(explanation.positive)}) = {chance} (threshold {threshold:.3g})"
    )


def _decision(explanation: BenefitExplanation) -> str:
    benefits = "; ".join(f"{format_label(action)}: {benefit:+.4f}" for action, benefit in explanation.expected.items())
    amount = "" if explanation.amount is None else f" The expected amount is {explanation.amount:.4f}."
    return (
        f"The action is {format_label(explanation.action)!r}, with the largest expected benefit ({benefits}).{amount}"
    )


def _amounts(explanation: BenefitExplanation) -> Table:
    # As below: Text, because names and values are the user's.
    table = Table(title="Contributions to the expected amount", title_justify="left")
    table.add_column("contribution", justify="right")
    for heading in ("column", "value", "bin"):
        table.add_column(heading, overflow="fold")
    table.add_row(f"{explanation.start:+.3f}", "", "", "mean of positive rows")
    for each in explanation.contributions:
        value = "missing" if each.value is None else format_label(each.value)
        table.add_row(f"{each.amount:+.3f}", Text(each.column), Text(value), Text(each.bin))
    table.add_section()
    table.add_row(f"{explanation.amount:+.3f}", "", "", "sum, 0 at least")
    return table


def _contributions(decision: RowExplanation) -> Table:
    # Names and values are the user's: as Text, their brackets are not markup.
    title = (
        f"Contributions to the log-odds of {format_label(decision.favored)!r} against {format_label(decision.other)!r}"
    )
    table = Table(title=Text(title), title_justify="left")
    table.add_column("contribution", justify="right")
    for heading in ("column", "value", "bin"):
        table.add_column(heading, overflow="fold")
    table.add_row(f"{decision.prior:+.3f}", "", "", "intercept")
    for each in decision.contributions:
        value = each.show_value(format_label)
        table.add_row(f"{each.log_odds:+.3f}", Text(each.column), Text(value), Text(each.bin))
    table.add_section()
    table.add_row(f"{decision.log_odds:+.3f}", "", "", "sum")
    return table


def _votes(explanation: VoteExplanation) -> Table:
    # As above: Text, because names and values are the user's.
    label = repr(format_label(explanation.positive))
    title = f"Votes for {label}: {explanation.needed} of {len(explanation.votes)} are needed"
    table = Table(title=Text(title), title_justify="left")
    table.add_column("vote", justify="right")
    for heading in ("column", "value", "bin"):
        table.add_column(heading, overflow="fold")
    for each in explanation.votes:
        value = "missing" if each.value is None else format_label(each.value)
        table.add_row(f"{each.probability:.3f}", Text(each.column), Text(value), Text(each.bin))
    table.add_section()
    table.add_row(f"{explanation.probability:.3f}", "", "", "probability of enough votes")
    return table
