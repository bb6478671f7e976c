"""A fitted classifier whose columns say what they say in tables: it predicts, and becomes a file."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from bayesieve.coding import in_weights
from bayesieve.decisions import Threshold, read_threshold
from bayesieve.estimators.block_predictions import is_row_blocks, predict_blocks
from bayesieve.estimators.carding import find_cuts, positive_class, read_codes
from bayesieve.model_file.capture import NOT_SAVED, saved_model
from bayesieve.model_file.file import write_model
from bayesieve.models import Evidence, Scorecard
from bayesieve.training.block_rows import TrainingRows
from bayesieve.training.outcome import Outcome
from bayesieve.training.task import Task

__all__ = ["PredictionMixin"]


class PredictionMixin(ClassifierMixin):
    """What a classifier can do once it has cards; a subclass fits them, and opens new rows."""

    classes_: NDArray[Any]
    threshold_: Threshold
    _scorecard: Scorecard
    _counts: dict[str, NDArray[Any]]

    def predict(self, X: Any) -> Any:
        """Return the class of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows; or a Dask collection, of which the answer is a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        y : array of shape (n_rows,)
            Class labels: the most probable one, the first of ``classes_`` on ties, unless ``threshold`` says otherwise.
        """
        if is_row_blocks(X):
            return predict_blocks(self, "predict", X)
        predicted = self._predicted(self._evidence(X))
        return self.classes_[predicted]

    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows; or a Dask collection, of which the answer is a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        if is_row_blocks(X):
            return predict_blocks(self, "predict_proba", X)
        evidence = self._evidence(X)
        return np.ascontiguousarray(self._scorecard.probabilities(evidence).T)

    def predict_log_proba(self, X: Any) -> Any:
        """Return logarithms of class probabilities; finite even where the probability is 0 to double precision.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows; or a Dask collection, of which the answer is a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        log_probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        if is_row_blocks(X):
            return predict_blocks(self, "predict_log_proba", X)
        evidence = self._evidence(X)
        return np.ascontiguousarray(self._scorecard.log_probabilities(evidence).T)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; rows of Dask are predicted on its workers, and only classes come here.

        Parameters
        ----------
        X : data frame, array, sparse matrix or Dask collection of shape (n_rows, n_features_in_)
            The rows.
        y : array or Dask collection of shape (n_rows,)
            Their classes.
        sample_weight : array or Dask collection of shape (n_rows,), default=None
            Their weights.

        Returns
        -------
        accuracy : float
            The share of rows whose class is predicted.
        """
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return float(accuracy_score(np.asarray(y), np.asarray(self.predict(X)), sample_weight=weights))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a JSON file, from which `bayesieve.load` makes one that predicts the same bits.

        Parameters
        ----------
        path : str or path
            The file. It holds the selected subset only: a loaded model cannot ``select`` another.
        """
        check_is_fitted(self)
        write_model(path, saved_model(self))

    def __getattr__(self, name: str) -> Any:
        if name in NOT_SAVED and "_scorecard" in self.__dict__:
            raise AttributeError(
                f"This {type(self).__name__} comes from a file or is a simplified copy: it has one subset of columns "
                f"and no scores of others ({name}); ask the model that was fitted."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _remember(self, task: Task, sample: TrainingRows, outcome: Outcome) -> dict[str, NDArray[np.int64]]:
        """Keep class weights, thresholds and what was counted for the columns on offer; return those counts."""
        self._mass = [float(each) * task.unit for each in sample.class_mass]
        wish, model = read_threshold(self.threshold), task.plan.model
        positive = positive_class(getattr(self, "pos_label", None), sample.classes.tolist())
        self._thresholds: dict[tuple[str, ...], Threshold] = find_cuts(wish, outcome, model, task.unit, positive)
        place = {name: j for j, name in enumerate(task.space.names)}
        needed = {name for columns in outcome.offers for name in columns}
        self._ordered = task.ordered
        counts = {name: task.final.counts[place[name]][:-1] for name in needed}
        self._counts = {name: in_weights(each, task.unit) for name, each in counts.items()}
        return counts

    @property
    def _tables(self) -> tuple[Any, ...]:
        return self._scorecard.tables

    @property
    def _positive(self) -> int:
        """The position of the positive one of two classes."""
        return positive_class(getattr(self, "pos_label", None), self.classes_.tolist())

    def _predicted(self, evidence: Evidence) -> NDArray[np.intp]:
        wish = self.threshold_.rule
        if wish.name == "bayes":
            return evidence.predicted
        positive = self._positive
        if wish.name == "probability":
            accepted = self._scorecard.probabilities(evidence)[positive] > wish.level
        else:
            accepted = self.threshold_.accepts(evidence.scores[positive] - evidence.scores[1 - positive])
        return np.where(accepted, positive, 1 - positive)

    def _evidence(self, X: Any) -> Evidence:
        """Add up the evidence of the selected columns."""
        table = self._read_new(X)
        place = {name: j for j, name in enumerate(self._names)}
        codes = read_codes(table, self._tables, place)
        return self._scorecard.evidence(table.n_rows, codes)
