# SPDX-License-Identifier: BSD-3-Clause
"""Khiops's classifier on splits of a table, by text files."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import read_table
from bayesieve.papers.peers.environments import Environment

__all__ = ["KHIOPS", "KhiopsFit", "fit_khiops"]

KHIOPS = Environment("khiops", "khiops", "khiops-core")
_SCRIPT = Path(__file__).resolve().parent / "khiops_script.py"

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class KhiopsFit:
    """Probabilities of shape (n_samples, n_classes), the number of columns with a weight, and seconds to fit."""

    probabilities: NDArray[np.float64]
    n_columns: int
    seconds: float


def fit_khiops(
    X: Any, target: NDArray[np.int64], splits: Sequence[tuple[Rows, Rows]], form: Literal["file", "frame"] = "file"
) -> list[KhiopsFit]:
    """Fit on the first rows of each split and predict the second.

    From a ``"file"`` that is written before the clock starts, or from a ``"frame"`` in memory by Khiops's scikit-learn
    estimator, whose own writing of files counts.
    """
    table = read_table(X)
    columns = [table.column(j) for j in range(table.n_columns)]
    cells = [_texts(column.labels, column.ids) for column in columns]
    kinds = {f"c{j}": "Numerical" if column.ordered else "Categorical" for j, column in enumerate(columns)}
    header = "\t".join([*kinds, "class"])
    lines = ["\t".join(row) for row in zip(*cells, map(str, target.tolist()), strict=True)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kinds.json").write_text(json.dumps({**kinds, "class": "Categorical"}), encoding="utf-8")
        places = [folder / f"{k:04d}" for k in range(len(splits))]
        for place, split in zip(places, splits, strict=True):
            place.mkdir()
            for part, rows in zip(("train", "test"), split, strict=True):
                text = "\n".join([header, *(lines[i] for i in rows.tolist())]) + "\n"
                (place / f"{part}.txt").write_text(text, encoding="utf-8")
        KHIOPS.run(_SCRIPT, folder, form)
        answers = [json.loads((place / "answer.json").read_text(encoding="utf-8")) for place in places]
    return [_read(answer) for answer in answers]


def _texts(labels: Any, ids: NDArray[np.int32]) -> list[str]:
    """Return the text of each row; a missing value is empty."""
    texts = [repr(float(x)) for x in labels] if isinstance(labels, np.ndarray) else [str(x) for x in labels]
    texts.append("")
    return [texts[i] for i in ids.tolist()]


def _read(answer: dict[str, Any]) -> KhiopsFit:
    order = np.argsort([int(label) for label in answer["labels"]])
    return KhiopsFit(np.array(answer["probabilities"])[:, order], answer["n_columns"], answer["seconds"])
