# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve explain``: the contribution of each column to the prediction of one row."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from bayesieve.cli.files import ModelFile, NewRows, TableOptions, check_output_paths, reads_table
from bayesieve.cli.predict import Budget, Key, key_columns, rank_rows
from bayesieve.cli.terminal import VisibleText as Text, print_errors
from bayesieve.data import check_table_path, pick_rows, write_table
from bayesieve.exceptions import ParameterError
from bayesieve.explain.benefit_explanation import BenefitExplanation
from bayesieve.explain.row_explanation import RowExplanation, RowExplanations, VoteExplanation, show_probability

__all__ = ["explain"]

_Explanation = RowExplanation | VoteExplanation | BenefitExplanation
_Show = Callable[[Any], str]


@reads_table
def explain(
    model: ModelFile,
    data: NewRows,
    *,
    row: int = typer.Option(1, min=1, help="Row of the file, counted from 1 without the header."),
    out: Path | None = typer.Option(
        None,
        help="A .csv, .xlsx or .parquet file to write: prediction, probability and largest contributions of every row.",
    ),
    key: Key = [],  # noqa: B006 - typer makes a list of its own
    budget: Budget = None,
    top: int = typer.Option(3, min=1, help="With --out: number of contributions per row."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Show the contributions of the columns to the log-odds for one row (for vote models: each column's vote).

    The log-odds are those of the positive class (of more than two classes: of the predicted one against the next
    probable); the largest contributions come first.

    Example: bayesieve explain model.json new.csv --row 3

    Example: bayesieve explain model.json new.csv --key id --budget 1000 --out reasons.csv
    """
    from bayesieve import load
    from bayesieve.cli.new_rows import read_new_rows
    from bayesieve.models.number_scorecard import refuse_numbers
    from bayesieve.report import format_label

    with print_errors():
        check_output_paths({"--out": out}, [model, data])
        check_table_path(out)
        reading, style = replace(reading, for_output=True), reading.style
        fitted = load(model)
        refuse_numbers(fitted, "Explanations by the command line")
        frame, X = read_new_rows(fitted, data, reading)
        if out is not None:
            rows = np.arange(len(frame)) if budget is None else rank_rows(fitted, [X], budget)
            keys = key_columns(pick_rows(frame, rows), key)
            reasons = _reasons(fitted, pick_rows(X, rows), top, format_label)
            write_table({"row": (rows + 1).tolist(), **keys, **reasons}, out, style)
            typer.echo(f"The reasons of {len(rows):,} rows were written to {out}.", err=True)
            return
        if key or budget is not None:
            raise ParameterError(f"--{'key' if key else 'budget'} is for the table of --out; --row chooses one row.")
        if row > len(frame):
            raise ParameterError(f"--row is {row}; {data} has {len(frame)} rows.")
        one_row = pick_rows(X, [row - 1])
        explanation = fitted.explain(one_row)[0]
        probabilities = fitted.predict_proba(one_row)[0].tolist()
        if as_json:
            labels = [format_label(label) for label in fitted.classes_.tolist()]
            chances = dict(zip(labels, probabilities, strict=True))
            typer.echo(json.dumps({"row": row, "probabilities": chances, **asdict(explanation)}, default=str))
        else:
            _print(row, explanation, fitted, one_row, format_label)


def _reasons(fitted: Any, X: Any, n_reasons: int, show: _Show) -> dict[str, list[Any]]:
    """Return the prediction of every row and its largest contributions."""
    decided = list(fitted.explain(X))
    explained = [each.probability if isinstance(each, BenefitExplanation) else each for each in decided]
    explanations = RowExplanations(each for each in explained if isinstance(each, RowExplanation))
    if len(explanations) < len(explained):
        raise ParameterError(f"--out needs log-odds that add up over columns; this {type(fitted).__name__} has votes.")
    reasons = explanations.reasons(n_reasons, show)
    benefits = [each for each in decided if isinstance(each, BenefitExplanation)]
    return reasons if not benefits else _with_benefits(reasons, benefits)


def _with_benefits(reasons: dict[str, list[Any]], benefits: Sequence[BenefitExplanation]) -> dict[str, list[Any]]:
    """Return the table with the actions as predictions and, before the reasons, the amount and the profit of acting."""
    columns = {name: reasons.pop(name) for name in ("predicted", "class", "probability")}
    columns["predicted"] = [each.action for each in benefits]
    if benefits[0].amount is not None:
        columns["expected_amount"] = [each.amount for each in benefits]
        columns["expected_profit"] = [list(each.expected.values())[1] for each in benefits]
    return columns | reasons


def _print(row: int, explanation: _Explanation, fitted: Any, one_row: Any, show: _Show) -> None:
    """Print the prediction of a row, and a table of the contributions or votes behind it."""
    console = Console()
    console.print(Text(f"Row {row}: {_headline(explanation, fitted, one_row, show)}."))
    if isinstance(explanation, BenefitExplanation):
        console.print(Text(_decision(explanation, show)))
        if explanation.start is not None:
            console.print(_amounts(explanation, show))
        explanation = explanation.probability
    if isinstance(explanation, VoteExplanation):
        console.print(_votes(explanation, show))
    else:
        console.print(_contributions(explanation, show))


def _headline(explanation: _Explanation, fitted: Any, one_row: Any, show: _Show) -> str:
    """Return the predicted class, and the probability and the threshold behind it; of benefits, the probability."""
    if isinstance(explanation, BenefitExplanation):
        inner = explanation.probability
        label = inner.positive if isinstance(inner, VoteExplanation) else inner.favored
        return f"P({show(label)}) = {show_probability(inner.probability or 0.0)}"
    if isinstance(explanation, RowExplanation):
        return explanation.headline(show)
    predicted, threshold = show(fitted.predict(one_row).tolist()[0]), fitted.threshold_.probability
    chance = show_probability(explanation.probability)
    return f"predicted class {predicted}; P({show(explanation.positive)}) = {chance} (threshold {threshold:.3g})"


def _decision(explanation: BenefitExplanation, show: _Show) -> str:
    benefits = "; ".join(f"{show(action)}: {benefit:+.4f}" for action, benefit in explanation.expected.items())
    what = "amount" if explanation.start is None else "expected amount"
    amount = "" if explanation.amount is None else f" The {what} is {explanation.amount:.4f}."
    return f"The action is {show(explanation.action)!r}, with the largest expected benefit ({benefits}).{amount}"


def _amounts(explanation: BenefitExplanation, show: _Show) -> Table:
    amounts = explanation.contributions
    rows = [(f"{each.amount:+.3f}", each.column, _value(each.value, show), each.bin) for each in amounts]
    first = (f"{explanation.start:+.3f}", "", "", "mean of positive rows")
    last = (f"{explanation.amount:+.3f}", "", "", "sum, 0 at least")
    return _table("Contributions to the expected amount", "contribution", [first, *rows], last)


def _contributions(decision: RowExplanation, show: _Show) -> Table:
    favored, other = show(decision.favored), show(decision.other)
    has_errors = all(each.error is not None for each in decision.contributions) and bool(decision.contributions)
    rows = []
    for each in decision.contributions:
        number = f"{each.log_odds:+.3f}" + (f" ± {each.error:.3f}" if has_errors else "")
        rows.append((number, each.column, each.show_value(show), each.bin))
    blank = " " * 8 if has_errors else ""  # below the standard errors
    first = (f"{decision.prior:+.3f}{blank}", "", "", "intercept")
    last = [(f"{value:+.3f}{blank}", "", "", title) for title, value in decision.sums()]
    title = f"Contributions to the log-odds of {favored!r} against {other!r}"
    heading = "contribution ± standard error" if has_errors else "contribution"
    return _table(title, heading, [first, *rows], *last)


def _votes(explanation: VoteExplanation, show: _Show) -> Table:
    label = repr(show(explanation.positive))
    rows = [(f"{each.probability:.3f}", each.column, _value(each.value, show), each.bin) for each in explanation.votes]
    last = (f"{explanation.probability:.3f}", "", "", "probability of enough votes")
    title = f"Votes for {label}: {explanation.needed} of {len(explanation.votes)} are needed"
    return _table(title, "vote", rows, last)


def _value(value: Any, show: _Show) -> str:
    return "missing" if value is None else show(value)


def _table(title: str, number: str, rows: Sequence[tuple[str, ...]], *last: tuple[str, ...]) -> Table:
    """Return a number, a column, its value and its bin per row; as Text, brackets of the user's are not markup."""
    table = Table(title=Text(title), title_justify="left")
    table.add_column(number, justify="right")
    for heading in ("column", "value", "bin"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    table.add_section()
    for row in last:
        table.add_row(*map(Text, row))
    return table
