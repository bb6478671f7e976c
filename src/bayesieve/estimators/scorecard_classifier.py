# SPDX-License-Identifier: BSD-3-Clause
"""The flagship: an interpretable classifier with few columns, whose tables are fitted together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from numbers import Real
from os import PathLike
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.additive.constants import MIN_GAIN, Tuning
from bayesieve.additive.loss import loss_of_classes
from bayesieve.data import Table
from bayesieve.decisions import read_threshold
from bayesieve.estimators._sklearn import require_two_classes, validated_fit
from bayesieve.estimators._types import (
    Array,
    ColumnsLike,
    Constraints,
    CrossValidator,
    Label,
    RandomState,
    TableLike,
    TargetLike,
    ThresholdLike,
)
from bayesieve.estimators.editing import EDITED_STATE, EditingMixin
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options import (
    positive_number,
    read_column_rules,
    read_prior_shift,
)
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.rows import predict_rows
from bayesieve.estimators.saving import SavingMixin
from bayesieve.estimators.scorecard_mixin import ScorecardMixin
from bayesieve.estimators.scorecard_training import ScorecardTraining
from bayesieve.estimators.search_estimator import SelectionEstimator
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.fit.column_settings import Column, ColumnRule, ColumnsSetting
from bayesieve.fit.edits import Edits
from bayesieve.fit.options import SizeOption, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.saved_model import SavedModel, restore
from bayesieve.models.intervals import probability_intervals, score_variances

__all__ = ["ScorecardClassifier"]


@documented
class ScorecardClassifier(SavingMixin, EditingMixin, ColumnSelectionMixin, ScorecardMixin, ScorecardTraining):
    """A scorecard with few features: points that add up to the log-odds of a class.

    On published two-class data sets, its log loss is on average level with that of boosted trees with default
    parameters; trees are better where many interactions matter.

    The log-odds of a row are an intercept, plus the points of one bin of each selected feature, plus the points of one
    cell of each selected pair of features. Points of all features are learned together under priors that make
    neighboring bins similar; four such models are combined by weights that are fitted to out-of-fold predictions.
    Probabilities need no calibration afterwards. With more than two classes, each bin has points for each class, and
    probabilities are the softmax of the sums; features, pairs and bins are common to the classes.

    A missing value is a value of its own, unless ``missing`` is "neutral". A value that training did not have, or a
    missing one where training had none, is *unseen* and contributes nothing to the scores.

    Parameters
    ----------
    n_features : int, float, tuple, "auto" or "best", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound); "auto", the
        smallest number that is expected to keep ``min_gain`` of the improvement over class frequencies that all
        features give, by out-of-fold log losses; or "best", the most accurate: all features with a visible effect.
    n_pairs : int, list of pairs of columns, or "auto", default="auto"
        How many pairs of features have a table of their own at most; those that are given, whose features are then
        selected as if they were in ``keep``; or as many as have evidence, at most 50 (with two classes one per 50
        rows, if that is more, and at most 200). 0 for none.
    min_gain : float, default=0.99
        See ``n_features``. With C > 2 classes, the share that may be lost is divided by C - 1: by default 1 % with two
        classes, 0.5 % with three, and 0.1 % with eleven.
    cv : "auto", int, splitter or list of index pairs, default="auto"
        Folds in which sizes are compared and models are combined: their number, a splitter of scikit-learn, or pairs of
        training and validation positions; each row is held out once. "auto" is 5, or 3 above 5,000 rows (2,000 with
        more than two classes). Folds that are drawn here depend on the values of the rows, not on their order.
    columns : mapping of columns to Column, Column or None, default=None
        What is required of single features, such as ``{"age": Column(monotone="increasing")}``, see `Column`; a mapping
        of its fields serves, too. One `Column` is for all features, and its ``monotone`` for the numeric ones.
    missing : {"learn", "neutral"}, default="learn"
        Whether missing values have points of their own, or add what the average row has, which is 0 points; for
        features whose `Column` has no ``missing``.
    merge_cost : float, default=0.0005
        Neighboring bins with similar points are merged until the expected log loss has risen by this much per row.
    {threshold, pos_label}
    class_prior : mapping, array of shape (n_classes,) or None, default=None
        The class probabilities of the population where the model is used, if they are not those of the training rows.
    {scoring, keep, drop, feature_groups, max_time, checkpoint, n_jobs, backend}
    random_state : int, RandomState or None, default=None
        Shuffles the folds of a number ``cv``; None draws them by the values of the rows.
    {verbose}

    Attributes
    ----------
    {classes_, pos_label_, feature_importances_, threshold_, support_, n_features_}
    pairs_ : list of tuples of two str
        The pairs of features that have a table of their own.
    {selection_, scorecard_, path_, cv_results_, why_}
    partitions_ : dict of str to Partition
        The bins of each selected feature: those of the model.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    SelectiveNaiveBayes : The classifiers of the papers.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import ScorecardClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = ScorecardClassifier(n_features=5).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ScorecardTraining._parameter_constraints,
        "scoring": SelectionEstimator._parameter_constraints["scoring"],
        "threshold": [str, tuple, list, Real],
        "pos_label": "no_validation",
        "class_prior": [None, Mapping, "array-like"],
    }

    threshold: ThresholdLike
    class_prior: Mapping[Label, float] | ArrayLike | None

    def __init__(
        self,
        n_features: SizeOption = "auto",
        *,
        n_pairs: int | str | Sequence[tuple[ColumnsLike, ColumnsLike]] = "auto",
        min_gain: float = MIN_GAIN,
        cv: CrossValidator = "auto",
        columns: ColumnsSetting = None,
        missing: str = "learn",
        merge_cost: float = 0.0005,
        threshold: ThresholdLike = "bayes",
        pos_label: Label = None,
        class_prior: Mapping[Label, float] | ArrayLike | None = None,
        scoring: str | list[str] | tuple[str, ...] | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    @validated_fit
    def fit(
        self,
        X: TableLike,
        y: TargetLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        benefits: ArrayLike | None = None,
        X_val: TableLike | None = None,
        y_val: ArrayLike | None = None,
        edits: Edits | None = None,
    ) -> Self:
        """Select columns, learn their tables, and replay edits.

        Parameters
        ----------
        X : data frame, array, sparse matrix, Dask collection or ParquetFrame of shape (n_samples, n_features)
            Numbers are ordered; booleans, strings and categories are not; missing values are a value of their own.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row, all in one fold.
        groups : array of shape (n_samples,), default=None
            Rows of one group stay in one fold; with fewer groups than folds there are as many folds as groups.
        benefits, X_val, y_val : None
            For searches; refused.
        edits : Edits or None, default=None
            What an expert has changed, as ``edited`` with a refit does after a fit without edits: rows, parameters and
            edits give the same model again, to the last bit. On other rows, an edit of a bin or a column that the
            model of these rows does not have is refused.

        Returns
        -------
        self : ScorecardClassifier
            The fitted estimator.
        """
        for name in EDITED_STATE:
            self.__dict__.pop(name, None)
        super().fit(X, y, sample_weight, groups=groups, benefits=benefits, X_val=X_val, y_val=y_val)
        if edits is not None:
            self.__dict__.update(copy(self).edited(edits, X, y, sample_weight, groups=groups).__dict__)
        return self

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        if rows.n_classes < 2:
            require_two_classes(rows.n_classes, "a ScorecardClassifier separates classes from each other")
        return replace(
            self._scorecard_training(rows),
            threshold=read_threshold(self.threshold),
            prior_shift=read_prior_shift(self.class_prior, rows),
        )

    def _most_folds(self, rows: TrainingRows) -> tuple[int, str]:
        smallest = int(rows.class_sizes.min())
        if rows.n_classes > 2:  # of many classes one may be rare; rows of others are held out with it
            return rows.n_rows, "the table"
        if smallest < 2:
            raise ParameterError("Each class must have two rows at least, so that one can be held out.")
        return smallest, "the smallest class"

    def _tuning(self, rows: TrainingRows) -> Tuning:
        return loss_of_classes(rows.n_classes).tuning

    def _column_rules(self, rows: TrainingRows, settings: Mapping[int, Column]) -> dict[int, ColumnRule]:
        for_all = isinstance(self.columns, Column)
        rising = positive_number(self.pos_label, rows) if rows.n_classes == 2 else 0
        return read_column_rules(settings, self.missing, rows.head, rows.classes.tolist(), for_all, rising)

    def predict_interval(self, X: TableLike, level: float = 0.9) -> Array:
        """Return intervals of class probabilities: how sure the model is of what `predict_proba` returns.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose intervals are a lazy Dask array; or a `ParquetFrame`.
        level : float, default=0.9
            The posterior probability that the class probability is inside, above 0 and below 1.

        Returns
        -------
        intervals : array of shape (n_samples, 2), or (n_samples, n_classes, 2) for more than two classes
            The lower and the upper end, for the positive class, or for each of ``classes_``. They are credible
            intervals of the probability of a class among all rows with the values of this row in the selected columns,
            not of the class of this row. They hold if points are as smooth as the priors have it and no interaction is
            missing; another population is not in them.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from bayesieve import ScorecardClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = ScorecardClassifier(n_features=5).fit(X[::2], y[::2])
        >>> model.predict_proba(X[1:6:2])[:, 1].round(2)
        array([0.  , 0.1 , 0.32])
        >>> model.predict_interval(X[1:6:2]).round(2)
        array([[0.  , 0.04],
               [0.01, 0.58],
               [0.07, 0.73]])
        """
        if not (isinstance(level, Real) and 0.0 < level < 1.0):
            raise ParameterError(f"level must be a number above 0 and below 1, got {level!r:.60}.")
        return predict_rows(self, partial(self._predict_interval, float(level)), X, self._no_intervals)

    def _no_intervals(self) -> Array:
        return np.empty((0, 2) if len(self.classes_) == 2 else (0, len(self.classes_), 2))

    def _predict_interval(self, level: float, table: Table) -> NDArray[np.float64]:
        card, coded = self.scorecard_, self._coded(table)
        evidence = card.evidence(table.n_rows, coded.codes, coded.pair_codes)
        variances = score_variances(card, table.n_rows, coded.codes, coded.pair_codes)
        ends = probability_intervals(card, evidence, variances, level)
        own = ends[self.positive_index_] if len(ends) == 2 else ends.swapaxes(0, 1)
        return np.ascontiguousarray(own)


def _build(saved: SavedModel) -> ScorecardClassifier:
    """Return the classifier of a model file."""
    try:
        model = ScorecardClassifier(**saved.parameters)
    except TypeError:
        raise ModelFileError("The model file has parameters that ScorecardClassifier does not have.") from None
    restored, edits = restore(model, saved), saved.edits
    if edits is not None:
        original = edits.original
        same = original.estimator == saved.estimator and original.columns == saved.columns
        if not (same and original.scorecard.classes.tolist() == saved.scorecard.classes.tolist()):
            raise ModelFileError("model.edits.original must be a model of the same kind, columns and classes.")
        restored._adopt_edited(edits.changes, _build(edits.original), refit=edits.refit)
    return restored


BUILDERS["ScorecardClassifier"] = _build
