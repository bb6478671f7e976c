# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees with a small search: how many leaves a tree has, and how many trees there are."""

from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier

from bayesieve._typing import Floats

__all__ = ["TunedTrees"]

_LEAVES: Final = (4, 12, 31)
_RATE: Final = 0.05
_MOST_TREES: Final = 500
_PATIENCE: Final = 20  # trees without a lower loss
_FEW_TREES: Final = 50  # where a class has too few rows for a fifth of them
_FEW_ROWS: Final = 5  # of a class
_TUNING_ROWS: Final = 20_000  # of larger tables every so many rows: the search would take longest


class TunedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Scikit-learn's `HistGradientBoostingClassifier`, whose size has the lowest log loss on a fifth of the rows.

    For each of some numbers of leaves, the other rows grow trees until this loss stops falling; then all rows grow the
    best number of the best ones. Of more than 20,000 rows, evenly spread ones take part in the search.
    """

    def __init__(self, categorical_features: NDArray[np.bool_] | None = None) -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Floats, y: NDArray[Any], sample_weight: Floats | None = None) -> Self:
        """Choose leaves and trees, and fit all rows."""
        leaves, n_trees = self._search(X, y, sample_weight)
        self.trees_ = self._trees(leaves, n_trees).fit(X, y, sample_weight)
        self.classes_ = self.trees_.classes_
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return class probabilities."""
        probabilities: Floats = self.trees_.predict_proba(X)
        return probabilities

    def _search(self, X: Floats, y: NDArray[Any], sample_weight: Floats | None) -> tuple[int, int]:
        """Return the number of leaves and of trees with the lowest loss; of equal ones the smaller."""
        rows = slice(None, None, max(1, -(-len(y) // _TUNING_ROWS)))
        if np.unique(y[rows], return_counts=True)[1].min() < _FEW_ROWS:
            return _LEAVES[0], _FEW_TREES
        found = []
        weights = None if sample_weight is None else sample_weight[rows]
        for leaves in _LEAVES:
            trees = self._trees(leaves, _MOST_TREES, early_stopping=True).fit(X[rows], y[rows], weights)
            losses = -trees.validation_score_[1:]  # the first is that without a tree
            found.append((float(losses.min()), leaves, int(losses.argmin()) + 1))
        return min(found)[1:]

    def _trees(self, leaves: int, n_trees: int, *, early_stopping: bool = False) -> HistGradientBoostingClassifier:
        return HistGradientBoostingClassifier(
            early_stopping=early_stopping,
            validation_fraction=0.2,
            n_iter_no_change=_PATIENCE,
            learning_rate=_RATE,
            max_iter=n_trees,
            max_leaf_nodes=leaves,
            categorical_features=self.categorical_features,
            random_state=0,
        )
