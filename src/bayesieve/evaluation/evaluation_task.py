# SPDX-License-Identifier: BSD-3-Clause
"""The task of an evaluation: selectors × classifiers × sizes on the outer folds of data sets.

A job is a selector on an outer fold of a data set: it selects, tunes and fits on the training rows, and scores on the
test rows. A classifier has an encoding of its columns and hyperparameters to tune.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from threadpoolctl import threadpool_limits

from bayesieve.estimators._sklearn import pick_rows
from bayesieve.estimators.refits import named_errors
from bayesieve.evaluation.data_set import NO_VALUES, DataSet, RowValues, Source, split_data
from bayesieve.evaluation.encodings import ENCODINGS, encoding_of
from bayesieve.evaluation.measures import LOSSES, MEASURES, forecast, measure
from bayesieve.evaluation.outer_cv import Split, outer_splits
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning, ParameterError
from bayesieve.search import fingerprint

__all__ = ["EvaluationTask", "FoldEvaluator", "Job", "Learner", "subsets_of_sizes", "tune"]


@dataclass(frozen=True)
class Learner:
    """A classifier, a grid of its hyperparameters, and the encoding of its columns.

    Parameters
    ----------
    estimator : classifier
        Cloned before each fit.
    grid : mapping of parameter to values, or None
        Hyperparameters, tuned by inner folds of the training rows of each outer fold, at the largest size, once for all
        sizes.
    encoding : {"auto", "numbers", "bins", "deciles", "likelihoods", "raw"}
        "numbers" imputes numbers by the median and scales them, and one-hot encodes labels; "bins" one-hot encodes MODL
        bins, "deciles" ten equal-frequency intervals per number, and labels; "likelihoods" gives the log-likelihood of
        each value within each class, normal for numbers; "raw" leaves the columns as they are.
        Encodings are learned on the training rows of a fold. "auto" is "raw" for classifiers whose tags allow strings
        and missing values, and "numbers" for others.
    """

    estimator: BaseEstimator
    grid: Mapping[str, Sequence[Any]] | None = None
    encoding: str = "auto"

    def __post_init__(self) -> None:
        if self.encoding == "auto":
            object.__setattr__(self, "encoding", encoding_of(self.estimator))
        if self.encoding not in ENCODINGS:
            raise ParameterError(f"encoding must be 'auto' or one of {', '.join(ENCODINGS)}, got {self.encoding!r}.")
        parameters = self.estimator.get_params()
        if unknown := [name for name in self.grid or {} if name not in parameters]:
            raise ParameterError(f"{type(self.estimator).__name__} has no parameter {unknown[0]!r} to tune.")


def tune(
    learner: Learner, X: Any, y: NDArray[Any], splits: Sequence[Split], metric: str, values: RowValues = NO_VALUES
) -> dict[str, Any]:
    """Return the hyperparameters with the best mean over the inner folds, the first of ties; none without a grid."""
    if not learner.grid:
        return {}
    from sklearn.model_selection import ParameterGrid

    classes, codes = np.unique(y, return_inverse=True)
    choices = list(ParameterGrid(dict(learner.grid)))
    if len(choices) == 1:
        return dict(choices[0])
    totals = np.zeros(len(choices))
    for train, test in splits:
        X_train, X_test = pick_rows(X, train), pick_rows(X, test)
        for i, choice in enumerate(choices):
            with named_errors(learner.estimator, "cannot be fitted and scored"):
                model = values.take(train).fit(clone(learner.estimator).set_params(**choice), X_train, y[train])
                predicted = forecast(model, X_test, classes)
            value = measure(codes[test], predicted, len(classes), weights=values.take(test).weights)[metric]
            totals[i] += -value if metric in LOSSES else value
    return dict(choices[int(np.argmax(totals))])


Job = tuple[str, int, str]  # data set, fold, selector
Record = dict[str, Any]
Subsets = list[list[int]]
_CLASS_FREQUENCIES = DummyClassifier(strategy="prior")  # the model without columns


@dataclass(frozen=True)
class FoldEvaluator:
    """One fold of a data set, and the options of tuning."""

    data_set: DataSet
    fold: int
    sizes: Sequence[int] | None
    inner_cv: int
    tune_on: str
    positive: Any
    random_state: int

    def select(self, selector: Any) -> tuple[list[int], Subsets]:
        """Return sizes and the columns of each; a selector without a path or ranking has its own size only."""
        data, train = self.data_set.data, self.data_set.splits[self.fold][0]
        if selector is None:
            return [data.table.n_columns], [list(range(data.table.n_columns))]
        with warnings.catch_warnings():
            # A table may have fewer columns than the largest size.
            warnings.simplefilter("ignore", ClippedSelectionWarning)
            warnings.simplefilter("ignore", NothingSelectedWarning)  # the record has an empty subset
            fitted = self.data_set.values.take(train).fit(clone(selector), data.rows(train), data.labels[train])
        sizes = None if self.sizes is None else self.data_set.sizes(self.sizes)
        subsets = subsets_of_sizes(fitted, data.table.names, sizes)
        return (sizes if sizes and len(sizes) == len(subsets) else [len(subsets[0])]), subsets

    def score(self, learner: Learner, subsets: Subsets) -> Record:
        """Return the tuned hyperparameters, and for each measure one value per subset."""
        data, (train, test) = self.data_set.data, self.data_set.splits[self.fold]
        encoding, labels = self.data_set.encoding(self.fold, learner.encoding), data.labels[train]
        classes, truth = data.target.classes, data.target.codes[test]
        values_of_rows, weights = self.data_set.values.take(train), self.data_set.values.take(test).weights
        parameters = self._tune(learner, encoding.pick(max(subsets, key=len)), labels, values_of_rows)
        model, positive = clone(learner.estimator).set_params(**parameters), self.data_set.positive(self.positive)
        values: dict[tuple[int, ...], dict[str, float]] = {}  # sizes may share a subset
        for subset in map(tuple, subsets):
            if subset not in values:
                picked = encoding.pick(subset)
                X_train, X_test = picked or (np.zeros((len(train), 1)), np.zeros((len(test), 1)))
                with named_errors(model, "cannot be fitted and scored"):
                    fitted = values_of_rows.fit(clone(model if picked else _CLASS_FREQUENCIES), X_train, labels)
                    predictions = (data.forecast if picked else forecast)(fitted, X_test, classes)
                values[subset] = measure(truth, predictions, len(classes), positive, weights)
        scores = {name: [values[tuple(subset)][name] for subset in subsets] for name in MEASURES}
        return {"parameters": {name: _plain(value) for name, value in parameters.items()}, **scores}

    def _tune(self, learner: Learner, picked: tuple[Any, Any] | None, labels: Any, values: RowValues) -> dict[str, Any]:
        if not learner.grid or picked is None:
            return {}
        if not self.data_set.data.in_memory:
            raise ParameterError("A grid of hyperparameters needs rows in memory; for rows in blocks, give no grid.")
        splits = outer_splits(labels, self.inner_cv, values.groups, self.random_state)
        return tune(learner, picked[0], labels, splits, self.tune_on, values)


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def subsets_of_sizes(selector: Any, names: Sequence[str], sizes: Sequence[int] | None) -> list[list[int]]:
    """Return the columns of each size, in the order of their selection.

    A ``ranking_`` without ties gives every size; a ``path_`` gives the best visited subset of a size, or else of the
    next smaller size that was visited; any other selector has its own selection only. Without sizes, its own selection.
    """
    selection = _selection(selector, names)
    if sizes is None:
        return [selection]
    ranking = getattr(selector, "ranking_", None)
    if ranking is not None and np.array_equal(np.sort(ranking), np.arange(1, len(names) + 1)):
        order = np.argsort(ranking).tolist()
        return [order[:size] for size in sizes]
    path = getattr(selector, "path_", None)
    if path is None:
        return [selection]
    position = {name: j for j, name in enumerate(names)}
    visited = {size: [position[name] for name in visit.columns] for size, visit in path.best_by_size().items()}
    return [visited[_nearest(list(visited), size)] for size in sizes]


def _selection(selector: Any, names: Sequence[str]) -> list[int]:
    """Return the selector's own selection, in the order of its path if it has one."""
    support = np.flatnonzero(selector.get_support()).tolist()
    path = getattr(selector, "path_", None)
    order = {name: k for k, name in enumerate(path.order)} if path is not None else {}
    return sorted(support, key=lambda j: (order.get(names[j], len(order)), j))


def _nearest(visited: Sequence[int], size: int) -> int:
    """Return the largest visited size up to a size, or else the smallest one."""
    return max((each for each in visited if each <= size), default=min(visited))


@dataclass
class EvaluationTask:
    """Selectors, classifiers and data sets; a call with a job returns the record of the job.

    Attributes
    ----------
    selectors : dict of str to selector or None
        None keeps all columns.
    learners : dict of str to Learner
        The classifiers by name.
    data : dict of str to source
        See `open_data`.
    sizes : sequence of int, or None
        Numbers of columns, up to that of a table; None evaluates each selector's own selection.
    cv : int or splitter
        Outer folds.
    inner_cv : int
        Number of inner folds, which tune hyperparameters.
    tune_on : str
        The measure that tuning improves.
    positive : label or None
        Positive class, of two; default: the second.
    random_state : int
        Seed of the folds.
    values : dict of str to RowValues
        Groups and weights of the rows of each data set.
    """

    selectors: Mapping[str, Any]
    learners: Mapping[str, Learner]
    data: Mapping[str, Source]
    sizes: Sequence[int] | None = None
    cv: Any = 10
    inner_cv: int = 5
    tune_on: str = "accuracy"
    positive: Any = None
    random_state: int = 0
    values: Mapping[str, RowValues] = field(default_factory=dict)
    _open: DataSet | None = field(default=None, repr=False)
    _splits: dict[str, list[Split]] = field(default_factory=dict, repr=False)  # drawn once for all processes
    _data_fingerprints: dict[str, str] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the data, which another process opens again."""
        return {**self.__dict__, "_open": None}

    def __call__(self, job: Job) -> Record:
        """Return the columns that a selector chooses on a fold, and the scores of every classifier on them."""
        name, fold, selector = job
        evaluator = FoldEvaluator(
            self.data_set(name), fold, self.sizes, self.inner_cv, self.tune_on, self.positive, self.random_state
        )
        with threadpool_limits(1):  # sums of several threads differ in their last digits, and jobs are parallel already
            return self._record(evaluator, selector)

    def _record(self, evaluator: FoldEvaluator, selector: str) -> Record:
        data_set = evaluator.data_set
        train, test = data_set.splits[evaluator.fold]
        sizes, subsets = evaluator.select(self.selectors[selector])
        order = max(subsets, key=len)
        nested = all(subset == order[: len(subset)] for subset in subsets)
        return {
            "data": data_set.name,
            "fold": evaluator.fold,
            "selector": selector,
            "fingerprint": self.fingerprint(data_set.name, selector),
            "n_columns": data_set.data.table.n_columns,
            "n_rows": data_set.data.table.n_rows,
            "n_positive": data_set.n_positive(self.positive),
            "n_train": len(train),
            "n_test": len(test),
            "sizes": sizes,
            "n_features": [len(subset) for subset in subsets],
            "order": order,
            "subsets": None if nested else subsets,
            "scores": {each: evaluator.score(learner, subsets) for each, learner in self.learners.items()},
        }

    def jobs(self) -> list[Job]:
        """Return all jobs, in the order of folds, since the jobs of a fold share its encodings."""
        return [
            (name, fold, selector)
            for name in self.data
            for fold in range(len(self.data_set(name).splits))
            for selector in self.selectors
            if self.fingerprint(name, selector)  # computed while the data set is open
        ]

    def data_set(self, name: str) -> DataSet:
        """Return a data set and its folds; the last one stays open."""
        if self._open is None or self._open.name != name:
            splits, values = self._splits.get(name, self.cv), self.values.get(name, NO_VALUES)
            self._open = split_data(name, self.data[name], splits, self.random_state, values)
            self._splits[name] = self._open.splits
        return self._open

    def fingerprint(self, name: str, selector: str) -> str:
        """Return a fingerprint of all that the records of a selector on a data set depend on."""
        if name not in self._data_fingerprints:
            data_set = self.data_set(name)
            rows = (rows for split in data_set.splits for rows in split)
            weights = [] if data_set.values.weights is None else [data_set.values.weights]
            self._data_fingerprints[name] = fingerprint([data_set.data.fingerprint, *rows, *weights])
        sizes = None if self.sizes is None else list(self.sizes)
        parts = [self._data_fingerprints[name], _description(self.selectors[selector]), repr(sizes), self.tune_on]
        parts += [repr(self.inner_cv), repr(self.positive), repr(self.random_state)]
        for each, learner in self.learners.items():
            grid = sorted((key, list(values)) for key, values in (learner.grid or {}).items())
            parts += [each, _description(learner.estimator), repr(grid), learner.encoding]
        return fingerprint(parts)[:16]


def _description(estimator: BaseEstimator) -> str:
    """Return the class of an estimator and all of its parameters."""
    if estimator is None:
        return "None"
    parameters: Iterable[tuple[str, Any]] = sorted(estimator.get_params().items())
    return f"{type(estimator).__module__}.{type(estimator).__qualname__} {list(parameters)!r}"
