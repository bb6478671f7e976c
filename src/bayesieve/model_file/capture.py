"""A fitted classifier as what a model file holds, and back."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import numpy as np

from bayesieve.data.document import Entry
from bayesieve.exceptions import ModelFileError
from bayesieve.model_file.plain_path import path_from_plain
from bayesieve.model_file.plain_values import keep_plain
from bayesieve.model_file.record import SavedColumn, SavedModel

__all__ = ["NOT_SAVED", "restore", "saved_model"]

Fitted = TypeVar("Fitted")

NOT_SAVED: Final = frozenset({"cv_results_", "_offers", "_final", "_thresholds", "_calibrations"})
"""What a fitted classifier knows and a file does not."""


def saved_model(model: Any) -> SavedModel:
    """Return what of a fitted `SelectiveNaiveBayes` a file keeps."""
    ordered = model._ordered.tolist()
    columns = tuple(SavedColumn(name, flag) for name, flag in zip(model._names, ordered, strict=True))
    shown = {name: part for name, part in model.partitions_.items() if name in model.weights_}
    summary = {
        "class_mass": model._mass,
        "importances": [model.feature_importances_[j] for j in np.flatnonzero(model.support_)],
        "selected": np.flatnonzero(model.support_).tolist(),
        "library": model.path_.backend,
        "path": model.path_.to_dict(),
        "why": _why_to_plain(model.why_, model._names),
    }
    return SavedModel(
        estimator=type(model).__name__,
        columns=columns,
        named=hasattr(model, "feature_names_in_"),
        scorecard=model._scorecard,
        threshold=model.threshold_,
        partitions=shown,
        parameters=keep_plain(model.get_params(deep=False)),
        summary=summary,
    )


def restore(model: Fitted, saved: SavedModel) -> Fitted:
    """Give an estimator without state the state that a file holds."""
    state: Any = model
    names = [column.name for column in saved.columns]
    told = Entry(dict(saved.summary), "model.summary").fields(
        "class_mass", "importances", "selected", "library", "path", "why"
    )
    card = saved.scorecard
    if saved.threshold is None:
        raise ModelFileError("model.threshold must be an object, got None.")
    state._names, state._ordered = names, np.array([column.ordered for column in saved.columns])
    state._mass, state._scorecard = _positive(told["class_mass"], len(card.classes)), card
    state._laplace = card.laplace
    state._counts = {each.name: _counts(each, len(card.classes)) for each in card.tables}
    state.classes_, state.threshold_, state.partitions_ = card.classes, saved.threshold, dict(saved.partitions)
    state.weights_ = {each.name: each.weight for each in card.tables}
    state.n_features_in_ = len(names)
    if saved.named:
        state.feature_names_in_ = np.array(names, dtype=object)
    selected = [item.whole(0, len(names) - 1) for item in told["selected"].items()]
    if {names[j] for j in selected} != state.weights_.keys() or len(selected) != len(state.weights_):
        told["selected"].refuse("the positions of the columns that have cards")
    importances = told["importances"].numbers()
    if len(importances) != len(selected):
        told["importances"].refuse(f"a list of {len(selected)} numbers")
    state.support_, state.feature_importances_ = np.zeros(len(names), dtype=bool), np.zeros(len(names))
    state.support_[selected], state.feature_importances_[selected] = True, importances
    state.n_features_ = len(selected)
    state.path_ = path_from_plain(told["path"], told["library"].optional(Entry.text))
    state.why_ = _why_from_plain(told["why"], names)
    return model


def _positive(entry: Entry, n: int) -> list[float]:
    numbers = entry.numbers()
    if len(numbers) != n or (numbers < 0).any() or not numbers.any():
        entry.refuse(f"a list of {n} weights")
    return list(map(float, numbers))


def _counts(card: Any, n_classes: int) -> Any:
    counts = card.partition.counts
    if counts is None or counts.shape[1] != n_classes:
        raise ModelFileError(f"The card of column {card.name!r:.60} must have counts of {n_classes} classes.")
    return counts


def _why_to_plain(why: Mapping[str, Mapping[str, Any]], names: list[str]) -> dict[str, Any]:
    """Return what is told of each column by its position; those with nothing but a reason are listed under it."""
    told, silent = [], dict[str, list[int]]()
    for j, name in enumerate(names):
        entry = dict(why[name])
        if entry["selected"] or any(entry[key] is not None for key in entry.keys() - {"selected", "reason"}):
            told.append([j, entry])
        else:
            silent.setdefault(entry["reason"], []).append(j)
    return {"told": told, "silent": silent}


def _why_from_plain(entry: Entry, names: list[str]) -> dict[str, dict[str, Any]]:
    fields = entry.fields("told", "silent")
    keys = ("selected", "score_alone", "gain", "redundant_with", "redundancy", "step", "reason")
    found: dict[int, dict[str, Any]] = {}
    for item in fields["told"].items():
        pair = item.items()
        if len(pair) != 2:
            item.refuse("a position and an object")
        found[pair[0].whole(0, len(names) - 1)] = {key: each.value for key, each in pair[1].fields(*keys).items()}
    if not isinstance(fields["silent"].value, dict):
        fields["silent"].refuse("an object")
    for reason, places in fields["silent"].fields(*fields["silent"].value).items():
        shared = dict.fromkeys(keys) | {"selected": False, "reason": reason}
        found |= {place.whole(0, len(names) - 1): shared for place in places.items()}
    if len(found) < len(names):
        entry.refuse("something about each column")
    return {name: found[j] for j, name in enumerate(names)}
