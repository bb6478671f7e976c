# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with CatBoost, LightGBM and XGBoost and without this library: one of them is fitted.

CatBoost has its defaults: 1,000 trees, and a rate that depends on the rows. The others have as many trees as are best
for held-out training rows, by log loss: of five fifths, or of one with 5,000 training rows and more. Settings of
LightGBM that are drawn at random are compared by the same losses. The model that predicts has all training rows.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.quality_exchange import Answer, Problem

__all__ = ["drawn_settings", "fifths", "run", "same_categories", "texts"]

_MOST_TREES: Final = 1000
_PATIENCE: Final = 30  # trees without a smaller loss
_MANY_ROWS: Final = 5000
_FIFTHS: Final = 5

Rows = NDArray[np.intp]


def run(folder: Path) -> None:
    """Fit and predict, on one processor."""
    warnings.simplefilter("ignore")
    problem = Problem.read(folder)
    began = time.process_time()
    predict, used = _LIBRARIES[problem.settings["library"]](problem)
    seconds = time.process_time() - began
    p = np.asarray(predict())
    p = np.column_stack([1.0 - p, p]) if p.ndim == 1 else p
    Answer(Answer.probabilities_of(p), int((np.asarray(used) > 0.0).sum()), None, seconds).write(folder)


Fitted = tuple[Callable[[], Any], Any]
"""What returns the probabilities of test rows, and the importance of each column."""


def _catboost(problem: Problem) -> Fitted:
    import catboost

    names = [name for name, kind in problem.kinds("number", "category").items() if kind == "category"]
    train, test = (texts(rows, names) for rows in (problem.train, problem.test))
    model = catboost.CatBoostClassifier(
        loss_function="Logloss" if problem.target.max() == 1 else "MultiClass", cat_features=names,
        thread_count=1, random_seed=0, verbose=False, allow_writing_files=False,
    )  # fmt: skip
    model.fit(train, problem.target)
    return lambda: model.predict_proba(test, thread_count=1), model.get_feature_importance()


def _lightgbm(problem: Problem) -> Fitted:
    import lightgbm

    train, test = same_categories(problem)
    data = lightgbm.Dataset(train, problem.target, free_raw_data=False)
    objective = _objective(problem, "num_class", ("binary", "binary_logloss"), ("multiclass", "multi_logloss"))
    common = {"num_threads": 1, "seed": 0, "deterministic": True, "verbose": -1, **objective}
    folds, found = _divisions(problem.target), []
    for drawn in drawn_settings(problem.settings["n_draws"]):
        settings = {**common, **drawn}
        stop = lightgbm.early_stopping(_PATIENCE, verbose=False)
        losses = lightgbm.cv(settings, data, _MOST_TREES, folds, callbacks=[stop])[f"valid {objective['metric']}-mean"]
        found.append((losses[-1], len(losses), settings))
    _, n_trees, settings = min(found, key=lambda each: each[0])
    model = lightgbm.train(settings, data, n_trees)
    return lambda: model.predict(test, num_threads=1), model.feature_importance("split")


def _xgboost(problem: Problem) -> Fitted:
    import xgboost

    train, test = same_categories(problem)
    matrix = xgboost.DMatrix(train, problem.target, enable_categorical=True, nthread=1)
    tested = xgboost.DMatrix(test, enable_categorical=True, nthread=1)
    objective = _objective(problem, "num_class", ("binary:logistic", "logloss"), ("multi:softprob", "mlogloss"))
    objective["eval_metric"] = objective.pop("metric")
    settings = {"nthread": 1, "seed": 0, "tree_method": "hist", "eta": 0.05, **objective}
    losses = xgboost.cv(
        settings, matrix, _MOST_TREES, folds=_divisions(problem.target), early_stopping_rounds=_PATIENCE,
        as_pandas=False,
    )  # fmt: skip
    model = xgboost.train(settings, matrix, len(losses[f"test-{objective['eval_metric']}-mean"]))
    return lambda: model.predict(tested), list(model.get_score(importance_type="weight").values())


_LIBRARIES: Final[dict[str, Callable[[Problem], Fitted]]] = {
    "CatBoost": _catboost,
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
}


def _objective(problem: Problem, name: str, two: tuple[str, str], several: tuple[str, str]) -> dict[str, Any]:
    """Return objective and metric of two classes or more."""
    n_classes = int(problem.target.max()) + 1
    objective, metric = two if n_classes == 2 else several
    return {"objective": objective, "metric": metric, **({} if n_classes == 2 else {name: n_classes})}


def drawn_settings(n_draws: int) -> Iterator[dict[str, Any]]:
    """Yield settings of LightGBM, the same in each run."""
    for draw in range(n_draws):
        random = np.random.default_rng([0, draw])
        low, high = np.log([[0.03, 4, 2, 1e-3, 1], [0.2, 128, 100, 30, 100]])
        rate, leaves, rows, ridge, smooth = np.exp(random.uniform(low, high)).tolist()
        columns, share = random.uniform(0.4, 1.0, 2).tolist()
        yield {
            "learning_rate": rate, "num_leaves": round(leaves), "min_data_in_leaf": round(rows), "lambda_l2": ridge,
            "cat_smooth": smooth, "feature_fraction": columns, "bagging_fraction": share, "bagging_freq": 1,
        }  # fmt: skip


def fifths(target: NDArray[np.int64]) -> Iterator[tuple[Rows, Rows]]:
    """Yield training and held-out rows; each class is divided evenly."""
    shuffled = np.random.default_rng(0).permutation(len(target))
    part = np.empty(len(target), dtype=np.int64)
    part[shuffled[np.argsort(target[shuffled], kind="stable")]] = np.arange(len(target)) % _FIFTHS
    for each in range(_FIFTHS):
        yield np.flatnonzero(part != each), np.flatnonzero(part == each)


def _divisions(target: NDArray[np.int64]) -> list[tuple[Rows, Rows]]:
    return list(fifths(target))[: 1 if len(target) >= _MANY_ROWS else _FIFTHS]


def same_categories(problem: Problem) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return rows with the categories of training rows; others are missing."""
    kinds = {name: kind for name, kind in problem.train.dtypes.items() if isinstance(kind, pd.CategoricalDtype)}
    return problem.train, problem.test.astype(kinds)


def texts(rows: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Return rows with texts instead of categories; a missing one is a text, too."""
    texts = {name: rows[name].astype(object).where(rows[name].notna(), "(missing)") for name in names}
    return rows.assign(**texts)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
