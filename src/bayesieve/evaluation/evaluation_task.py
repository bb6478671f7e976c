# SPDX-License-Identifier: BSD-3-Clause
"""The task of an evaluation: selectors × classifiers × sizes on the outer folds of data sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from bayesieve.evaluation.data_folds import DataFolds, split_data
from bayesieve.evaluation.data_source import Source
from bayesieve.evaluation.fold_evaluator import FoldEvaluator
from bayesieve.evaluation.learner import Learner, Split
from bayesieve.evaluation.row_values import NO_VALUES, RowValues
from bayesieve.search import fingerprint

__all__ = ["EvaluationTask", "Job"]

Job = tuple[str, int, str]  # data set, fold, selector
Record = dict[str, Any]


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
    _folds: DataFolds | None = field(default=None, repr=False)
    _splits: dict[str, list[Split]] = field(default_factory=dict, repr=False)  # drawn once for all processes
    _data_fingerprints: dict[str, str] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the data, which another process opens again."""
        return {**self.__dict__, "_folds": None}

    def __call__(self, job: Job) -> Record:
        """Return the columns that a selector chooses on a fold, and the scores of every classifier on them."""
        name, fold, selector = job
        evaluator = FoldEvaluator(
            self.folds(name), fold, self.sizes, self.inner_cv, self.tune_on, self.positive, self.random_state
        )
        with threadpool_limits(1):  # sums of several threads differ in their last digits, and jobs are parallel already
            return self._record(evaluator, selector)

    def _record(self, evaluator: FoldEvaluator, selector: str) -> Record:
        folds = evaluator.folds
        train, test = folds.splits[evaluator.fold]
        sizes, subsets = evaluator.select(self.selectors[selector])
        order = max(subsets, key=len)
        nested = all(subset == order[: len(subset)] for subset in subsets)
        return {
            "data": folds.name,
            "fold": evaluator.fold,
            "selector": selector,
            "fingerprint": self.fingerprint(folds.name, selector),
            "n_columns": folds.data.table.n_columns,
            "n_rows": folds.data.table.n_rows,
            "n_positive": folds.n_positive(self.positive),
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
            for fold in range(len(self.folds(name).splits))
            for selector in self.selectors
            if self.fingerprint(name, selector)  # computed while the data set is open
        ]

    def folds(self, name: str) -> DataFolds:
        """Return a data set and its folds; the last one stays open."""
        if self._folds is None or self._folds.name != name:
            folds, values = self._splits.get(name, self.cv), self.values.get(name, NO_VALUES)
            self._folds = split_data(name, self.data[name], folds, self.random_state, values)
            self._splits[name] = self._folds.splits
        return self._folds

    def fingerprint(self, name: str, selector: str) -> str:
        """Return a fingerprint of all that the records of a selector on a data set depend on."""
        if name not in self._data_fingerprints:
            folds = self.folds(name)
            rows = (rows for split in folds.splits for rows in split)
            weights = [] if folds.values.weights is None else [folds.values.weights]
            self._data_fingerprints[name] = fingerprint([folds.data.fingerprint, *rows, *weights])
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
