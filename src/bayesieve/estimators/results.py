"""``cv_results_``: the best subset of each visited size, in the form of scikit-learn's RFECV."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bayesieve.criteria import CRITERIA
from bayesieve.engine import Change, Engine
from bayesieve.estimators.task import Task
from bayesieve.exceptions import ParameterError
from bayesieve.search import SelectionPath

__all__ = ["cv_results", "metric_names"]


def metric_names(scoring: str | Sequence[str] | None) -> list[str]:
    """Return the further metrics to report along the path."""
    names = [scoring] if isinstance(scoring, str) else list(scoring or [])
    if unknown := [name for name in names if name not in CRITERIA]:
        raise ParameterError(f"scoring names {unknown[0]!r}; known metrics are {', '.join(sorted(CRITERIA))}.")
    return names


def cv_results(task: Task, path: SelectionPath, metrics: Sequence[str]) -> dict[str, Any]:
    """Return arrays over the visited sizes: mean, spread and segments' scores (larger is better) of each metric."""
    best = path.best_by_size()
    results: dict[str, Any] = {"n_features": np.array(list(best))}
    _add(results, "score", [visit.split_scores for visit in best.values()])
    for name in metrics:
        replayed = dict(zip(path.visits(), _replay(task, path, name), strict=True))
        _add(results, name, [replayed[visit] for visit in best.values()])
    return results


def _add(results: dict[str, Any], name: str, split_scores: Sequence[Sequence[float]]) -> None:
    scores = np.array(split_scores, dtype=np.float64)
    results[f"mean_test_{name}"] = scores.mean(axis=1)
    results[f"std_test_{name}"] = scores.std(axis=1)
    for i in range(scores.shape[1]):
        results[f"split{i}_test_{name}"] = scores[:, i]


def _replay(task: Task, path: SelectionPath, metric: str) -> Iterator[tuple[float, ...]]:
    """Walk the path again with another criterion and yield the segments' scores at each visit."""
    engine: Engine = task.engine(CRITERIA[metric])
    position = {name: j for j, name in enumerate(task.ground.names)}
    for visit in path.visits():
        if visit.step is None:
            engine.reset({position[name]: 1.0 for name in visit.columns})
        else:
            step = path.steps[visit.step]
            before, after = (0.0, 1.0) if step.action == "add" else (1.0, 0.0)
            engine.apply(tuple(Change(position[name], before, after) for name in step.columns))
        yield tuple(engine.segment_scores)
