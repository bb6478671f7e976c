# SPDX-License-Identifier: BSD-3-Clause
"""Build a data frame of typed columns in an installed library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import MissingPackageError

__all__ = ["TypedValues", "build_typed_frame"]

_DTYPES = {"numeric": nw.Float64(), "single": nw.Float32(), "integer": nw.Int64(), "date": nw.Datetime("us")}


@dataclass(frozen=True)
class TypedValues:
    """Values of one kind, None where missing.

    Attributes
    ----------
    kind : {"numeric", "single", "integer", "date", "string", "nominal"}
        The common type; "single" is a 32-bit float.
    levels : tuple of str
        The possible values of a nominal column, in the declared order; some may occur in no row.
    """

    kind: str
    values: Sequence[Any] | NDArray[Any]
    levels: tuple[str, ...] = ()


def build_typed_frame(columns: Mapping[str, TypedValues], libraries: Sequence[str]) -> Any:
    """Build a frame in the first of the libraries that is installed."""
    for library in libraries:
        try:
            series = [_series(name, column, library) for name, column in columns.items()]
        except ImportError:
            continue
        return nw.concat([one.to_frame() for one in series], how="horizontal").to_native()
    raise MissingPackageError("A table with categories needs pandas or polars: pip install pandas.")


def _series(name: str, column: TypedValues, library: str) -> nw.Series[Any]:
    # Text has no dtype here: without one, libraries keep None, which older pandas would cast to the text "None".
    dtype = nw.Enum(column.levels) if column.kind == "nominal" else _DTYPES.get(column.kind)
    values = column.values
    values = values if isinstance(values, np.ndarray) and values.dtype.kind == "f" else list(values)
    return nw.new_series(name, values, dtype, backend=library)  # type: ignore[arg-type]
