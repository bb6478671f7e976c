# SPDX-License-Identifier: BSD-3-Clause
"""Open data sets at moderate sizes, for the benchmarks of the automatic size: some narrow, some with few rows and wide.

No set that is kept for the end of another comparison of sizes is among them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from bayesieve import datasets
from benchmarks.quality_classes import ClassSet
from benchmarks.quality_exchange import Table
from benchmarks.quality_sets import known_sets, listed_table
from benchmarks.subsets_truth import simulated_table

__all__ = ["N_FOLDS", "SIZE_SETS", "SizeSet"]

N_FOLDS: Final = 3
_MOST_TEST_ROWS: Final = 5000

Labeled = tuple[Table, NDArray[np.int64]]


@dataclass(frozen=True)
class SizeSet:
    """A table, and the number of rows that a fit has at most."""

    name: str
    source: str
    most_rows: int
    of_quality: bool = False

    def load(self) -> Labeled:
        """Return the table and classes from 0."""
        return _load(self.source)

    def split(self, y: NDArray[np.int64], number: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return training and test rows: folds of one division of the rows, then of the next."""
        division, fold = divmod(number, N_FOLDS)
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=division).split(np.zeros((len(y), 1)), y)
        train, test = list(folds)[fold]
        return _some(train, y, self.most_rows, number), _some(test, y, _MOST_TEST_ROWS, number)


def _some(rows: NDArray[np.intp], y: NDArray[np.int64], most: int, seed: int) -> NDArray[np.intp]:
    """Return so many rows, of each class its share, and two at least."""
    if len(rows) <= most:
        return rows
    shuffled = np.random.default_rng(seed).permutation(rows)
    own = [shuffled[y[shuffled] == c] for c in np.unique(y)]
    return np.sort(np.concatenate([each[: max(2, round(most * len(each) / len(rows)))] for each in own]))


@cache
def _load(source: str) -> Labeled:
    kind, name = source.split(":")
    return _READERS[kind](name)


def _arcene(name: str) -> Labeled:
    bunch = datasets.load_arcene("all")
    y = np.asarray(bunch.target) == np.max(bunch.target)
    return pd.DataFrame(np.asarray(bunch.data)), y.astype(np.int64)


def _listed(name: str) -> Labeled:
    """Return a set of the manifests; a number is divided at its median."""
    table, target, entry = listed_table(name)
    y = target > target.median() if entry["task"] == "regression" else target.astype(str)
    return table, np.unique(y, return_inverse=True)[1]


def _weak_effects(n_columns: str) -> Labeled:
    """Return simulated columns that have weak effects, all of them: none has much evidence."""
    random, n = np.random.default_rng(0), int(n_columns)
    latent = random.normal(size=(6000, n // 4))
    values = latent @ random.normal(size=(n // 4, n)) / (n // 4) ** 0.5 + random.normal(size=(6000, n))
    effects = random.normal(size=n) / n**0.5
    scores = 2.0 * values @ effects + random.logistic(size=6000)
    return pd.DataFrame(values).add_prefix("c"), (scores > 0.0).astype(np.int64)


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "two": lambda name: known_sets()[name].load(),
    "classes": lambda name: ClassSet(name).load(),
    "arcene": _arcene,
    "second": _listed,
    "weak": _weak_effects,
    "simulated": simulated_table,
}

_QUALITY: Final = {
    "heart-statlog": 270, "spect": 267, "vote": 435, "horse-colic": 368, "crx": 690, "ionosphere": 351,
    "breast_cancer": 569, "pima": 768, "german": 1000, "digits-even": 1797, "polish-bankruptcy": 5000, "heloc": 5000,
    "lending-club": 5000, "shoppers": 5000, "donor": 5000, "hotel": 5000, "adult": 5000, "bank-marketing": 5000,
    "madelon": 2600,
}  # fmt: skip
_OTHERS: Final = {
    "dna-250": ("classes:dna", 250),
    "digits-300": ("classes:digits", 300),
    "sylva-500": ("two:sylva", 500),
    "polish-500": ("two:polish-bankruptcy", 500),
    "communities-500": ("second:communities-crime", 500),
    "weak-500": ("weak:170", 500),
    "weak-250": ("weak:750", 250),
    "ozone-1h": ("second:ozone-1h", 2536),
    "santander": ("second:santander-satisfaction", 5000),
    "arcene": ("arcene:arcene", 200),
    "dexter": ("classes:dexter", 400),
    "wine": ("classes:wine", 178),
    "dna": ("classes:dna", 2000),
    "digits": ("classes:digits", 1797),
    "covertype": ("classes:covertype", 3000),
    "diabetes130-classes": ("classes:diabetes130", 3000),
    "wall-robot": ("second:wall-robot", 3600),
    "wine-quality": ("second:wine-quality", 3000),
}

SIZE_SETS: Final = {
    each.name: each
    for each in (
        *(SizeSet(name, f"two:{name}", most, of_quality=True) for name, most in _QUALITY.items()),
        *(SizeSet(name, source, most) for name, (source, most) in _OTHERS.items()),
    )
}
"""By name, those of `quality` first."""
