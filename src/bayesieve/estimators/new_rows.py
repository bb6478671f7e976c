"""New rows of a fitted estimator: opened once, checked against the training table, and coded."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import Column, Table, map_rows, read_table, table_header, table_kind
from bayesieve.estimators._sklearn import check_header
from bayesieve.estimators._types import Array, TableLike
from bayesieve.exceptions import UnseenValuesWarning, warn_caller
from bayesieve.models import ScoreTable

__all__ = ["CodedColumn", "check_new_table", "code_columns", "open_new_rows", "predict_rows"]

_SUSPICIOUS = 0.2  # share of rows with an unseen value


class CodedColumn(NamedTuple):
    """A column of new rows, and the bin of each row."""

    column: Column
    codes: NDArray[np.intp]


def open_new_rows(estimator: BaseEstimator, X: TableLike) -> Table:
    """Open a table under the names of the training columns."""
    check_is_fitted(estimator)
    table = read_table(X)
    check_header(estimator, X, table, reset=False)
    return table.renamed(estimator.column_names_)


def check_new_table(estimator: BaseEstimator, X: TableLike) -> None:
    """Compare names and number of the columns with those of the training table; rows in blocks are not read."""
    example, header = table_header(X) if table_kind(X) == "blocks" else (X, read_table(X))
    check_header(estimator, example, header, reset=False)


def predict_rows(
    estimator: BaseEstimator, answer: Callable[[Table], Array], X: TableLike, empty: Callable[[], Array]
) -> Array | TableLike:
    """Return predictions of a table: an array, or a lazy one of Dask; ``empty`` gives that of no rows."""
    check_is_fitted(estimator)
    if table_kind(X) == "blocks":
        check_new_table(estimator, X)
    return map_rows(X, partial(_answer, estimator, answer), empty())


def _answer(estimator: BaseEstimator, answer: Callable[[Table], Array], X: TableLike) -> Array:
    return answer(open_new_rows(estimator, X))


def code_columns(table: Table, tables: Sequence[ScoreTable], positions: Mapping[str, int]) -> list[CodedColumn]:
    """Read and code the columns of some score tables; warn once if many of their values were unseen in training."""
    coded, suspicious = [], []
    for each in tables:
        column = table.column(positions[each.name])
        codes = each.partition.bins_of(column)[column.ids]
        coded.append(CodedColumn(column, codes))
        unseen = float(np.mean(codes == each.partition.n_bins)) if len(codes) else 0.0
        if unseen > _SUSPICIOUS:
            suspicious.append(f"{each.name!r} ({unseen:.0%})")
    if suspicious:
        warn_caller(
            f"Many rows have values that did not occur in training: {', '.join(suspicious[:5])}.",
            UnseenValuesWarning,
        )
    return coded
