# SPDX-License-Identifier: BSD-3-Clause
"""The readable model of a number: few columns, whose points add up to the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.additive.constants import MIN_GAIN, NUMBERS, Tuning
from bayesieve.additive.number_losses import NumberLoss, Squared
from bayesieve.additive.power_loss import Power
from bayesieve.data import Scale, Table, build_frame, own_client, read_table, resolve_columns
from bayesieve.estimators._sklearn import Interval, StrOptions, validated_fit
from bayesieve.estimators._types import Array, ColumnsLike, Constraints, CrossValidator, Frame, RandomState, TableLike
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.number_rows import Kind, read_exposure, read_number_rows
from bayesieve.estimators.options import read_column_rules
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.progress import log_stages
from bayesieve.estimators.rows import CodedTerms, ColumnReader, code_rows, open_new_rows, predict_rows
from bayesieve.estimators.saving import SavingMixin
from bayesieve.estimators.scorecard_training import ScorecardTraining
from bayesieve.exact import in_nats
from bayesieve.exceptions import DataError, ModelFileError, ParameterError
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
_POWERS: Final[dict[str, float | None]] = {
    "squared": 0.0, "squared_error": 0.0, "poisson": 1.0, "gamma": 2.0, "tweedie": None,
}  # fmt: skip
"""By which the variance grows with the mean; None where it is given."""


@documented
class ScorecardRegressor(SavingMixin, RegressorMixin, ColumnSelectionMixin, ScorecardTraining):
    """A scorecard of a number with few features: points, in the unit of the target, that add up to the prediction.

    The prediction of a row is where every row starts, plus the points of one bin of each selected feature, plus the
    points of one cell of each selected pair of features; with a log link, factors that are multiplied. Points of all
    features are learned together, as those of a `ScorecardClassifier` are: under priors that make neighboring bins
    similar, in five models that are combined by weights that are fitted to out-of-fold predictions. Nothing depends on
    the unit of the target. The table must fit in memory.

    A missing value is a value of its own, unless ``missing`` is "neutral". A value that training did not have, or a
    missing one where training had none, is *unseen* and adds nothing.

    Parameters
    ----------
    n_features : int, float, tuple, "auto" or "best", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound); "auto", the
        smallest number that is expected to keep ``min_gain`` of what the best number gains on the mean, by out-of-fold
        predictions; or "best", the most accurate: all features with a visible effect.
    loss : {"squared", "poisson", "gamma", "tweedie"}, default="squared"
        How the variance grows with the mean: not; as the mean, for counts; as its square, for amounts above 0; or as
        its ``power``, for amounts of which many are 0. "squared_error" is "squared".
    power : float, default=1.5
        That of ``loss="tweedie"``, above 1 and below 2.
    link : {"auto", "identity", "log"}, default="auto"
        Whether points add up to the mean ("identity") or to its logarithm ("log"), which makes factors of them. "auto"
        is the logarithm, but of squared errors the one with the smaller out-of-fold error, if all numbers are above 0.
    exposure : str, int or None, default=None
        A column with the exposure of each row, such as the years of a policy, which is not a feature: the mean
        is proportional to it. With a log link only; the target is the total, not the rate.
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
        Neighboring bins with similar points are merged until the mean squared error of the model is expected to have
        risen by twice this share.
    {keep, drop, feature_groups, max_time, checkpoint, n_jobs}
    backend : {"auto", "native", "reference"}, default="auto"
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
    link_ : {"identity", "log"}
        Whether points add up to the mean, or to its logarithm.
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
        "loss": [StrOptions({*_POWERS})],
        "power": [Interval(Real, 1, 2, closed="neither")],
        "link": [StrOptions({"auto", "identity", "log"})],
        "exposure": [None, str, Integral],
        "backend": [StrOptions({"auto", "native", "reference"})],
    }

    scoring = None
    _pair_loss = "log-likelihood"

    def __init__(
        self,
        n_features: SizeOption = "auto",
        *,
        loss: str = "squared",
        power: float = 1.5,
        link: str = "auto",
        exposure: str | int | None = None,
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
        exposure: ArrayLike | None = None,
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
        exposure : array of shape (n_samples,), default=None
            The exposure of each row, unless a column has it.

        Returns
        -------
        self : ScorecardRegressor
            The fitted estimator.
        """
        with log_stages(self), own_client():
            with stage("reading"):
                kind = Kind(self.loss, self._power)
                of_rows = self._exposure_of(read_table(X), exposure)
                if of_rows is not None and kind.power is None:
                    raise ParameterError("exposure needs a log link: set link='log', or a loss of counts or amounts.")
                rows, self._mean_exposure = read_number_rows(self, X, y, sample_weight, kind, of_rows)
            return self._fit_rows(rows, y, groups)

    def predict(self, X: TableLike, *, exposure: ArrayLike | None = None) -> Array:
        """Return the expected number of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose predictions are a lazy Dask array; or a `ParquetFrame`.
        exposure : array of shape (n_samples,), default=None
            The exposure of each row, of a model that was fitted with exposures; by default that of the column, or 1.

        Returns
        -------
        y : array of shape (n_samples,)
            The predictions, in the unit of the target.
        """
        return predict_rows(self, partial(self._predict, exposure), X, lambda: np.empty(0))

    def score(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the deviance that is explained; of squared errors, of the variance.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their numbers.
        sample_weight : array of shape (n_samples,), default=None
            Their weights.

        Returns
        -------
        score : float
            1 for perfect predictions, 0 for those of the mean.
        """
        from sklearn.metrics import d2_tweedie_score, r2_score

        predicted, weights = np.asarray(self.predict(X)), None if sample_weight is None else np.asarray(sample_weight)
        power = _POWERS[self.loss]
        if power == 0.0:
            return float(r2_score(np.asarray(y), predicted, sample_weight=weights))
        power = self.power if power is None else power
        return float(d2_tweedie_score(np.asarray(y), predicted, sample_weight=weights, power=power))

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

    def predict_interval(self, X: TableLike, level: float = 0.9, *, exposure: ArrayLike | None = None) -> Array:
        """Return intervals of the mean: how sure the model is of what `predict` returns.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; or a Dask collection, whose intervals are a lazy Dask array; or a `ParquetFrame`.
        level : float, default=0.9
            The posterior probability that the mean of such rows is inside, above 0 and below 1.
        exposure : array of shape (n_samples,), default=None
            The exposure of each row, see `predict`.

        Returns
        -------
        intervals : array of shape (n_samples, 2)
            Lower and upper ends. They are intervals of the mean of rows with these values, not of a single new row,
            which differs from the mean by more.
        """
        if not (isinstance(level, Real) and 0.0 < level < 1.0):
            raise ParameterError(f"level must be a number above 0 and below 1, got {level!r:.60}.")
        return predict_rows(self, partial(self._predict_interval, float(level), exposure), X, lambda: np.empty((0, 2)))

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
    def link_(self) -> str:
        """Whether points add up to the mean, "identity", or to its logarithm, "log"."""
        check_is_fitted(self)
        return "log" if self._card.scale.is_log else "identity"

    @property
    def _card(self) -> NumberScorecard:
        return _of_number(self.scorecard_)

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        options = self._scorecard_training(rows)
        if self.exposure is None:
            return options
        own = frozenset(resolve_columns(self.exposure, rows.names, "exposure"))
        return replace(options, columns=replace(options.columns, drop=options.columns.drop | own))

    def _most_folds(self, rows: TrainingRows) -> tuple[int, str]:
        return int(rows.class_sizes.sum()), "the table"

    def _tuning(self, rows: TrainingRows) -> Tuning:
        return NUMBERS

    def _column_rules(self, rows: TrainingRows, settings: Mapping[int, Column]) -> dict[int, ColumnRule]:
        for_all = isinstance(self.columns, Column)
        return read_column_rules(settings, self.missing, rows.head, ("lower", "higher"), for_all, 1)

    def _guide(self) -> Guide:
        return Guide("root mean squared error" if _POWERS[self.loss] == 0.0 else "mean deviance", is_loss=True)

    @property
    def _power(self) -> float | None:
        """By which the variance grows with the mean, if the mean may be an exponential."""
        power = _POWERS[self.loss]
        if power == 0.0:
            return 0.0 if self.link == "log" else None
        if self.link == "identity":
            raise ParameterError(f"link='identity' is for squared errors; loss={self.loss!r} has link='log'.")
        return self.power if power is None else power

    def _number_losses(self, rows: TrainingRows) -> tuple[NumberLoss, ...]:
        power = self._power
        if power is not None:
            return (Power(power, mean_exposure=self._mean_exposure),)
        numbers = getattr(rows, "numbers", None)
        is_open = self.link == "auto" and numbers is not None and bool((numbers > 0.0).all())
        return (Squared(), Power(0.0)) if is_open else (Squared(),)

    def _exposure_of(self, table: Table, exposure: ArrayLike | None) -> Floats | None:
        """Return the exposure of each row, from an array or from its column; None if there is none."""
        if self.exposure is None:
            return None if exposure is None else read_exposure(exposure, table.n_rows)
        if exposure is not None:
            raise ParameterError(f"The exposure is the column {self.exposure!r}; no array is needed.")
        (place,) = resolve_columns(self.exposure, table.names, "exposure")
        column = table.column(place)
        if not column.ordered or (column.scale is not Scale.numeric and len(column.labels)):
            raise DataError(f"exposure={self.exposure!r} is a column of other things; exposures must be numbers.")
        return read_exposure(np.append(np.asarray(column.labels, dtype=np.float64), np.nan)[column.ids], table.n_rows)

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

    def _predict(self, exposure: ArrayLike | None, table: Table) -> Floats:
        return self._exposed(_predicted(self._card, table.n_rows, self._coded(table)), table, exposure)

    def _predict_interval(self, level: float, exposure: ArrayLike | None, table: Table) -> Floats:
        ends = _mean_interval(self._card, table.n_rows, self._coded(table), level)
        return self._exposed(ends.T, table, exposure).T

    def _exposed(self, predictions: Floats, table: Table, exposure: ArrayLike | None) -> Floats:
        """Return predictions for the exposure of each row."""
        if exposure is not None and not self._card.scale.is_log:
            raise ParameterError("exposure needs a model with a log link; this one adds points up.")
        of_rows = self._exposure_of(table, exposure)
        return predictions if of_rows is None else predictions * of_rows


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
