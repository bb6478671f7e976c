"""A scikit-learn transformer as coding rule: one clone a numeric column, each distinct output a code."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bayesieve.coding import Groups, Partition
from bayesieve.coding.partition import ordered_again
from bayesieve.coding.rule import distinct_groups
from bayesieve.data import Column, NominalColumn, OrderedColumn, Table, Target, Weights
from bayesieve.exceptions import DataError

__all__ = ["TransformerRule"]


@dataclass(frozen=True)
class TransformedValues:
    """The outputs of a fitted transformer as parts; missing values do not go through it."""

    transformer: Any
    groups: Groups

    @property
    def n_parts(self) -> int:
        """Number of parts, the missing part included."""
        return self.groups.n_parts

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each row."""
        return self.groups.encode(_outputs(self.transformer, column))

    def describe(self, code: int) -> str:
        """Return a part in words."""
        return self.groups.describe(code)


@dataclass(frozen=True)
class TransformerRule:
    """Codes numeric columns by clones of ``transformer``; the values of nominal columns stay apart."""

    transformer: Any

    def learn(self, table: Table, target: Target, weights: Weights) -> list[Partition]:
        """Fit one clone a numeric column on its rows that are present and not missing."""
        return [self._learn(column, target, weights.units) for column in table.columns]

    def _learn(self, column: Column, target: Target, weights: NDArray[np.int64]) -> Partition:
        if isinstance(column, NominalColumn):
            return distinct_groups(column, weights)
        known = (weights > 0) & ~np.isnan(column.values)
        if len(np.unique(column.values[known])) < 2:  # nothing to divide, of which transformers may complain
            return distinct_groups(column, weights)
        fitted = clone(self.transformer).fit(column.values[known, None], target.classes[target.codes[known]])
        return TransformedValues(fitted, distinct_groups(_outputs(fitted, column), weights))


def _outputs(transformer: Any, column: Column) -> OrderedColumn:
    column = ordered_again(column)
    known = ~np.isnan(column.values)
    values = np.full(len(column.values), np.nan)
    if known.any():
        outputs = transformer.transform(column.values[known, None])
        outputs = np.asarray(outputs.toarray() if hasattr(outputs, "toarray") else outputs, dtype=np.float64)
        if outputs.shape != (int(known.sum()), 1):
            raise DataError(
                f"The discretizer turned column {column.name!r} into shape {outputs.shape}; "
                f"({int(known.sum())}, 1) is expected, for instance with encode='ordinal'."
            )
        values[known] = outputs[:, 0]
    return OrderedColumn(column.name, values)
