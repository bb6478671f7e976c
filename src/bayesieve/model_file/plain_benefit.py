# SPDX-License-Identifier: BSD-3-Clause
"""The benefits of actions as plain data, and back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayesieve.data.document import Entry
from bayesieve.data.labels import label_to_plain
from bayesieve.model_file.plain_tables import read_table_of_scores, table_to_plain
from bayesieve.model_file.plain_values import value_from_plain, value_to_plain
from bayesieve.model_file.record import SavedBenefit
from bayesieve.models.amount_model import AmountModel

__all__ = ["benefit_to_plain", "read_benefit"]

_LARGEST_AMOUNT = 2**53


def benefit_to_plain(benefit: SavedBenefit) -> dict[str, Any]:
    """Return costs, amounts and benefits as numbers, strings, lists and dicts."""
    amount: dict[str, Any] | None = None
    if isinstance(benefit.amount, str):
        amount = {"column": label_to_plain(benefit.amount, "The table")}
    elif benefit.amount is not None:
        cards = [table_to_plain(each) for each in benefit.amount.tables]
        amount = {"start": int(benefit.amount.start), "cards": cards}
    return {
        "cost": float(benefit.cost),
        "pos_label": value_to_plain(benefit.pos_label, "pos_label"),
        "matrix": None if benefit.matrix is None else benefit.matrix.tolist(),
        "amount": amount,
    }


def read_benefit(entry: Entry, read_name: Callable[[Entry], str], labels: Sequence[Any]) -> SavedBenefit:
    """Return the benefits at an entry of a document; ``read_name`` reads the name of a column."""
    fields = entry.fields("cost", "pos_label", "matrix", "amount")
    matrix, amount, n_classes = fields["matrix"], fields["amount"], len(labels)
    pos_label = value_from_plain(fields["pos_label"])
    if pos_label is not None and pos_label not in labels:
        fields["pos_label"].refuse("null or a class")
    if (matrix.value is None) == (amount.value is None):
        entry.refuse("a matrix or an amount")
    rows = [] if matrix.value is None else [item.numbers() for item in matrix.items()]
    if matrix.value is not None and (not rows or any(len(row) != n_classes for row in rows)):
        matrix.refuse(f"lists of {n_classes} numbers, one at least")
    if amount.value is not None and n_classes != 2:
        amount.refuse("null for more than two classes")
    return SavedBenefit(
        cost=fields["cost"].number(),
        pos_label=pos_label,
        matrix=np.array(rows) if rows else None,
        amount=amount.optional(lambda each: _read_amount(each, read_name)),
    )


def _read_amount(entry: Entry, read_name: Callable[[Entry], str]) -> str | AmountModel:
    if isinstance(entry.value, dict) and "column" in entry.value:
        return read_name(entry.fields("column")["column"])
    fields = entry.fields("start", "cards")
    tables = [read_table_of_scores(each, read_name, 1) for each in fields["cards"].items()]
    if len({table.name for table in tables}) < len(tables):
        fields["cards"].refuse("tables of different columns")
    start = fields["start"].whole()
    if abs(start) + sum(int(np.abs(table.table).max()) for table in tables) >= _LARGEST_AMOUNT:
        entry.refuse("amounts whose sum has 53 bits at most")
    return AmountModel(start, tuple(replace(each, table=each.table[:, 0]) for each in tables))
