# SPDX-License-Identifier: BSD-3-Clause
"""Weka's attribute selection on a data frame, as a Java program: set ``BAYESIEVE_WEKA_JAR`` to weka.jar (3.6)."""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["jar", "rank", "select"]

_PACKAGE = "weka.attributeSelection."


def jar() -> str | None:
    """Return the path of Weka, None if it is not set."""
    return os.environ.get("BAYESIEVE_WEKA_JAR")


def rank(evaluator: str, X: pd.DataFrame, y: Sequence[int], *options: str) -> tuple[NDArray[np.float64], float]:
    """Return the value of each column, and half of the last printed digit."""
    text = _run(evaluator, X, y, "Ranker", *options)
    pairs = re.findall(r"^\s*(-?\d+(?:\.\d+)?)\s+(\d+)\s+\S", text, re.MULTILINE)
    values = np.full(X.shape[1], np.nan)
    for value, place in pairs:
        values[int(place) - 1] = float(value)
    return values, 0.5 * 10.0 ** -max(len(value.partition(".")[2]) for value, _ in pairs)


def select(evaluator: str, X: pd.DataFrame, y: Sequence[int]) -> list[int]:
    """Return the columns that best-first search selects."""
    text = _run(evaluator, X, y, "BestFirst -D 1 -N 5")
    selected = re.search(r"Selected attributes: ([\d,]+)", text)
    return [] if selected is None else [int(place) - 1 for place in selected[1].split(",")]


def _run(evaluator: str, X: pd.DataFrame, y: Sequence[int], search: str, *options: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.arff"
        file.write_text(_arff(X, y))
        command = ["java", "-cp", str(jar()), _PACKAGE + evaluator, "-i", str(file), "-s", _PACKAGE + search, *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _arff(X: pd.DataFrame, y: Sequence[int]) -> str:
    header, columns = ["@relation table"], []
    for j, name in enumerate(X.columns):
        column: Any = X[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            header.append(f"@attribute a{j} numeric")
            columns.append(["?" if pd.isna(value) else repr(float(value)) for value in column])
        else:
            labels = sorted({str(value) for value in column.dropna()})
            header.append(f"@attribute a{j} {{{','.join(map(_quoted, labels))}}}")
            columns.append(["?" if pd.isna(value) else _quoted(str(value)) for value in column])
    header.append(f"@attribute class {{{','.join(f'c{c}' for c in sorted(set(y)))}}}")
    columns.append([f"c{c}" for c in y])
    return "\n".join([*header, "@data", *(",".join(row) for row in zip(*columns, strict=True))]) + "\n"


def _quoted(label: str) -> str:
    return "'" + label.replace("'", "") + "'"
