"""Data frames of any library in and out, through narwhals."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayesieve.data.missing import is_missing
from bayesieve.exceptions import DataError

__all__ = ["build_frame", "frame_backend", "frame_columns", "is_frame"]


def is_frame(X: Any) -> bool:
    """Tell whether narwhals knows this object as an eager or lazy data frame."""
    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame | nw.LazyFrame)


def frame_backend(X: Any) -> str | None:
    """Return the library of a data frame, None for anything else."""
    return nw.from_native(X, eager_only=True).implementation.value if is_frame(X) else None


def frame_columns(X: Any) -> tuple[list[str], int, Callable[[int], tuple[NDArray[Any], bool]]]:
    """Return names, number of rows, and a function that gives the values of a column and whether it is nominal."""
    frame = nw.from_native(X)
    if isinstance(frame, nw.LazyFrame):
        raise DataError("The table is lazy; collect it first, for instance X.collect().")
    return [str(name) for name in frame.columns], len(frame), lambda j: _values(frame, j)


def _values(frame: nw.DataFrame[Any], j: int) -> tuple[NDArray[Any], bool]:
    series = frame[:, j]
    if series.dtype == nw.Boolean or isinstance(series.dtype, nw.Categorical | nw.Enum | nw.String):
        return np.array(series.to_list(), dtype=object), True
    if series.dtype.is_numeric():
        floats = series.cast(nw.Float64).fill_null(float("nan")) if series.null_count() else series
        return np.asarray(floats.to_numpy()), False
    if series.dtype.is_temporal():
        return np.array(series.to_list(), dtype="datetime64[ns]"), False
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values, not _numbers_only(values)


def _numbers_only(values: NDArray[Any]) -> bool:
    present = [v for v in values.tolist() if not is_missing(v)]
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in present)


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Build a data frame in the given library; otherwise pandas or polars, whichever is there."""
    for library in [backend] if backend else ["pandas", "polars"]:
        try:
            return nw.from_dict(dict(columns), backend=library).to_native()  # type: ignore[arg-type]
        except ImportError:
            continue
    raise ImportError("A data frame needs pandas or polars: pip install pandas.")
