# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a file for a saved model: the columns that it expects, and the classes where the file has them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Groups, Intervals
from bayesieve.cli.files import AS_WRITTEN, TableOptions
from bayesieve.data import (
    Scale,
    arrange_columns,
    blank_marked,
    column_kinds,
    list_values,
    nearest_name,
    open_parquet,
    pick_rows,
    read_table,
    resolve_columns,
    split_marks,
)
from bayesieve.estimators.amounts import BinnedAmount, ColumnAmount
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import format_label, probability_model

__all__ = ["LabeledFile", "find_class", "open_new_rows", "read_labeled_file", "read_new_rows", "target_name"]


def find_class(model: Any, label: str, option: str) -> int:
    """Return the position of a class that an option names."""
    labels = [format_label(each) for each in model.classes_.tolist()]
    if label not in labels:
        raise ParameterError(f"{option} is {label!r}; the classes are {', '.join(labels[:10])}.")
    return labels.index(label)


def read_new_rows(model: Any, path: Path, options: TableOptions = AS_WRITTEN) -> tuple[Any, Any]:
    """Return the table of a file, and the model's columns of it in the model's order.

    Columns that the model uses must be present, and are read as text or numbers as in training. Others may be absent.
    """
    _check_named(model)
    frame = options.read(path).frame
    types = _other_types(model, path, frame)
    marks = _recorded_marks(model, frame)
    if types or marks:
        frame = replace(options, recorded=marks).read(path, types).frame
    return frame, arrange_columns(frame, _names(model))


def open_new_rows(model: Any, path: Path, memory: str, keys: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """Return the same for each block of rows of a Parquet file, reading only the columns that are needed."""
    _check_named(model)
    parquet = open_parquet(path, memory=memory)
    types = _other_types(model, path, parquet.head(0))
    if types:
        name, kind = next(iter(types.items()))
        raise DataError(
            f"Column {name!r} of {path} was {kind} in training and has another type here; without --memory it is "
            "converted."
        )
    needed = {*map(str, model.feature_names_in_), *keys}
    blocks = parquet[[name for name in parquet.columns if name in needed]].readers(len(needed))
    _, marks = split_marks(_recorded_marks(model, parquet.head(0)))
    read_columns = {name: texts for name, texts in marks.items() if name in needed}
    frames = (blank_marked(read(), read_columns) for read in blocks)
    return ((frame, arrange_columns(frame, _names(model))) for frame in frames if len(frame))


class LabeledFile(NamedTuple):
    """The table of a file, the model's columns of it, the classes, and how many rows have none and are left out."""

    frame: Any
    X: Any
    y: NDArray[Any]
    n_without_target: int


def target_name(model: Any, target: str | None) -> str:
    """Return the name of the target column: the given one, or that of the training; empty if it is not known."""
    record = getattr(probability_model(model), "training_record_", None)
    return target or (record.target if record is not None else "")


def read_labeled_file(model: Any, path: Path, options: TableOptions, target: str) -> LabeledFile:
    """Read the rows of a file that have a class; labels are matched to those of the model by their text."""
    frame, X = read_new_rows(model, path, options)
    (place,) = resolve_columns(target, read_table(frame).names, "--target")
    labels = [None if value is None else format_label(value) for value in list_values(frame, place)]
    known = {format_label(label): c for c, label in enumerate(model.classes_.tolist())}
    unknown = [label for label in labels if label is not None and label not in known]
    if unknown:
        raise DataError(
            f"{path}: the target {target!r} has the class {unknown[0]!r}, which the model does not have; its classes "
            f"are {', '.join(map(repr, list(known)[:8]))}."
        )
    rows = np.array([i for i, label in enumerate(labels) if label is not None], dtype=np.intp)
    if not len(rows):
        raise DataError(f"{path}: the target {target!r} is missing in every row.")
    codes = np.array([known[label] for label in labels if label is not None], dtype=np.intp)
    n_without = len(labels) - len(rows)
    if n_without:
        frame, X = pick_rows(frame, rows), pick_rows(X, rows)
    return LabeledFile(frame, X, model.classes_[codes], n_without)


def _names(model: Any) -> list[str]:
    return [str(name) for name in model.feature_names_in_]


def _check_named(model: Any) -> None:
    if not hasattr(model, "feature_names_in_"):
        raise DataError(
            "The model was fitted on an array without column names, so the columns of a file cannot be matched to it."
        )


def _recorded_marks(model: Any, frame: Any) -> list[str]:
    """Return the marks of missing values in training; of single columns, those that the table has."""
    record = getattr(probability_model(model), "training_record_", None)
    names = set(map(str, frame.columns))
    return [mark for mark in (record.missing if record else ()) if set(split_marks([mark])[1]) <= names]


def _other_types(model: Any, path: Path, frame: Any) -> dict[str, str]:
    """Return the training types of columns that have another type here; an absent column is refused."""
    tables = _partitions(model)
    kinds = dict(zip(map(str, frame.columns), column_kinds(frame), strict=True))
    if absent := [name for name in tables if name not in kinds]:
        near = nearest_name(absent[0], [name for name in kinds if name not in tables])
        hint = "" if near is None else f" (is it {near!r} there?)"
        shown = _few(list(kinds))
        raise DataError(f"{path} has no column {absent[0]!r}, which the model needs{hint}; its columns are {shown}.")
    for name, part in tables.items():
        _check_times(part, path, name, frame, kinds[name])
    return {name: kind for name, part in tables.items() if (kind := _other_type(part, kinds[name]))}


def _partitions(model: Any) -> dict[str, Any]:
    """Return the columns that a model uses, each with its bins; a column of amounts has none."""
    card, amount = probability_model(model).scorecard_, getattr(model, "amount_", None)
    tables: dict[str, Any] = {}
    if isinstance(amount, BinnedAmount):
        tables = {table.name: table.partition for table in amount.model.tables}
    elif isinstance(amount, ColumnAmount):
        tables[amount.column] = None
    for pair in card.pairs:
        tables |= dict(zip(pair.names, pair.partitions, strict=True))
    return tables | {table.name: table.partition for table in card.tables}


def _other_type(partition: Any, kind: str) -> str | None:
    """Return the type of a column in training, if it is read as another type here."""
    if isinstance(partition, Intervals) and partition.scale is Scale.numeric:
        return "numeric" if kind == "category" else None
    if isinstance(partition, Groups) and kind != "category":
        texts = all(isinstance(value, str) for group in partition.groups for value in group)
        return "categorical" if partition.groups and texts else None
    return None


def _check_times(partition: Any, path: Path, name: str, frame: Any, kind: str) -> None:
    """Refuse text where training had dates or times; a column without values is as good as any."""
    if isinstance(partition, Intervals) and partition.scale is not Scale.numeric and kind == "category":
        place = list(map(str, frame.columns)).index(name)
        if value := next((value for value in list_values(frame, place) if value is not None), None):
            raise DataError(
                f"Column {name!r} had {partition.scale.noun} in training and is text in {path}, such as {value!r:.40}; "
                "a CSV file has dates as 2020-12-31 and times as 08:30."
            )


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown
