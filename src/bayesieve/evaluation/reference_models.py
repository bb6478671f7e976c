# SPDX-License-Identifier: BSD-3-Clause
"""Models to compare an interpretable one with: logistic regression and gradient boosting, on any table.

Scikit-learn's models are imported where they are built: most fits compare with none, and trees take long to import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bayesieve._typing import Floats
from bayesieve.data import Column, read_table, resolve_columns

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

__all__ = ["REFERENCE_MODELS", "ReferenceTable", "reference_matrix"]

Mask = NDArray[np.bool_]

_MOST_CATEGORIES: Final = 200  # of a column; rarer ones are one category. Gradient boosting takes 255 at most.


def _logistic_regression(categorical: Mask) -> Pipeline:
    """Return logistic regression on scaled numbers and indicators of categories."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    indicators = OneHotEncoder(max_categories=_MOST_CATEGORIES, handle_unknown="infrequent_if_exist")
    columns = ColumnTransformer([("numbers", numbers, ~categorical), ("categories", indicators, categorical)])
    return make_pipeline(columns, LogisticRegression(max_iter=1000))


def _gradient_boosting(categorical: Mask) -> Pipeline:
    """Return scikit-learn's boosted trees, tuned; the first columns of their input are the categories."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    from bayesieve.evaluation.tuned_trees import TunedTrees

    codes = OrdinalEncoder(max_categories=_MOST_CATEGORIES, handle_unknown="use_encoded_value", unknown_value=np.nan)
    columns = ColumnTransformer([("categories", codes, categorical), ("numbers", "passthrough", ~categorical)])
    return make_pipeline(columns, TunedTrees(np.arange(len(categorical)) < categorical.sum()))


REFERENCE_MODELS: Final[dict[str, Callable[[Mask], Pipeline]]] = {
    "gradient boosting": _gradient_boosting,
    "logistic regression": _logistic_regression,
}
"""What builds each model, given which columns are categories; class frequencies need no model."""


def reference_matrix(X: Any, drop: Any = None, new_rows: Any = None) -> tuple[Floats, Mask]:
    """Return a table as numbers, NaN where they are missing, and which columns are categories.

    Categories are numbered in the order of the table, and a missing one has a number of its own. Constant columns are
    left out, and those of ``drop``, which is the parameter of a classifier. The rows of a table ``new_rows`` with the
    same columns follow; a category that the first table does not have has a number that is not its own.
    """
    table, others = read_table(X), None if new_rows is None else read_table(new_rows)
    dropped = set(resolve_columns(drop, table.names, "drop", X))
    columns, categorical = [], []
    for j in (j for j in range(table.n_columns) if j not in dropped):
        column = table.column(j)
        values = column.values if column.ordered else column.ids.astype(np.float64)
        present = values[~np.isnan(values)]
        if len(present) and (present[0] != present).any():
            columns.append(values if others is None else np.append(values, _values_like(column, others.column(j))))
            categorical.append(not column.ordered)
    n_rows = table.n_rows + (0 if others is None else others.n_rows)
    matrix = np.column_stack(columns) if columns else np.zeros((n_rows, 1))
    return np.asarray(matrix, dtype=np.float64), np.array(categorical or [False])


def _values_like(column: Column, new: Column) -> Floats:
    """Return the values of new rows as those of a column are numbered."""
    if column.ordered:
        return new.values if new.ordered else np.full(len(new.ids), np.nan)
    number = {label: k for k, label in enumerate(column.labels)}
    unknown = len(column.labels) + 1  # that of missing values is one less
    numbers = [number.get(label, unknown) for label in new.labels]
    return np.array([*numbers, len(column.labels)], dtype=np.float64)[new.ids]


@dataclass(frozen=True)
class ReferenceTable:
    """All rows as numbers, with their classes and weights.

    Attributes
    ----------
    matrix, categorical : arrays of shape (n_samples, n_columns) and (n_columns,)
        As in `reference_matrix`.
    target : int array of shape (n_samples,)
        Index of the class of each row.
    n_classes : int
        Number of classes.
    weights : array of shape (n_samples,), or None
        Weights of the rows, by which models are fitted.
    """

    matrix: Floats
    categorical: Mask
    target: NDArray[np.intp]
    n_classes: int
    weights: Floats | None = None

    def predict(self, name: str, train: NDArray[np.intp], test: NDArray[np.intp]) -> Floats:
        """Fit a model of `REFERENCE_MODELS` on some rows, and return class probabilities of others."""
        model = REFERENCE_MODELS[name](self.categorical)
        weights = {} if self.weights is None else {f"{model.steps[-1][0]}__sample_weight": self.weights[train]}
        probabilities = np.zeros((len(test), self.n_classes))
        with threadpool_limits(1):  # threads of boosting wait in busy loops, which take minutes on a busy machine
            model.fit(self.matrix[train], self.target[train], **weights)
            probabilities[:, model.classes_] = model.predict_proba(self.matrix[test])
        return probabilities
