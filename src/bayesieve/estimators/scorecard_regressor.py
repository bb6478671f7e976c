# SPDX-License-Identifier: BSD-3-Clause
"""The readable model of a number: few columns, whose points add up to the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from os import PathLike
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.additive.constants import MIN_GAIN, NUMBERS, Tuning
from bayesieve.data import Table, build_frame, own_client
from bayesieve.estimators._sklearn import StrOptions, validated_fit
from bayesieve.estimators._types import Array, ColumnsLike, Constraints, CrossValidator, Frame, RandomState, TableLike
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.number_rows import read_number_rows
from bayesieve.estimators.options import read_column_rules
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.progress import log_stages
from bayesieve.estimators.rows import CodedTerms, ColumnReader, code_rows, open_new_rows, predict_rows
from bayesieve.estimators.saving import SavingMixin
from bayesieve.estimators.scorecard_training import ScorecardTraining
from bayesieve.exact import in_nats
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.explain.number_explanation import NumberExplanations, explain_numbers, number_columns
from bayesieve.fit.column_settings import Column, ColumnRule, ColumnsSetting
from bayesieve.fit.options import SizeOption, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.fit.selection import Candidate
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.saved_model import SavedModel, restore
from bayesieve.models import Scorecard, importances
from bayesieve.models.intervals import score_variances
from bayesieve.models.number_scorecard import NumberScorecard
from bayesieve.search import Guide, stage

__all__ = ["ScorecardRegressor"]

_SHOWN_LEVEL = 0.9  # of the intervals of explanations


@documented
class ScorecardRegressor(SavingMixin, RegressorMixin, ColumnSelectionMixin, ScorecardTraining):
    """A scorecard of a number with few features: points, in the unit of the target, that add up to the prediction.

    The prediction of a row is where every row starts, plus the points of one bin of each selected feature, plus the
    points of one cell of each selected pair of features. It minimizes the squared error. Points of all features are
    learned together, as those of a `ScorecardClassifier` are: under priors that make neighboring bins similar, in five
    models that are combined by weights that are fitted to out-of-fold predictions. Nothing depends on the unit of the
    target. The table must fit in memory.

    A missing value is a value of its own, unless ``missing`` is "neutral". A value that training did not have, or a
    missing one where training had none, is *unseen* and adds nothing.

    Parameters
    ----------
    n_features : int, float, tuple, "auto" or "best", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound); "auto", the
        smallest number that is expected to keep ``min_gain`` of what the best number gains on the mean, by out-of-fold
        predictions; or "best", the most accurate: all features with a visible effect.
    n_pairs : int, list of pairs of columns, or "auto", default="auto"
        How many pairs of features have a table of their own at most; those that are given, whose features are then
        selected as if they were in ``keep``; or as many as have evidence. 0 for none.
    min_gain : float, default=0.99
        See ``n_features``. The gain is that of the logarithm of the mean squared error: where features explain nearly
        everything, what is left grows by few percent.
    cv : "auto", int, splitter or list of index pairs, default="auto"
        Folds in which sizes are compared and models are combined: their number, a splitter of scikit-learn, or pairs of
        training and validation positions; each row is held out once. "auto" is 5, or 3 above 5,000 rows. Folds that are
        drawn here depend on the values of the rows, not on their order.
    columns : mapping of columns to Column, Column or None, default=None
        What is required of single features, such as ``{"age": Column(monotone="increasing")}``, see `Column`; a mapping
        of its fields serves, too. One `Column` is for all features, and its ``monotone`` for the numeric ones.
    missing : {"learn", "neutral"}, default="learn"
        Whether missing values have points of their own, or add what the average row has, which is 0 points; for
        features whose `Column` has no ``missing``.
    merge_cost : float, default=0.0005
        Neighboring bins with similar points are merged until the expected mean squared error has risen by twice this
        share of what is left.
    {keep, drop, feature_groups, max_time, checkpoint, n_jobs}
    backend : {{"auto", "native", "reference"}}, default="auto"
        The compiled core where possible ("auto"), always ("native"), or plain NumPy ("reference"). The result does not
        depend on it.
    random_state : int, RandomState or None, default=None
        Shuffles the folds of a number ``cv``; None draws them by the values of the rows.
    {verbose}

    Attributes
    ----------
    {feature_importances_, support_, n_features_}
    pairs_ : list of tuples of two str
        The pairs of features that have a table of their own.
    {selection_}
    scorecard_ : NumberScorecard
        The fitted model: tables with their bins and counts, and in ``pairs`` those of pairs of features; ``scale`` has
        their unit.
    {path_, cv_results_, why_}
    partitions_ : dict of str to Partition
        The bins of each selected feature: those of the model.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ScorecardClassifier : The same for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from bayesieve import ScorecardRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = ScorecardRegressor().fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.35)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ScorecardTraining._parameter_constraints,
        "backend": [StrOptions({"auto", "native", "reference"})],
    }

    scoring = None
    _pair_loss = "log-likelihood"

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
    def fit(  # type: ignore[override]
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Select columns, and learn their tables.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Numbers are ordered; booleans, strings and categories are not; missing values are a value of their own.
        y : array of shape (n_samples,)
            The numbers to predict.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row, all in one fold.
        groups : array of shape (n_samples,), default=None
            Rows of one group stay in one fold; with fewer groups than folds there are as many folds as groups.

        Returns
        -------
        self : ScorecardRegressor
            The fitted estimator.
        """
        with log_stages(self), own_client():
            with stage("reading"):
                rows = read_number_rows(self, X, y, sample_weight)
            return self._fit_rows(rows, y, groups)

    def predict(self, X: TableLike) -> Array:
        """Return the expected number of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose predictions are a lazy Dask array; or a `ParquetFrame`.

        Returns
        -------
        y : array of shape (n_samples,)
            The predictions, in the unit of the target.
        """
        return predict_rows(self, self._predict, X, lambda: np.empty(0))

    def staged_predict(self, X: TableLike) -> Iterator[tuple[int, Floats]]:
        """Yield predictions for each number of columns that ``select`` accepts.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; each column is read once.

        Yields
        ------
        size : int
            Number of columns, increasing.
        y : array of shape (n_samples,)
            The same as ``select(size).predict(X)``.
        """
        table = open_new_rows(self, X)
        selection = self.selection_
        reader = ColumnReader(table, selection.positions)
        for k in selection.by_size:
            card = _of_number(selection.scorecard_of_size(k))
            coded = reader.code_rows(card.tables, card.pairs)
            yield len(card.tables), _predicted(card, table.n_rows, coded)
        reader.warn_of_unseen()

    def predict_interval(self, X: TableLike, level: float = 0.9) -> Array:
        """Return intervals of the mean: how sure the model is of what `predict` returns.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose intervals are a lazy Dask array; or a `ParquetFrame`.
        level : float, default=0.9
            The posterior probability that the mean of such rows is inside, above 0 and below 1.

        Returns
        -------
        intervals : array of shape (n_samples, 2)
            Lower and upper ends. They are intervals of the mean of rows with these values, not of a single new row,
            which differs from the mean by more.
        """
        if not (isinstance(level, Real) and 0.0 < level < 1.0):
            raise ParameterError(f"level must be a number above 0 and below 1, got {level!r:.60}.")
        return predict_rows(self, partial(self._predict_interval, float(level)), X, lambda: np.empty((0, 2)))

    def explain(self, X: TableLike) -> NumberExplanations:
        """Return what each selected column and each pair of columns adds to the prediction of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        explanations : NumberExplanations
            A `NumberExplanation` per row: the prediction, where every row starts, and each column's value, bin and
            points, the largest first, with their standard error. A pair of columns is a term of its own, "A × B". The
            ``interval`` is the 90 % credible interval of the mean.
        """
        table = open_new_rows(self, X)
        coded, card = self._coded(table), self._card
        predictions = _predicted(card, table.n_rows, coded)
        return explain_numbers(
            card, predictions, _mean_interval(card, table.n_rows, coded, _SHOWN_LEVEL), coded.tables, coded.pairs
        )

    def scorecard(self) -> Frame:
        """Return the model as a table: one row per bin and per cell of a pair, with the points that it adds.

        Returns
        -------
        scorecard : data frame
            In the library of the training table. The first row, of no column, is where every prediction starts. Points
            are in the unit of the target, and have a posterior standard error each. A value that did not occur in
            training adds nothing.
        """
        check_is_fitted(self)
        return build_frame(number_columns(self._card), self.selection_.path.backend)

    @property
    def _card(self) -> NumberScorecard:
        return _of_number(self.scorecard_)

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        return self._scorecard_training(rows)

    def _most_folds(self, rows: TrainingRows) -> tuple[int, str]:
        return int(rows.class_sizes.sum()), "the table"

    def _tuning(self, rows: TrainingRows) -> Tuning:
        return NUMBERS

    def _column_rules(self, rows: TrainingRows, settings: Mapping[int, Column]) -> dict[int, ColumnRule]:
        for_all = isinstance(self.columns, Column)
        return read_column_rules(settings, self.missing, rows.head, ("lower", "higher"), for_all, 1)

    def _guide(self) -> Guide:
        return Guide("root mean squared error", is_loss=True)

    def _keep_classes(self, rows: TrainingRows) -> None:
        """Keep no class labels: there are none."""

    def _adopt(self, candidate: Candidate) -> Self:
        super()._adopt(candidate)
        self.feature_importances_: NDArray[np.float64] = importances(
            self.scorecard_.tables, self.selection_.positions, self.scorecard_.pairs
        )
        return self

    def _coded(self, table: Table) -> CodedTerms:
        """Read and code the selected columns of new rows."""
        return code_rows(table, self.scorecard_.tables, self.scorecard_.pairs, self.selection_.positions)

    def _predict(self, table: Table) -> Floats:
        return _predicted(self._card, table.n_rows, self._coded(table))

    def _predict_interval(self, level: float, table: Table) -> Floats:
        return _mean_interval(self._card, table.n_rows, self._coded(table), level)


def _of_number(card: Scorecard) -> NumberScorecard:
    assert isinstance(card, NumberScorecard)
    return card


def _predicted(card: NumberScorecard, n_rows: int, coded: CodedTerms) -> Floats:
    return card.numbers(card.evidence(n_rows, coded.codes, coded.pair_codes))


def _mean_interval(card: NumberScorecard, n_rows: int, coded: CodedTerms, level: float) -> Floats:
    """Return the credible interval of the mean of each row, shape (n_rows, 2)."""
    from scipy.special import ndtri

    scores = in_nats(card.evidence(n_rows, coded.codes, coded.pair_codes).scores[0])
    half = float(ndtri(0.5 + level / 2.0)) * score_variances(card, n_rows, coded.codes, coded.pair_codes)[0] ** 0.5
    return np.column_stack([card.scale.numbers(scores - half), card.scale.numbers(scores + half)])


def _build(saved: SavedModel) -> ScorecardRegressor:
    """Return the regressor of a model file."""
    if not isinstance(saved.scorecard, NumberScorecard):
        raise ModelFileError("The model file holds a ScorecardRegressor, but no model of a number.")
    try:
        model = ScorecardRegressor(**saved.parameters)
    except TypeError:
        raise ModelFileError("The model file has parameters that ScorecardRegressor does not have.") from None
    return restore(model, saved)


BUILDERS["ScorecardRegressor"] = _build
