# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted selector does with a table: it picks its columns, and puts them back.

This is scikit-learn's ``SelectorMixin`` for tables of any kind. That one cannot be imported without linear models,
metrics, neighbors and support vector machines, a fifth of the time of all imports.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csc_matrix, issparse, sparray
from sklearn.base import TransformerMixin
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bayesieve.data import pick_block_columns, table_kind
from bayesieve.estimators._sklearn import check_feature_names_in
from bayesieve.estimators._types import TableLike, Tags
from bayesieve.estimators.rows import accept_any_table, check_new_table
from bayesieve.exceptions import DataError

__all__ = ["ColumnSelectionMixin"]


class ColumnSelectionMixin(TransformerMixin):
    """A selector whose fitted ``support_`` is a mask of the columns."""

    support_: NDArray[np.bool_]

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return which columns are selected.

        Parameters
        ----------
        indices : bool, default=False
            Return their positions instead of a mask.

        Returns
        -------
        support : bool array of shape (n_features_in_,), or int array of shape (n_features_,)
            The mask, or the positions in ascending order.
        """
        check_is_fitted(self)
        mask = np.asarray(self.support_)
        return np.flatnonzero(mask) if indices else mask

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
        positions = self.get_support(indices=True)
        if table_kind(X) != "array":
            check_new_table(self, X)
            return pick_block_columns(X, positions.tolist())
        X = np.asarray(X) if isinstance(X, np.matrix) else X
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        table = validate_data(self, X, dtype=None, accept_sparse="csr", ensure_all_finite=finite, reset=False)
        if not len(positions):
            message = "No features were selected: either the data is too noisy or the selection test too strict."
            warnings.warn(message, UserWarning, stacklevel=2)
        return table[:, positions]

    def inverse_transform(self, X: TableLike) -> Any:
        """Return a table with all columns, in which those that are not selected are zero.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features_)
            The selected columns.

        Returns
        -------
        X_original : array or sparse matrix of shape (n_samples, n_features_in_)
            The table.
        """
        support = self.get_support()
        selected = X.tocsc() if issparse(X) else check_array(X, dtype=None, ensure_all_finite="allow-nan")
        if selected.shape[1] != support.sum():
            raise DataError(f"X has {selected.shape[1]} columns, but {support.sum()} were selected.")
        shape = (selected.shape[0], len(support))
        if not issparse(selected):
            table = np.zeros(shape, dtype=selected.dtype)
            table[:, support] = selected
            return table
        entries = np.zeros(len(support), dtype=selected.indptr.dtype)
        entries[support] = np.diff(selected.indptr)
        pointers = np.concatenate([selected.indptr[:1], np.cumsum(entries)])
        kind = csc_array if isinstance(selected, sparray) else csc_matrix
        return kind((selected.data, selected.indices, pointers), shape=shape)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the names of the selected columns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of all columns, where the fitted table had none; otherwise its own.

        Returns
        -------
        names : str array of shape (n_features_,)
            The names.
        """
        support = self.get_support()
        names: NDArray[np.object_] = check_feature_names_in(self, input_features)[support]
        return names

    def __sklearn_tags__(self) -> Tags:
        """Accept missing values, categories and sparse tables; a target is needed."""
        tags = accept_any_table(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags
