"""Khiops on a table: a text file there, class counts of parts back."""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.experiments.peers import KHIOPS
from benchmarks.labelled import LabelledTable

__all__ = ["KHIOPS", "KhiopsAnswer", "KhiopsParts", "run_khiops"]

_SCRIPT = Path(__file__).resolve().parent / "khiops_run.py"


@dataclass(frozen=True)
class KhiopsParts:
    """The parts of a column that Khiops finds informative.

    Attributes
    ----------
    counts : int64 array of shape (n_parts, n_classes)
    groups : list of lists of str, or None
        The values in each part, "" for missing ones; None for intervals.
    default : int or None
        The part with all values that ``groups`` does not list.
    cost : float
        As printed: three numbers of six digits added up.
    """

    counts: NDArray[np.int64]
    groups: list[list[str]] | None
    default: int | None
    cost: float


@dataclass(frozen=True)
class KhiopsAnswer:
    """Parts of each informative column, and how many seconds they took.

    ``whole`` is from a table in memory to parts in memory: its file is written, Khiops runs, its report is read.
    ``wall`` is the run alone, with reading the file and writing the report; ``processor`` the same on all processors.
    """

    columns: dict[str, KhiopsParts]
    seconds: dict[str, float]


def run_khiops(table: LabelledTable) -> KhiopsAnswer:
    """Give Khiops a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = {column: "Numerical" if table.is_ordered(column) else "Categorical" for column in table.frame}
        (folder / "kinds.json").write_text(json.dumps({**kinds, "class": "Categorical"}), encoding="utf-8")
        whole = table.frame.assign(**{"class": table.target})
        begin = time.perf_counter()
        whole.to_csv(folder / "data.txt", sep="\t", index=False)
        writing = time.perf_counter() - begin
        KHIOPS.run(_SCRIPT, folder)
        answer = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    # Khiops orders classes by their first rows or their names; ours are 0, 1, ...
    order = np.argsort([int(label) for label in answer["classes"]])
    columns = {name: _read(parts, order) for name, parts in answer["columns"].items()}
    seconds = answer["seconds"]
    return KhiopsAnswer(columns, {**seconds, "whole": writing + seconds["wall"] + seconds["reading"]})


def _read(parts: dict[str, Any], order: NDArray[np.intp]) -> KhiopsParts:
    counts = np.array(parts["counts"], dtype=np.int64)[:, order]
    return KhiopsParts(counts, parts["groups"], parts["default"], sum(parts["costs"]))
