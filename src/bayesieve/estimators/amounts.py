# SPDX-License-Identifier: BSD-3-Clause
"""The amount of a positive row: read from a column, predicted by a regressor, or a sum over the bins of columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter

from bayesieve._typing import Floats, Positions
from bayesieve.bins import Groups, Intervals
from bayesieve.data import (
    Scale,
    Weights,
    append_columns,
    is_frame,
    pick_columns,
    read_table,
    read_weights,
    resolve_columns,
)
from bayesieve.decisions.benefits import LARGEST_BENEFIT
from bayesieve.estimators._sklearn import pick_rows
from bayesieve.estimators._types import Array, CrossValidator, Parameters, TableLike
from bayesieve.estimators.rows import CodedTerms, code_rows
from bayesieve.exceptions import DataError, ParameterError, UnseenValuesWarning
from bayesieve.fit.equal_rows import equal_rows_of, split_equal_rows
from bayesieve.models import ScoreTable
from bayesieve.models.amounts import constant_amount, learn_amounts
from bayesieve.models.scorecard import AmountModel

__all__ = [
    "BINS",
    "BinnedAmount",
    "ColumnAmount",
    "LearnedAmount",
    "amount_tables",
    "cross_fitted",
    "learn_amount",
    "learn_binned_amount",
    "mean_amount",
    "read_amounts",
    "refuse_bins",
    "row_amounts",
]

PROBABILITY = "probability"
"""The name of the extra column, with the probability of the positive class, for a regressor."""


@dataclass(frozen=True)
class ColumnAmount:
    """Amounts that are a column of the table."""

    column: str

    def predict(self, X: TableLike, probabilities: Floats) -> Floats:
        """Return the amount of each row."""
        table = read_table(X)
        column = table.column(resolve_columns(self.column, table.names, "amount")[0])
        if not column.ordered or (column.scale is not Scale.numeric and len(column.labels)):
            kind = column.scale.noun if column.ordered else "labels"
            raise DataError(f"amount={self.column!r} is a column of {kind}; amounts must be numbers.")
        values = np.append(np.asarray(column.labels, dtype=np.float64), np.nan)[column.ids]
        missing = np.isnan(values)
        if missing.any():
            raise DataError(
                f"The column of amounts, {self.column!r}, is missing in {missing.sum():,} of {len(missing):,} rows, "
                f"first in row {int(np.argmax(missing)) + 1}; the amount of every row is needed, 0 where there is none."
            )
        return values


@dataclass(frozen=True)
class LearnedAmount:
    """Amounts that a regressor predicts for positive rows; none is below 0.

    Attributes
    ----------
    regressor : regressor
        Fitted on positive rows.
    with_probability : bool
        Whether the probability of the positive class is its last feature. Positive rows are a selected sample, and
        the probability corrects for the selection (Heckman, after Zadrozny and Elkan).
    """

    regressor: BaseEstimator
    with_probability: bool

    def predict(self, X: TableLike, probabilities: Floats) -> Floats:
        """Return the amount of each row, given the probability that it is positive."""
        table = _with_probability(X, probabilities) if self.with_probability else X
        try:
            amounts = self.regressor.predict(_arranged(table, getattr(self.regressor, "feature_names_in_", ())))
        except (TypeError, ValueError) as error:
            raise _refusal(self.regressor, "the rows", error) from error
        return np.maximum(np.asarray(amounts, dtype=np.float64), 0.0)


def _arranged(X: TableLike, names: Sequence[str]) -> TableLike:
    """Return the columns of a data frame in the order of the names that it has to have, if it has all of them."""
    position = {name: j for j, name in enumerate(read_table(X).names)} if len(names) and is_frame(X) else {}
    return pick_columns(X, [position[name] for name in names]) if position.keys() >= set(names) > set() else X


def learn_amount(
    regressor: BaseEstimator,
    X: TableLike,
    positive: NDArray[np.bool_],
    amounts: Floats,
    weights: ArrayLike | None,
    probabilities: Floats | None,
) -> LearnedAmount:
    """Fit a regressor on the positive rows.

    ``probabilities`` are the out-of-fold ones of all rows; None leaves them out.
    """
    table = X if probabilities is None else _with_probability(X, probabilities)
    rows = np.flatnonzero(positive)
    fitted = clone(regressor)
    weighed = weights is not None and has_fit_parameter(fitted, "sample_weight")
    options = {"sample_weight": np.asarray(weights)[rows]} if weighed else {}
    try:
        fitted.fit(pick_rows(table, rows), amounts[rows], **options)
    except (TypeError, ValueError) as error:
        raise _refusal(fitted, "the positive rows", error) from error
    return LearnedAmount(fitted, probabilities is not None)


def _refusal(regressor: BaseEstimator, rows: str, error: Exception) -> DataError:
    reason = " ".join(str(error).split("\n")[0].split())
    name = type(regressor).__name__
    return DataError(f"amount={name}(...), the regressor of amounts, refuses {rows}: {reason:.200}")


def cross_fitted(
    estimator: BaseEstimator, X: TableLike, labels: Array, cv: CrossValidator, fit_params: Parameters
) -> Floats:
    """Return out-of-fold probabilities of each class, which `learn_amount` corrects the selection by.

    ``fit_params`` are those of the classifier, such as its sample weights.
    """
    rarest = int(np.unique(labels, return_counts=True)[1].min())
    if rarest < 2:
        raise DataError("heckman=True needs two rows of each class at least, so that every fold has both.")
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = cv
    if folds is None or isinstance(folds, Integral):
        splitter = StratifiedKFold(min(folds or 5, rarest), shuffle=True, random_state=0)

        def split(codes: Array) -> Iterator[tuple[Positions, Positions]]:
            return iter(splitter.split(np.zeros((len(codes), 1)), codes))

        equal = equal_rows_of(read_table(X), labels)
        folds = splitter if equal is None else list(split_equal_rows(split, labels, equal))
    model = clone(estimator)
    probabilities = cross_val_predict(model, X, labels, cv=folds, method="predict_proba", params=fit_params)
    return np.asarray(probabilities, dtype=np.float64)


def read_amounts(amounts: ArrayLike, positive: NDArray[np.bool_]) -> Floats:
    """Return amounts of which those of positive rows are finite and not negative; others are not used."""
    try:
        values = np.asarray(amounts, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"amounts must be numbers, got {amounts!r:.60}.") from None
    if values.shape != positive.shape:
        raise DataError(f"amounts must have one number per row, {len(positive)}; got the shape {values.shape}.")
    faults = (
        (~np.isfinite(values), "is not a finite number"),
        (values < 0, "is negative"),
        (values > LARGEST_BENEFIT, f"is above {LARGEST_BENEFIT:g}"),
    )
    for wrong, words in faults:
        rows = np.flatnonzero(wrong & positive)
        if len(rows):
            raise DataError(
                f"The amount of row {rows[0]}, which is of the positive class, {words} ({values[rows[0]]}); "
                "an amount must not include costs, which are given as cost or benefits."
            )
    return np.where(positive, values, 0.0)


def _with_probability(X: TableLike, probabilities: Floats) -> TableLike:
    """Return the table with one more column, the last."""
    if is_frame(X):
        return append_columns(X, {PROBABILITY: probabilities})
    if sparse.issparse(X):
        return sparse.hstack([X, sparse.csr_matrix(probabilities[:, None])], format="csr")
    return np.column_stack([np.asarray(X), probabilities])


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

    def code(self, X: TableLike) -> CodedTerms:
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
    mass = read_weights(weights, len(amounts))
    model = learn_amounts(read_table(pick_rows(X, rows)), which, amounts[rows], mass.take(rows))
    positions = {name: j for j, name in enumerate(names)}
    amount = BinnedAmount(model, {table.name: positions[table.name] for table in model.tables})
    return replace(amount, model=_with_counts(amount, X, mass))


def _with_counts(amount: BinnedAmount, X: TableLike, weights: Weights) -> AmountModel:
    """Return the amounts with the weight of all training rows per bin, with which new rows are compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)  # values that positive rows do not have
        codes = amount.code(X).codes
    tables = []
    for table, coded in zip(amount.model.tables, codes, strict=True):
        units = np.bincount(coded, weights.units, table.partition.n_bins + 1)[:-1, None]
        counts: NDArray[Any] = np.rint(units).astype(np.int64) if weights.unit == 1.0 else units * weights.unit
        assert isinstance(table.partition, Intervals | Groups)
        tables.append(replace(table, partition=replace(table.partition, counts=counts), counts=counts))
    return replace(amount.model, tables=tuple(tables))


def amount_tables(model: object) -> tuple[ScoreTable, ...]:
    """Return what the bins of columns add to the expected amounts of a fitted model; of others, nothing."""
    amount = getattr(model, "amount_", None)
    return amount.model.tables if isinstance(amount, BinnedAmount) else ()


def row_amounts(model: object, X: TableLike, n_rows: int) -> Floats | None:
    """Return the amounts of rows that need not be given: those of a column of the table, or one for all rows."""
    amount = getattr(model, "amount_", None)
    if isinstance(amount, ColumnAmount):
        return amount.predict(X, np.empty(0))
    record = getattr(model, "training_record_", None)
    return None if record is None or record.amount is None else np.full(n_rows, record.amount)


def refuse_bins(X: TableLike, *, heckman: bool) -> None:
    """Refuse probabilities as a column, which has no bins, and a column of the name "bins"."""
    if heckman:
        raise ParameterError(
            "heckman=True gives a regressor the probability as a feature, and amount='bins' reads columns of the table "
            "only; give a regressor as amount."
        )
    if is_frame(X) and BINS in read_table(X).names:
        raise ParameterError("amount='bins' is not the column 'bins' of this table; rename the column.")
