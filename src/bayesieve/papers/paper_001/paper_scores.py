# SPDX-License-Identifier: BSD-3-Clause
"""Records as arrays of scores, whose means are the figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.papers.paper_001.paper_methods import BINNED

__all__ = ["METRICS", "Scores", "collect"]

Record = dict[str, Any]

METRICS: Final = ("recall", "precision", "accuracy", "f1")


@dataclass(frozen=True)
class Scores:
    """Scores of sets × selectors × classifiers, each an array of folds × sizes.

    Attributes
    ----------
    sets, selectors, classifiers : list of str
        The sets on which every selector has every fold, if a run was interrupted.
    averaged : list of str
        The classifiers over which means are taken, as many as the paper has: not naive Bayes twice.
    values : dict of (metric, set, selector, classifier) to float array of shape (n_folds, n_sizes)
        Scores on the test rows of the outer folds.
    """

    sets: list[str]
    selectors: list[str]
    classifiers: list[str]
    averaged: list[str]
    values: dict[tuple[str, str, str, str], Floats]

    def of_set(self, metric: str, name: str, selector: str) -> Floats:
        """Return the mean over the averaged classifiers and sizes per fold."""
        return self.mean_of(metric, name, selector, self.averaged)

    def mean_of(self, metric: str, name: str, selector: str, classifiers: Sequence[str]) -> Floats:
        """Return the mean over some classifiers and all sizes per fold."""
        means: Floats = np.mean(
            [self.values[metric, name, selector, each].mean(axis=1) for each in classifiers], axis=0
        )
        return means

    def of_classifier(self, metric: str, classifier: str, selector: str) -> Floats:
        """Return the mean over folds and sizes per set."""
        return np.array([self.values[metric, name, selector, classifier].mean() for name in self.sets])

    def samples(self, metric: str, selector: str) -> Floats:
        """Return the mean over folds per set, classifier and size, the samples of figure 4."""
        return np.concatenate(
            [self.values[metric, name, selector, each].mean(axis=0) for name in self.sets for each in self.averaged]
        )


def collect(records: Sequence[Record]) -> Scores:
    """Arrange the records of finished sets."""
    selectors = list(dict.fromkeys(record["selector"] for record in records))
    n_folds = records[0]["setting"][0] if records else 0
    folds: dict[tuple[str, str], list[Record]] = {}
    for record in sorted(records, key=lambda record: int(record["fold"])):
        folds.setdefault((record["data"], record["selector"]), []).append(record)
    sets = [
        name
        for name in dict.fromkeys(record["data"] for record in records)
        if all(len(folds.get((name, selector), ())) == n_folds for selector in selectors)
    ]
    classifiers = list(records[0]["scores"]) if records else []
    values = {
        (metric, name, selector, each): np.array(
            [record["scores"][each][metric] for record in folds[name, selector]], dtype=np.float64
        )
        for metric in METRICS
        for name in sets
        for selector in selectors
        for each in classifiers
    }
    averaged = [each for each in classifiers if each != BINNED]
    return Scores(sets, selectors, classifiers, averaged, values)
