# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted estimator does with a table: it picks its columns, and predicts by a scorecard of any kind."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csc_matrix, issparse, sparray
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bayesieve.data import Table, pick_block_columns, table_kind
from bayesieve.decisions import Threshold
from bayesieve.estimators._sklearn import check_feature_names_in
from bayesieve.estimators._types import Array, Label, TableLike, Tags, TargetLike
from bayesieve.estimators.options import positive_index
from bayesieve.estimators.rows import (
    CodedTerms,
    ColumnReader,
    accept_any_table,
    code_rows,
    find_columns,
    open_new_rows,
    predict_rows,
)
from bayesieve.exceptions import DataError
from bayesieve.fit.selection import Candidate, Selection
from bayesieve.models import Evidence, Scorecard, importances

__all__ = ["ColumnSelectionMixin", "PositiveClassMixin", "PredictionMixin"]


class ColumnSelectionMixin(TransformerMixin):
    """A selector whose fitted ``support_`` is a mask of the columns; scikit-learn's ``SelectorMixin`` for any table."""

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
            return pick_block_columns(X, find_columns(self, X, positions.tolist()))
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


_LARGEST_LOG_ODDS: Final = 700.0  # exp of it is finite


class PositiveClassMixin:
    """The positive one of two classes: ``pos_label``, or the second."""

    classes_: Array
    pos_label: Label = None

    @property
    def pos_label_(self) -> Label:
        """The label of the positive class; None for more than two classes."""
        return self.classes_.tolist()[self.positive_index_] if len(self.classes_) == 2 else None

    @property
    def positive_index_(self) -> int:
        """The position of the positive class in ``classes_``, for two classes."""
        return positive_index(self.pos_label, self.classes_.tolist())


class PredictionMixin(PositiveClassMixin, ClassifierMixin):
    """Predictions by ``scorecard_``, and what is read from it."""

    selection_: Selection
    scorecard_: Scorecard

    def predict(self, X: TableLike) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose predictions are a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        y : array of shape (n_samples,)
            Class labels: the most probable one, the first of ``classes_`` on ties, unless a threshold is set.
        """
        return predict_rows(self, self._predict, X, self._no_classes)

    def predict_proba(self, X: TableLike) -> Array:
        """Return class probabilities.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose predictions are a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        probabilities : array of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return predict_rows(self, self._predict_proba, X, self._no_probabilities)

    def predict_log_proba(self, X: TableLike) -> Array:
        """Return logarithms of class probabilities; finite even where the probability is 0 to double precision.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose predictions are a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        log_probabilities : array of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return predict_rows(self, self._predict_log_proba, X, self._no_probabilities)

    def decision_function(self, X: TableLike) -> Array:
        """Return the log-odds of the second of two classes, or the logarithms of all class probabilities.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose predictions are a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        scores : array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            Positive where ``classes_[1]`` is more probable than not; a threshold that is set changes `predict` alone.
        """
        return predict_rows(self, self._decision_function, X, self._no_scores)

    def staged_predict_proba(self, X: TableLike) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield class probabilities for each number of columns that ``select`` accepts.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; each column is read once.

        Yields
        ------
        size : int
            Number of columns, increasing.
        probabilities : array of shape (n_samples, n_classes)
            The same as ``select(size).predict_proba(X)``.
        """
        table = open_new_rows(self, X)
        selection = self.selection_
        reader = ColumnReader(table, selection.positions)
        cards = [selection.scorecard_of_size(k) for k in selection.by_size]
        for card in cards:
            coded = reader.code_rows(card.tables, card.pairs)
            evidence = card.evidence(table.n_rows, coded.codes, coded.pair_codes)
            yield len(card.tables), np.ascontiguousarray(card.probabilities(evidence).T)
        reader.warn_of_unseen()

    def score(self, X: TableLike, y: TargetLike, sample_weight: TargetLike | None = None) -> float:
        """Return the accuracy; rows of Dask are predicted on its workers, and only classes come here.

        Parameters
        ----------
        X : data frame, array, sparse matrix or Dask collection of shape (n_samples, n_features)
            The rows.
        y : array or Dask collection of shape (n_samples,)
            Their classes.
        sample_weight : array or Dask collection of shape (n_samples,), default=None
            Their weights.

        Returns
        -------
        accuracy : float
            The share of rows whose class is predicted.
        """
        from sklearn.metrics import accuracy_score

        weights = None if sample_weight is None else np.asarray(sample_weight)
        return float(accuracy_score(np.asarray(y), np.asarray(self.predict(X)), sample_weight=weights))

    @property
    def threshold_(self) -> Threshold:
        """How probabilities become a class, and what that came to on the validation rows."""
        return self._with_probability(self.selection_.best.threshold, self.scorecard_)

    def staged_thresholds(self) -> Iterator[tuple[int, Threshold]]:
        """Yield the threshold for each number of columns that ``select`` accepts.

        Yields
        ------
        size : int
            Number of columns, increasing.
        threshold : Threshold
            The same as ``select(size).threshold_``.
        """
        selection = self.selection_
        for k, candidate in selection.by_size.items():
            card = self.scorecard_ if selection.fitted is None else selection.scorecard_of_size(k)
            yield k, self._with_probability(candidate.threshold, card)

    def _with_probability(self, threshold: Threshold, card: Scorecard) -> Threshold:
        if len(self.classes_) != 2:
            return threshold
        return replace(threshold, probability=self._threshold_probability(threshold, card))

    def _threshold_probability(self, threshold: Threshold, card: Scorecard) -> float:
        """Return the probability above which the positive class is predicted."""
        if threshold.rule.name in ("bayes", "probability"):
            return 0.5 if threshold.rule.level is None else float(threshold.rule.level)
        log_odds = float(np.clip(threshold.cut / 2.0**40, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS))
        return Scorecard.probability_at(card, log_odds, self.positive_index_)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weight of each feature, 0 where it is not selected."""
        weights = np.zeros(len(self.selection_.names))
        positions = self.selection_.positions
        for name, weight in self.scorecard_.weights.items():
            weights[positions[name]] = weight
        return weights

    @property
    def feature_weights_(self) -> dict[str, float]:
        """The weight of each selected feature, by name."""
        return self.scorecard_.weights

    def _adopt(self, candidate: Candidate) -> Self:
        super()._adopt(candidate)
        self.feature_importances_: NDArray[np.float64] = importances(
            self.scorecard_.tables, self.selection_.positions, self.scorecard_.pairs
        )
        return self

    def _no_classes(self) -> Array:
        return self.classes_[:0]

    def _no_probabilities(self) -> Array:
        return np.empty((0, len(self.classes_)))

    def _predict(self, table: Table) -> Array:
        predicted: Array = self.classes_[self._predicted(self._evidence(table))]
        return predicted

    def _predict_proba(self, table: Table) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.scorecard_.probabilities(self._evidence(table)).T)

    def _predict_log_proba(self, table: Table) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.scorecard_.log_probabilities(self._evidence(table)).T)

    def _no_scores(self) -> Array:
        return np.empty(0) if len(self.classes_) == 2 else self._no_probabilities()

    def _decision_function(self, table: Table) -> NDArray[np.float64]:
        log_probabilities = self._predict_log_proba(table)
        if len(self.classes_) > 2:
            return log_probabilities
        difference: NDArray[np.float64] = log_probabilities[:, 1] - log_probabilities[:, 0]
        return difference

    def _predicted(self, evidence: Evidence) -> NDArray[np.intp]:
        threshold = self.selection_.best.threshold
        card = self.scorecard_
        rule = threshold.rule
        if rule.name == "bayes":
            if card.calibration is None:
                return evidence.predicted
            return np.asarray(card.probabilities(evidence).argmax(axis=0))
        positive = self.positive_index_
        if rule.name == "probability":
            accepted = card.probabilities(evidence)[positive] > rule.level
        else:
            accepted = threshold.accepts(evidence.scores[positive] - evidence.scores[1 - positive])
        return np.where(accepted, positive, 1 - positive)

    def _coded(self, table: Table) -> CodedTerms:
        """Read and code the selected columns of new rows."""
        return code_rows(table, self.scorecard_.tables, self.scorecard_.pairs, self.selection_.positions)

    def _evidence(self, table: Table) -> Evidence:
        """Return the class scores of new rows."""
        coded = self._coded(table)
        return self.scorecard_.evidence(table.n_rows, coded.codes, coded.pair_codes)
