# SPDX-License-Identifier: BSD-3-Clause
"""Tables of single columns as plain data, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesieve.bins import partition_from_plain, partition_to_plain
from bayesieve.data.document import Entry
from bayesieve.data.labels import label_to_plain
from bayesieve.exceptions import ModelFileError
from bayesieve.models import ScoreTable

__all__ = ["read_table_of_scores", "table_to_plain"]


def table_to_plain(table: ScoreTable) -> dict[str, Any]:
    """Return the table of a column as numbers, strings, lists and dicts."""
    return {
        "column": label_to_plain(table.name, "The table"),
        "partition": partition_to_plain(table.partition, table.name),
        "table": table.table.reshape(len(table.table), -1).tolist(),
        "weight": float(table.weight),
    }


def read_table_of_scores(entry: Entry, read_name: Callable[[Entry], str], n_scores: int) -> ScoreTable:
    """Return the table at an entry of a document; ``read_name`` reads the name of a column."""
    fields = entry.fields("column", "partition", "table", "weight")
    name = read_name(fields["column"])
    partition = partition_from_plain(fields["partition"])
    rows = fields["table"].rows(partition.n_bins + 1, n_scores, Entry.wholes)
    if rows[-1].any():
        raise ModelFileError(f"{fields['table'].place} must end with zeros, the scores of unseen values.")
    counts = getattr(partition, "counts", None)
    return ScoreTable(name, partition, np.array(rows, dtype=np.int64), fields["weight"].number(), counts)
