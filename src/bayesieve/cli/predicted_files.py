# SPDX-License-Identifier: BSD-3-Clause
"""Predictions for the rows of one file or of several."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayesieve.cli.new_rows import read_new_rows
from bayesieve.cli.predict_in_blocks import prediction_columns
from bayesieve.cli.ranked_rows import describe_ranked, rank_rows
from bayesieve.cli.table_file import TableOptions

__all__ = ["PredictedFiles"]


class PredictedFiles:
    """The predictions for all rows, in the order of the files; of several files, with the name of each row's file.

    Parameters
    ----------
    model : fitted classifier
    files : sequence of paths
    reading : TableOptions
    keys : sequence of str
        Columns to keep with each row.
    """

    def __init__(self, model: Any, files: Sequence[Path], reading: TableOptions, keys: Sequence[str]) -> None:
        self._model, self._tables, self._has_keys = model, [], bool(keys)
        self.columns: dict[str, list[Any]] = {}
        for path in files:
            frame, X = read_new_rows(model, path, reading)
            predictions = prediction_columns(model, frame, X, keys)
            if len(files) > 1:
                predictions = {"file": [str(path)] * len(frame), **predictions}
            for name, values in predictions.items():
                self.columns.setdefault(name, []).extend(values)
            self._tables.append(X)

    def take(self, budget: int) -> str:
        """Keep the best rows only, the best first, each with its row in its file; return what to expect of them."""
        rows = rank_rows(self._model, self._tables, budget)
        in_files = np.concatenate([np.arange(1, len(X) + 1) for X in self._tables])
        numbers = {} if self._has_keys else {"row": in_files[rows].tolist()}
        self.columns = numbers | {name: [values[i] for i in rows] for name, values in self.columns.items()}
        return describe_ranked(self._model, self._tables, rows)
