"""``cv_results_``: the best subset of each visited size, in the form of scikit-learn's RFECV."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesieve.criteria import CRITERIA
from bayesieve.exceptions import ParameterError
from bayesieve.training.outcome import Outcome
from bayesieve.training.scored_rows import metric_of
from bayesieve.training.task import Task

__all__ = ["cv_results", "metric_names"]


def metric_names(scoring: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the further metrics to report along the path."""
    names = (scoring,) if isinstance(scoring, str) else tuple(scoring or ())
    if unknown := [name for name in names if name not in CRITERIA]:
        raise ParameterError(f"scoring names {unknown[0]!r}; known metrics are {', '.join(sorted(CRITERIA))}.")
    return names


def cv_results(task: Task, outcome: Outcome) -> dict[str, Any]:
    """Return arrays over the sizes: mean, spread and folds' scores (larger is better) of each metric."""
    metrics = task.options.metrics
    visits = [visit for visit in outcome.path.best_by_size().values() if visit.columns in outcome.subsets]
    results: dict[str, Any] = {"n_features": np.array([visit.n_features for visit in visits], dtype=np.int64)}
    _add(results, "score", [visit.split_scores for visit in visits])
    score = outcome.scored or outcome.scorer(task.options.model).score
    by_size = []
    for visit in visits if metrics else []:
        rows = score(outcome.subsets[visit.columns])
        by_size.append([metric_of(rows, name, task.n_classes) for name in metrics])
    for i, name in enumerate(metrics):
        split_scores = np.array([scores[i] for scores in by_size])
        costs = CRITERIA[name].subset_costs(len(task.space.names))
        if costs is not None:
            split_scores -= (costs / task.n_scored)[results["n_features"], None]
        _add(results, name, split_scores)
    return results


def _add(results: dict[str, Any], name: str, split_scores: ArrayLike) -> None:
    scores = np.array(split_scores, dtype=np.float64)
    results[f"mean_test_{name}"] = scores.mean(axis=1)
    results[f"std_test_{name}"] = scores.std(axis=1)
    for i in range(scores.shape[1]):
        results[f"split{i}_test_{name}"] = scores[:, i]
