# SPDX-License-Identifier: BSD-3-Clause
"""Groups and weights of the rows of data sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from bayesieve.data import check_weights
from bayesieve.evaluation.outer_splits import fit_rows
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["NO_VALUES", "RowValues", "read_row_values"]


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
