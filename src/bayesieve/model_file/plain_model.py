# SPDX-License-Identifier: BSD-3-Clause
"""A saved model as a document of plain data, and back."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import Partition, partition_from_plain, partition_to_plain
from bayesieve.data.document import Entry, label_from_plain, label_to_plain
from bayesieve.decisions.calibration import calibration_from_plain, calibration_to_plain
from bayesieve.decisions.threshold import threshold_from_plain, threshold_to_plain
from bayesieve.exceptions import ModelFileError
from bayesieve.fit.edits import Change, edits_from_plain
from bayesieve.model_file.plain_values import value_from_plain, value_to_plain
from bayesieve.model_file.saved_model import SavedBenefit, SavedColumn, SavedEdits, SavedModel
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.models import PairTable, Scorecard, ScoreTable
from bayesieve.models.intervals import has_errors, term_errors
from bayesieve.models.number_scorecard import NO_CLASSES, NumberScale, NumberScorecard
from bayesieve.models.scorecard import AmountModel

__all__ = ["model_from_plain", "model_to_plain", "read_benefit"]

_MEASURES = ("log_loss_before", "log_loss", "difference", "error")
_LARGEST_AMOUNT = 2**53
_LARGEST_EVIDENCE = 2**62
_OPTIONAL = ("calibration", "number", "pairs", "errors", "benefit", "training", "edits")
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
        "cards": [_table_to_plain(each) for each in card.tables],
        "class_mass": [float(mass) for mass in card.class_mass],
        "laplace": bool(card.laplace),
        "threshold": None if model.threshold is None else threshold_to_plain(model.threshold),
        "partitions": [
            {"column": label_to_plain(name, "The table"), "partition": partition_to_plain(partition, name)}
            for name, partition in model.partitions.items()
        ],
        "summary": _check_summary(model.summary),
    }
    if isinstance(card, NumberScorecard):
        plain["number"] = {"center": card.scale.center, "unit": card.scale.unit, "log": card.scale.is_log}
    if card.calibration is not None and card.shift is not None:
        plain["calibration"] = {
            "maps": calibration_to_plain(card.calibration),
            "mapped": card.calibration.mapped,
            "shift": card.shift.tolist(),
        }
    if model.training is not None:
        plain["training"] = model.training.to_plain()
    if card.pairs:
        plain["pairs"] = [_pair_to_plain(each) for each in card.pairs]
    if has_errors(card):
        plain["errors"] = _errors_to_plain(card)
    if model.benefit is not None:
        plain["benefit"] = _benefit_to_plain(model.benefit)
    if model.edits is not None:
        plain["edits"] = _edits_to_plain(model.edits)
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
        edits=_read_edits(fields["edits"]) if "edits" in fields else None,
    )


def _edits_to_plain(edits: SavedEdits) -> dict[str, Any]:
    """Return edits with what each changed, and the model before them."""
    return {
        "changes": [change.to_plain() for change in edits.changes],
        "refit": edits.refit,
        "original": model_to_plain(edits.original),
    }


def _read_edits(entry: Entry) -> SavedEdits:
    fields = entry.fields("changes", "refit", "original")
    items, changes = fields["changes"].items(), []
    if not items:
        fields["changes"].refuse("what edits changed, one at least")
    for item in items:
        own = item.fields("edit", *_MEASURES, "decisions")
        (edit,) = edits_from_plain(Entry([own["edit"].value], own["edit"].place))
        read = {name: own[name].optional(Entry.number) for name in _MEASURES}
        measured = {name: np.nan if number is None else number for name, number in read.items()}
        changes.append(Change(edit, **measured, decisions=own["decisions"].whole(0)))
    original = model_from_plain(fields["original"])
    if original.edits is not None:
        fields["original"].refuse("a model without edits")
    return SavedEdits(tuple(changes), fields["refit"].flag(), original)


def _classes_to_plain(classes: NDArray[Any]) -> dict[str, Any]:
    kind = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if kind not in _CLASS_TYPES:
        raise ModelFileError(
            f"The classes are of type {classes.dtype}, which a model file cannot hold; make them strings before fit."
        )
    return {"type": kind, "labels": [label_to_plain(label, "The target") for label in classes.tolist()]}


def _read_classes(entry: Entry, *, has_number: bool) -> NDArray[Any]:
    fields = entry.fields("type", "labels")
    kind = fields["type"].choice(*_CLASS_TYPES)
    labels = [label_from_plain(item) for item in fields["labels"].items()]
    if has_number:
        return NO_CLASSES if not labels else entry.refuse("no labels, as the target is a number")
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


def _read_columns(entry: Entry) -> tuple[SavedColumn, ...]:
    fields = entry.fields("names", "ordered")
    names = [_read_text(item) for item in fields["names"].items()]
    ordered = [item.flag() for item in fields["ordered"].items()]
    if not names or len(set(names)) < len(names):
        fields["names"].refuse("distinct names, one at least")
    if len(ordered) != len(names):
        fields["ordered"].refuse(f"a list of {len(names)}")
    return tuple(SavedColumn(*each) for each in zip(names, ordered, strict=True))


def _read_scorecard(fields: Mapping[str, Entry], names: set[str]) -> Scorecard:
    scale = _read_scale(fields["number"]) if "number" in fields else None
    classes, start = _read_classes(fields["classes"], has_number=scale is not None), fields["start"].wholes()
    mass, n_masses = fields["class_mass"].numbers(), len(classes) if scale is None else 1
    n_scores = 1 if fields["estimator"].text() in _ONE_SCORE else n_masses
    if len(start) != n_scores:
        fields["start"].refuse(f"a list of {n_scores} whole numbers")
    if len(mass) != n_masses or (mass < 0).any() or not mass.any():
        fields["class_mass"].refuse(f"a list of {n_masses} weights")
    cards = fields["cards"].items()
    tables = [_read_table(each, lambda entry: _read_name(entry, names), n_scores) for each in cards]
    _by_name(fields["cards"], [(card.name, card) for card in tables])
    pairs: tuple[PairTable, ...] = ()
    if "pairs" in fields:
        pairs = _read_pairs(fields["pairs"], lambda entry: _read_name(entry, names), n_scores)
    entries = (start, *(card.table for card in tables), *(pair.table for pair in pairs))
    if sum(_extreme(each) for each in entries) >= _LARGEST_EVIDENCE:
        raise ModelFileError(f"{fields['cards'].place} have scores whose sum exceeds 64 bits.")
    parts = classes, start, tuple(tables), tuple(mass.tolist()), fields["laplace"].flag()
    card = Scorecard(*parts, pairs=pairs) if scale is None else NumberScorecard(*parts, pairs=pairs, scale=scale)
    card = _read_calibration(fields["calibration"], card) if "calibration" in fields else card
    return _read_errors(fields["errors"], card) if "errors" in fields else card


def _read_scale(entry: Entry) -> NumberScale:
    """Return what scores are of a target that is a number."""
    fields = entry.fields("center", "unit", "log")
    center, unit, is_log = fields["center"].number(), fields["unit"].number(), fields["log"].flag()
    if not unit > 0.0 or (is_log and not center > 0.0):
        entry.refuse("a scale whose unit, and with a logarithm also the center, is above 0")
    return NumberScale(center, unit, is_log)


def _errors_to_plain(card: Scorecard) -> dict[str, Any]:
    """Return the standard errors of all entries of a model that has them."""
    start, *terms = (np.asarray(each).tolist() for each in (card.start_errors, *term_errors(card)))
    n = len(card.tables)
    return {"start": start, "cards": terms[:n], "pairs": terms[n:]}


def _read_errors(entry: Entry, card: Scorecard) -> Scorecard:
    """Return a model with the standard errors at an entry of a document."""
    fields, n_classes = entry.fields("start", "cards", "pairs"), len(card.start)
    start, cards, pairs = fields["start"].numbers(), fields["cards"].items(), fields["pairs"].items()
    if len(start) != n_classes or len(cards) != len(card.tables) or len(pairs) != len(card.pairs):
        entry.refuse("standard errors of each class, card and pair")
    of_cards = [_read_rows(own, len(table.table), n_classes) for own, table in zip(cards, card.tables, strict=True)]
    of_pairs = [_read_cells(own, pair.table.shape, Entry.numbers) for own, pair in zip(pairs, card.pairs, strict=True)]
    if any((each < 0).any() for each in (start, *of_cards, *of_pairs)):
        entry.refuse("standard errors of 0 or more")
    return replace(
        card,
        start_errors=start,
        tables=tuple(replace(table, errors=own) for table, own in zip(card.tables, of_cards, strict=True)),
        pairs=tuple(replace(pair, errors=own) for pair, own in zip(card.pairs, of_pairs, strict=True)),
    )


def _read_rows(entry: Entry, n_rows: int, n_columns: int) -> Floats:
    return np.array(entry.rows(n_rows, n_columns, Entry.numbers))


def _table_to_plain(table: ScoreTable) -> dict[str, Any]:
    """Return the table of a column as numbers, strings, lists and dicts."""
    return {
        "column": label_to_plain(table.name, "The table"),
        "partition": partition_to_plain(table.partition, table.name),
        "table": table.table.reshape(len(table.table), -1).tolist(),
        "weight": float(table.weight),
    }


def _read_table(entry: Entry, read_name: Callable[[Entry], str], n_scores: int) -> ScoreTable:
    """Return the table at an entry of a document; ``read_name`` reads the name of a column."""
    fields = entry.fields("column", "partition", "table", "weight")
    name = read_name(fields["column"])
    partition = partition_from_plain(fields["partition"])
    rows = fields["table"].rows(partition.n_bins + 1, n_scores, Entry.wholes)
    if rows[-1].any():
        raise ModelFileError(f"{fields['table'].place} must end with zeros, the scores of unseen values.")
    counts = getattr(partition, "counts", None)
    return ScoreTable(name, partition, np.array(rows, dtype=np.int64), fields["weight"].number(), counts)


def _pair_to_plain(pair: PairTable) -> dict[str, Any]:
    """Return the table of a pair as numbers, strings, lists and dicts."""
    counts = None
    if pair.counts is not None:
        counts = {"type": "int" if pair.counts.dtype.kind == "i" else "float", "cells": pair.counts.tolist()}
    named = zip(pair.partitions, pair.names, strict=True)
    return {
        "columns": [label_to_plain(name, "The table") for name in pair.names],
        "partitions": [partition_to_plain(partition, name) for partition, name in named],
        "table": pair.table.tolist(),
        "counts": counts,
        "log_bayes_factor": None if pair.log_bayes_factor is None else float(pair.log_bayes_factor),
        "gain": None if pair.gain is None else float(pair.gain),
    }


def _read_pairs(entry: Entry, read_name: Callable[[Entry], str], n_classes: int) -> tuple[PairTable, ...]:
    """Return the tables at an entry of a document; ``read_name`` reads the name of a column."""
    pairs = tuple(_read_pair(item, read_name, n_classes) for item in entry.items())
    if len({frozenset(pair.names) for pair in pairs}) < len(pairs):
        raise ModelFileError(f"{entry.place} has the same two columns twice.")
    return pairs


def _read_pair(entry: Entry, read_name: Callable[[Entry], str], n_classes: int) -> PairTable:
    fields = entry.fields("columns", "partitions", "table", "counts", "log_bayes_factor", "gain")
    names = [read_name(item) for item in fields["columns"].items()]
    if len(names) != 2 or names[0] == names[1]:
        fields["columns"].refuse("the names of two columns")
    partitions = [partition_from_plain(item) for item in fields["partitions"].items()]
    if len(partitions) != 2:
        fields["partitions"].refuse("a list of two partitions")
    n_first, n_second = partitions[0].n_bins, partitions[1].n_bins
    table = _read_cells(fields["table"], (n_first + 1, n_second + 1, n_classes), Entry.wholes).astype(np.int64)
    if table[-1].any() or table[:, -1].any():
        raise ModelFileError(f"{fields['table'].place} must end with zeros, the scores of unseen values.")
    return PairTable(
        (names[0], names[1]),
        (partitions[0], partitions[1]),
        table,
        fields["counts"].optional(lambda counts: _read_counts(counts, (n_first, n_second, n_classes))),
        fields["log_bayes_factor"].optional(Entry.number),
        fields["gain"].optional(Entry.number),
    )


def _read_counts(entry: Entry, shape: tuple[int, int, int]) -> NDArray[Any]:
    fields = entry.fields("type", "cells")
    is_integer = fields["type"].choice("int", "float") == "int"
    counts = _read_cells(fields["cells"], shape, Entry.wholes if is_integer else Entry.numbers)
    if (counts < 0).any():
        fields["cells"].refuse("weights of 0 or more")
    return counts.astype(np.int64 if is_integer else np.float64)


def _read_cells(entry: Entry, shape: tuple[int, int, int], read: Callable[[Entry], NDArray[Any]]) -> NDArray[Any]:
    """Return numbers per cell and class; ``shape`` is (n_bins_a, n_bins_b, n_classes)."""
    n_first, n_second, n_classes = shape
    rows = entry.items()
    if len(rows) != n_first:
        entry.refuse(f"a list of {n_first}")
    return np.array([row.rows(n_second, n_classes, read) for row in rows]).reshape(shape)


def _read_calibration(entry: Entry, card: Scorecard) -> Scorecard:
    fields = entry.fields("maps", "mapped", "shift")
    shift = fields["shift"].wholes()
    if len(shift) != len(card.classes) or _extreme(shift) >= _LARGEST_EVIDENCE:
        fields["shift"].refuse(f"a list of {len(card.classes)} whole numbers")
    return replace(
        card,
        calibration=calibration_from_plain(fields["maps"], len(card.classes), fields["mapped"].whole(0, 1)),
        shift=shift,
    )


def _read_partition(entry: Entry, names: set[str]) -> tuple[str, Partition]:
    fields = entry.fields("column", "partition")
    return _read_name(fields["column"], names), partition_from_plain(fields["partition"])


def _benefit_to_plain(benefit: SavedBenefit) -> dict[str, Any]:
    """Return costs, amounts and benefits as numbers, strings, lists and dicts."""
    amount: dict[str, Any] | None = None
    if isinstance(benefit.amount, str):
        amount = {"column": label_to_plain(benefit.amount, "The table")}
    elif benefit.amount is not None:
        cards = [_table_to_plain(each) for each in benefit.amount.tables]
        amount = {"start": int(benefit.amount.start), "cards": cards}
    return {
        "cost": float(benefit.cost),
        "pos_label": value_to_plain(benefit.pos_label, "pos_label"),
        "matrix": None if benefit.matrix is None else benefit.matrix.tolist(),
        "amount": amount,
    }


def read_benefit(entry: Entry, read_name: Callable[[Entry], str], labels: Sequence[Any]) -> SavedBenefit:
    """Return the benefits at an entry of a document; ``read_name`` reads the name of a column."""
    fields = entry.fields("cost", "pos_label", "matrix", "amount")
    matrix, amount, n_classes = fields["matrix"], fields["amount"], len(labels)
    pos_label = value_from_plain(fields["pos_label"])
    if pos_label is not None and pos_label not in labels:
        fields["pos_label"].refuse("null or a class")
    if (matrix.value is None) == (amount.value is None):
        entry.refuse("a matrix or an amount")
    rows = [] if matrix.value is None else [item.numbers() for item in matrix.items()]
    if matrix.value is not None and (not rows or any(len(row) != n_classes for row in rows)):
        matrix.refuse(f"lists of {n_classes} numbers, one at least")
    if amount.value is not None and n_classes != 2:
        amount.refuse("null for more than two classes")
    return SavedBenefit(
        cost=fields["cost"].number(),
        pos_label=pos_label,
        matrix=np.array(rows) if rows else None,
        amount=amount.optional(lambda each: _read_amount(each, read_name)),
    )


def _read_amount(entry: Entry, read_name: Callable[[Entry], str]) -> str | AmountModel:
    if isinstance(entry.value, dict) and "column" in entry.value:
        return read_name(entry.fields("column")["column"])
    fields = entry.fields("start", "cards")
    tables = [_read_table(each, read_name, 1) for each in fields["cards"].items()]
    if len({table.name for table in tables}) < len(tables):
        fields["cards"].refuse("tables of different columns")
    start = fields["start"].whole()
    if abs(start) + sum(int(np.abs(table.table).max()) for table in tables) >= _LARGEST_AMOUNT:
        entry.refuse("amounts whose sum has 53 bits at most")
    return AmountModel(start, tuple(replace(each, table=each.table[:, 0]) for each in tables))


def _extreme(evidence: NDArray[np.int64]) -> int:
    return max(abs(int(evidence.min())), abs(int(evidence.max())))


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
