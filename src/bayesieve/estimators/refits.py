# SPDX-License-Identifier: BSD-3-Clause
"""Subsets of columns, scored by a refitted scikit-learn estimator: folds, metadata, and work in parallel.

Scikit-learn's splitters, metrics and dummies are imported where they are used: they take long, and the command line and
reports import this module without using them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from inspect import Parameter, signature
from itertools import chain
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from bayesieve._typing import Floats, Positions
from bayesieve.data import frame_backend, read_table
from bayesieve.data.frames import pick_columns
from bayesieve.estimators._sklearn import pick_metadata, pick_rows
from bayesieve.estimators._types import Array, CrossValidator, Parameters, RandomState, Splitting, TableLike
from bayesieve.exceptions import BayesieveError, ColumnTypeError, DataError, ParameterError
from bayesieve.fit.equal_rows import equal_rows_of, split_equal_rows

__all__ = ["Refits", "named_errors", "read_folds", "read_scorer", "weight_metadata"]

_BATCHES_PER_JOB = 8  # subsets that each process scores before the time is looked at again

Folds = list[tuple[Positions, Positions]]


@dataclass(frozen=True)
class Refits:
    """An estimator that is cloned and fitted for each subset and fold.

    Attributes
    ----------
    estimator : estimator
        The model; it is never fitted itself.
    scorer : callable
        scikit-learn's scorer of one metric or of several by name.
    X, y : table and array
        The rows.
    folds : list of pairs of positions
        Training rows and validation rows of each fold.
    fit_params, score_params : mappings
        Metadata of all rows.
    """

    estimator: BaseEstimator
    scorer: Any
    X: TableLike
    y: Array
    folds: Folds
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def is_finite(self) -> bool:
        """Whether the table is an array in which no value is missing or infinite."""
        is_plain = isinstance(self.X, np.ndarray) and self.X.dtype.kind in "fiub"
        return is_plain and bool(np.isfinite(self.X).all())

    @cached_property
    def names(self) -> Sequence[Any]:
        """The names of the columns of a data frame; of an array, their positions."""
        return range(self.X.shape[1]) if frame_backend(self.X) is None else read_table(self.X).names

    def batch_size(self, n_jobs: int) -> int:
        """Return how many subsets are scored at a time."""
        return _BATCHES_PER_JOB * n_jobs

    def score_in_parallel(self, parallel: Parallel, n_jobs: int, subsets: Sequence[tuple[int, ...]]) -> list[Floats]:
        """Return the scores of each subset by metric and fold, of as many chunks as there are processes."""
        size = ceil(len(subsets) / n_jobs)
        chunks = [subsets[begin : begin + size] for begin in range(0, len(subsets), size)]
        if len(chunks) < 2:
            return self.score_subsets(subsets)
        return list(chain.from_iterable(parallel(delayed(self.score_subsets)(chunk) for chunk in chunks)))

    def score_subsets(self, subsets: Sequence[tuple[int, ...]]) -> list[Floats]:
        """Return the scores of each subset by metric and fold."""
        scores = []
        for i, subset in enumerate(subsets):
            # scikit-learn need not check the same parameters and the same values again for each subset.
            with config_context(skip_parameter_validation=i > 0, assume_finite=self.is_finite):
                scores.append(self._score_subset(subset))
        return scores

    def _score_subset(self, subset: tuple[int, ...]) -> Floats:
        columns = f"with the columns {[self.names[j] for j in subset]!r:.200}"
        with named_errors(self.estimator, f"cannot be fitted and scored {columns}"):
            scores = self._fold_scores(subset)
        if np.isnan(scores).any():
            name = type(self.estimator).__name__
            raise DataError(f"The score of {name} is not a number {columns}; use other folds or another scoring.")
        return scores

    def _fold_scores(self, subset: tuple[int, ...]) -> Floats:
        if not subset:
            return np.transpose([self._score_without_columns(*fold) for fold in self.folds])
        X = self.X[:, list(subset)] if frame_backend(self.X) is None else pick_columns(self.X, subset)
        return np.transpose([self._score_fold(X, *fold) for fold in self.folds])

    def _score_fold(self, X: TableLike, training: Positions, validation: Positions) -> list[float]:
        fit_params = pick_metadata(self.X, self.fit_params, training)
        model = clone(self.estimator).fit(pick_rows(X, training), self.y[training], **fit_params)
        return self._metrics(model, pick_rows(X, validation), validation)

    def _score_without_columns(self, training: Positions, validation: Positions) -> list[float]:
        """Return the scores of class frequencies or of the mean; the worst possible ones where there are none."""
        from sklearn.dummy import DummyClassifier, DummyRegressor

        n_metrics = len(getattr(self.scorer, "_scorers", [None]))
        dummy = DummyClassifier(strategy="prior") if is_classifier(self.estimator) else DummyRegressor()
        if not (is_classifier(self.estimator) or is_regressor(self.estimator)):
            return [-np.inf] * n_metrics
        weights = pick_metadata(self.X, {k: v for k, v in self.fit_params.items() if k == "sample_weight"}, training)
        try:
            dummy.fit(np.zeros((len(training), 1)), self.y[training], **weights)
            return self._metrics(dummy, np.zeros((len(validation), 1)), validation)
        except (AttributeError, ValueError):  # a metric that needs what no dummy has, or rows without weight
            return [-np.inf] * n_metrics

    def _metrics(self, model: BaseEstimator, X: TableLike, rows: Positions) -> list[float]:
        scores = self.scorer(model, X, self.y[rows], **pick_metadata(self.X, self.score_params, rows))
        return [float(score) for score in (scores.values() if isinstance(scores, dict) else [scores])]


@contextmanager
def named_errors(estimator: Any, what: str) -> Iterator[None]:
    """Say in one sentence what an estimator of another library cannot do with the rows that it was given."""
    try:
        yield
    except BayesieveError:
        raise
    except (TypeError, ValueError) as error:
        reason, *_ = str(error).split("\n")
        kind = ColumnTypeError if isinstance(error, TypeError) else DataError
        raise kind(f"{type(estimator).__name__} {what}: {reason:.300}") from error
    except Exception as error:
        error.add_note(f"{type(estimator).__name__} {what}")
        raise


def read_scorer(estimator: BaseEstimator, scoring: Any) -> Any:
    """Return scikit-learn's scorer of one metric, or of several by name."""
    from sklearn.metrics import check_scoring, get_scorer_names

    metrics = list(scoring) if isinstance(scoring, list | tuple) else scoring
    for metric in metrics if isinstance(metrics, list) else [metrics]:
        if isinstance(metric, str) and metric not in get_scorer_names():
            raise ParameterError(f"scoring must be a metric of scikit-learn such as 'neg_log_loss', got {metric!r}.")
    return check_scoring(estimator, scoring=metrics)


def read_folds(
    estimator: BaseEstimator,
    cv: CrossValidator,
    random_state: RandomState,
    X: TableLike,
    y: Array,
    split_params: Parameters,
) -> Folds:
    """Return the rows of each fold: ``cv`` as everywhere in this library, and otherwise as scikit-learn reads it."""
    everything = np.arange(len(y))
    grouped = split_params.get("groups") is not None
    if isinstance(cv, Integral) and cv == 0:
        if grouped:
            raise ParameterError("groups would be ignored: cv=0 draws no folds; set cv to a number of folds.")
        return [(everything, everything)]
    try:

        def split(labels: Array) -> Iterator[tuple[Positions, Positions]]:
            splitter = _splitter(cv, random_state, labels, is_classifier(estimator), grouped)
            return iter(splitter.split(np.zeros((len(labels), 1)), labels, **split_params))

        equal = equal_rows_of(read_table(X), y) if isinstance(cv, Real) and not grouped else None
        return [(a, b) for a, b in (split(y) if equal is None else split_equal_rows(split, y, equal))]
    except ValueError as error:
        raise ParameterError(f"cv cannot divide the {len(y)} rows: {error}") from None


def _splitter(cv: CrossValidator, random_state: RandomState, y: Array, classes: bool, grouped: bool) -> Splitting:
    from sklearn import model_selection as splitters

    if isinstance(cv, Real) and not isinstance(cv, Integral):
        if grouped:
            raise ParameterError("cv is a share and groups are given; use a splitter such as GroupShuffleSplit.")
        kind = splitters.StratifiedShuffleSplit if classes else splitters.ShuffleSplit
        share: Splitting = kind(1, test_size=float(cv), random_state=random_state or 0)
        return share
    if isinstance(cv, Integral) and grouped:
        kind = splitters.StratifiedGroupKFold if classes else splitters.GroupKFold
        folds: Splitting = kind(int(cv))
        return folds
    checked: Splitting = splitters.check_cv(cv, y, classifier=classes)
    shuffles = isinstance(cv, Integral) and random_state is not None
    if shuffles and isinstance(checked, splitters.KFold | splitters.StratifiedKFold):
        shuffled: Splitting = type(checked)(int(cv), shuffle=True, random_state=random_state)
        return shuffled
    return checked


def weight_metadata(
    estimator: BaseEstimator, scorer: Any, sample_weight: Array | None
) -> tuple[Parameters, Parameters]:
    """Return metadata of fit and of score, without routing: weights are used in both, where both accept them."""
    if sample_weight is None:
        return {}, {}
    weights = {"sample_weight": sample_weight}
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ParameterError(
            f"sample_weight is given, but fit of {type(estimator).__name__} has no such parameter; for a pipeline, "
            "enable metadata routing and request it of the step that uses it."
        )
    parameters = signature(scorer).parameters
    accepted = "sample_weight" in parameters or any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())
    return weights, weights if accepted else {}
