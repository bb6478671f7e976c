# SPDX-License-Identifier: BSD-3-Clause
"""Two-class data sets of the comparison of classifiers, and their training and test rows."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import sklearn.datasets
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from bayesieve import datasets
from bayesieve.papers.paper_002.folds import SETS

__all__ = ["N_FOLDS", "QualitySet", "Split", "known_sets", "listed_table", "quality_sets"]

N_FOLDS: Final = 3
_MOST_ROWS = 20_000  # of training, and of test
_SEED = 0
_FINAL: Final = ("hiva", "sylva", "mushroom", "diabetes130", "cell2cell-churn", "rain-australia", "wids-cancer")
_ADDED: Final = ("higgs-7k", "job-change", "ozone-1h", "phishing-websites", "santander-satisfaction")
_IN_TIME: Final = ("elec2",)

Labeled = tuple[pd.DataFrame, NDArray[np.int64]]


@dataclass(frozen=True)
class Split:
    """The rows of a fold."""

    fold: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]


@dataclass(frozen=True)
class QualitySet:
    """A table of numbers and categories, and classes 0 and 1.

    ``is_final`` sets are kept for the end: no choice of a method may be prompted by them. The rows of ``in_time`` sets
    are in the order of time, and the last third is predicted.
    """

    name: str
    n_rows: int
    n_columns: int
    read: Callable[[], Labeled]

    @property
    def is_final(self) -> bool:
        """Whether the set is kept for the end."""
        return self.name in _FINAL

    @property
    def is_added(self) -> bool:
        """Whether the set came with CatBoost, LightGBM and XGBoost, after most choices of the method."""
        return self.name in _ADDED

    @property
    def in_time(self) -> bool:
        """Whether the last rows are predicted, instead of folds."""
        return self.name in _IN_TIME

    @property
    def n_folds(self) -> int:
        """Number of splits."""
        return 1 if self.in_time else N_FOLDS

    @property
    def n_cells(self) -> int:
        """Number of cells of a training table."""
        return min(self.n_rows * (N_FOLDS - 1) // N_FOLDS, _MOST_ROWS) * self.n_columns

    def load(self) -> Labeled:
        """Return a frame with columns of floats and categories, and the classes."""
        X, y = self.read()
        if X.shape != (self.n_rows, self.n_columns):
            raise ValueError(f"{self.name} has {X.shape} rows and columns, not {(self.n_rows, self.n_columns)}.")
        return X, y

    def splits(self, y: NDArray[np.int64]) -> list[Split]:
        """Return the same rows in every run."""
        if self.in_time:
            cut = len(y) * 2 // 3
            pairs: Any = [(np.arange(cut), np.arange(cut, len(y)))]
        else:
            pairs = StratifiedKFold(N_FOLDS, shuffle=True, random_state=_SEED).split(np.zeros((len(y), 1)), y)
        return [Split(fold, *(_sample(rows, fold) for rows in pair)) for fold, pair in enumerate(pairs)]


def _sample(rows: NDArray[np.intp], fold: int) -> NDArray[np.intp]:
    if len(rows) <= _MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng([_SEED, fold]).choice(rows, _MOST_ROWS, replace=False))


def quality_sets(final: bool = False) -> dict[str, QualitySet]:
    """Return the sets in the order of their sizes; with ``final`` also those that are kept for the end.

    Without a folder of data sets, those that can be downloaded or come with scikit-learn.
    """
    present = {each.name for each in _published()} if not os.environ.get("BAYESIEVE_DATA") else None
    return {
        name: each
        for name, each in known_sets().items()
        if (present is None or name in present) and (final or not each.is_final)
    }


def known_sets() -> dict[str, QualitySet]:
    """Return all sets in the order of their sizes, also those that cannot be read here."""
    found = [*_published(), *_tables(), *_listed()]
    return {each.name: each for each in sorted(found, key=lambda each: (each.n_cells, each.name))}


def _published() -> Iterator[QualitySet]:
    """Yield the sets of this library's loaders and of scikit-learn."""
    shapes = {
        "breast-w": (699, 9),
        "pima": (768, 8),
        "heart-statlog": (270, 13),
        "spect": (267, 22),
        "vote": (435, 16),
        "horse-colic": (368, 22),
        "crx": (690, 15),
        "german": (1000, 20),
        "hepatitis": (155, 19),
        "ionosphere": (351, 34),
    }
    yield QualitySet("breast_cancer", 569, 30, partial(_bunch, sklearn.datasets.load_breast_cancer))
    yield QualitySet("digits-even", 1797, 64, _digits)
    yield QualitySet("madelon", 2600, 500, partial(_bunch, lambda: datasets.load_madelon("all")))
    for name, shape in shapes.items():
        yield QualitySet(name, *shape, partial(_bunch, SETS[name]))


def _bunch(read: Callable[[], Any]) -> Labeled:
    bunch = read()
    return _typed(pd.DataFrame(bunch.data)), _classes(bunch.target == np.max(bunch.target))


def _digits() -> Labeled:
    X, y = sklearn.datasets.load_digits(return_X_y=True)
    return _typed(pd.DataFrame(X)), _classes(y % 2 == 0)


def _tables() -> Iterator[QualitySet]:
    """Yield the larger tables of the data folder, each with its own format."""
    yield QualitySet("adult", 32561, 14, _adult)
    yield QualitySet("bank-marketing", 45211, 16, _bank_marketing)
    yield QualitySet("mushroom", 5644, 22, _mushroom)
    yield QualitySet("hiva", 3845, 1617, partial(_matrix, "hiva"))
    yield QualitySet("sylva", 13086, 216, partial(_matrix, "sylva"))


def _adult() -> Labeled:
    table = pd.read_csv(_home() / "adult/adult.data.xz", header=None, skipinitialspace=True, na_values="?")
    return _typed(table.iloc[:, :-1]), _classes(table.iloc[:, -1] == ">50K")


def _bank_marketing() -> Labeled:
    table = pd.read_csv(_home() / "bank-marketing/bank-full.csv.xz", sep=";")
    return _typed(table.drop(columns="y")), _classes(table["y"] == "yes")


def _mushroom() -> Labeled:
    table = pd.read_csv(_home() / "mushroom/mushroom.dat.xz", header=None, skipinitialspace=True)
    return _typed(table.iloc[:, :-1].astype(str)), _classes(table.iloc[:, -1].str.strip() == "p")


def _matrix(name: str) -> Labeled:
    folder = _home() / name
    X, y = (np.loadtxt(folder / f"{name}_train.{part}") for part in ("data.xz", "labels"))
    return _typed(pd.DataFrame(X)), _classes(y > 0)


def _listed() -> Iterator[QualitySet]:
    """Yield two-class tables of the manifests, and the readmissions of diabetes130."""
    shapes = {
        "amazon-access": (32769, 9),
        "cell2cell-churn": (51047, 56),
        "diabetes130": (101766, 47),
        "donor": (19372, 47),
        "elec2": (45312, 8),
        "heloc": (10459, 23),
        "higgs-7k": (7500, 28),
        "hotel": (119390, 29),
        "htru2": (17898, 8),
        "job-change": (19158, 12),
        "lending-club": (9857, 22),
        "ozone-1h": (2536, 73),
        "phishing-websites": (11055, 30),
        "polish-bankruptcy": (5910, 64),
        "rain-australia": (60000, 22),
        "santander-satisfaction": (76020, 306),
        "shoppers": (12330, 17),
        "wids-cancer": (12906, 81),
    }
    for name, shape in shapes.items():
        yield QualitySet(name, *shape, partial(_from_manifest, name))


@cache
def _manifest() -> pd.DataFrame:
    lists = [pd.read_csv(_home() / f"MANIFEST-{number}.csv", keep_default_na=False) for number in (2, 3)]
    return pd.concat(lists).set_index("set")


def _from_manifest(name: str) -> Labeled:
    table, target, entry = listed_table(name)
    y, positive = target.astype(str), entry["positive"].replace("TRUE", "True")
    return table, _classes(y == positive if positive else y != "NO")


def listed_table(name: str) -> tuple[pd.DataFrame, "pd.Series[Any]", "pd.Series[Any]"]:
    """Return a table of the manifests, numbers and categories; its target; and its entry there."""
    entry = _manifest().loc[name]
    table = pd.read_csv(_home() / entry["file"], keep_default_na=False, na_values=[""])
    target = table.pop(entry["target"])
    return _typed(table, frozenset(entry["categorical_columns"].split(";"))), target, entry


def _typed(frame: pd.DataFrame, codes: frozenset[str] = frozenset()) -> pd.DataFrame:
    """Return numbers as floats, texts and codes as categories, with text names."""
    columns = {}
    for name in frame.columns:
        values = frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            typed = values
        elif values.dtype.kind in "iufb" and str(name) not in codes:
            typed = values.astype(np.float64)
        else:
            # A code is a float where cells are missing.
            whole = values.astype("Int64") if values.dtype.kind == "f" else values
            typed = whole.astype("string").astype("category")
        columns[str(name) if isinstance(name, str) else f"c{name}"] = typed
    return pd.DataFrame(columns).reset_index(drop=True)


def _classes(y: Any) -> NDArray[np.int64]:
    return np.asarray(y).astype(np.int64)


def _home() -> Path:
    return Path(os.environ["BAYESIEVE_DATA"]).expanduser()
