# SPDX-License-Identifier: BSD-3-Clause
"""What selecting estimators do in ``fit``: read rows, prepare a task, solve it, adopt the best candidate."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from os import PathLike
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bayesieve.bins import CODING_RULES, Partition
from bayesieve.data import own_client
from bayesieve.estimators._sklearn import (
    CallbackSupportMixin,
    DocumentationMixin,
    HasMethods,
    Interval,
    Options,
    StrOptions,
    validated_fit,
)
from bayesieve.estimators._types import (
    Array,
    ColumnsLike,
    Constraints,
    CrossValidator,
    RandomState,
    TableLike,
    TargetLike,
    Transformer,
)
from bayesieve.estimators.fitted_mixins import PositiveClassMixin
from bayesieve.estimators.options import (
    in_scorer_terms,
    metric_names,
    positive_number,
    read_column_options,
    read_threads,
    refuse_idle_groups,
    refuse_one_fold,
)
from bayesieve.estimators.progress import log_stages, progress
from bayesieve.estimators.rows import read_benefit_rows, read_training_rows, refuse_idle_benefits
from bayesieve.explain.selection_reasons import (
    Reason,
    Reasons,
    explain_selection,
    name_equal_floats,
    warn_of_kept,
    warn_of_size,
)
from bayesieve.fit.equal_rows import warn_of_copies
from bayesieve.fit.options import ScorecardOptions, SearchOptions, SizeOption, Splitter, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.fit.selection import Candidate, Selection
from bayesieve.fit.solve import prepare, solve
from bayesieve.models import Scorecard
from bayesieve.search import SEARCHES, Guide, SelectionPath, before_result, stage
from bayesieve.search.criteria import ALL_CRITERIA, SCORER_NAMES
from bayesieve.search.engine import BACKENDS

__all__ = ["NaiveBayesEstimator", "SearchEstimator", "SelectionEstimator"]

_COLUMNS = [None, str, Integral, "array-like", callable]


class SelectionEstimator(PositiveClassMixin, CallbackSupportMixin, DocumentationMixin, BaseEstimator):
    """Common ground of the estimators that select columns by training; a subclass gives what is trained.

    After ``fit`` there are ``selection_``, the `Selection` that training came to, and ``scorecard_``, the `Scorecard`
    of the selected candidate; other fitted attributes are read from these.
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "n_features": [
            StrOptions({"auto", "all"}),
            Interval(Integral, 0, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            tuple,
        ],
        "cv": [
            Options(Integral, {0}),
            Interval(Integral, 2, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            HasMethods("split"),
            list,
            tuple,
        ],
        "scoring": [None, str, list, tuple],
        "keep": _COLUMNS,
        "drop": _COLUMNS,
        "max_time": [None, Interval(Real, 0, None, closed="left")],
        "checkpoint": [None, str, HasMethods("__fspath__")],
        "n_jobs": [None, Integral],
        "backend": [StrOptions(set(BACKENDS))],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    # Parameters, of which each estimator has defaults of its own.
    n_features: SizeOption
    cv: CrossValidator
    scoring: str | list[str] | tuple[str, ...] | None
    keep: ColumnsLike
    drop: ColumnsLike
    max_time: float | None
    checkpoint: str | PathLike[str] | None
    n_jobs: int | None
    backend: str
    random_state: RandomState
    verbose: int

    selection_: Selection
    scorecard_: Scorecard
    column_names_: list[str]

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
    ) -> Self:
        """Select columns, and learn their tables.

        Parameters
        ----------
        X : data frame, array, sparse matrix, Dask collection or ParquetFrame of shape (n_samples, n_features)
            Numbers are ordered; booleans, strings and categories are not; missing values are a value of their own.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row, all in one fold.
        groups : array of shape (n_samples,), default=None
            Rows of one group stay in one fold; with fewer groups than folds there are as many folds as groups. Refused
            where there are no folds to draw.
        benefits : array of shape (n_samples, n_actions, n_classes), default=None
            Benefit of each action in each row if each class is true, for ``criterion="benefit"``.
        X_val : data frame, array or sparse matrix of shape (n_validation_samples, n_features), default=None
            Rows on which subsets are scored, instead of those of ``cv``.
        y_val : array of shape (n_validation_samples,), default=None
            Their class labels.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        self._refuse_benefits(benefits)
        with log_stages(self), own_client():
            with stage("reading"):
                rows = read_training_rows(self, X, y, sample_weight, X_val, y_val)
            return self._fit_rows(self._with_benefits(rows, benefits), y, groups)

    def _fit_rows(self, rows: TrainingRows, y: TargetLike, groups: ArrayLike | None) -> Self:
        options = self._options(rows)
        refuse_idle_groups(options.splitter, groups)
        if groups is None and options.splitter is not None and options.splitter.draws:
            rows = rows.with_equal(options.columns.drop)
            warn_of_copies(rows.equal)
        with before_result(), stage("bins"):
            task = prepare(rows, options, groups)
        with progress(self, task.n_steps, rows.example, y) as observers, stage("search"):
            selection = solve(task, observers)
        with stage("reasons"):
            reasons = name_equal_floats(rows.example, explain_selection(task, selection))
        results = in_scorer_terms(selection.cv_results, self.scoring, rows.n_classes)
        self.selection_ = replace(selection, reasons=reasons, gains=None, exclusions={}, cv_results=results)
        self._keep_classes(rows)
        self.column_names_ = rows.names
        self._adopt(self.selection_.best)
        warn_of_size(task, self.selection_)
        predicts = isinstance(self, ClassifierMixin | RegressorMixin)
        if predicts and self.selection_.fitted is not None and self.path_.complete:
            card = self.selection_.fitted.scorecard(self.selection_.best)
            warn_of_kept(card, [rows.names[j] for j in sorted(options.columns.locked)])
        return self

    def select(self, k: int) -> Self:
        """Return a fitted copy with the best subset of k columns that the search visited.

        Parameters
        ----------
        k : int
            Number of columns; a size that was never visited raises an error that lists those that were.

        Returns
        -------
        selected : estimator
            The earliest subset on ties. ``why_`` is still that of the selection that ``fit`` made.
        """
        check_is_fitted(self)
        return copy(self)._adopt(self.selection_.of_size(k))

    @property
    def path_(self) -> SelectionPath:
        """Every step of the search."""
        return self.selection_.path

    @property
    def cv_results_(self) -> Mapping[str, Array]:
        """Scores of the best subset of each visited size."""
        if not self.selection_.cv_results:
            raise AttributeError(
                f"This {type(self).__name__} comes from a file or is a simplified copy: it has one subset of columns "
                "and no scores of others (cv_results_); use the fitted model."
            )
        return self.selection_.cv_results

    @property
    def why_(self) -> Mapping[str, Reason]:
        """Why each column was selected, or not; ``to_frame()`` makes a table of it."""
        path = self.selection_.path
        return Reasons(self.selection_.reasons, path.backend, guide=Guide(path.criterion, path.is_loss))

    @property
    def partitions_(self) -> Mapping[str, Partition]:
        """The bins of each column that a candidate has."""
        return self.selection_.partitions

    def _store(self, arguments: Mapping[str, object]) -> None:
        """Keep the arguments of a constructor under their names, as scikit-learn expects; ``self`` is one of them."""
        self.__dict__.update((name, value) for name, value in arguments.items() if name != "self")

    def _adopt(self, candidate: Candidate) -> Self:
        """Make a candidate the selection."""
        self.selection_ = self.selection_.with_best(candidate)
        if self.selection_.fitted is not None:
            self.scorecard_ = self.selection_.fitted.scorecard(candidate)
        selected = {*candidate.columns, *(name for pair in candidate.pairs for name in pair.names)}
        self.n_features_ = len(selected)
        self.support_: NDArray[np.bool_] = np.array([name in selected for name in self.column_names_])
        return self

    def _keep_classes(self, rows: TrainingRows) -> None:
        """Keep the class labels."""
        self.classes_ = rows.classes[rows.class_numbers]

    def _refuse_benefits(self, benefits: ArrayLike | None) -> None:
        """Refuse benefits: only a search for the criterion "benefit" uses them."""
        refuse_idle_benefits("", None, benefits)

    def _with_benefits(self, rows: TrainingRows, benefits: ArrayLike | None) -> TrainingRows:
        """Return the rows with benefits, if they are used."""
        return rows

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        """Return the parameters, read and checked."""
        raise NotImplementedError

    def _training_options(
        self,
        rows: TrainingRows,
        method_options: SearchOptions | ScorecardOptions,
        splitter: Splitter | None,
        *,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
    ) -> TrainingOptions:
        """Return what is trained, with the parameters that all of these estimators have."""
        columns = read_column_options(rows.names, rows.example, self.keep, self.drop, start_from, feature_groups)
        return TrainingOptions(
            method_options,
            splitter,
            columns=columns,
            n_features=self.n_features,
            metrics=metric_names(self.scoring),
            positive=positive_number(self.pos_label, rows),
            max_time=self.max_time,
            checkpoint=self.checkpoint,
            backend=self.backend,
            n_threads=read_threads(self.n_jobs),
        )


class SearchEstimator(SelectionEstimator):
    """Common ground of the estimators that search for a subset by a criterion."""

    _parameter_constraints: ClassVar[Constraints] = {
        **SelectionEstimator._parameter_constraints,
        "search": [StrOptions(set(SEARCHES))],
        "criterion": [StrOptions({*ALL_CRITERIA, *SCORER_NAMES})],
        "discretizer": [StrOptions({name for name in CODING_RULES if name}), HasMethods(["fit", "transform"]), None],
        "smoothing": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "start_from": _COLUMNS,
        "feature_groups": [None, Mapping],
        "one_se": ["boolean"],
        "tol": [None, Interval(Real, 0, None, closed="left")],
    }

    search: str
    criterion: str
    discretizer: str | Transformer | None
    smoothing: float | str
    start_from: ColumnsLike
    feature_groups: Mapping[str, ColumnsLike] | None
    one_se: bool
    tol: float | None

    def _searched(
        self, rows: TrainingRows, method_options: SearchOptions, splitter: Splitter | None
    ) -> TrainingOptions:
        """Return a search with the parameters that all estimators have; refuse a standard error without folds."""
        refuse_one_fold(splitter, self.one_se)
        return self._training_options(
            rows, method_options, splitter, start_from=self.start_from, feature_groups=self.feature_groups
        )


class NaiveBayesEstimator(SearchEstimator):
    """Common ground of the estimators whose tables are those of naive Bayes, which may be searched for benefits."""

    _parameter_constraints: ClassVar[Constraints] = {
        **SearchEstimator._parameter_constraints,
        "benefit_matrix": [None, "array-like"],
    }

    benefit_matrix: ArrayLike | None

    def _refuse_benefits(self, benefits: ArrayLike | None) -> None:
        """Refuse benefits that the criterion does not use, and a criterion without the benefits that it needs."""
        refuse_idle_benefits(self.criterion, self.benefit_matrix, benefits)

    def _with_benefits(self, rows: TrainingRows, benefits: ArrayLike | None) -> TrainingRows:
        """Return the rows with benefits, if the criterion needs them."""
        return read_benefit_rows(rows, self.criterion, self.benefit_matrix, benefits)
