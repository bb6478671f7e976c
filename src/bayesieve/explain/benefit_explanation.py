# SPDX-License-Identifier: BSD-3-Clause
"""Why a row gets an action: its expected benefits, the class probabilities and, where there is one, the amount."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column
from bayesieve.explain.row_explanation import RowExplanation, VoteExplanation, describe_codes, describe_term
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["AmountContribution", "BenefitExplanation", "explain_amounts"]


@dataclass(frozen=True)
class AmountContribution:
    """The contribution of one column to the amount of one row.

    Attributes
    ----------
    column : str
        Its name.
    value : object
        The row's value, None if it is missing.
    bin : str
        The bin or group that the value belongs to.
    amount : float
        What it adds to the amount, in the unit of the amounts.
    """

    column: str
    value: Any
    bin: str
    amount: float


@dataclass(frozen=True)
class BenefitExplanation:
    """One row.

    Attributes
    ----------
    action : object
        The action with the largest expected benefit.
    expected : dict
        The expected benefit of each action.
    amount : float or None
        The expected amount if the row is positive; None where benefits are a matrix.
    start : float or None
        The amount of a row about which no column is known; None where the amount is not a sum over columns.
    contributions : tuple of AmountContribution
        What columns add to it, the largest first.
    probability : RowExplanation or VoteExplanation
        What the class probabilities are made of.
    """

    action: Any
    expected: Mapping[Any, float]
    amount: float | None
    start: float | None
    contributions: tuple[AmountContribution, ...]
    probability: RowExplanation | VoteExplanation

    def __str__(self) -> str:
        shown = ", ".join(f"{action!r}: {benefit:+.3f}" for action, benefit in self.expected.items())
        lines = [f"action {self.action!r}; expected benefits {shown}"]
        if self.amount is not None:
            lines.append(f"amount {self.amount:.3f}")
        if self.start is not None:
            lines.append(f"  {self.start:+.3f}  without any column")
        for each in self.contributions:
            value = "missing" if each.value is None else str(each.value)
            lines.append(f"  {each.amount:+.3f}  {describe_term(each.column, value, each.bin)}")
        return "\n".join([*lines, str(self.probability)])


def explain_amounts(
    model: AmountModel, coded: Sequence[tuple[Column, NDArray[np.intp]]], n_rows: int
) -> list[tuple[AmountContribution, ...]]:
    """Return what the columns of an amount model add to the amount of each row, the largest first."""
    rows: list[list[AmountContribution]] = [[] for _ in range(n_rows)]
    for table, column in zip(model.tables, coded, strict=True):
        steps = in_units(table.table[column[1]]).tolist()
        shown = zip(*describe_codes(column, table.partition), steps, strict=True)
        for row, (value, words, step) in zip(rows, shown, strict=True):
            row.append(AmountContribution(table.name, value, words, step))
    return [tuple(sorted(each, key=lambda one: -abs(one.amount))) for each in rows]
