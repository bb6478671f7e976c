# SPDX-License-Identifier: BSD-3-Clause
"""Evaluation on one outer fold: selection, tuning and fit on its training rows, scores on its test rows."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from bayesieve.estimators.refits import named_errors
from bayesieve.evaluation.data_folds import DataFolds
from bayesieve.evaluation.learner import Learner, tune
from bayesieve.evaluation.measures import MEASURES, forecast, measure
from bayesieve.evaluation.outer_splits import outer_splits
from bayesieve.evaluation.row_values import RowValues
from bayesieve.evaluation.subsets import subsets_of_sizes
from bayesieve.exceptions import (
    ClippedSelectionWarning,
    NothingSelectedWarning,
    ParameterError,
)

__all__ = ["FoldEvaluator"]

Record = dict[str, Any]
Subsets = list[list[int]]

_CLASS_FREQUENCIES = DummyClassifier(strategy="prior")  # the model without columns


@dataclass(frozen=True)
class FoldEvaluator:
    """One fold of a data set, and the options of tuning."""

    folds: DataFolds
    fold: int
    sizes: Sequence[int] | None
    inner_cv: int
    tune_on: str
    positive: Any
    random_state: int

    def select(self, selector: Any) -> tuple[list[int], Subsets]:
        """Return sizes and the columns of each; a selector without a path or ranking has its own size only."""
        data, train = self.folds.data, self.folds.splits[self.fold][0]
        if selector is None:
            return [data.table.n_columns], [list(range(data.table.n_columns))]
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ClippedSelectionWarning
            )  # a table may have fewer columns than the largest size
            warnings.simplefilter("ignore", NothingSelectedWarning)  # the record has an empty subset
            fitted = self.folds.values.take(train).fit(clone(selector), data.rows(train), data.labels[train])
        sizes = None if self.sizes is None else self.folds.sizes(self.sizes)
        subsets = subsets_of_sizes(fitted, data.table.names, sizes)
        return (sizes if sizes and len(sizes) == len(subsets) else [len(subsets[0])]), subsets

    def score(self, learner: Learner, subsets: Subsets) -> Record:
        """Return the tuned hyperparameters, and for each measure one value per subset."""
        data, (train, test) = self.folds.data, self.folds.splits[self.fold]
        encoding, labels = self.folds.encoding(self.fold, learner.encoding), data.labels[train]
        classes, truth = data.target.classes, data.target.codes[test]
        values_of_rows, weights = self.folds.values.take(train), self.folds.values.take(test).weights
        parameters = self._tune(learner, encoding.pick(max(subsets, key=len)), labels, values_of_rows)
        model, positive = clone(learner.estimator).set_params(**parameters), self.folds.positive(self.positive)
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
        if not self.folds.data.in_memory:
            raise ParameterError("A grid of hyperparameters needs rows in memory; for rows in blocks, give no grid.")
        splits = outer_splits(labels, self.inner_cv, values.groups, self.random_state)
        return tune(learner, picked[0], labels, splits, self.tune_on, values)


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
