"""A fitted classifier that is a scorecard: it predicts, explains itself, becomes a file and a table to read."""

import os
from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import build_frame
from bayesieve.decisions import Threshold
from bayesieve.estimators.carding import importances, positive_class, read_codes
from bayesieve.estimators.decision import Decisions
from bayesieve.estimators.explaining import class_pairs, explain_rows
from bayesieve.estimators.model_file import write_model
from bayesieve.estimators.points import scorecard_columns
from bayesieve.estimators.saving import NOT_SAVED, saved_model
from bayesieve.exceptions import ParameterError
from bayesieve.models import Evidence, Scorecard, simplify_card

__all__ = ["ScorecardClassifier"]


class ScorecardClassifier(ClassifierMixin):
    """What a classifier can do once it has a scorecard; a subclass fits one, and opens new rows."""

    classes_: NDArray[Any]
    threshold_: Threshold
    _scorecard: Scorecard
    _counts: dict[str, NDArray[Any]]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        y : array of shape (n_rows,)
            Class labels: the most probable one, the first of ``classes_`` on ties, unless ``threshold`` says otherwise.
        """
        predicted = self._predicted(self._evidence(X))
        return self.classes_[predicted]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        evidence = self._evidence(X)
        return np.ascontiguousarray(self._scorecard.probabilities(evidence).T)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return logarithms of class probabilities; finite even where the probability is 0 to double precision.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        log_probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        evidence = self._evidence(X)
        return np.ascontiguousarray(self._scorecard.log_probabilities(evidence).T)

    def explain(self, X: Any, classes: tuple[Any, Any] | None = None) -> Decisions:
        """Tell what each selected column adds to the log-odds of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.
        classes : pair of class labels, default=None
            The log-odds of the first against the second; by default, of the predicted class against the next probable.

        Returns
        -------
        decisions : Decisions
            A `Decision` for each row: log-odds, their prior part, and each column's value, bin and contribution, the
            largest first. Probabilities that are kept away from 0 by half a row are a little less extreme.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayesieve import SelectiveNaiveBayes
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = SelectiveNaiveBayes(n_features=2, bins="best", weights="none").fit(X, y)
        >>> print(model.explain(X.head(1))[0])
        0 against 1: log-odds +17.859
          +0.000  class frequencies
          +8.929  petal length (cm) = 1.4 (<= 2.5)
          +8.929  petal width (cm) = 0.2 (<= 0.8)
        """
        scores = self._evidence(X).scores
        pairs = class_pairs(self.classes_.tolist(), scores, classes)
        table = self._read_new(X)
        card = self._scorecard
        columns = [table.column(self._names.index(each.name)) for each in self._cards]
        learnt = [(each.partition, each.table) for each in self._cards]
        return explain_rows(self.classes_.tolist(), pairs, card.start, scores, columns, learnt)

    def scorecard(self, max_bins: int | None = 12) -> Any:
        """Return the model as a table: one row a bin, with the points that it adds.

        Parameters
        ----------
        max_bins : int or None, default=12
            The most bins of a column: neighbours that say nearly the same are shown as one, see `simplify`. None shows
            the model as it is.

        Returns
        -------
        scorecard : data frame
            In the library of the training table. The first row, of no column, is where every score begins. Points are
            log-odds of the second of two classes; of more classes, each has points, and the largest sum wins. A value
            that training never saw has no points.
        """
        shown = self if max_bins is None else self.simplify(max_bins)
        card: Scorecard = shown._scorecard
        return build_frame(scorecard_columns(card, shown._counts, self._mass), self.path_.backend)

    def simplify(self, max_bins: int = 12) -> Self:
        """Return a fitted copy with few bins a column, which predicts what its `scorecard` says.

        Parameters
        ----------
        max_bins : int, default=12
            The most bins of a column, 2 at least. Intervals are joined with their neighbours and groups with those
            that say the most similar, by Ward's rule; missing and special values stay apart.

        Returns
        -------
        simplified : classifier
            Weights and threshold are as they were.
        """
        check_is_fitted(self)
        if not isinstance(max_bins, Integral) or max_bins < 2:
            raise ParameterError(f"max_bins must be a whole number of 2 or more, got {max_bins!r}.")
        cards = [simplify_card(card, self._counts[card.name].sum(axis=1), int(max_bins)) for card in self._cards]
        simple = copy(self)
        for attribute in NOT_SAVED:
            simple.__dict__.pop(attribute, None)
        simple._counts = {
            new.name: self._counts[new.name] if new is old else new.partition.counts
            for new, old in zip(cards, self._cards, strict=True)
        }
        simple._scorecard = replace(self._scorecard, cards=tuple(cards))
        simple.feature_importances_ = importances(cards, simple._counts, self._names)
        return simple

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

    @property
    def _cards(self) -> tuple[Any, ...]:
        return self._scorecard.cards

    @property
    def _positive(self) -> int:
        """The position of the positive one of two classes."""
        return positive_class(getattr(self, "pos_label", None), self.classes_.tolist())

    def _predicted(self, evidence: Evidence) -> NDArray[np.intp]:
        wish = self.threshold_.wish
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
        codes = read_codes(table, self._cards, place)
        return self._scorecard.evidence(table.n_rows, codes)
