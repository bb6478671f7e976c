# SPDX-License-Identifier: BSD-3-Clause
"""Khiops's bins of a table, by text files."""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.peers import KHIOPS
from benchmarks.labeled_table import LabeledTable

__all__ = ["KHIOPS", "KhiopsAnswer", "KhiopsBins", "run_khiops"]

_SCRIPT = Path(__file__).resolve().parent / "khiops_run.py"


@dataclass(frozen=True)
class KhiopsBins:
    """The bins of a column that is informative to Khiops.

    Attributes
    ----------
    counts : int64 array of shape (n_bins, n_classes)
    groups : list of lists of str, or None
        The values of each group, "" for missing ones; None for intervals.
    default : int or None
        The group of all values that ``groups`` does not list.
    cost : float
        The sum of the three printed costs, of six digits each.
    """

    counts: NDArray[np.int64]
    groups: list[list[str]] | None
    default: int | None
    cost: float


@dataclass(frozen=True)
class KhiopsAnswer:
    """Bins of each informative column, and seconds.

    ``total`` is from a table in memory to bins in memory: its file is written, Khiops runs, its report is read.
    ``wall`` is the run alone, with reading the file and writing the report; ``processor`` the same on all processors.
    """

    columns: dict[str, KhiopsBins]
    seconds: dict[str, float]


def run_khiops(table: LabeledTable) -> KhiopsAnswer:
    """Run Khiops on a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = {column: "Numerical" if table.is_ordered(column) else "Categorical" for column in table.frame}
        (folder / "kinds.json").write_text(json.dumps({**kinds, "class": "Categorical"}), encoding="utf-8")
        with_class = table.frame.assign(**{"class": table.target})
        begin = time.perf_counter()
        with_class.to_csv(folder / "data.txt", sep="\t", index=False)
        writing = time.perf_counter() - begin
        KHIOPS.run(_SCRIPT, folder)
        answer = json.loads((folder / "bins.json").read_text(encoding="utf-8"))
    # Khiops orders classes by their first rows or their names; ours are 0, 1, ...
    order = np.argsort([int(label) for label in answer["classes"]])
    columns = {name: _read(bins, order) for name, bins in answer["columns"].items()}
    seconds = answer["seconds"]
    return KhiopsAnswer(columns, {**seconds, "total": writing + seconds["wall"] + seconds["reading"]})


def _read(bins: dict[str, Any], order: NDArray[np.intp]) -> KhiopsBins:
    counts = np.array(bins["counts"], dtype=np.int64)[:, order]
    return KhiopsBins(counts, bins["groups"], bins["default"], sum(bins["costs"]))
