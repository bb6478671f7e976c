"""The rows of a file, with the columns that a model expects."""

from pathlib import Path
from typing import Any

import numpy as np

from bayesieve.coding import Groups, Intervals
from bayesieve.data import Scale, Table, append_columns, column_kinds, pick_columns, read_file, read_table
from bayesieve.exceptions import DataError

__all__ = ["read_new_rows"]


def read_new_rows(model: Any, path: Path) -> tuple[Any, Any]:
    """Return the file's table, and those of its columns that the model knows, in the model's order.

    A column that the model reads must be there, and is read as text or numbers as in training. Others may be absent.
    """
    if not hasattr(model, "feature_names_in_"):
        raise DataError("The model was fitted on an array without column names, so that no file can be matched to it.")
    frame = read_file(path)
    cards = {card.name: card.partition for card in model._cards}
    found = read_table(frame)
    place = {name: j for j, name in enumerate(found.names)}
    if absent := [name for name in cards if name not in place]:
        raise DataError(f"{path} has no column {absent[0]!r}, which the model reads; its columns are {_few(found)}.")
    kinds = dict(zip(found.names, column_kinds(frame), strict=True))
    types = {name: kind for name, part in cards.items() if (kind := _other_type(part, kinds[name]))}
    if types:
        frame = read_file(path, types=types)
    names = [str(name) for name in model.feature_names_in_]
    whole = append_columns(frame, {name: np.full(found.n_rows, np.nan) for name in names if name not in place})
    place = {name: j for j, name in enumerate(read_table(whole).names)}
    return frame, pick_columns(whole, [place[name] for name in names])


def _other_type(partition: Any, kind: str) -> str | None:
    """Return the type that a column had in training, if it is read as another."""
    if isinstance(partition, Intervals) and partition.scale is Scale.numeric:
        return "numeric" if kind == "category" else None
    if isinstance(partition, Groups) and kind != "category":
        texts = all(isinstance(value, str) for group in partition.groups for value in group)
        return "categorical" if partition.groups and texts else None
    return None


def _few(table: Table) -> str:
    shown = ", ".join(map(repr, table.names[:8]))
    return f"{shown} and {table.n_columns - 8} more" if table.n_columns > 8 else shown
