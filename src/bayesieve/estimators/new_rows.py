"""New rows of a fitted estimator: opened once, checked against the training table, and coded."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve.coding import Partition
from bayesieve.data import Column, Table, map_rows, read_table, table_header, table_kind
from bayesieve.estimators._sklearn import check_header
from bayesieve.estimators._types import Array, TableLike
from bayesieve.exceptions import UnseenValuesWarning, warn_caller
from bayesieve.models import PairTable, ScoreTable

__all__ = ["CodedColumn", "CodedRows", "check_new_table", "code_rows", "open_new_rows", "predict_rows"]

_SUSPICIOUS = 0.2  # share of rows with an unseen value


class CodedColumn(NamedTuple):
    """A column of new rows, and the bin of each row."""

    column: Column
    codes: NDArray[np.intp]


class CodedRows(NamedTuple):
    """New rows: one column per score table, and two columns per pair, each with the bins of its table."""

    tables: list[CodedColumn]
    pairs: list[tuple[CodedColumn, CodedColumn]]

    @property
    def codes(self) -> list[NDArray[np.intp]]:
        """The codes of each score table."""
        return [each.codes for each in self.tables]

    @property
    def pair_codes(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The codes of each pair."""
        return [(first.codes, second.codes) for first, second in self.pairs]


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


def code_rows(
    table: Table, tables: Iterable[ScoreTable], pairs: Iterable[PairTable], positions: Mapping[str, int]
) -> CodedRows:
    """Read each column of some score tables and pairs once, and code it; warn once if many values were unseen."""
    reader = _ColumnReader(table, positions)
    coded = CodedRows(
        [reader.code(each.name, each.partition) for each in tables],
        [
            (reader.code(pair.names[0], pair.partitions[0]), reader.code(pair.names[1], pair.partitions[1]))
            for pair in pairs
        ],
    )
    suspicious = [f"{name!r} ({unseen:.0%})" for name, unseen in reader.unseen.items() if unseen > _SUSPICIOUS]
    if suspicious:
        warn_caller(
            f"Many rows have values that did not occur in training: {', '.join(suspicious[:5])}.",
            UnseenValuesWarning,
        )
    return coded


class _ColumnReader:
    """Columns of new rows, each read once; ``unseen`` is the largest share of rows with an unseen value in each."""

    def __init__(self, table: Table, positions: Mapping[str, int]) -> None:
        self.unseen: dict[str, float] = {}
        self._table, self._positions = table, positions
        self._columns: dict[str, Column] = {}

    def code(self, name: str, partition: Partition) -> CodedColumn:
        """Return a column with its bins by a partition."""
        if name not in self._columns:
            self._columns[name] = self._table.column(self._positions[name])
        column = self._columns[name]
        codes = partition.bins_of(column)[column.ids]
        unseen = float(np.mean(codes == partition.n_bins)) if len(codes) else 0.0
        self.unseen[name] = max(unseen, self.unseen.get(name, 0.0))
        return CodedColumn(column, codes)
