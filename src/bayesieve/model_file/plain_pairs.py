# SPDX-License-Identifier: BSD-3-Clause
"""Tables of pairs of columns as plain data, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import partition_from_plain, partition_to_plain
from bayesieve.data.document import Entry
from bayesieve.data.labels import label_to_plain
from bayesieve.exceptions import ModelFileError
from bayesieve.models import PairTable

__all__ = ["pair_to_plain", "read_pairs"]


def pair_to_plain(pair: PairTable) -> dict[str, Any]:
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


def read_pairs(entry: Entry, read_name: Callable[[Entry], str], n_classes: int) -> tuple[PairTable, ...]:
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
