# SPDX-License-Identifier: BSD-3-Clause
"""Amounts as a sum over the bins of columns, fitted to the positive rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from bayesieve._typing import Floats
from bayesieve.data import is_frame, read_table, read_weights, resolve_columns
from bayesieve.estimators._sklearn import pick_rows
from bayesieve.estimators._types import TableLike
from bayesieve.estimators.rows import CodedRows, code_rows
from bayesieve.exceptions import ParameterError
from bayesieve.fit.amounts import constant_amount, learn_amounts
from bayesieve.models.scorecard import AmountModel

__all__ = ["BINS", "BinnedAmount", "learn_binned_amount", "mean_amount", "refuse_bins"]

BINS: Final = "bins"
"""The value of the parameter ``amount`` that is not the name of a column."""


@dataclass(frozen=True)
class BinnedAmount:
    """Amounts of an `AmountModel`; ``positions`` are those of its columns in the training table."""

    model: AmountModel
    positions: Mapping[str, int]

    def predict(self, X: TableLike, probabilities: Floats) -> Floats:
        """Return the amount of each row."""
        return self.model.amounts(len(probabilities), self.code(X).codes)

    def code(self, X: TableLike) -> CodedRows:
        """Read the columns of new rows, and their bins."""
        table = read_table(X)
        by_name = {name: j for j, name in enumerate(table.names)} if is_frame(X) else {}
        positions = by_name if by_name.keys() >= self.positions.keys() else self.positions
        return code_rows(table, self.model.tables, (), positions)


def mean_amount(amounts: Floats, rows: NDArray[np.intp], weights: ArrayLike | None) -> BinnedAmount:
    """Return the mean amount of some rows as the amount of every row."""
    mass = read_weights(weights, len(amounts)).take(rows)
    return BinnedAmount(constant_amount(amounts[rows], mass), {})


def learn_binned_amount(
    classifier: BaseEstimator, X: TableLike, rows: NDArray[np.intp], amounts: Floats, weights: ArrayLike | None
) -> BinnedAmount:
    """Fit amounts to some rows; columns that the classifier must not use have none."""
    names = read_table(X).names
    dropped = resolve_columns(getattr(classifier, "drop", None), names, "drop", X)
    which = [j for j in range(len(names)) if j not in set(dropped)]
    mass = read_weights(weights, len(amounts)).take(rows)
    model = learn_amounts(read_table(pick_rows(X, rows)), which, amounts[rows], mass)
    positions = {name: j for j, name in enumerate(names)}
    return BinnedAmount(model, {table.name: positions[table.name] for table in model.tables})


def refuse_bins(X: TableLike, *, heckman: bool) -> None:
    """Refuse probabilities as a column, which has no bins, and a column of the name "bins"."""
    if heckman:
        raise ParameterError(
            "heckman=True gives a regressor the probability as a feature, and amount='bins' reads columns of the table "
            "only; give a regressor as amount."
        )
    if is_frame(X) and BINS in read_table(X).names:
        raise ParameterError("amount='bins' is not the column 'bins' of this table; rename the column.")
