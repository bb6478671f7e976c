# SPDX-License-Identifier: BSD-3-Clause
"""Selection by filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve.data import frame_backend
from bayesieve.estimators._sklearn import CallbackSupportMixin, DocumentationMixin, Interval, StrOptions, validated_fit
from bayesieve.estimators._types import ColumnsLike, Constraints, TableLike, Transformer
from bayesieve.estimators.discretizer import read_discretizer
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options import read_column_options, read_threads
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.progress import progress
from bayesieve.estimators.rows import read_rows
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import NothingSelectedWarning, ParameterError, warn_caller
from bayesieve.explain.selection_reasons import Reasons, explain_filter
from bayesieve.fit.filter import FILTERS, FilterOptions, FilterTask
from bayesieve.fit.options import SizeOption
from bayesieve.search import SelectionPath

__all__ = ["FilterSelector"]

_SHARED = ("n_features", "discretizer", "keep", "drop", "n_jobs", "verbose")


@documented
class FilterSelector(ColumnSelectionMixin, CallbackSupportMixin, DocumentationMixin, BaseEstimator):
    """Select features by how informative they are about the class, without a classifier.

    Scores of single features rank them; subset methods add the feature that is most informative given those selected.
    All work on the same joint counts of bins, which are integers, so that the result is the same on every machine.

    Parameters
    ----------
    method : str, default="mutual_info"
        Scores of single features: "mutual_info", "conditional_entropy", "gain_ratio", "symmetric_uncertainty", "chi2",
        "pearson", "modl_level", "relieff". Of subsets, by forward search: "mrmr", "mrmr_ratio", "mifs", "jmi", "cmim",
        "disr", "icap", "cife", "condred". Of subsets, by best-first search: "cfs". ``docs/explanation/filters.md`` has
        the formulas.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound), all, or as many
        as are informative ("auto"): those with a better score than a constant feature; for subset methods, as long as
        the next score is positive. "cfs" determines the number itself and requires "auto".
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How values become bins: "modl" finds Bayes-optimal intervals of numbers and groups of categories. The others
        divide numeric features only, "mdlp" by entropy cuts; None makes each distinct value a bin. A `MODLDiscretizer`
        sets the options of "modl"; any other transformer is cloned for each numeric feature. "pearson" and "relieff"
        use the values themselves.
    beta : float, default=1.0
        The penalty of redundancy in "mifs".
    n_neighbors : int, default=10
        Number of rows of each class with which "relieff" compares a row.
    sigma : float or None, default=None
        In "relieff" the r-th nearest row (from 0) has the weight exp(-(r / sigma)²); None gives all the same weight.
    {keep, drop, n_jobs, verbose}

    Attributes
    ----------
    scores_ : float array of shape (n_features_in_,)
        Larger is better, so that the conditional entropy is negated. For subset methods: the score of a feature when
        it was added, or if it were added next; for "cfs", the symmetric uncertainty with the class. NaN for features
        that were not scored.
    ranking_ : int array of shape (n_features_in_,)
        1 for the best feature: in the order in which features were added, then by score; ties are broken by position.
    {support_, n_features_}
    path_ : SelectionPath
        For subset methods: each step. The score of a subset is the sum of the scores of its features when they were
        added; for "cfs", its merit.
    {why_, classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    NaiveBayesSelector : Features with which a classifier predicts best.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import FilterSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = FilterSelector("symmetric_uncertainty", n_features=2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> FilterSelector("mrmr", n_features=2).fit(X, y).path_.order
    ('petal width (cm)', 'petal length (cm)')
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "method": [StrOptions(set(FILTERS))],
        "beta": [Interval(Real, 0, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sigma": [None, Interval(Real, 0, None, closed="neither")],
        **{name: SearchEstimator._parameter_constraints[name] for name in _SHARED},
    }

    def __init__(
        self,
        method: str = "mutual_info",
        *,
        n_features: SizeOption = "auto",
        discretizer: str | Transformer | None = "modl",
        beta: float = 1.0,
        n_neighbors: int = 10,
        sigma: float | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.n_features = n_features
        self.discretizer = discretizer
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.keep = keep
        self.drop = drop
        self.n_jobs = n_jobs
        self.verbose = verbose

    _explain: Callable[[], Reasons] | None
    _reasons: Reasons

    @validated_fit
    def fit(
        self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, groups: ArrayLike | None = None
    ) -> Self:
        """Score the columns and select.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Numbers are ordered; booleans, strings and categories are not; missing values are a value of their own.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row; "relieff" takes weights of 0 and one other number only.
        groups : array of shape (n_samples,), default=None
            Refused: filters have no folds.

        Returns
        -------
        self : FilterSelector
            The fitted selector.
        """
        if groups is not None:
            raise ParameterError("groups would be ignored: filters have no folds.")
        rows = read_rows(self, X, y, sample_weight)
        options = FilterOptions(
            method=self.method,
            n_features=self.n_features,
            columns=read_column_options(rows.names, X, self.keep, self.drop),
            parameters={"beta": self.beta, "n_neighbors": self.n_neighbors, "sigma": self.sigma},
        )
        rule = read_discretizer(self.discretizer, rows)
        task = FilterTask(rows, rule, options, read_threads(self.n_jobs))
        with progress(self, None, X, y) as observers:
            outcome = FILTERS[self.method](task, observers)
        self.classes_ = rows.classes[rows.class_numbers]
        self.column_names_ = rows.names
        self.scores_: NDArray[np.float64] = outcome.scores
        self.ranking_ = outcome.ranking
        self.support_ = np.isin(np.arange(len(outcome.scores)), outcome.selected)
        self.n_features_ = len(outcome.selected)
        self._explain = partial(explain_filter, rows.names, options.columns, outcome, frame_backend(X))
        if outcome.path is not None:
            self._find_reasons()  # now: they follow from the codes of all rows, which are not to be kept
        if hasattr(self, "path_"):
            del self.path_  # of another fit
        if outcome.path is not None:
            self.path_: SelectionPath = replace(outcome.path, backend=frame_backend(X))
        if not outcome.selected and self.n_features != 0:
            self._warn_nothing_selected(rows.names)
        return self

    @property
    def why_(self) -> Reasons:
        """Why each column was selected, or not; found when first read. ``to_frame()`` makes a table of it."""
        check_is_fitted(self)
        return self._find_reasons()

    def _find_reasons(self) -> Reasons:
        """Find the reasons, and let go of the rows that they follow from."""
        if self._explain is not None:
            self._reasons = self._explain()
            self._explain = None
        return self._reasons

    def __getstate__(self) -> dict[str, Any]:
        """Return what is saved or copied: the reasons, and no training rows."""
        if hasattr(self, "classes_"):
            self._find_reasons()
        state: dict[str, Any] = super().__getstate__()
        return state

    def _warn_nothing_selected(self, names: list[str]) -> None:
        best = np.argsort(self.ranking_)[:3].tolist()
        nearest = ", ".join(f"{names[j]!r} ({self.scores_[j]:.6g})" for j in best)
        warn_caller(
            f"No column is informative by method={self.method!r}, so none is selected; the best are {nearest}.",
            NothingSelectedWarning,
        )
