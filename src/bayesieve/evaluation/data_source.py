# SPDX-License-Identifier: BSD-3-Clause
"""Sources of data sets: pairs, bunches and loaders."""

from typing import Any

from bayesieve.data import open_raw
from bayesieve.evaluation.evaluation_blocks import BlockData
from bayesieve.evaluation.evaluation_data import MemoryData
from bayesieve.exceptions import DataError

__all__ = ["Source", "open_data"]

Source = Any  # (X, y), a Bunch, or a function without arguments that returns one of them


def open_data(source: Source) -> MemoryData | BlockData:
    """Open the data set of a source."""
    data = source() if callable(source) else source
    if hasattr(data, "data") and hasattr(data, "target"):
        data = (data.data, data.target)
    if isinstance(data, tuple | list) and len(data) == 2:
        raw = open_raw(data[0], data[1], None, "auto")
        return MemoryData(*data) if raw is None else BlockData(raw)
    raise DataError(f"data must be (X, y), or what a data set loader returns, got {type(data).__name__}.")
