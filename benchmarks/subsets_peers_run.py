# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with selectors of peers and without this library.

It has CatBoost, LightGBM, scikit-learn, Boruta, mrmr_selection and mlxtend. Settings with ``selectors`` ask for
columns, best first; each selector that ends appends a line to ``orders.jsonl``. Settings with ``subsets`` ask for the
log losses of boosted trees on test rows, ``losses.json``.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.quality_boosting_run import fifths, same_categories, texts
from benchmarks.quality_exchange import Problem

__all__ = ["ORDERS", "run"]

_SLOW_COLUMNS: Final = 300  # of slow selectors: those of largest mutual information
_STEPWISE_COLUMNS: Final = 40
_STEPWISE_ROWS: Final = 1000
_LEAST: Final = 1e-7  # of a probability in the log loss
_TREES: Final = {
    "learning_rate": 0.05,
    "num_leaves": 15,
    "num_threads": 1,
    "seed": 0,
    "deterministic": True,
    "verbose": -1,
}

Order = list[int]


class Rows:
    """Training rows in the forms that selectors need; ``k`` is the largest number of columns asked for."""

    def __init__(self, problem: Problem) -> None:
        self.frame, self.y = problem.train, problem.target
        self.k = int(problem.settings["most"])
        self.is_category = np.array([kind.kind != "f" for kind in self.frame.dtypes])
        self._information: NDArray[np.float64] | None = None

    def numbers(self) -> NDArray[np.float64]:
        """Return standardized numbers; a category is the mean class of other rows that have it."""
        from sklearn.preprocessing import TargetEncoder

        table = self._medians()
        if self.is_category.any():
            encoder = TargetEncoder(target_type="continuous", random_state=0)
            named = self.frame.loc[:, self.is_category].astype(object).where(lambda each: each.notna(), "(missing)")
            table[:, self.is_category] = encoder.fit_transform(named, self.y.astype(np.float64))
        spread = table.std(axis=0)
        return (table - table.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)

    def _medians(self) -> NDArray[np.float64]:
        """Return numbers with the median for missing values, and codes of categories."""
        columns = [
            values.cat.codes if category else values.fillna(0.0 if values.isna().all() else values.median())
            for category, (_, values) in zip(self.is_category, self.frame.items(), strict=True)
        ]
        return np.column_stack([np.asarray(each, dtype=np.float64) for each in columns])

    def information(self) -> NDArray[np.float64]:
        """Return the mutual information of each column and the class, estimated by neighbors of numbers."""
        from sklearn.feature_selection import mutual_info_classif

        if self._information is None:
            found = mutual_info_classif(self._medians(), self.y, discrete_features=self.is_category, random_state=0)
            self._information = np.asarray(found)
        return self._information

    def informative(self, most: int) -> NDArray[np.intp]:
        """Return the positions of so many columns of largest mutual information, in order of position."""
        return np.sort(np.argsort(-self.information(), kind="stable")[:most])


def run(folder: Path) -> None:
    """Do what the settings ask for."""
    warnings.simplefilter("ignore")
    problem = Problem.read(folder)
    if "subsets" in problem.settings:
        losses = [_trees_loss(problem, subset) for subset in problem.settings["subsets"]]
        (folder / "losses.json").write_text(json.dumps(losses), encoding="utf-8")
        return
    for name in problem.settings["selectors"]:
        began = time.process_time()
        try:
            line = {"order": [int(j) for j in ORDERS[name](Rows(problem))]}
        except Exception as error:  # of any peer: the others are still asked
            line = {"order": [], "note": f"{type(error).__name__}: {error}"[:200]}
        line |= {"selector": name, "seconds": time.process_time() - began}
        with (folder / "orders.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _trees_loss(problem: Problem, subset: Sequence[int]) -> float:
    """Return the log loss of the mean of two boosted trees, each stopped by another fifth of the training rows."""
    import lightgbm

    train, test = same_categories(problem)
    train, test = train.iloc[:, subset], test.iloc[:, subset]
    n_classes, total = int(problem.target.max()) + 1, 0.0
    several = {"objective": "multiclass", "num_class": n_classes}
    settings = {**_TREES, **({"objective": "binary"} if n_classes == 2 else several)}
    for rows, held_out in list(fifths(problem.target))[:2]:
        data = lightgbm.Dataset(train.iloc[rows], problem.target[rows])
        stop = lightgbm.early_stopping(30, verbose=False)
        stopped = data.create_valid(train.iloc[held_out], problem.target[held_out])
        model = lightgbm.train(settings, data, 500, [stopped], callbacks=[stop])
        total = total + np.asarray(model.predict(test, num_threads=1)) / 2
    p = np.column_stack([1.0 - total, total]) if n_classes == 2 else total
    y = np.asarray(problem.settings["tested"])
    return float(-np.log(np.clip(p[np.arange(len(y)), y], _LEAST, 1.0)).mean())


def _mutual_information(rows: Rows) -> Order:
    return _by_size(rows.information())


def _l1(rows: Rows) -> Order:
    """Order columns by the penalty at which logistic regression takes them, then by size of coefficients."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import l1_min_c

    X, two = rows.numbers(), rows.y.max() == 1
    smallest = l1_min_c(X, rows.y, loss="log")
    solver = {"solver": "liblinear" if two else "saga", "l1_ratio": 1.0, "max_iter": 200, "random_state": 0}
    score = np.zeros(X.shape[1])
    for step, factor in enumerate(np.geomspace(1.2, 400.0, 12)):
        model = LogisticRegression(C=smallest * factor, **solver).fit(X, rows.y)
        sizes = np.abs(model.coef_).max(axis=0)
        new = (score == 0.0) & (sizes > 0.0)
        score[new] = 100.0 - step + sizes[new] / (1.0 + sizes[new])
        if (score > 0.0).sum() >= rows.k:
            break
    return _by_size(score)


def _gain(rows: Rows) -> Order:
    return _by_size(_boosted(rows)[0].feature_importance("gain"))


def _shap(rows: Rows) -> Order:
    """Order columns by their mean absolute contribution to scores of training rows."""
    model, n_classes = _boosted(rows)
    values = np.asarray(model.predict(rows.frame, pred_contrib=True, num_threads=1))
    return _by_size(np.abs(values).reshape(len(rows.y), n_classes, -1)[:, :, :-1].mean(axis=0).sum(axis=0))


def _boosted(rows: Rows) -> tuple[Any, int]:
    import lightgbm

    n_classes = int(rows.y.max()) + 1
    several = {"objective": "multiclass", "num_class": n_classes}
    settings = {**_TREES, **({"objective": "binary"} if n_classes == 2 else several)}
    train, held_out = next(fifths(rows.y))
    data = lightgbm.Dataset(rows.frame.iloc[train], rows.y[train])
    stopped = data.create_valid(rows.frame.iloc[held_out], rows.y[held_out])
    stop = lightgbm.early_stopping(30, verbose=False)
    return lightgbm.train(settings, data, 500, [stopped], callbacks=[stop]), 1 if n_classes == 2 else n_classes


def _catboost(rows: Rows) -> Order:
    """Order columns by CatBoost's recursive elimination: those that are left, then the last to go."""
    import catboost

    kept = rows.informative(_SLOW_COLUMNS)
    table = rows.frame.iloc[:, kept]
    names = [name for name, kind in table.dtypes.items() if kind.kind != "f"]
    pool = catboost.Pool(texts(table, names), rows.y, cat_features=names)
    model = catboost.CatBoostClassifier(
        iterations=200, loss_function="Logloss" if rows.y.max() == 1 else "MultiClass", thread_count=1,
        random_seed=0, verbose=False, allow_writing_files=False,
    )  # fmt: skip
    n_last = min(3, len(kept) - 1)
    found = model.select_features(
        pool, features_for_select=list(range(len(kept))), num_features_to_select=n_last, steps=8,
        algorithm="RecursiveByShapValues", shap_calc_type="Approximate", train_final_model=False,
    )  # fmt: skip
    order = [*found["selected_features"], *reversed(found["eliminated_features"])]
    return [int(kept[j]) for j in order]


def _boruta(rows: Rows) -> Order:
    """Order columns by Boruta's rank, then by the mean importance in its forests."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    kept = rows.informative(_SLOW_COLUMNS)
    forest = RandomForestClassifier(100, max_depth=5, n_jobs=1, random_state=0)
    found = BorutaPy(forest, n_estimators=100, max_iter=20, random_state=0).fit(rows.numbers()[:, kept], rows.y)
    history = np.nan_to_num(np.asarray(found.importance_history_, dtype=np.float64)[1:])
    importance = history.mean(axis=0) if len(history) else np.zeros(len(kept))
    return [int(kept[j]) for j in np.lexsort((-importance, found.ranking_))]


def _mrmr(rows: Rows) -> Order:
    """Order columns by F statistics and correlations."""
    from mrmr import mrmr_classif

    table = pd.DataFrame(rows.numbers()).add_prefix("c")
    most = min(rows.k, table.shape[1] - 1)
    found = mrmr_classif(X=table, y=pd.Series(rows.y), K=most, n_jobs=1, show_progress=False)
    return [int(name[1:]) for name in found]


def _stepwise(rows: Rows) -> Order:
    """Order columns as forward selection by the held-out log loss of logistic regression adds them."""
    from mlxtend.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import LogisticRegression

    kept = rows.informative(_STEPWISE_COLUMNS)
    some = np.random.default_rng(0).permutation(len(rows.y))[:_STEPWISE_ROWS]
    search = SequentialFeatureSelector(
        LogisticRegression(max_iter=50), k_features=min(rows.k, len(kept)), scoring="neg_log_loss", cv=3, n_jobs=1
    )
    found = search.fit(rows.numbers()[np.ix_(some, kept)], rows.y[some]).subsets_
    order: Order = []
    for k in sorted(found):
        order += [j for j in found[k]["feature_idx"] if j not in order]
    return [int(kept[j]) for j in order]


def _by_size(scores: NDArray[np.float64]) -> Order:
    return [int(j) for j in np.argsort(-np.asarray(scores), kind="stable")]


ORDERS: Final[dict[str, Callable[[Rows], Order]]] = {
    "mutual information": _mutual_information,
    "L1": _l1,
    "LightGBM gain": _gain,
    "LightGBM SHAP": _shap,
    "CatBoost elimination": _catboost,
    "Boruta": _boruta,
    "mRMR": _mrmr,
    "sequential": _stepwise,
}


if __name__ == "__main__":
    run(Path(sys.argv[1]))
