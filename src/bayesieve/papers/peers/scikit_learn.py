# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of scikit-learn, with preprocessing for tables of numbers and labels."""

from collections.abc import Callable
from typing import Any, Final

from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayesieve.data import read_table

__all__ = ["PEERS"]


def _prepared(classifier: Any) -> Callable[[Any], Any]:
    """Impute numbers by the median and scale them; one-hot encode labels."""

    def build(X: Any) -> Any:
        table = read_table(X)
        ordered = [j for j in range(table.n_columns) if table.is_ordered(j)]
        labels = [j for j in range(table.n_columns) if j not in set(ordered)]
        numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return make_pipeline(make_column_transformer((numbers, ordered), (one_hot, labels)), classifier())

    return build


PEERS: Final[dict[str, Callable[[Any], Any]]] = {
    "GaussianNB": _prepared(GaussianNB),
    "LogisticRegression": _prepared(lambda: LogisticRegression(max_iter=1000)),
    "HistGradientBoosting": lambda X: HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0),
}
