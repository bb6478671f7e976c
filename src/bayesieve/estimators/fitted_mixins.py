# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted estimator does with a table: it picks its columns, and predicts by a scorecard of any kind."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import Table
from bayesieve.decisions import Threshold
from bayesieve.estimators._types import Array, Label, TableLike, TargetLike
from bayesieve.estimators.options.classifier_options import positive_index
from bayesieve.estimators.rows import (
    CodedRows,
    ColumnReader,
    code_rows,
    open_new_rows,
    predict_rows,
)
from bayesieve.fit.selection import Candidate, Selection
from bayesieve.model_file.file import write_model
from bayesieve.model_file.saved_model import FittedClassifier, SavedModel, saved_model
from bayesieve.models import Evidence, Scorecard, importances

__all__ = ["PositiveClassMixin", "PredictionMixin", "SavingMixin"]

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
        table, selection = open_new_rows(self, X), self.selection_
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
        found = self.selection_.best.threshold
        return replace(found, probability=self._threshold_probability(found)) if len(self.classes_) == 2 else found

    def _threshold_probability(self, threshold: Threshold) -> float:
        """Return the probability above which the positive class is predicted."""
        if threshold.rule.name in ("bayes", "probability"):
            return 0.5 if threshold.rule.level is None else float(threshold.rule.level)
        log_odds = float(np.clip(threshold.cut / 2.0**40, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS))
        return Scorecard.probability_at(self.scorecard_, log_odds, self.positive_index_)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weight of each feature, 0 where it is not selected."""
        weights, positions = np.zeros(len(self.selection_.names)), self.selection_.positions
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
        threshold, card = self.selection_.best.threshold, self.scorecard_
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

    def _coded(self, table: Table) -> CodedRows:
        """Read and code the selected columns of new rows."""
        return code_rows(table, self.scorecard_.tables, self.scorecard_.pairs, self.selection_.positions)

    def _evidence(self, table: Table) -> Evidence:
        """Return the class scores of new rows."""
        coded = self._coded(table)
        return self.scorecard_.evidence(table.n_rows, coded.codes, coded.pair_codes)


class SavingMixin:
    """What a classifier can do that `bayesieve.load` can build."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a JSON file, from which `bayesieve.load` makes one that predicts the same bits.

        Parameters
        ----------
        path : str or path
            The file. It holds the selected subset only: a loaded model cannot ``select`` another.
        """
        check_is_fitted(self)
        write_model(path, self._saved_model())

    def _saved_model(self) -> SavedModel:
        """Return what a model file keeps."""
        return saved_model(cast(FittedClassifier, self))
