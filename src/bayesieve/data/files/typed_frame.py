"""A data frame of columns whose types are known beforehand, in the library that is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["TypedValues", "build_typed_frame"]

_DTYPES = {"numeric": nw.Float64(), "single": nw.Float32(), "integer": nw.Int64(), "date": nw.Datetime("us")}


@dataclass(frozen=True)
class TypedValues:
    """Values of one kind, None where missing.

    Attributes
    ----------
    kind : {"numeric", "single", "integer", "date", "string", "nominal"}
        A single is a number of 32 bits.
    levels : tuple of str
        What a nominal value can be, in the declared order; some may occur in no row.
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
    raise ImportError("A table with categories needs pandas or polars: pip install pandas.")


def _series(name: str, column: TypedValues, library: str) -> nw.Series[Any]:
    # Text has no dtype here: a library's own guess keeps None, where older pandas would cast it to the text "None".
    dtype = nw.Enum(column.levels) if column.kind == "nominal" else _DTYPES.get(column.kind)
    given = column.values
    values = given if isinstance(given, np.ndarray) and given.dtype.kind == "f" else list(given)
    return nw.new_series(name, values, dtype, backend=library)  # type: ignore[arg-type]
