# SPDX-License-Identifier: BSD-3-Clause
"""Amounts learned by least squares on the bins of a fitted classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model import RidgeCV

from bayesieve._typing import Floats
from bayesieve.data import is_frame, read_table
from bayesieve.estimators._types import TableLike
from bayesieve.estimators.rows import CodedRows, code_rows
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import ParameterError
from bayesieve.models import ScoreTable
from bayesieve.models.amount_model import AMOUNT_ONE, AmountModel

__all__ = ["BINS", "BinnedAmount", "learn_binned_amount", "mean_amount", "refuse_bins"]

BINS: Final = "bins"
"""The value of the parameter ``amount`` that is not the name of a column."""

_PENALTIES: Final = np.logspace(-2, 4, 25)
_FEWEST: Final = 3  # positive rows, so that one can be left out


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
        return code_rows(read_table(X), self.model.tables, (), self.positions)


def mean_amount(amounts: Floats, rows: NDArray[np.intp], weights: ArrayLike | None) -> BinnedAmount:
    """Return the mean amount of some rows as the amount of every row."""
    mass = None if weights is None else np.asarray(weights, dtype=np.float64)[rows]
    return BinnedAmount(AmountModel(_rounded(float(np.average(amounts[rows], weights=mass))), ()), {})


def learn_binned_amount(
    classifier: SearchEstimator, X: TableLike, rows: NDArray[np.intp], amounts: Floats, weights: ArrayLike | None
) -> BinnedAmount:
    """Fit amounts to some rows by ridge regression on the bins of the selected columns.

    The penalty has the smallest leave-one-out error. Each column's amounts have the mean 0 over the rows, so that
    a value that is unseen in training adds nothing.
    """
    names = [name for name in _selected(classifier) if classifier.partitions_[name].n_bins > 1]
    if not names or len(rows) < _FEWEST:
        return mean_amount(amounts, rows, weights)
    positions = classifier.selection_.positions
    empty = [_table(classifier, name, np.zeros(classifier.partitions_[name].n_bins)) for name in names]
    codes = [each[rows] for each in code_rows(read_table(X), empty, (), positions).codes]
    mass = None if weights is None else np.asarray(weights, dtype=np.float64)[rows]
    sizes = [table.partition.n_bins for table in empty]
    bins = [np.eye(n + 1)[each][:, :n] for n, each in zip(sizes, codes, strict=True)]
    ridge = RidgeCV(alphas=_PENALTIES).fit(np.hstack(bins), amounts[rows], sample_weight=mass)
    steps = np.split(ridge.coef_, np.cumsum(sizes)[:-1])
    means = [float(np.average(each @ step, weights=mass)) for each, step in zip(bins, steps, strict=True)]
    tables = [_table(classifier, name, step - mean) for name, step, mean in zip(names, steps, means, strict=True)]
    model = AmountModel(_rounded(float(ridge.intercept_) + sum(means)), tuple(tables))
    return BinnedAmount(model, {name: positions[name] for name in names})


def refuse_bins(classifier: BaseEstimator, X: TableLike, *, heckman: bool) -> None:
    """Refuse amounts on the classifier's bins where it has none, or too late, or where "bins" is a column, too."""
    if not isinstance(classifier, SearchEstimator):
        name = type(classifier).__name__
        raise ParameterError(f"amount='bins' needs the bins of a classifier of bayesieve, and {name} has none.")
    if heckman or classifier.criterion == "benefit":
        option = "heckman=True" if heckman else "criterion='benefit'"
        raise ParameterError(f"{option} needs amounts before the classifier has bins; give a regressor as amount.")
    if is_frame(X) and BINS in read_table(X).names:
        raise ParameterError("amount='bins' is not the column 'bins' of this table; rename the column.")


def _selected(classifier: SearchEstimator) -> Sequence[str]:
    """Return the selected columns that have bins; a column of a pair may have none of its own."""
    selected = [name for name, chosen in zip(classifier.column_names_, classifier.support_, strict=True) if chosen]
    return [name for name in selected if name in classifier.partitions_]


def _table(classifier: SearchEstimator, name: str, steps: Floats) -> ScoreTable:
    partition = classifier.partitions_[name]
    table = np.array([*map(_rounded, steps.tolist()), 0], dtype=np.int64)
    return ScoreTable(name, partition, table, 1.0, getattr(partition, "counts", None))


def _rounded(amount: float) -> int:
    return round(amount * AMOUNT_ONE)
