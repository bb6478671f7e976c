# SPDX-License-Identifier: BSD-3-Clause
"""A data set: its table, groups and weights of its rows, its outer folds, and the encodings of the fold in use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from bayesieve.data import check_weights, open_raw
from bayesieve.evaluation.encodings import ENCODINGS, Encoding
from bayesieve.evaluation.labeled_table import LabeledBlocks, LabeledTable
from bayesieve.evaluation.outer_cv import Split, fit_rows, outer_splits
from bayesieve.exceptions import DataError, ParameterError

__all__ = [
    "NO_VALUES",
    "DataSet",
    "RowValues",
    "Source",
    "open_data",
    "read_row_values",
    "split_data",
]

Source = Any  # (X, y), a Bunch, or a function without arguments that returns one of them


@dataclass(frozen=True)
class RowValues:
    """Groups and weights of rows, None where all rows are equal."""

    groups: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def are_equal(self) -> bool:
        """Whether rows have neither groups nor weights."""
        return self.groups is None and self.weights is None

    def take(self, rows: NDArray[np.intp]) -> "RowValues":
        """Return those of some rows."""
        return RowValues(*(None if each is None else each[rows] for each in (self.groups, self.weights)))

    def check(self, n_rows: int, name: str) -> "RowValues":
        """Return the same, with weights that were checked; refuse other lengths than that of the table."""
        if self.groups is not None and self.groups.shape != (n_rows,):
            raise DataError(f"groups of {name!r} has shape {self.groups.shape}; the table has {n_rows} rows.")
        if self.weights is None:
            return self
        return RowValues(self.groups, check_weights(self.weights, n_rows))

    def fit(self, estimator: Any, X: Any, y: NDArray[Any]) -> Any:
        """Fit an estimator with the weights of rows, and with their groups if it draws folds of its own."""
        given: dict[str, Any] = {}
        if self.weights is not None:
            if not has_fit_parameter(estimator, "sample_weight"):
                raise ParameterError(f"sample_weight is given, but {type(estimator).__name__}.fit does not take it.")
            given["sample_weight"] = self.weights
        if self.groups is not None:
            given["groups"] = self.groups
        return fit_rows(estimator, X, y, given)


NO_VALUES = RowValues()


def read_row_values(groups: Any, sample_weight: Any, names: list[str]) -> dict[str, RowValues]:
    """Return the groups and weights of each data set; with one data set, they may be given without its name."""
    values = {}
    for name in names:
        given = [
            _of_data(each, name, names, what) for each, what in ((groups, "groups"), (sample_weight, "sample_weight"))
        ]
        values[name] = RowValues(
            None if given[0] is None else np.asarray(given[0]),
            None if given[1] is None else np.asarray(given[1], dtype=np.float64),
        )
    return values


def _of_data(given: Any, name: str, names: list[str], what: str) -> Any:
    if isinstance(given, Mapping):
        if unknown := [key for key in given if key not in names]:
            raise ParameterError(f"{what} names the data set {unknown[0]!r}; the data sets are {', '.join(names)}.")
        return given.get(name)
    if given is not None and len(names) > 1:
        raise ParameterError(f"{what} must be a mapping of the names of the {len(names)} data sets to arrays.")
    return given


@dataclass
class DataSet:
    """A data set, its outer folds as pairs of training and test rows, and the encodings of one fold."""

    name: str
    data: LabeledTable | LabeledBlocks
    splits: list[Split]
    values: RowValues = NO_VALUES
    encodings: dict[tuple[int, str], Encoding] = field(default_factory=dict)

    def encoding(self, fold: int, encoding: str) -> Encoding:
        """Return an encoding of a fold; those of other folds are dropped."""
        if (fold, encoding) not in self.encodings:
            self.encodings = {key: value for key, value in self.encodings.items() if key[0] == fold}
            self.encodings[fold, encoding] = ENCODINGS[encoding](self.data, *self.splits[fold])
        return self.encodings[fold, encoding]

    def sizes(self, sizes: Any) -> list[int]:
        """Return the sizes up to the number of columns of the table; that number if all are above it."""
        n_columns = self.data.table.n_columns
        return sorted({size for size in sizes if size <= n_columns} or {n_columns})

    def positive(self, label: Any) -> int:
        """Return the code of the positive class."""
        classes: list[Any] = self.data.target.classes.tolist()
        if label is None:
            return 1
        if label not in classes:
            raise ParameterError(
                f"positive={label!r} is not a class of {self.name!r}; the classes are {classes!r:.80}."
            )
        return classes.index(label)

    def n_positive(self, label: Any) -> int:
        """Return the number of rows of the positive class."""
        return int(np.count_nonzero(self.data.target.codes == self.positive(label)))


def split_data(name: str, source: Source, cv: Any, random_state: int, values: RowValues = NO_VALUES) -> DataSet:
    """Open a data set and draw its outer folds; ``cv`` may also be a list of them."""
    data = open_data(source)
    if not values.are_equal and not data.in_memory:
        raise ParameterError(f"groups and sample_weight need rows in memory; {name!r} has rows in blocks.")
    values = values.check(data.table.n_rows, name) if data.in_memory else values
    codes = data.target.codes
    if isinstance(cv, list):
        return DataSet(name, data, [(np.asarray(a), np.asarray(b)) for a, b in cv], values)
    if isinstance(cv, int):
        rarest = int(np.bincount(codes).min())
        if rarest < cv:
            raise DataError(f"cv={cv}: a class of {name!r} has only {rarest} rows; use at most {rarest} folds.")
        table = data.table if data.in_memory else None
        return DataSet(name, data, outer_splits(codes, cv, values.groups, random_state, table=table), values)
    from sklearn.model_selection import check_cv

    splitter = check_cv(cv, codes, classifier=True)
    splits = splitter.split(np.zeros((len(codes), 1)), codes, values.groups)
    return DataSet(name, data, [(np.asarray(a), np.asarray(b)) for a, b in splits], values)


def open_data(source: Source) -> LabeledTable | LabeledBlocks:
    """Open the data set of a source."""
    data = source() if callable(source) else source
    if hasattr(data, "data") and hasattr(data, "target"):
        data = (data.data, data.target)
    if isinstance(data, tuple | list) and len(data) == 2:
        raw = open_raw(data[0], data[1], None, "auto")
        return LabeledTable(*data) if raw is None else LabeledBlocks(raw)
    raise DataError(f"data must be (X, y), or what a data set loader returns, got {type(data).__name__}.")
