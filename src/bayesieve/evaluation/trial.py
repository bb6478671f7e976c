"""A selector and the classifiers on one outer fold: select, tune and fit on its fitting rows, score the others."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold

from bayesieve.evaluation.held_data import HeldData, stratified
from bayesieve.evaluation.learner import Learner, forecast, tune
from bayesieve.evaluation.measures import MEASURES, measure
from bayesieve.evaluation.subsets import subsets_of_sizes
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning

__all__ = ["Trial"]

Record = dict[str, Any]
Subsets = list[list[int]]

_SHARES = DummyClassifier(strategy="prior")  # what is believed without columns


@dataclass(frozen=True)
class Trial:
    """One fold of a data set, and how tuning is done."""

    held: HeldData
    fold: int
    sizes: Sequence[int] | None
    inner_cv: int
    tune_on: str
    positive: Any
    random_state: int

    def select(self, selector: Any) -> tuple[list[int], Subsets]:
        """Return sizes and the columns of each; of a selector without path or ranking, its own size only."""
        data, fitting = self.held.data, self.held.splits[self.fold][0]
        if selector is None:
            return [data.table.n_columns], [list(range(data.table.n_columns))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClippedSelectionWarning)  # a table with fewer columns than asked for
            warnings.simplefilter("ignore", NothingSelectedWarning)  # the record says so
            fitted = clone(selector).fit(data.rows(fitting), data.labels[fitting])
        sizes = None if self.sizes is None else self.held.sizes(self.sizes)
        subsets = subsets_of_sizes(fitted, data.table.names, sizes)
        return (sizes if sizes and len(sizes) == len(subsets) else [len(subsets[0])]), subsets

    def score(self, learner: Learner, subsets: Subsets) -> Record:
        """Return the tuned parameters, and for each measure the values of the subsets."""
        data, (fitting, scored) = self.held.data, self.held.splits[self.fold]
        encoding, labels = self.held.encoding(self.fold, learner.encoding), data.labels[fitting]
        classes, truth = data.target.classes, data.target.codes[scored]
        parameters = self._tune(learner, encoding.pick(max(subsets, key=len)), labels)
        model, positive = clone(learner.estimator).set_params(**parameters), self.held.positive(self.positive)
        values: dict[tuple[int, ...], dict[str, float]] = {}  # a selector may have the same subset for many sizes
        for subset in map(tuple, subsets):
            if subset not in values:
                picked = encoding.pick(subset)
                learnt, new = picked or (np.zeros((len(fitting), 1)), np.zeros((len(scored), 1)))
                fitted = clone(model if picked else _SHARES).fit(learnt, labels)
                said = forecast(fitted, new, classes)
                values[subset] = measure(truth, said, len(classes), positive)
        found = {name: [values[tuple(subset)][name] for subset in subsets] for name in MEASURES}
        return {"parameters": {name: _plain(value) for name, value in parameters.items()}, **found}

    def _tune(self, learner: Learner, picked: tuple[Any, Any] | None, labels: Any) -> dict[str, Any]:
        if not learner.grid or picked is None:
            return {}
        inner = StratifiedKFold(self.inner_cv, shuffle=True, random_state=self.random_state)
        return tune(learner, picked[0], labels, stratified(inner, labels), self.tune_on)


def _plain(value: Any) -> Any:
    """Return what JSON can hold."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
