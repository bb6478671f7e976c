"""What is recorded of a fitted estimator: a few fields to read, and digests of all bits."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

SHOWN = "shown"  # a field for readers, which is not compared
_DIGITS = 12  # of a digest
_BINS = ("bounds", "groups", "special", "missing", "joined", "other", "counts", "level")
_REASONS = ("selected", "score_alone", "gain", "redundant_with", "redundancy", "step")
_ARRAYS = ("feature_importances_", "scores_", "ranking_", "levels_", "alphas_", "rounds_", "thresholds_")


def record(model: Any, X: Any) -> dict[str, Any]:
    """Return what there is of columns, path, bins, weights, threshold and predictions."""
    shown: dict[str, Any] = {}
    exact: dict[str, Any] = {}
    path = getattr(model, "path_", None)
    if hasattr(model, "support_"):
        order = np.flatnonzero(model.support_).tolist() if path is None else list(path.order)
        shown |= {"n": int(model.n_features_), "first": order[:3]}
        exact["columns"] = [order, model.support_]
    is_lift = path is not None and path.criterion == "lift"
    if path is not None:
        shown[SHOWN if is_lift else "score"] = repr(float(path.scores[-1])) if path.scores else None
        exact |= _moves(path) | ({} if is_lift else _scores(model))
    if hasattr(model, "why_") and not is_lift:
        exact["why"] = [(name, *(entry[key] for key in _REASONS)) for name, entry in model.why_.items()]
    if hasattr(model, "partitions_"):
        exact["bins"] = [(name, *_fields(bins, _BINS)) for name, bins in model.partitions_.items()]
    if hasattr(model, "threshold_"):
        exact["threshold"] = _fields(model.threshold_, ("cut", "recall", "precision", "interval"))
    if hasattr(model, "weights_"):
        exact["weights"] = model.weights_
    exact |= {name.strip("_"): getattr(model, name) for name in _ARRAYS if hasattr(model, name)}
    exact |= _predictions(model, X)
    return shown | {name: digest(value) for name, value in exact.items()}


def _moves(path: Any) -> dict[str, Any]:
    steps = [(step.action, step.column, step.columns, step.n_features, step.runner_up) for step in path.steps]
    return {"path": [steps, [(phase.first_step, phase.columns) for phase in path.phases]]}


def _scores(model: Any) -> dict[str, Any]:
    path = model.path_
    steps = [(step.score, step.runner_up_score, step.split_scores) for step in path.steps]
    exact: dict[str, Any] = {"scores": [steps, [(phase.score, phase.split_scores) for phase in path.phases]]}
    if hasattr(model, "cv_results_"):
        exact["cv_results"] = dict(sorted(model.cv_results_.items()))
    return exact


def _fields(thing: Any, names: Iterable[str]) -> list[Any]:
    return [getattr(thing, name, None) for name in names]


def _predictions(model: Any, X: Any) -> dict[str, Any]:
    methods = ("predict", "predict_proba", "expected_benefit")
    exact = {name: getattr(model, name)(X) for name in methods if hasattr(model, name)}
    if hasattr(model, "transform"):
        exact["transform"] = [list(map(str, model.get_feature_names_out())), model.transform(X)]
    if hasattr(model, "staged_predict_proba"):
        exact["stages"] = [list(stage) for stage in model.staged_predict_proba(X)]
    if hasattr(model, "simplify"):
        exact["simplified"] = model.simplify(4).predict_proba(X)
    return exact


def digest(value: Any) -> str:
    """Return the first digits of the SHA-256 of a value's exact bytes."""
    sha = hashlib.sha256()
    for part in _exact_bytes(value):
        sha.update(part)
    return sha.hexdigest()[:_DIGITS]


def _exact_bytes(value: Any) -> Iterator[bytes]:
    """Yield all bits of a value: shapes and float64 bytes of arrays, and the structure around them."""
    if isinstance(value, pd.DataFrame):
        value = {str(name): value[name].astype(object).tolist() for name in value}
    elif hasattr(value, "toarray"):
        value = value.toarray()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        yield from _array_bytes(value)
    elif isinstance(value, Mapping):
        yield from _exact_bytes(list(value.items()))
    elif isinstance(value, Iterable) and not isinstance(value, str):
        yield b"["
        for each in value:
            yield from _exact_bytes(each)
        yield b"]"
    else:
        yield _scalar_bytes(value)


def _array_bytes(array: np.ndarray) -> Iterator[bytes]:
    is_real = array.dtype.kind == "f"
    wide = np.ascontiguousarray(array, dtype=np.float64 if is_real else np.int64)
    yield f"{wide.dtype.kind}{wide.shape}".encode()
    yield (np.where(np.isnan(wide), np.nan, wide) if is_real else wide).tobytes()


def _scalar_bytes(value: Any) -> bytes:
    if value is None or value is pd.NA:
        return b"-"
    if isinstance(value, float | np.floating):
        return b"nan" if np.isnan(value) else float(value).hex().encode()
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return f"i{int(value)};".encode()
    if is_dataclass(value):  # all fields, whatever is shown to people
        content = ", ".join(f"{each.name}={getattr(value, each.name)!r}" for each in fields(value) if each.repr)
        value = f"{type(value).__qualname__}({content})"
    return f"s{value};".encode()
