# SPDX-License-Identifier: BSD-3-Clause
"""A fitted classifier whose score tables add up: it explains its predictions by log-odds, and becomes a table."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import build_frame, frame_backend
from bayesieve.estimators._types import Frame, Label, TableLike
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.estimators.rows import open_new_rows
from bayesieve.exceptions import ParameterError
from bayesieve.explain.reason_codes import REFERENCES, reason_columns, reason_table
from bayesieve.explain.row_explanation import RowExplanation, RowExplanations, class_pairs, explain_rows
from bayesieve.explain.scorecard_table import PointScale, scorecard_columns
from bayesieve.models import Evidence, Scorecard, importances, simplify_scorecard
from bayesieve.models.intervals import has_errors, probability_intervals, score_variances

__all__ = ["ScorecardMixin"]

_SHOWN_LEVEL = 0.9  # of the intervals of explanations


class ScorecardMixin(PredictionMixin):
    """What a classifier can do whose score tables add up."""

    def explain(self, X: TableLike, classes: tuple[Label, Label] | None = None) -> RowExplanations:
        """Return what each selected column and each pair of columns adds to the log-odds of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.
        classes : pair of class labels, default=None
            The log-odds of the first against the second; by default, of the positive class against the other, or, of
            more than two classes, of the predicted class against the next probable.

        Returns
        -------
        explanations : RowExplanations
            A `RowExplanation` per row: the predicted class, its probability, log-odds, their intercept, and each
            column's value, bin and contribution, the largest first. A pair of columns is a term of its own, "A × B",
            with both values and both bins. The log-odds of the probabilities of `predict_proba` are ``smoothed`` where
            half a row keeps them away from 0 and 1, and ``calibrated`` where the classifier calibrates. Those of a
            `ScorecardClassifier` have standard errors, and the 90 % credible ``interval`` of the probability.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayesieve import SelectiveNaiveBayes
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = SelectiveNaiveBayes(n_features=2, bins="best", weights="none").fit(X, y)
        >>> print(model.explain(X.head(1))[0])
        predicted class 0; P(0) = 1 - 3.5e-08
        0 against 1: log-odds +17.859
          +0.000  intercept
          +8.929  petal length (cm) = 1.4 (<= 2.5)
          +8.929  petal width (cm) = 0.2 (<= 0.8)
        """
        table = open_new_rows(self, X)
        card = self._additive()
        coded = self._coded(table)
        scores = card.evidence(table.n_rows, coded.codes, coded.pair_codes).scores
        labels = self.classes_.tolist()
        if classes is None and len(labels) == 2:
            classes = (labels[self.positive_index_], labels[1 - self.positive_index_])
        compared = class_pairs(labels, scores, classes)
        explanations = explain_rows(card, compared, scores, coded.tables, coded.pairs)
        evidence = self.scorecard_.evidence(table.n_rows, coded.codes, coded.pair_codes)
        predicted = self._with_prediction(explanations, evidence, compared)
        if not has_errors(self.scorecard_):
            return RowExplanations(predicted)
        variances = score_variances(card, table.n_rows, coded.codes, coded.pair_codes)
        ends = probability_intervals(card, evidence, variances, _SHOWN_LEVEL)[compared[0], np.arange(table.n_rows)]
        return RowExplanations(
            replace(each, interval=(low, high)) for each, (low, high) in zip(predicted, ends.tolist(), strict=True)
        )

    def _with_prediction(
        self, explanations: RowExplanations, evidence: Evidence, compared: NDArray[np.intp]
    ) -> Iterator[RowExplanation]:
        """Yield explanations with the predicted class, the probability of the first class, and the threshold."""
        card = self.scorecard_
        labels = self.classes_.tolist()
        threshold = self.threshold_.probability
        log_p = card.log_probabilities(evidence)
        chances = card.probabilities(evidence)
        predicted = self._predicted(evidence).tolist()
        for i, (each, first, second) in enumerate(zip(explanations, *compared.tolist(), strict=True)):
            log_odds = float(log_p[first, i] - log_p[second, i])
            yield replace(
                each,
                calibrated=None if card.calibration is None else log_odds,
                smoothed=log_odds if card.laplace and card.calibration is None else None,
                predicted=labels[predicted[i]],
                probability=float(chances[first, i]),
                threshold=threshold if labels[first] == self.pos_label_ else None,
            )

    def scorecard(
        self,
        max_bins: int | None = None,
        *,
        base_score: float | None = None,
        base_odds: float = 1.0,
        points_to_double: float = 20.0,
        adverse: Label | None = None,
        spread_intercept: bool = False,
    ) -> Frame:
        """Return the model as a table: one row per bin and per cell of a pair, with the points that it adds.

        Parameters
        ----------
        max_bins : int or None, default=None
            None shows the model as it is, with the bins that it predicts by. With a number, the table is that of
            ``simplify(max_bins)``, in which neighbors with similar points are one bin. Pairs of columns are shown as
            they are.
        base_score : float or None, default=None
            The score at odds of ``base_odds``; with it, the table has whole points in "scaled points".
        base_odds : float, default=1.0
            The odds at which the score is ``base_score``: of the class that is not adverse to the adverse one.
        points_to_double : float, default=20.0
            The points that double these odds.
        adverse : class label or None, default=None
            The class that low scores mean, such as default on a loan; None is the positive class, ``pos_label_``.
        spread_intercept : bool, default=False
            Whether the scaled points of the intercept are divided equally among the columns and pairs, as banks do. A
            value that did not occur in training has its share alone, in a row of its own, "unseen".

        Returns
        -------
        scorecard : data frame
            In the library of the training table. The first row, of no column, is where every score begins. Points are
            log-odds of the positive one of two classes; of more classes, each has points, and the largest sum wins. A
            `ScorecardClassifier` has a posterior standard error of each (in the first row, of the intercept). A
            value that did not occur in training has no points. With two classes, weight of evidence and information
            value are those of the rows of each bin, without regard to other columns. With ``base_score``, "high scores
            mean" is the class that is not adverse.
        """
        check_is_fitted(self)
        shown = self if max_bins is None else self.simplify(max_bins)
        scale = None
        if base_score is not None:
            place = self._adverse_index(adverse) if len(self.classes_) == 2 else None
            scale = PointScale(base_score, base_odds, points_to_double, place, spread_intercept)
        return build_frame(
            scorecard_columns(shown._additive(), scale, self.positive_index_), self.selection_.path.backend
        )

    def reason_codes(
        self, X: TableLike, n_reasons: int = 4, *, adverse: Label | None = None, reference: str = "mean"
    ) -> Frame:
        """Return, for each row, the columns that move its score most toward the adverse class.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.
        n_reasons : int, default=4
            Number of reasons per row.
        adverse : class label or None, default=None
            The class that the reasons are for, such as default on a loan; None is the positive class, ``pos_label_``.
        reference : {"mean", "best", "neutral"}, default="mean"
            A reason is a column, or a pair of columns, whose points for the adverse class are above those of the mean
            training row; above those of its best bin, however rare that is; or above 0.

        Returns
        -------
        reasons : data frame
            In the library of the rows. "adverse", the class that the reasons are for, and "reason 1", "reason 2", ...:
            names of columns, the largest difference of points first; None where no further column moves the row toward
            that class.
        """
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ParameterError(f"Reason codes are for two classes; this model has {len(self.classes_)}.")
        if reference not in REFERENCES:
            raise ParameterError(f"reference must be one of {', '.join(REFERENCES)}, got {reference!r}.")
        if n_reasons < 1:
            raise ParameterError(f"n_reasons must be 1 or more, got {n_reasons}.")
        table = open_new_rows(self, X)
        coded = self._coded(table)
        place = self._adverse_index(adverse)
        codes = (coded.codes, coded.pair_codes)
        names, moved = reason_columns(self._additive(), table.n_rows, *codes, place, reference)
        labels = [self.classes_.tolist()[place]] * table.n_rows
        library = frame_backend(X) or self.selection_.path.backend
        return build_frame({"adverse": labels, **reason_table(names, moved, n_reasons)}, library)

    def _adverse_index(self, adverse: Label | None) -> int:
        """Return the position of the adverse one of two classes; the positive one by default."""
        labels: list[Label] = self.classes_.tolist()
        if adverse is None:
            return self.positive_index_
        if adverse not in labels:
            raise ParameterError(f"adverse is {adverse!r:.60}; the classes are {labels!r:.80}.")
        return labels.index(adverse)

    def simplify(self, max_bins: int = 12) -> Self:
        """Return a fitted copy with few bins per column, which predicts by its `scorecard`.

        Parameters
        ----------
        max_bins : int, default=12
            The most bins of a column, 2 at least. Intervals are joined with their neighbors and groups with those of
            the most similar points, by Ward's rule; missing and special values stay apart. Pairs of columns are left
            as they are.

        Returns
        -------
        simplified : classifier
            Weights and threshold are as they were.
        """
        check_is_fitted(self)
        simple = copy(self)
        simple.selection_ = self.selection_.without_others()
        card = simple.scorecard_ = simplify_scorecard(self.scorecard_, max_bins)
        simple.feature_importances_ = importances(card.tables, self.selection_.positions, card.pairs)
        return simple

    def _additive(self) -> Scorecard:
        """Return the model with scores that add up."""
        card = self.scorecard_.additive()
        if card is None:
            raise ParameterError(
                f"The log-odds of this {type(self).__name__} are not a sum over columns, so it has no contributions "
                "or points per column."
            )
        return card
