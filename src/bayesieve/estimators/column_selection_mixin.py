"""What a fitted selector does with a table: it picks its columns."""

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import pick_block_columns, table_kind
from bayesieve.estimators._sklearn import accept_any_table
from bayesieve.estimators._types import TableLike, Tags
from bayesieve.estimators.new_rows import check_new_table

__all__ = ["ColumnSelectionMixin"]


class ColumnSelectionMixin(SelectorMixin):
    """A selector whose fitted ``support_`` is a mask of the columns."""

    def transform(self, X: TableLike) -> TableLike:
        """Return the selected columns, in a data frame of the same library if X is one.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The table; or a Dask collection, or a `ParquetFrame`, of which no row is read.

        Returns
        -------
        X_selected : data frame or array of shape (n_samples, n_features_)
            Its selected columns.
        """
        check_is_fitted(self)
        if table_kind(X) == "array":
            return super().transform(X)
        check_new_table(self, X)
        return pick_block_columns(X, np.flatnonzero(self.support_).tolist())

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_)

    def __sklearn_tags__(self) -> Tags:
        """Accept missing values, categories and sparse tables; a target is needed."""
        tags = accept_any_table(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags
