# SPDX-License-Identifier: BSD-3-Clause
"""Wrapper selection for naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from bayesieve.estimators._sklearn import StrOptions
from bayesieve.estimators._types import ColumnsLike, Constraints, CrossValidator, RandomState, Transformer
from bayesieve.estimators.discretizer import MODLDiscretizer, read_discretizer
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options import read_splitter
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.search_estimator import NaiveBayesEstimator
from bayesieve.fit.options import SearchOptions, SizeOption, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import METRICS, SCORER_NAMES, criterion_name

__all__ = ["NaiveBayesSelector"]


@documented
class NaiveBayesSelector(ColumnSelectionMixin, NaiveBayesEstimator):
    """Select the features with which naive Bayes predicts best.

    The search scores every feature that could be added or removed, makes the best move, and repeats. No model is
    refitted: a move changes one term of each row's score.

    Parameters
    ----------
    {search, criterion, n_features}
    choose_by : {"error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map", \
            "refinement", "precision_at_recall"} or None, default=None
        What the selected subset is best by, of those that the search visits, on the same rows of ``cv``: the smallest
        of the best, in every phase of a search that has several. None is ``criterion``, which guides the search. With
        another one, ``tol`` and ``n_features`` only say which subsets are visited; ``tol=None`` visits all sizes.
    {cv, benefit_matrix, discretizer, smoothing, scoring, keep, drop, start_from, feature_groups}
    {one_se, tol, max_time, checkpoint, n_jobs, backend, random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, support_, n_features_, selection_, scorecard_, path_, cv_results_, why_, partitions_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    SelectiveNaiveBayes : A classifier that selects and weights features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import NaiveBayesSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = NaiveBayesSelector(n_features=2).fit(X, y)
    >>> selector.path_.order
    ('petal width (cm)', 'petal length (cm)')
    >>> selector.transform(X).shape
    (150, 2)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **NaiveBayesEstimator._parameter_constraints,
        "choose_by": [None, StrOptions({*METRICS, *SCORER_NAMES})],
    }

    def __init__(
        self,
        search: str = "forward",
        criterion: str = "brier",
        *,
        n_features: SizeOption = "auto",
        choose_by: str | None = None,
        cv: CrossValidator = 5,
        benefit_matrix: ArrayLike | None = None,
        discretizer: str | Transformer | None = "modl",
        smoothing: float | str = "auto",
        scoring: str | list[str] | tuple[str, ...] | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
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

    choose_by: str | None

    @classmethod
    def esnb(cls, **changes: Any) -> Self:
        """Return the selection of the Enhanced Selective Naive Bayes of Boullé (2006), for another classifier.

        It selects the columns of `SelectiveNaiveBayes.esnb`: best bins under the prior of 2006, forward selection by
        the area under the lift curve on the training rows, ties by the MODL level.

        Parameters
        ----------
        **changes : parameters
            Other parameters, or other values.

        Returns
        -------
        selector : NaiveBayesSelector
            Not fitted.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.neural_network import MLPClassifier
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from bayesieve import NaiveBayesSelector
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> network = MLPClassifier((5,), max_iter=2000, random_state=0)
        >>> model = make_pipeline(NaiveBayesSelector.esnb(), StandardScaler(), network).fit(X[::2], y[::2])
        >>> model[0].n_features_, round(model.score(X[1::2], y[1::2]), 2)
        (7, 0.94)
        """
        classic: dict[str, Any] = {"criterion": "lift", "cv": 0, "discretizer": MODLDiscretizer(prior="2006")}
        return cls(**(classic | changes))

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        method_options = SearchOptions(
            read_discretizer(self.discretizer, rows),
            NaiveBayes(self.smoothing),
            self.search,
            criterion_name(self.criterion),
            choose_by=self.choose_by and criterion_name(self.choose_by),
            tol=self.tol,
            one_se=self.one_se,
            random_state=self.random_state,
        )
        return self._searched(rows, method_options, read_splitter(rows, self.cv, self.random_state))
