"""What a fitted selector does with a table: it picks its columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import frame_backend, pick_columns, read_table
from bayesieve.estimators.block_predictions import check_block_header, is_row_blocks
from bayesieve.estimators.options.feature_names import check_header
from bayesieve.estimators.options.tags import accept_any_table

__all__ = ["ColumnSelectionMixin"]


class ColumnSelectionMixin(SelectorMixin):
    """A selector whose fitted ``support_`` is a mask of the columns."""

    def transform(self, X: Any) -> Any:
        """Return the selected columns, in a data frame of the same library if X is one.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features_in_)
            The table; or a Dask collection, or a `ParquetFrame`, of which no row is read.

        Returns
        -------
        X_selected : data frame or array of shape (n_rows, n_features_)
            Its selected columns.
        """
        check_is_fitted(self)
        if is_row_blocks(X):
            check_block_header(self, X)
            places = np.flatnonzero(self.support_).tolist()
            return X[:, places] if hasattr(X, "chunks") else X[[X.columns[j] for j in places]]
        if frame_backend(X) is None:
            return super().transform(X)
        check_header(self, X, read_table(X), reset=False)
        return pick_columns(X, np.flatnonzero(self.support_).tolist())

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_)

    def __sklearn_tags__(self) -> Any:
        """Accept missing values, categories and sparse tables; a target is needed."""
        tags = accept_any_table(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags
