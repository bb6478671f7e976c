"""Names and number of the columns of a table, checked as scikit-learn does."""

from collections.abc import Sequence

from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from bayesieve.data import Table, frame_backend
from bayesieve.estimators._sklearn import ACCEPTS_ALL_FRAMES
from bayesieve.estimators._types import TableLike

__all__ = ["check_header"]


def check_header(estimator: BaseEstimator, X: TableLike, table: Table, *, reset: bool) -> None:
    """Remember names and number of the columns, or compare them with those remembered, in scikit-learn's words."""
    if not ACCEPTS_ALL_FRAMES and frame_backend(X) not in (None, "pandas"):
        X = _Header(table.names, (table.n_rows, table.n_columns))
    validate_data(estimator, X, skip_check_array=True, reset=reset)


class _Header:
    """As much of the interchange protocol as scikit-learn needs."""

    def __init__(self, names: Sequence[str], shape: tuple[int, int]) -> None:
        self._names = names
        self.shape = shape

    def __dataframe__(self) -> "_Header":
        return self

    def column_names(self) -> Sequence[str]:
        """Return the names."""
        return self._names
