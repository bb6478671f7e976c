"""The data set that a process is at work on: its outer folds, and the encodings of the last of them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from bayesieve.evaluation.encodings import ENCODINGS, Encoding
from bayesieve.evaluation.learner import Split
from bayesieve.evaluation.opened_data import OpenedData, Source, open_data
from bayesieve.evaluation.scattered_data import ScatteredData
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["HeldData", "hold", "stratified"]


@dataclass
class HeldData:
    """Data, folds, and what was made of them."""

    name: str
    data: OpenedData | ScatteredData
    splits: list[Split]
    encodings: dict[tuple[int, str], Encoding] = field(default_factory=dict)

    def encoding(self, fold: int, encoding: str) -> Encoding:
        """Return an encoding of a fold; those of other folds are forgotten."""
        if (fold, encoding) not in self.encodings:
            self.encodings = {key: value for key, value in self.encodings.items() if key[0] == fold}
            self.encodings[fold, encoding] = ENCODINGS[encoding](self.data, *self.splits[fold])
        return self.encodings[fold, encoding]

    def sizes(self, wanted: Any) -> list[int]:
        """Return the sizes that the table has; all of its columns if it has fewer than any."""
        n_columns = self.data.table.n_columns
        return sorted({size for size in wanted if size <= n_columns} or {n_columns})

    def positive(self, label: Any) -> int:
        """Return the code of the positive class."""
        classes: list[Any] = self.data.target.classes.tolist()
        if label is None:
            return 1
        if label not in classes:
            raise ParameterError(f"positive={label!r} is no class of {self.name!r}; there are {classes!r:.80}.")
        return classes.index(label)

    def n_positive(self, label: Any) -> int:
        """Return the number of rows of the positive class."""
        return int(np.count_nonzero(self.data.target.codes == self.positive(label)))


def hold(name: str, source: Source, cv: Any, random_state: int) -> HeldData:
    """Open a data set and draw its outer folds; ``cv`` may also be a list of them."""
    data = open_data(source)
    codes = data.target.codes
    if isinstance(cv, list):
        return HeldData(name, data, [(np.asarray(a), np.asarray(b)) for a, b in cv])
    if isinstance(cv, int):
        rarest = int(np.bincount(codes).min())
        if rarest < cv:
            raise DataError(f"cv={cv}: a class of {name!r} has only {rarest} rows; use at most so many folds.")
        cv = StratifiedKFold(cv, shuffle=True, random_state=random_state)
    return HeldData(name, data, stratified(check_cv(cv, codes, classifier=True), codes))


def stratified(splitter: Any, codes: Any) -> list[Split]:
    """Return the parts of a splitter that looks at classes only."""
    return [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(np.zeros((len(codes), 1)), codes)]
