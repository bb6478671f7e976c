# SPDX-License-Identifier: BSD-3-Clause
"""Columns that are added by boosting: the selector and the classifier."""

from dataclasses import replace
from numbers import Real
from os import PathLike
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.document import Entry
from bayesieve.decisions import read_threshold
from bayesieve.estimators._sklearn import Interval, StrOptions, require_two_classes, two_classes_only
from bayesieve.estimators._types import (
    ColumnsLike,
    Constraints,
    CrossValidator,
    Label,
    RandomState,
    TableLike,
    Tags,
    ThresholdLike,
    Transformer,
)
from bayesieve.estimators.discretizer import read_discretizer
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options import read_splitter, refuse_one_fold
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.rows import open_new_rows
from bayesieve.estimators.saving import SavingMixin
from bayesieve.estimators.scorecard_mixin import ScorecardMixin
from bayesieve.estimators.search_estimator import SearchEstimator, SelectionEstimator
from bayesieve.exact import in_nats
from bayesieve.exceptions import ModelFileError
from bayesieve.fit.options import SearchOptions, SizeOption, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.fit.selection import Candidate
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.saved_model import SavedModel, refuse_pairs, restore, saved_model
from bayesieve.models import BOOSTERS, BoostedModel, Boosting

__all__ = ["BoostClassifier", "BoostEstimator", "BoostSelector"]

_SHARED = (
    "n_features", "cv", "discretizer", "scoring", "keep", "drop", "one_se", "tol", "max_time", "checkpoint",
    "n_jobs", "backend", "random_state", "verbose",
)  # fmt: skip


class BoostEstimator(ColumnSelectionMixin, SavingMixin, ScorecardMixin, SelectionEstimator):
    """Common ground of the estimators whose columns are added by boosting."""

    _parameter_constraints: ClassVar[Constraints] = {
        "method": [StrOptions(set(BOOSTERS))],
        "replace": ["boolean"],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "pos_label": "no_validation",
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        **{name: SearchEstimator._parameter_constraints[name] for name in _SHARED},
    }

    method: str
    replace: bool
    shrinkage: float
    smoothing: float
    discretizer: str | Transformer | None
    one_se: bool
    tol: float | None

    def decision_function(self, X: TableLike) -> NDArray[np.float64]:
        """Return the log-odds of the second class by the boosted model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_odds : array of shape (n_samples,)
            In nats; for the exponential losses ("confidence", "real"), twice the sum of the steps.
        """
        scores = self._evidence(open_new_rows(self, X)).scores
        return in_nats(scores[1] - scores[0])

    def _saved_model(self) -> SavedModel:
        saved = saved_model(self)
        position = self.selection_.positions
        rounds = [[position[name], alpha] for name, alpha in zip(self.rounds_, self.alphas_.tolist(), strict=True)]
        return replace(saved, summary={**saved.summary, "rounds": rounds})

    def _boosting(self) -> Boosting:
        return Boosting(self.method, float(self.shrinkage), float(self.smoothing), bool(self.replace))

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        require_two_classes(rows.n_classes, "boosting separates one class from the other")
        method_options = SearchOptions(
            read_discretizer(self.discretizer, rows),
            self._boosting(),
            "forward",
            "log_loss",
            method="boosting",
            tol=self.tol,
            one_se=self.one_se,
            learns_on_path=True,
            random_state=self.random_state,
        )
        splitter = read_splitter(rows, self.cv, self.random_state)
        refuse_one_fold(splitter, self.one_se)
        return self._training_options(rows, method_options, splitter)

    def _adopt(self, candidate: Candidate) -> Self:
        super()._adopt(candidate)
        self.rounds_ = tuple(step.column for step in candidate.steps)
        self.alphas_: NDArray[np.float64] = np.array([step.alpha for step in candidate.steps])
        return self

    def __sklearn_tags__(self) -> Tags:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())

    @classmethod
    def _from_file(cls, saved: SavedModel) -> Self:
        """Return the estimator of a model file."""
        refuse_pairs(saved)
        summary = dict(saved.summary)
        card = saved.scorecard
        rounds = Entry(summary.pop("rounds", None), "model.summary.rounds")
        try:
            model = cls(**saved.parameters)
            boosting = model._boosting()
        except (TypeError, ValueError):
            raise ModelFileError(f"The model file has parameters that {cls.__name__} does not have.") from None
        if boosting.method not in BOOSTERS or len(card.classes) != 2:
            raise ModelFileError("The model file has no boosted model of two classes.")
        tables = tuple(replace(each, table=each.table[:, 0]) for each in card.tables)
        boosted = BoostedModel(card.classes, card.start, tables, card.class_mass, laplace=False, boosting=boosting)
        restore(model, replace(saved, scorecard=boosted, summary=summary))
        pairs = [pair.items() for pair in rounds.items()]
        if any(len(pair) != 2 for pair in pairs):
            rounds.refuse("pairs of a position and a number")
        names = model.column_names_
        model.rounds_ = tuple(names[column.whole(0, len(names) - 1)] for column, _ in pairs)
        model.alphas_ = np.array([alpha.number() for _, alpha in pairs])
        return model


@documented
class BoostSelector(BoostEstimator):
    """Select the features of a boosted model, one after the other; for two classes.

    Each step fits a correction of the present model to every feature, adds the feature whose correction improves the
    score most, and changes the rows' weights, or their probabilities, by it. Rows that are predicted well lose weight,
    so that a feature that is redundant with a selected one gains nothing. The boosted model predicts, too; a naive
    Bayes on the selected features would count their common information twice.

    Parameters
    ----------
    method : {"confidence", "real", "logit", "brier"}, default="confidence"
        What a step improves. "confidence" is the boosted selection of paper 000: naive Bayes on one feature as a
        confidence in [-1, 1]. "real" takes half the log-odds of each bin, by which the exponential loss falls most.
        "logit" and "brier" are calibrated: Newton steps of the log-likelihood and of the squared error, which start
        from the class frequencies. With a rare class, "confidence" favors features that predict the frequent class with
        certainty, see ``docs/explanation/boosting.md``.
    replace : bool, default=False
        Whether a selected feature can contribute again: before each addition, as long as its step improves the score
        more than that of any other feature. Otherwise each feature contributes once.
    shrinkage : float, default=1.0
        Learning rate: the factor of each step, in (0, 1].
    smoothing : float, default=1.0
        Regularization: a pseudo-count of rows per bin. "confidence" adds smoothing / N to the frequency of each bin and
        class, "real" smoothing / 2N; the others add it to the second derivative.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or as many as improve the score. On the training rows (``cv=0``) nearly every feature does.
    pos_label : class label or None, default=None
        The positive one of two classes, for reports; None is the second of ``classes_``. The model is the same for
        both, and `decision_function` is that of ``classes_[1]``, as everywhere in scikit-learn.
    cv : int, float, splitter or list of index pairs, default=5
        On which rows steps are scored: the training rows (0), a held-out share (a float), or folds: their number, a
        splitter of scikit-learn, or pairs of training and validation positions. Neither bins nor steps of a fold are
        learned from its validation rows. There is one path; each fold has its own steps. ``X_val`` and ``y_val`` of
        `fit` replace it.
    {discretizer, scoring}
    keep : column names, positions, mask, callable or None, default=None
        Features that are always selected; they enter first.
    {drop, one_se, tol, max_time, checkpoint, n_jobs, backend, random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, weights_, feature_weights_, feature_importances_, support_, n_features_, selection_}
    {scorecard_}
    path_ : SelectionPath
        Every step. The score of a subset is the sum of the gains of its features when they were added, as a mean over
        folds; 0 without features. For "real" it is minus the logarithm of the mean exponential loss, for "confidence"
        that of a bound of this loss, for "logit" the decrease of the mean log loss to second order, and for "brier" the
        decrease of the Brier score (both classes). The losses themselves are in ``cv_results_``.
    alphas_ : float array of shape (n_rounds,)
        The length of each step of the final model, fitted on all rows; ``shrinkage``, except for "confidence".
    rounds_ : tuple of str
        The feature of each step; with ``replace`` a feature can have several.
    {cv_results_, why_, partitions_, n_features_in_, feature_names_in_}

    See Also
    --------
    BoostClassifier : The same as a classifier with a decision threshold.
    NaiveBayesSelector : Each subset is scored by its naive Bayes model.

    References
    ----------
    R. E. Schapire, Y. Singer, Improved boosting algorithms using confidence-rated predictions, Machine Learning 37
    (1999). J. Friedman, T. Hastie, R. Tibshirani, Additive logistic regression, Annals of Statistics 28 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import BoostSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = BoostSelector("logit", n_features=3).fit(X, y)
    >>> selector.path_.order
    ('worst perimeter', 'worst concave points', 'worst texture')
    >>> selector.predict_proba(X).shape
    (569, 2)
    """

    def __init__(
        self,
        method: str = "confidence",
        *,
        replace: bool = False,
        shrinkage: float = 1.0,
        smoothing: float = 1.0,
        n_features: SizeOption = "auto",
        pos_label: Label = None,
        cv: CrossValidator = 5,
        discretizer: str | Transformer | None = "modl",
        scoring: str | list[str] | tuple[str, ...] | None = ("log_loss", "brier"),
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())


BUILDERS["BoostSelector"] = BoostSelector._from_file


@documented
class BoostClassifier(BoostEstimator):
    """Classify by a boosted model of few features; for two classes.

    Each step fits a correction of the present model to every feature and adds the feature whose correction improves the
    score most, so that a feature that is redundant with a selected one gains nothing. The log-odds are a sum of points
    per bin, except with ``method="brier"``.

    Parameters
    ----------
    method : {"confidence", "real", "logit", "brier"}, default="logit"
        What a step improves. "logit" and "brier" are calibrated: Newton steps of the log-likelihood and of the squared
        error, which start from the class frequencies. "real" takes half the log-odds of each bin, by which the
        exponential loss falls most. "confidence" is the boosted selection of paper 000: naive Bayes on one feature as a
        confidence in [-1, 1]; with a rare class it favors features that predict the frequent class with certainty, see
        ``docs/explanation/boosting.md``.
    replace : bool, default=False
        Whether a selected feature can contribute again: before each addition, as long as its step improves the score
        more than that of any other feature. Otherwise each feature contributes once.
    shrinkage : float, default=1.0
        Learning rate: the factor of each step, in (0, 1].
    smoothing : float, default=1.0
        Regularization: a pseudo-count of rows per bin. "confidence" adds smoothing / N to the frequency of each bin and
        class, "real" smoothing / 2N; the others add it to the second derivative.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or as many as improve the score. On the training rows (``cv=0``) nearly every feature does.
    pos_label : class label or None, default=None
        The positive one of two classes, for ``threshold`` and reports; None is the second of ``classes_``. The model is
        the same for both, and `decision_function` is that of ``classes_[1]``, as everywhere in scikit-learn.
    {threshold}
    cv : int, float, splitter or list of index pairs, default=5
        On which rows steps are scored: the training rows (0), a held-out share (a float), or folds: their number, a
        splitter of scikit-learn, or pairs of training and validation positions. Neither bins nor steps of a fold are
        learned from its validation rows. There is one path; each fold has its own steps. ``X_val`` and ``y_val`` of
        `fit` replace it.
    {discretizer, scoring}
    keep : column names, positions, mask, callable or None, default=None
        Features that are always selected; they enter first.
    {drop, one_se, tol, max_time, checkpoint, n_jobs, backend, random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, weights_, feature_weights_, feature_importances_, threshold_, support_, n_features_}
    {selection_, scorecard_}
    path_ : SelectionPath
        Every step. The score of a subset is the sum of the gains of its features when they were added, as a mean over
        folds; 0 without features. For "real" it is minus the logarithm of the mean exponential loss, for "confidence"
        that of a bound of this loss, for "logit" the decrease of the mean log loss to second order, and for "brier" the
        decrease of the Brier score (both classes). The losses themselves are in ``cv_results_``.
    alphas_ : float array of shape (n_rounds,)
        The length of each step of the final model, fitted on all rows; ``shrinkage``, except for "confidence".
    rounds_ : tuple of str
        The feature of each step; with ``replace`` a feature can have several.
    {cv_results_, why_, partitions_, n_features_in_, feature_names_in_}

    See Also
    --------
    BoostSelector : The selection as a transformer; by default, that of paper 000.
    NaiveBayesSelector : Each subset is scored by its naive Bayes model.

    References
    ----------
    R. E. Schapire, Y. Singer, Improved boosting algorithms using confidence-rated predictions, Machine Learning 37
    (1999). J. Friedman, T. Hastie, R. Tibshirani, Additive logistic regression, Annals of Statistics 28 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import BoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BoostClassifier(n_features=3, threshold=("recall", 0.95)).fit(X[::2], y[::2])
    >>> model.path_.order
    ('worst perimeter', 'worst concave points', 'worst texture')
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.93
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **BoostEstimator._parameter_constraints,
        "threshold": [str, tuple, list, Real],
    }

    threshold: ThresholdLike

    def __init__(
        self,
        method: str = "logit",
        *,
        replace: bool = False,
        shrinkage: float = 1.0,
        smoothing: float = 1.0,
        n_features: SizeOption = "auto",
        pos_label: Label = None,
        threshold: ThresholdLike = "bayes",
        cv: CrossValidator = 5,
        discretizer: str | Transformer | None = "modl",
        scoring: str | list[str] | tuple[str, ...] | None = ("log_loss", "brier"),
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        return replace(super()._options(rows), threshold=read_threshold(self.threshold))


BUILDERS["BoostClassifier"] = BoostClassifier._from_file
