# SPDX-License-Identifier: BSD-3-Clause
"""A saved model as a document of plain data, and back."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition, partition_from_plain, partition_to_plain
from bayesieve.data.document import Entry
from bayesieve.data.labels import label_from_plain, label_to_plain
from bayesieve.decisions.calibration import calibration_from_plain, calibration_to_plain
from bayesieve.decisions.threshold import threshold_from_plain, threshold_to_plain
from bayesieve.exceptions import ModelFileError
from bayesieve.model_file.plain_benefit import benefit_to_plain, read_benefit
from bayesieve.model_file.plain_pairs import pair_to_plain, read_pairs
from bayesieve.model_file.plain_tables import read_table_of_scores, table_to_plain
from bayesieve.model_file.plain_values import value_from_plain, value_to_plain
from bayesieve.model_file.record import SavedColumn, SavedModel
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.models import PairTable, Scorecard

__all__ = ["model_from_plain", "model_to_plain"]

_LARGEST_EVIDENCE = 2**62
_OPTIONAL = ("calibration", "pairs", "benefit", "training")
_ONE_SCORE = ("BoostClassifier", "BoostSelector")  # estimators whose tables have one number per bin, for two classes
_CLASS_TYPES = {
    "bool": bool,
    **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": float for bits in (16, 32, 64)},
    "str": str,
}


def model_to_plain(model: SavedModel) -> dict[str, Any]:
    """Return a model as numbers, strings, lists and dicts."""
    card = model.scorecard
    names = [label_to_plain(column.name, "The table") for column in model.columns]
    plain = {
        "estimator": model.estimator,
        "parameters": {name: value_to_plain(value, name) for name, value in model.parameters.items()},
        "columns": {"names": names, "ordered": [bool(column.ordered) for column in model.columns]},
        "named": bool(model.named),
        "classes": _classes_to_plain(card.classes),
        "start": card.start.tolist(),
        "cards": [table_to_plain(each) for each in card.tables],
        "class_mass": [float(mass) for mass in card.class_mass],
        "laplace": bool(card.laplace),
        "threshold": None if model.threshold is None else threshold_to_plain(model.threshold),
        "partitions": [
            {"column": label_to_plain(name, "The table"), "partition": partition_to_plain(partition, name)}
            for name, partition in model.partitions.items()
        ],
        "summary": _check_summary(model.summary),
    }
    if card.calibration is not None and card.shift is not None:
        plain["calibration"] = {"maps": calibration_to_plain(card.calibration), "shift": card.shift.tolist()}
    if model.training is not None:
        plain["training"] = model.training.to_plain()
    if card.pairs:
        plain["pairs"] = [pair_to_plain(each) for each in card.pairs]
    if model.benefit is not None:
        plain["benefit"] = benefit_to_plain(model.benefit)
    return plain


def model_from_plain(entry: Entry) -> SavedModel:
    """Return the model of a document; errors name the place in it."""
    names = [
        "estimator", "parameters", "columns", "named", "classes", "start", "cards", "class_mass", "laplace",
        "threshold", "partitions", "summary",
    ]  # fmt: skip
    present = entry.value if isinstance(entry.value, dict) else {}
    fields = entry.fields(*names, *(name for name in _OPTIONAL if name in present))
    columns = _read_columns(fields["columns"])
    known = {column.name for column in columns}
    partitions, scorecard, benefit = fields["partitions"].items(), _read_scorecard(fields, known), None
    if "benefit" in fields:
        benefit = read_benefit(fields["benefit"], lambda each: _read_name(each, known), scorecard.classes.tolist())
    return SavedModel(
        estimator=fields["estimator"].text(),
        columns=columns,
        named=fields["named"].flag(),
        scorecard=scorecard,
        threshold=fields["threshold"].optional(threshold_from_plain),
        partitions=_by_name(fields["partitions"], [_read_partition(each, known) for each in partitions]),
        parameters={name: value_from_plain(value) for name, value in fields["parameters"].members().items()},
        summary={name: value.value for name, value in fields["summary"].members().items()},
        training=TrainingRecord.from_plain(fields["training"], len(scorecard.classes))
        if "training" in fields
        else None,
        benefit=benefit,
    )


def _classes_to_plain(classes: NDArray[Any]) -> dict[str, Any]:
    kind = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if kind not in _CLASS_TYPES:
        raise ModelFileError(
            f"The classes are of type {classes.dtype}, which a model file cannot hold; make them strings before fit."
        )
    return {"type": kind, "labels": [label_to_plain(label, "The target") for label in classes.tolist()]}


def _read_classes(entry: Entry) -> NDArray[Any]:
    fields = entry.fields("type", "labels")
    kind = fields["type"].choice(*_CLASS_TYPES)
    labels = [label_from_plain(item) for item in fields["labels"].items()]
    if not labels or any(type(label) is not _CLASS_TYPES[kind] for label in labels):
        fields["labels"].refuse(f"labels of type {kind}")
    try:
        with np.errstate(over="ignore"):
            classes = np.array(labels, dtype=kind)
    except (OverflowError, ValueError):
        fields["labels"].refuse(f"labels of type {kind}")
    if classes.tolist() != labels or any(low >= high for low, high in pairwise(labels)):
        fields["labels"].refuse("increasing labels")
    return classes


def _read_scorecard(fields: Mapping[str, Entry], names: set[str]) -> Scorecard:
    classes, start, mass = _read_classes(fields["classes"]), fields["start"].wholes(), fields["class_mass"].numbers()
    n_scores = 1 if fields["estimator"].text() in _ONE_SCORE else len(classes)
    if len(start) != n_scores:
        fields["start"].refuse(f"a list of {n_scores} whole numbers")
    if len(mass) != len(classes) or (mass < 0).any() or not mass.any():
        fields["class_mass"].refuse(f"a list of {len(classes)} weights")
    cards = fields["cards"].items()
    tables = [read_table_of_scores(each, lambda entry: _read_name(entry, names), n_scores) for each in cards]
    _by_name(fields["cards"], [(card.name, card) for card in tables])
    pairs: tuple[PairTable, ...] = ()
    if "pairs" in fields:
        pairs = read_pairs(fields["pairs"], lambda entry: _read_name(entry, names), n_scores)
    entries = (start, *(card.table for card in tables), *(pair.table for pair in pairs))
    if sum(_extreme(each) for each in entries) >= _LARGEST_EVIDENCE:
        raise ModelFileError(f"{fields['cards'].place} have scores whose sum exceeds 64 bits.")
    card = Scorecard(classes, start, tuple(tables), tuple(mass.tolist()), fields["laplace"].flag(), pairs=pairs)
    return _read_calibration(fields["calibration"], card) if "calibration" in fields else card


def _read_calibration(entry: Entry, card: Scorecard) -> Scorecard:
    fields = entry.fields("maps", "shift")
    shift = fields["shift"].wholes()
    if len(shift) != len(card.classes) or _extreme(shift) >= _LARGEST_EVIDENCE:
        fields["shift"].refuse(f"a list of {len(card.classes)} whole numbers")
    return replace(card, calibration=calibration_from_plain(fields["maps"], len(card.classes)), shift=shift)


def _extreme(evidence: NDArray[np.int64]) -> int:
    return max(abs(int(evidence.min())), abs(int(evidence.max())))


def _read_partition(entry: Entry, names: set[str]) -> tuple[str, Partition]:
    fields = entry.fields("column", "partition")
    return _read_name(fields["column"], names), partition_from_plain(fields["partition"])


def _read_columns(entry: Entry) -> tuple[SavedColumn, ...]:
    fields = entry.fields("names", "ordered")
    names = [_read_text(item) for item in fields["names"].items()]
    ordered = [item.flag() for item in fields["ordered"].items()]
    if not names or len(set(names)) < len(names):
        fields["names"].refuse("distinct names, one at least")
    if len(ordered) != len(names):
        fields["ordered"].refuse(f"a list of {len(names)}")
    return tuple(SavedColumn(*each) for each in zip(names, ordered, strict=True))


def _read_text(entry: Entry) -> str:
    text = label_from_plain(entry)
    if not isinstance(text, str):
        entry.refuse("a string")
    return text


def _read_name(entry: Entry, names: set[str]) -> str:
    if (name := _read_text(entry)) not in names:
        entry.refuse("the name of a column")
    return name


def _by_name(entry: Entry, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError(f"{entry.place} has a column twice.")
    return found


def _check_summary(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary as JSON gives it back."""
    try:
        back: dict[str, Any] = json.loads(json.dumps(dict(summary), allow_nan=False))
        json.dumps(back, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"The training summary must be values that JSON can hold ({error}).") from None
    return back
