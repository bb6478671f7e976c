# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes on the log-likelihoods of columns: with those of Weka, the classifier that the paper used."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from bayesieve._typing import Floats

__all__ = ["SummedLikelihoods"]


class SummedLikelihoods(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Add the log-likelihoods of all columns, ``n_classes`` numbers each, to the log frequency of each class."""

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Estimate the class frequencies, with a pseudo-count of 1."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_priors_ = np.log((counts + 1) / (len(y) + len(counts)))
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the probability of each class."""
        scores = self.log_priors_ + X.reshape(len(X), -1, len(self.classes_)).sum(axis=1)
        ratios = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities: Floats = ratios / ratios.sum(axis=1, keepdims=True)
        return probabilities

    def predict(self, X: Floats) -> NDArray[Any]:
        """Return the most probable class, the first on ties."""
        predicted: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return predicted
