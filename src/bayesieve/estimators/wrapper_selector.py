# SPDX-License-Identifier: BSD-3-Clause
"""Wrapper selection for any estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from numbers import Integral
from os import PathLike
from re import sub
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import frame_backend, read_labels, read_table, read_weights, refuse_blocks
from bayesieve.estimators._sklearn import (
    CallbackSupportMixin,
    DocumentationMixin,
    HasMethods,
    Interval,
    routing_enabled,
    validated_outer_fit,
)
from bayesieve.estimators._types import ColumnsLike, Constraints, CrossValidator, RandomState, TableLike, Tags
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options import read_column_options, read_threads
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.progress import progress
from bayesieve.estimators.refits import Refits, read_folds, read_scorer, weight_metadata
from bayesieve.estimators.rows import check_header
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import ClippedSelectionWarning, DataError, NothingSelectedWarning, ParameterError, warn_caller
from bayesieve.explain.selection_reasons import Reason, Reasons, explain_wrapper, warn_of_time
from bayesieve.fit.options import SizeOption
from bayesieve.fit.wrapper import WrapperOptions, prepare_wrapper, solve_wrapper
from bayesieve.search import SelectionPath, Visit

__all__ = ["WrapperSelector"]

_SHARED = (
    *("search", "n_features", "cv", "keep", "drop", "start_from", "feature_groups", "one_se", "tol", "max_time"),
    *("checkpoint", "n_jobs", "random_state", "verbose"),
)


@documented
class WrapperSelector(
    ColumnSelectionMixin, MetaEstimatorMixin, CallbackSupportMixin, DocumentationMixin, BaseEstimator
):
    """Select the features with which an estimator of your choice predicts best.

    The estimator is cloned and refitted for each subset that the search tries, in each fold; a subset is never fitted
    twice. A subset without features has the score of class frequencies or of the mean. Ties are decided by the order
    of the features: of equal additions the first is made, of equal removals the last.

    Parameters
    ----------
    estimator : classifier or regressor
        Scores the subsets. It gets the features as they are in the table, in the order of the table, so that a
        pipeline must choose its own features by type, not by name. Set its ``random_state`` if it draws numbers.
    {search}
    scoring : str, callable, list of str or None, default=None
        The metric, as in scikit-learn's ``cross_val_score``; None is the estimator's own ``score``. The first one of
        several guides the search, the others are reported in ``cv_results_``.
    {n_features, cv}
    beam_width : int, default=5
        The number of subsets of each size that ``search="beam"`` extends; 1 is the forward search.
    {keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint}
    n_jobs : int or None, default=None
        Number of processes that refit the estimator; -1 is one per processor. The result does not depend on it.
    {random_state, verbose}

    Attributes
    ----------
    {support_, n_features_, path_}
    cv_results_ : dict of arrays
        Scores of the best subset of each visited size, of each metric; larger is better.
    why_ : dict of str to dict
        For each feature: whether it was selected, its score alone and its gain given the selected ones, where the
        search computed them, the step at which it entered or left, and the reason.
    n_refits_ : int
        Number of subsets that were scored.
    classes_ : array of shape (n_classes,)
        The class labels, of a classifier.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    NaiveBayesSelector : Naive Bayes, without refits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from bayesieve import WrapperSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = WrapperSelector(KNeighborsClassifier(4), n_features=3).fit(X, y)
    >>> selector.path_.order
    ('petal width (cm)', 'petal length (cm)', 'sepal length (cm)')
    >>> selector.select(2).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods(["fit"])],
        "scoring": [None, str, callable, list, tuple],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        **{name: SearchEstimator._parameter_constraints[name] for name in _SHARED},
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        search: str = "forward",
        scoring: str | Callable[..., float] | Sequence[str] | None = None,
        *,
        n_features: SizeOption = "auto",
        cv: CrossValidator = 5,
        beam_width: int = 5,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.search = search
        self.scoring = scoring
        self.n_features = n_features
        self.cv = cv
        self.beam_width = beam_width
        self.keep = keep
        self.drop = drop
        self.start_from = start_from
        self.feature_groups = feature_groups
        self.one_se = one_se
        self.tol = tol
        self.max_time = max_time
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    path_: SelectionPath

    @validated_outer_fit
    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Search for the features.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Whatever the estimator accepts.
        y : array of shape (n_samples,)
            Class labels, or numbers for a regressor.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the rows, for the estimator and for the metric.
        groups : array of shape (n_samples,), default=None
            Rows of one group stay in one fold.
        **params : arrays of shape (n_samples,)
            Further metadata, where routing is enabled.

        Returns
        -------
        self : WrapperSelector
            The fitted selector.
        """
        X, y, names = self._read(X, y)
        if sample_weight is not None:
            read_weights(sample_weight, len(y))  # refuses what cannot be weights
        refits = self._refits(X, y, {"sample_weight": sample_weight, "groups": groups, **params})
        n_jobs = read_threads(self.n_jobs)
        task = prepare_wrapper(names, len(y), self._options(refits, names))
        with progress(self, task.n_steps, X, y) as observers, Parallel(n_jobs=n_jobs) as parallel:
            score = partial(refits.score_in_parallel, parallel, n_jobs)
            outcome = solve_wrapper(task, score, refits.batch_size(n_jobs), observers)
        self.column_names_ = names
        self._is_finite = refits.is_finite
        self.n_refits_ = outcome.n_refits
        self.cv_results_: Mapping[str, NDArray[Any]] = outcome.cv_results
        reasons = explain_wrapper(names, task.space, outcome.path, outcome.gains)
        self.why_: Mapping[str, Reason] = Reasons(reasons, frame_backend(X))
        self.path_ = replace(outcome.path, backend=frame_backend(X))
        if is_classifier(self.estimator):
            self.classes_ = np.unique(y)
        size = len(self.path_.order)
        stopping = task.stopping
        if self.path_.complete and not stopping.smallest <= size <= stopping.largest:
            warn_caller(
                f"n_features={self.n_features!r} cannot be reached by this search from its start and with its groups; "
                f"{size} columns are selected.",
                ClippedSelectionWarning,
            )
        elif self.path_.complete and not size and self.n_features != 0:
            warn_caller("No column improves the score of none, so none is selected.", NothingSelectedWarning)
        elif not size and self.n_features != 0:
            warn_of_time(self.max_time)
        return self._adopt(self.path_.order)

    def select(self, k: int) -> Self:
        """Return a fitted copy with the best subset of k columns that the search visited.

        Parameters
        ----------
        k : int
            Number of columns; a size that was never visited raises an error that lists those that were.

        Returns
        -------
        selected : WrapperSelector
            The earliest subset on ties. ``why_`` is still that of the selection that ``fit`` made.
        """
        check_is_fitted(self)
        visit: Visit = self.path_.of_size(k)
        return copy(self)._adopt(visit.columns)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata of ``fit`` reaches estimator, splitter and scorer.

        Returns
        -------
        routing : MetadataRouter
            scikit-learn's description of it.
        """
        fit = MethodMapping().add(caller="fit", callee="fit")
        split = MethodMapping().add(caller="fit", callee="split")
        score = MethodMapping().add(caller="fit", callee="score")
        router: MetadataRouter = MetadataRouter(owner=type(self).__name__)
        router.add(estimator=self.estimator, method_mapping=fit)
        if hasattr(self.cv, "split"):
            router.add(splitter=self.cv, method_mapping=split)
        return router.add(scorer=self._scorer(), method_mapping=score)

    def __sklearn_tags__(self) -> Tags:
        """Tell of the estimator what it accepts."""
        tags = super().__sklearn_tags__()
        own = self.estimator.__sklearn_tags__()
        tags.input_tags = own.input_tags
        tags.target_tags = own.target_tags
        tags.classifier_tags = own.classifier_tags
        tags.target_tags.required = True
        tags.input_tags.allow_nan |= not getattr(self, "_is_finite", True)  # an estimator without tags has accepted it
        return tags

    def _scorer(self) -> Any:
        return read_scorer(self.estimator, self.scoring)

    def _read(self, X: TableLike, y: ArrayLike) -> tuple[TableLike, NDArray[Any], list[str]]:
        refuse_blocks(X, type(self).__name__)
        if not hasattr(X, "shape"):
            X = np.asarray(X)
        table = read_table(X)
        check_header(self, X, table, reset=True)
        if y is None:
            raise DataError("requires y to be passed, but the target y is None.")
        target = np.asarray(y)
        if len(target) != table.n_rows:
            raise DataError(f"y has {len(target)} values; the table has {table.n_rows} rows.")
        if target.ndim == 2 and target.shape[1] == 1:
            target = target[:, 0]
        if is_classifier(self.estimator) and target.ndim == 1 and target.dtype.kind in "OfmM":
            target = read_labels(target, table.n_rows)  # scikit-learn would compare labels of any types
        elif target.dtype.kind == "f" and (n_absent := int(target.size - np.isfinite(target).sum())):
            raise DataError(
                f"y has {n_absent} missing or infinite values of {target.size}; every one must be a number."
            )
        return X.tocsc() if hasattr(X, "tocsc") else X, target, table.names

    def _refits(self, X: TableLike, y: NDArray[Any], metadata: Mapping[str, Any]) -> Refits:
        """Return the estimator with folds and metadata."""
        scorer = self._scorer()
        given = {name: value for name, value in metadata.items() if value is not None}
        groups = {"groups": given["groups"]} if "groups" in given else {}
        if routing_enabled():
            own = {} if hasattr(self.cv, "split") else groups
            routed = process_routing(self, "fit", **{k: v for k, v in given.items() if k not in own})
            split = dict(routed.splitter.split) if hasattr(self.cv, "split") else groups
            fit = routed.estimator.fit
            score = routed.scorer.score
        else:
            if extra := sorted(set(given) - {"sample_weight", "groups"}):
                raise ParameterError(
                    f"{extra[0]} needs metadata routing: sklearn.set_config(enable_metadata_routing=True)."
                )
            split = groups
            fit, score = weight_metadata(self.estimator, scorer, given.get("sample_weight"))
        folds = read_folds(self.estimator, self.cv, self.random_state, X, y, split)
        if self.one_se and len(folds) < 2:
            raise ParameterError("one_se needs a standard error over folds; set cv to two folds or more.")
        return Refits(self.estimator, scorer, X, y, folds, fit, score)

    def _options(self, refits: Refits, names: list[str]) -> WrapperOptions:
        first, *others = self.scoring if isinstance(self.scoring, list | tuple) else [self.scoring]
        name = first if isinstance(first, str) else getattr(first, "__name__", "score")
        mark = ""
        if self.checkpoint is not None:
            parameters = sub(r" at 0x[0-9a-f]+", "", repr(sorted(self.estimator.get_params().items(), key=str)))
            data = joblib.hash([refits.X, refits.y, refits.folds, refits.fit_params, refits.score_params])
            mark = f"{type(self.estimator).__name__} {parameters} {data}"
        return WrapperOptions(
            search=self.search,
            metrics=(name.removeprefix("neg_"), *others),
            is_loss=name.startswith("neg_"),
            columns=read_column_options(names, refits.X, self.keep, self.drop, self.start_from, self.feature_groups),
            n_features=self.n_features,
            tol=self.tol,
            one_se=self.one_se,
            beam_width=self.beam_width,
            max_time=self.max_time,
            checkpoint=self.checkpoint,
            random_state=self.random_state,
            mark=mark,
        )

    def _adopt(self, columns: Sequence[str]) -> Self:
        """Make some columns the selection."""
        self.path_ = replace(self.path_, order=tuple(columns))
        self.n_features_ = len(columns)
        self.support_: NDArray[np.bool_] = (
            np.isin(self.column_names_, list(columns)) if columns else np.zeros(len(self.column_names_), dtype=bool)
        )
        return self
