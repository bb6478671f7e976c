# SPDX-License-Identifier: BSD-3-Clause
"""Fit one classifier of this library or of scikit-learn, in a process of its own; see ``quality_exchange``."""

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler, TargetEncoder
from threadpoolctl import threadpool_limits

import bayesieve
from benchmarks.quality_exchange import Answer, Problem

__all__ = ["run"]

_MOST_CATEGORIES = 255  # of histogram boosting


def run(folder: Path) -> None:
    """Fit and predict."""
    problem = Problem.read(folder)
    settings = dict(problem.settings)
    model = _MODELS[settings.pop("model")](problem, settings)
    warnings.simplefilter("ignore")  # of convergence, and of fewer informative columns than asked for
    with threadpool_limits(1):
        began = time.process_time()
        model.fit(problem.train, problem.target)
        seconds = time.process_time() - began
        probabilities = Answer.probabilities_of(model.predict_proba(problem.test))
    Answer(probabilities, _n_columns(model, problem), _n_pairs(model), seconds).write(folder)


def _scorecard(problem: Problem, settings: dict[str, Any]) -> Any:
    return bayesieve.ScorecardClassifier(n_jobs=1, **settings)


def _selective_naive_bayes(problem: Problem, settings: dict[str, Any]) -> Any:
    return bayesieve.SelectiveNaiveBayes(n_jobs=1, **settings)


def _boosting(problem: Problem, settings: dict[str, Any]) -> Any:
    """Return histogram boosting with early stopping; columns of very many categories are target-encoded."""
    boosting = HistGradientBoostingClassifier(early_stopping=True, categorical_features="from_dtype", random_state=0)
    if not isinstance(problem.train, pd.DataFrame):  # a sparse matrix
        return make_pipeline(FunctionTransformer(lambda X: X.toarray(), accept_sparse=True), boosting)
    many = [name for name in _categorical(problem) if problem.train[name].nunique() > _MOST_CATEGORIES]
    if not many:
        return boosting
    encoder = TargetEncoder(random_state=0)
    transformer = make_column_transformer((encoder, many), remainder="passthrough", verbose_feature_names_out=False)
    return make_pipeline(transformer.set_output(transform="pandas"), boosting)


def _logistic(problem: Problem, settings: dict[str, Any]) -> Any:
    """Return ridge logistic regression of scaled numbers and one-hot categories; five folds choose the penalty."""
    regression = LogisticRegressionCV(
        Cs=[0.001, 0.01, 0.1, 1.0, 10.0], cv=5, scoring="neg_log_loss", max_iter=1000, use_legacy_attributes=False
    )
    if not isinstance(problem.train, pd.DataFrame):
        return make_pipeline(MaxAbsScaler(), regression)
    categories = _categorical(problem)
    numbers = [name for name in problem.train.columns if name not in set(categories)]
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    one_hot = OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist")
    transformer = make_column_transformer((make_pipeline(imputer, StandardScaler()), numbers), (one_hot, categories))
    return make_pipeline(transformer, regression)


_MODELS: Final[dict[str, Callable[[Problem, dict[str, Any]], Any]]] = {
    "scorecard": _scorecard,
    "selective naive Bayes": _selective_naive_bayes,
    "histogram boosting": _boosting,
    "logistic regression": _logistic,
}


def _categorical(problem: Problem) -> list[str]:
    return [name for name, kind in problem.train.dtypes.items() if isinstance(kind, pd.CategoricalDtype)]


def _n_columns(model: Any, problem: Problem) -> int:
    """Return the number of columns that change a prediction."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if isinstance(last, HistGradientBoostingClassifier):
        trees = [tree.nodes for trees in last._predictors for tree in trees]
        return len({int(node["feature_idx"]) for nodes in trees for node in nodes if not node["is_leaf"]})
    return int(getattr(last, "n_features_", problem.train.shape[1]))


def _n_pairs(model: Any) -> int | None:
    """Return the number of pairs; boosting does not count its interactions."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    return None if isinstance(last, HistGradientBoostingClassifier) else len(getattr(last, "pairs_", ()))
