"""What a fitted estimator says of new rows, asked for rows in blocks: of Dask, or in Parquet files."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import ParquetFrame, Table, example_of, is_dask, map_partitions
from bayesieve.estimators.options.feature_names import check_header

__all__ = ["check_block_header", "is_row_blocks", "predict_blocks"]


def is_row_blocks(X: Any) -> bool:
    """Tell whether rows are not in this process."""
    return isinstance(X, ParquetFrame) or is_dask(X)


def predict_blocks(estimator: Any, method: str, X: Any) -> Any:
    """Return what a method says of each block: a lazy array of Dask, or an array, made of one block at a time."""
    check_is_fitted(estimator)
    check_block_header(estimator, X)
    ask = _Ask(estimator, method, _ANSWERS[method](estimator))
    if isinstance(X, ParquetFrame):
        return np.concatenate([ask.nothing, *(ask(read()) for read in X.readers(len(X.columns)))])
    return map_partitions(X, ask, ask.nothing)


def check_block_header(estimator: Any, X: Any) -> None:
    """Compare names and number of the columns with those of the training table."""
    example = X.head(0) if isinstance(X, ParquetFrame) else example_of(X)
    names = [str(name) for name in getattr(X, "columns", [])]
    check_header(estimator, example, Table(names, 0, lambda j: (np.empty(0), False)), reset=False)


class _Ask:
    """Asks a method of an estimator for some rows; of no rows there is nothing to say."""

    def __init__(self, estimator: Any, method: str, nothing: NDArray[Any]) -> None:
        self._estimator, self._method, self.nothing = estimator, method, nothing

    def __call__(self, rows: Any) -> NDArray[Any]:
        answer: NDArray[Any] = getattr(self._estimator, self._method)(rows) if len(rows) else self.nothing
        return answer


def _no_probabilities(estimator: Any) -> NDArray[np.float64]:
    return np.empty((0, len(estimator.classes_)))


def _no_class(estimator: Any) -> NDArray[Any]:
    classes: NDArray[Any] = estimator.classes_
    return classes[:0]


_ANSWERS: Final[dict[str, Callable[[Any], NDArray[Any]]]] = {
    "predict": _no_class,
    "predict_proba": _no_probabilities,
    "predict_log_proba": _no_probabilities,
}
