"""Selection by filters."""

import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from bayesieve.coding import CODING_RULES
from bayesieve.data import frame_backend
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.options.plan import read_discretizer
from bayesieve.estimators.options.rows import read_rows
from bayesieve.estimators.progress import CallbackSupportMixin, watch
from bayesieve.exceptions import NothingSelectedWarning
from bayesieve.explanations.filter_reasons import explain_filter
from bayesieve.filters import FilterData
from bayesieve.search import SelectionPath
from bayesieve.training.filtering import FILTERS, Filtering
from bayesieve.training.task import read_threads

__all__ = ["FilterSelector"]

_COLUMNS = [None, str, Integral, "array-like", callable]


class FilterSelector(ColumnSelectionMixin, CallbackSupportMixin, BaseEstimator):
    """Select columns by what they tell about the class, without a classifier.

    Scores of single columns rank; subset methods add the column that tells most beyond those chosen. All work on the
    same joint counts of coded columns, which are integers, so that the result is the same on every machine.

    Parameters
    ----------
    score : str, default="mutual_info"
        Of single columns: "mutual_info", "conditional_entropy", "gain_ratio", "symmetric_uncertainty", "chi2",
        "pearson", "modl_level", "relieff". Of subsets, by forward search: "mrmr", "mrmr_ratio", "mifs", "jmi", "cmim",
        "disr", "icap", "cife", "condred". Of subsets, by best-first search: "cfs". ``docs/explanation/filters.md`` has
        the formulas.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns: a number, a share, ``(smallest, largest)``, all, or as many as are worth something: those with
        a better score than a constant column; of subset methods, as long as the next column's score is positive.
        "cfs" decides by itself.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How columns become codes; None makes each distinct value a code. "pearson" and "relieff" take values as they
        are.
    beta : float, default=1.0
        The price of redundancy in "mifs".
    n_neighbors : int, default=10
        How many rows of each class "relieff" compares a row with.
    sigma : float or None, default=None
        In "relieff" the r-th nearest row (from 0) counts as exp(-(r / sigma)²); None lets all count the same.
    keep, drop : column names, positions, mask or callable, default=None
        Columns that are selected in any case, that may not be selected.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        Report each step of a search on standard error.

    Attributes
    ----------
    scores_ : float array of shape (n_features_in_,)
        Larger is better, so that the conditional entropy is negated. Of subset methods: the score with which a column
        entered, or would enter now; of "cfs", the symmetric uncertainty with the class. NaN for columns that did not
        take part.
    ranking_ : int array of shape (n_features_in_,)
        1 for the best column: in the order in which columns entered, then by score; by position on ties.
    support_ : bool array of shape (n_features_in_,)
        The selected columns.
    n_features_ : int
        How many they are.
    path_ : SelectionPath
        Of subset methods: each step. A subset's score is the sum of the scores with which its columns entered; of
        "cfs", its merit.
    why_ : dict
        For each column: whether it was selected, its score alone, its gain given the others (of subset methods), the
        selected column it is most redundant with and how much they share (0 to 1), its step and the reason.
    classes_ : array
        The class labels.

    See Also
    --------
    NaiveBayesSelector : Columns with which a classifier predicts best.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "score": [StrOptions(set(FILTERS))],
        "n_features": [
            StrOptions({"auto", "all"}),
            Interval(Integral, 0, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            tuple,
        ],
        "discretizer": [StrOptions({name for name in CODING_RULES if name}), HasMethods(["fit", "transform"]), None],
        "beta": [Interval(Real, 0, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sigma": [None, Interval(Real, 0, None, closed="neither")],
        "keep": _COLUMNS,
        "drop": _COLUMNS,
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        score: str = "mutual_info",
        *,
        n_features: Any = "auto",
        discretizer: Any = "modl",
        beta: float = 1.0,
        n_neighbors: int = 10,
        sigma: float | None = None,
        keep: Any = None,
        drop: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.score = score
        self.n_features = n_features
        self.discretizer = discretizer
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.keep = keep
        self.drop = drop
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self:
        """Score the columns and select.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            Numbers are ordered; booleans, strings and categories are not; missing values are a value of their own.
        y : array of shape (n_rows,)
            Class labels.
        sample_weight : array of shape (n_rows,), default=None
            A weight of k counts as k copies of the row; "relieff" takes weights of 0 and one other number only.
        groups : array of shape (n_rows,), default=None
            Not used: filters have no folds.

        Returns
        -------
        self : FilterSelector
            The fitted selector.
        """
        sample = read_rows(self, X, y, sample_weight)
        data = FilterData(sample.table, sample.target, sample.weights, read_threads(self.n_jobs))
        given = Filtering(self, data, read_discretizer(self.discretizer, sample), X)
        with watch(self, None, X, y) as watchers:
            outcome = FILTERS[self.score](given, watchers)
        self.classes_ = sample.classes
        self.scores_: NDArray[np.float64] = outcome.scores
        self.ranking_ = outcome.ranking
        self.support_ = np.isin(np.arange(len(outcome.scores)), outcome.chosen)
        self.n_features_ = len(outcome.chosen)
        self.why_ = explain_filter(given, outcome)
        if hasattr(self, "path_"):
            del self.path_  # of another fit
        if outcome.path is not None:
            self.path_: SelectionPath = replace(outcome.path, backend=frame_backend(X))
        if not outcome.chosen and self.n_features != 0:
            self._warn_nothing_selected(sample.names)
        return self

    def _warn_nothing_selected(self, names: list[str]) -> None:
        best = np.argsort(self.ranking_)[:3].tolist()
        nearest = ", ".join(f"{names[j]!r} ({self.scores_[j]:.6g})" for j in best)
        warnings.warn(
            f"By {self.score!r} no column tells anything about the class; none is selected, the nearest are {nearest}.",
            NothingSelectedWarning,
            stacklevel=4,
        )
