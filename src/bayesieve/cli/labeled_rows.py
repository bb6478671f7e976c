# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a file for a saved model, with their classes where the file has them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve.cli.new_rows import read_new_rows
from bayesieve.cli.table_file import TableOptions
from bayesieve.data import list_values, pick_rows, read_table, resolve_columns
from bayesieve.exceptions import DataError
from bayesieve.report import format_label, probability_model

__all__ = ["LabeledRows", "read_labeled_rows", "target_name"]


class LabeledRows(NamedTuple):
    """The table of a file, the model's columns of it, the classes, and how many rows have none and are left out."""

    frame: Any
    X: Any
    y: NDArray[Any]
    n_without_target: int


def target_name(model: Any, target: str | None) -> str:
    """Return the name of the target column: the given one, or that of the training; empty if it is not known."""
    record = getattr(probability_model(model), "training_record_", None)
    return target or (record.target if record is not None else "")


def read_labeled_rows(model: Any, path: Path, options: TableOptions, target: str) -> LabeledRows:
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
    return LabeledRows(frame, X, model.classes_[codes], n_without)
