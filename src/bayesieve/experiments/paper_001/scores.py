"""Records as one array of scores: what figures and claims are means of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["METRICS", "Scores", "collect"]

Record = dict[str, Any]
Floats = NDArray[np.float64]

METRICS: Final = ("recall", "precision", "accuracy", "f1")


@dataclass(frozen=True)
class Scores:
    """Scores of sets × selectors × classifiers; of each, an array of folds × sizes.

    Attributes
    ----------
    sets, selectors, classifiers : list of str
        Of an interrupted run, the sets on which every selector has every fold.
    values : dict of (metric, set, selector, classifier) to float array of shape (n_folds, n_sizes)
        Scores on rows that took no part in anything.
    """

    sets: list[str]
    selectors: list[str]
    classifiers: list[str]
    values: dict[tuple[str, str, str, str], Floats]

    def of_set(self, metric: str, name: str, selector: str) -> Floats:
        """Return for each fold the mean over classifiers and sizes."""
        return self.mean_of(metric, name, selector, self.classifiers)

    def mean_of(self, metric: str, name: str, selector: str, classifiers: Sequence[str]) -> Floats:
        """Return for each fold the mean over some classifiers and all sizes."""
        found: Floats = np.mean(
            [self.values[metric, name, selector, each].mean(axis=1) for each in classifiers], axis=0
        )
        return found

    def of_classifier(self, metric: str, classifier: str, selector: str) -> Floats:
        """Return for each set the mean over folds and sizes."""
        return np.array([self.values[metric, name, selector, classifier].mean() for name in self.sets])

    def samples(self, metric: str, selector: str) -> Floats:
        """Return a mean over folds for each set, classifier and size, as figure 4 samples them."""
        return np.concatenate(
            [self.values[metric, name, selector, each].mean(axis=0) for name in self.sets for each in self.classifiers]
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
    return Scores(sets, selectors, classifiers, values)
