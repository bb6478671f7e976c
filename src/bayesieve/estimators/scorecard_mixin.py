"""A fitted classifier that is a scorecard: it explains itself by log-odds, and becomes a table to read."""

from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import build_frame
from bayesieve.estimators.carding import importances
from bayesieve.estimators.prediction_mixin import PredictionMixin
from bayesieve.exceptions import ParameterError
from bayesieve.explanations.row_contributions import class_pairs, explain_rows
from bayesieve.explanations.row_explanation import Decisions
from bayesieve.explanations.scorecard_table import scorecard_columns
from bayesieve.model_file.capture import NOT_SAVED
from bayesieve.models import Evidence, Scorecard, simplify_table

__all__ = ["ScorecardMixin"]


class ScorecardMixin(PredictionMixin):
    """What a classifier can do whose cards add up."""

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
            largest first. Probabilities that are kept away from 0 by half a row are a little less extreme. Where the
            classifier calibrates, ``calibrated`` are the log-odds of what `predict_proba` says.

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
        columns = [table.column(self._names.index(each.name)) for each in self._tables]
        learnt = [(each.partition, each.table) for each in self._tables]
        decisions = explain_rows(self.classes_.tolist(), pairs, card.start, scores, columns, learnt)
        if card.calibration is None:
            return decisions
        log_p, rows = card.log_probabilities(Evidence(scores)), np.arange(scores.shape[1])
        final = (log_p[pairs[0], rows] - log_p[pairs[1], rows]).tolist()
        return Decisions(replace(each, calibrated=value) for each, value in zip(decisions, final, strict=True))

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
        tables = [simplify_table(card, self._counts[card.name].sum(axis=1), int(max_bins)) for card in self._tables]
        simple = copy(self)
        for attribute in NOT_SAVED:
            simple.__dict__.pop(attribute, None)
        simple._counts = {
            new.name: self._counts[new.name] if new is old else new.partition.counts
            for new, old in zip(tables, self._tables, strict=True)
        }
        simple._scorecard = replace(self._scorecard, tables=tuple(tables))
        simple.feature_importances_ = importances(tables, simple._counts, self._names)
        return simple

    def _predicted(self, evidence: Evidence) -> NDArray[np.intp]:
        if self._scorecard.calibration is None or self.threshold_.rule.name != "bayes":
            return super()._predicted(evidence)
        return np.asarray(self._scorecard.probabilities(evidence).argmax(axis=0))
