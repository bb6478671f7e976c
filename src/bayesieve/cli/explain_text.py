# SPDX-License-Identifier: BSD-3-Clause
"""The contributions to the prediction of a row, as tables in a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bayesieve.cli.new_rows import key_columns
from bayesieve.cli.terminal_text import VisibleText as Text
from bayesieve.exceptions import ParameterError
from bayesieve.explain.benefit_explanation import BenefitExplanation
from bayesieve.explain.row_explanation import RowExplanation, RowExplanations, VoteExplanation, show_probability
from bayesieve.report import format_label

__all__ = ["print_explanation", "reason_columns"]


def reason_columns(
    fitted: Any, frame: Any, X: Any, rows: Sequence[int], keys: Sequence[str], n_reasons: int
) -> dict[str, list[Any]]:
    """Return the largest contributions of every row, beside its number in the file and its keys."""
    found = [each.probability if isinstance(each, BenefitExplanation) else each for each in fitted.explain(X)]
    explanations = RowExplanations(each for each in found if isinstance(each, RowExplanation))
    if len(explanations) < len(found):
        raise ParameterError(f"--out needs log-odds that add up over columns; this {type(fitted).__name__} has votes.")
    numbers = [row + 1 for row in rows]
    return {"row": numbers, **key_columns(frame, keys), **explanations.reasons(n_reasons, format_label)}


def print_explanation(
    row: int, explanation: RowExplanation | VoteExplanation | BenefitExplanation, fitted: Any, one_row: Any
) -> None:
    """Print the prediction of a row, and a table of the contributions or votes behind it."""
    console = Console()
    console.print(Text(f"Row {row}: {_headline(explanation, fitted, one_row)}."))
    if isinstance(explanation, BenefitExplanation):
        console.print(Text(_decision(explanation)))
        if explanation.start is not None:
            console.print(_amounts(explanation))
        explanation = explanation.probability
    console.print(_votes(explanation) if isinstance(explanation, VoteExplanation) else _contributions(explanation))


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
    rows = [(f"{each.amount:+.3f}", each.column, _show(each.value), each.bin) for each in explanation.contributions]
    first = (f"{explanation.start:+.3f}", "", "", "mean of positive rows")
    last = (f"{explanation.amount:+.3f}", "", "", "sum, 0 at least")
    return _table("Contributions to the expected amount", "contribution", [first, *rows], last)


def _contributions(decision: RowExplanation) -> Table:
    favored, other = format_label(decision.favored), format_label(decision.other)
    rows = [
        (f"{each.log_odds:+.3f}", each.column, each.show_value(format_label), each.bin)
        for each in decision.contributions
    ]
    first = (f"{decision.prior:+.3f}", "", "", "intercept")
    last = [(f"{value:+.3f}", "", "", title) for title, value in decision.sums()]
    title = f"Contributions to the log-odds of {favored!r} against {other!r}"
    return _table(title, "contribution", [first, *rows], *last)


def _votes(explanation: VoteExplanation) -> Table:
    label = repr(format_label(explanation.positive))
    rows = [(f"{each.probability:.3f}", each.column, _show(each.value), each.bin) for each in explanation.votes]
    last = (f"{explanation.probability:.3f}", "", "", "probability of enough votes")
    title = f"Votes for {label}: {explanation.needed} of {len(explanation.votes)} are needed"
    return _table(title, "vote", rows, last)


def _show(value: Any) -> str:
    return "missing" if value is None else format_label(value)


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
