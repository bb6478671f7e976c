# SPDX-License-Identifier: BSD-3-Clause
"""A data set with its outer folds, and the encodings of the fold in use."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayesieve.evaluation.data_source import Source, open_data
from bayesieve.evaluation.encodings import ENCODINGS, Encoding
from bayesieve.evaluation.evaluation_blocks import BlockData
from bayesieve.evaluation.evaluation_data import MemoryData
from bayesieve.evaluation.learner import Split
from bayesieve.evaluation.outer_splits import outer_splits
from bayesieve.evaluation.row_values import NO_VALUES, RowValues
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["DataFolds", "split_data", "stratified_folds"]


@dataclass
class DataFolds:
    """A data set, its outer folds as pairs of training and test rows, and the encodings of one fold."""

    name: str
    data: MemoryData | BlockData
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


def split_data(name: str, source: Source, cv: Any, random_state: int, values: RowValues = NO_VALUES) -> DataFolds:
    """Open a data set and draw its outer folds; ``cv`` may also be a list of them."""
    data = open_data(source)
    if not values.are_equal and not data.in_memory:
        raise ParameterError(f"groups and sample_weight need rows in memory; {name!r} has rows in blocks.")
    values = values.check(data.table.n_rows, name) if data.in_memory else values
    codes = data.target.codes
    if isinstance(cv, list):
        return DataFolds(name, data, [(np.asarray(a), np.asarray(b)) for a, b in cv], values)
    if isinstance(cv, int):
        rarest = int(np.bincount(codes).min())
        if rarest < cv:
            raise DataError(f"cv={cv}: a class of {name!r} has only {rarest} rows; use at most {rarest} folds.")
        return DataFolds(name, data, outer_splits(codes, cv, values.groups, random_state), values)
    from sklearn.model_selection import check_cv

    splitter = check_cv(cv, codes, classifier=True)
    splits = splitter.split(np.zeros((len(codes), 1)), codes, values.groups)
    return DataFolds(name, data, [(np.asarray(a), np.asarray(b)) for a, b in splits], values)


def stratified_folds(splitter: Any, codes: Any) -> list[Split]:
    """Return the training and test rows of a splitter that depends on the classes only."""
    return [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(np.zeros((len(codes), 1)), codes)]
