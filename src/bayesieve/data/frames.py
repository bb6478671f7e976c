# SPDX-License-Identifier: BSD-3-Clause
"""Read and build data frames of any library, through narwhals."""

import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_dataframe, is_polars_dataframe
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.data.column import FEW_TEXTS, EncodedValues, encode_entries
from bayesieve.exceptions import DataError, MissingPackageError

__all__ = [
    "IndexedFrame",
    "ReadValues",
    "Reader",
    "TypedValues",
    "append_columns",
    "as_index",
    "build_frame",
    "build_typed_frame",
    "eager_frame",
    "frame_backend",
    "frame_columns",
    "frame_rows",
    "import_polars",
    "is_dask",
    "is_frame",
    "list_values",
    "pick_columns",
    "pick_rows",
    "split_target",
    "without_panic_traces",
]


ReadValues = tuple[NDArray[Any] | EncodedValues, bool]
"""The values of a column, and whether they are nominal."""

Reader = Callable[[Sequence[int]], NDArray[Any] | list[ReadValues]]
"""Returns the columns at some positions: an array (n_rows, n_columns) if all are numbers of one type, or the values of
each column."""

_TEXT = ("str", "string")  # names of the types of text without a library of its own
_MANY = 256  # categories of which few rows have few


@dataclass(eq=False)
class IndexedFrame:
    """Some rows of a data frame, in its own library and as an indexed table.

    Attributes
    ----------
    whole : data frame
        All rows.
    rows : int64 array of shape (n_rows,), or None
        Positions of the rows of this frame; None if it has all.
    table : Table
        The same rows with their index.
    """

    whole: Any
    rows: Ints | None
    table: Any

    def __len__(self) -> int:
        return int(self.table.n_rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self), len(self.columns)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.table.names)

    @cached_property
    def native(self) -> Any:
        """The rows as a data frame; they are copied when they are needed first."""
        return self.whole if self.rows is None else pick_rows(self.whole, self.rows)

    def pick(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> "IndexedFrame":
        """Return some of the rows."""
        places = np.arange(len(self), dtype=np.int64)[np.asarray(rows)]  # refuses rows that do not exist
        frame: IndexedFrame = self.table.pick(self.whole, places if self.rows is None else self.rows[places])
        return frame


def is_frame(X: Any) -> bool:
    """Return whether narwhals supports this object as an eager or lazy data frame."""
    # Of what it does not know, narwhals asks the plugins of all installed packages.
    if isinstance(X, np.ndarray | IndexedFrame):
        return isinstance(X, IndexedFrame)
    return _usual_backend(X) is not None or isinstance(_wrap(X), nw.DataFrame | nw.LazyFrame)


def frame_backend(X: Any) -> str | None:
    """Return the library of a data frame, or None."""
    X = X.whole if isinstance(X, IndexedFrame) else X
    return _usual_backend(X) or (eager_frame(X).implementation.value if is_frame(X) else None)


def _usual_backend(X: Any) -> str | None:
    """Return pandas or polars if a frame is of theirs, without wrapping it, which takes longer than reading a row."""
    if is_pandas_dataframe(X):
        return "pandas"
    return "polars" if is_polars_dataframe(X) else None


def frame_columns(X: Any) -> tuple[list[str], int, Reader]:
    """Return names, number of rows, and a function that reads some columns."""
    frame = None if is_pandas_dataframe(X) else eager_frame(X)
    keys = X.columns.tolist() if frame is None else frame.columns
    names = [str(key) for key in keys]  # pandas allows names that are not strings
    _refuse_repeated(names)
    if frame is None:
        return names, len(X), _PandasColumns(X, keys, X.dtypes.tolist())
    return names, len(frame), lambda places: [_values(frame.get_column(keys[j])) for j in places]


@dataclass(frozen=True)
class _PandasColumns:
    """Reads some columns of a frame, numbers of one type together: one column at a time, pandas takes longer.

    Attributes
    ----------
    frame : pandas data frame
        The table.
    keys : sequence of hashable
        The names of its columns, as pandas has them; each occurs once.
    dtypes : sequence
        Their types.
    """

    frame: Any
    keys: Sequence[Any]
    dtypes: Sequence[Any]

    def __call__(self, places: Sequence[int]) -> NDArray[Any] | list[ReadValues]:
        """Return an array if all columns are numbers of one type, or the values of each column."""
        columns: dict[int, ReadValues] = {}
        numbers: dict[np.dtype[Any], list[int]] = {}
        for j in places:
            dtype = self.dtypes[j]
            if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
                numbers.setdefault(dtype, []).append(j)
            elif dtype.name == "category":
                columns[j] = _encode_categories(self._series(j).array), True
            elif dtype.name in _TEXT:
                columns[j] = _encode_text(self._series(j)), True
            else:
                columns[j] = _values(nw.from_native(self._series(j), series_only=True))
        for own in numbers.values():
            array = np.asarray(self.frame.iloc[:, as_index(own)].to_numpy())
            if len(numbers) == 1 and not columns:
                return array
            columns.update((j, (column, False)) for j, column in zip(own, array.T, strict=True))
        return [columns[j] for j in places]

    def _series(self, j: int) -> Any:
        key = self.keys[j]  # by a name, pandas takes a third of the time
        return self.frame[key] if isinstance(key, str) else self.frame.iloc[:, j]


def as_index(places: Sequence[int]) -> slice | list[int]:
    """Return positions as an index of an array or data frame, adjacent ones as a slice, which copies nothing."""
    adjacent = len(places) > 0 and all(j == k for k, j in enumerate(places, places[0]))
    return slice(places[0], places[-1] + 1) if adjacent else list(places)


def pick_columns(X: Any, positions: Sequence[int]) -> Any:
    """Return some columns of a data frame, in its own library."""
    X = X.native if isinstance(X, IndexedFrame) else X
    frame = eager_frame(X)
    if frame.implementation.is_pandas_like():
        return X.iloc[:, list(positions)]  # narwhals returns no rows if there are no columns
    return frame[:, list(positions)].to_native()


def list_values(X: Any, position: int) -> list[Any]:
    """Return the values of a column as Python objects, None if missing."""
    return list(eager_frame(X)[:, position].to_list())


def pick_rows(X: Any, positions: Sequence[int] | NDArray[np.intp]) -> Any:
    """Return some rows of a data frame, in its own library; an index stays."""
    if isinstance(X, IndexedFrame):
        return X.pick(positions)
    frame, rows = eager_frame(X), np.asarray(positions)
    if not (frame.implementation.is_polars() and len(rows) and rows[0] >= 0 and (np.diff(rows) > 0).all()):
        return frame[rows].to_native()
    chosen = np.zeros(len(frame), dtype=np.bool_)  # of rows in order, polars filters faster than it gathers
    chosen[rows] = True
    return frame.filter(nw.new_series("chosen", chosen, backend=frame.implementation)).to_native()


def append_columns(X: Any, added: Mapping[str, NDArray[Any] | tuple[int, NDArray[Any]]]) -> Any:
    """Return a data frame with more columns: values, or the position of one of its columns and an order of its rows.

    Names that are not strings become strings, so that all names are of one type.
    """
    frame = eager_frame(X)
    _refuse_repeated([*map(str, frame.columns), *added])
    series = [
        frame[:, value[0]][value[1].tolist()].alias(name)
        if isinstance(value, tuple)
        else nw.new_series(name, value, backend=frame.implementation)
        for name, value in added.items()
    ]
    longer: Any = frame.with_columns(*series).to_native()
    if frame.implementation.is_pandas_like():
        longer.columns = [str(name) for name in longer.columns]
    return longer


def arrange_columns(X: Any, names: Sequence[str]) -> Any:
    """Return the columns with these names, in this order; those that are absent are filled with missing values."""
    present = set(map(str, eager_frame(X).columns))
    extended = append_columns(X, {name: np.full(len(X), np.nan) for name in names if name not in present})
    place = {str(name): j for j, name in enumerate(eager_frame(extended).columns)}
    return pick_columns(extended, [place[name] for name in names])


def split_target(X: Any, position: int) -> tuple[Any, NDArray[Any]]:
    """Return the other columns and the target of a data frame, without the rows whose target is missing."""
    frame = eager_frame(X)
    name = frame.columns[position]
    missing = frame[name].is_null()
    if frame[name].dtype.is_float():
        missing = missing | frame[name].is_nan()
    kept = frame.filter(~missing)
    target, _ = _values(kept[:, position])
    return kept.drop(name).to_native(), target.expand() if isinstance(target, EncodedValues) else target


def import_polars(purpose: str) -> Any:
    """Return polars, or raise an error that names the purpose and how to install it."""
    try:
        import polars
    except ModuleNotFoundError as error:
        if error.name != "polars":
            raise
        raise MissingPackageError(f"{purpose} needs polars, which is missing: pip install 'bayesieve[cli]'.") from None
    return polars


def _wrap(X: Any) -> Any:
    X = X.native if isinstance(X, IndexedFrame) else X
    try:
        return nw.from_native(X, pass_through=True)
    except DuplicateError:
        names = map(str, getattr(X, "column_names", None) or X.columns)
        _refuse_repeated(names)
        raise


def eager_frame(X: Any) -> nw.DataFrame[Any]:
    """Return a narwhals data frame; a lazy one is refused."""
    frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = _wrap(X)
    if isinstance(frame, nw.LazyFrame):
        raise DataError("The table is lazy; collect it first, for instance X.collect() or X.compute().")
    return frame


def _refuse_repeated(names: Iterable[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"The column name {repeated[0]!r} occurs more than once; column names must be unique."
        ) from None


def _values(series: nw.Series[Any]) -> ReadValues:
    """Return a column's values and whether they are nominal; values of type object may still have no order."""
    dtype = series.dtype  # narwhals inspects the column at each access
    if dtype.is_numeric():
        return _numbers(series, dtype), False
    if dtype.is_temporal() and not isinstance(dtype, nw.Time):
        return np.asarray(series.to_numpy()), False
    text = isinstance(dtype, nw.Categorical | nw.Enum | nw.String)
    if text and series.implementation.is_pandas():
        native = series.to_native()
        is_plain = hasattr(native.array, "categories")  # a dictionary of Arrow has none
        return (_encode_categories(native.array) if is_plain else _encode_text(native)), True
    if text and series.implementation.is_polars():
        return _polars_text(series), True
    if text and getattr(getattr(series.to_native(), "type", None), "ordered", False):
        return _arrow_dictionary(series.to_native()), True
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values, text or dtype == nw.Boolean


def _arrow_dictionary(values: Any) -> EncodedValues:
    """Encode a dictionary of Arrow whose entries have an order."""
    unified = values.unify_dictionaries()
    if not unified.num_chunks:
        return EncodedValues([], np.empty(0, dtype=np.intp), are_in_order=True)
    positions = [np.asarray(chunk.indices.cast("int64").fill_null(-1), dtype=np.intp) for chunk in unified.chunks]
    return EncodedValues(unified.chunk(0).dictionary.to_pylist(), np.concatenate(positions), are_in_order=True)


def _encode_text(series: Any) -> EncodedValues:
    """Encode a column of text."""
    if len(series) <= FEW_TEXTS:
        return encode_entries(series.tolist())
    codes, entries = series.factorize()
    return EncodedValues(entries.tolist(), np.asarray(codes))


def _encode_categories(values: Any) -> EncodedValues:
    """Encode an array of categories; of many, those that occur in the rows."""
    categories, codes = values.categories, np.asarray(values.codes)
    if len(categories) > _MANY + len(codes):
        used = np.unique(codes[codes >= 0])
        positions = np.where(codes < 0, -1, np.searchsorted(used, codes))
        return EncodedValues(categories[used].tolist(), positions, bool(values.ordered))
    return EncodedValues(categories.tolist(), codes, bool(values.ordered))


def _polars_text(series: nw.Series[Any]) -> EncodedValues:
    if isinstance(series.dtype, nw.Enum):
        levels = list(series.dtype.categories)
        positions = series.to_native().to_physical().cast(int).fill_null(-1)
        return EncodedValues(levels, positions.to_numpy(), are_in_order=True)
    if len(series) <= FEW_TEXTS:
        return encode_entries(series.to_list())
    series = series.cast(nw.String)
    occurring = [label for label in series.unique().to_list() if label is not None]
    if not occurring:  # older narwhals have no type without categories
        return EncodedValues([], np.full(len(series), -1))
    positions = series.cast(nw.Enum(occurring)).to_native().to_physical().cast(int).fill_null(-1)
    return EncodedValues(occurring, positions.to_numpy())


def _numbers(series: nw.Series[Any], dtype: Any) -> NDArray[Any]:
    """Return numbers, NaN for nulls.

    Libraries convert nulls differently, and NumPy has neither decimals nor 128-bit integers.
    """
    if dtype.is_float() and (numbers := np.asarray(series.to_numpy())).dtype.kind == "f":
        return numbers
    has_nulls = bool(series.null_count())
    plain = dtype.is_float() or (dtype.is_integer() and not has_nulls)
    wide = isinstance(dtype, nw.Int128 | nw.UInt128)
    if not plain or wide:
        try:
            series = series.cast(nw.Float64)
        except ValueError:  # Arrow casts no integers beyond 2^53
            return np.array(series.to_list(), dtype=np.float64)
    return np.asarray(series.fill_null(float("nan")).to_numpy() if has_nulls else series)


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Build a data frame in the given library, by default pandas, or polars without it."""
    for library in [backend] if backend else ["pandas", "polars"]:
        try:
            return nw.from_dict(dict(columns), backend=library).to_native()  # type: ignore[arg-type]
        except ImportError:
            continue
    raise MissingPackageError("A data frame needs pandas or polars: pip install pandas.")


def frame_rows(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame of any library, by the names of the columns."""
    return list(nw.from_native(frame, eager_only=True).iter_rows(named=True))


def is_dask(X: Any) -> bool:
    """Return whether an object is a Dask collection, without importing Dask."""
    return callable(getattr(X, "__dask_graph__", None)) and hasattr(X, "to_delayed")


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
            series = [_typed_series(name, column, library) for name, column in columns.items()]
        except ImportError:
            continue
        return nw.concat([one.to_frame() for one in series], how="horizontal").to_native()
    raise MissingPackageError("A table with categories needs pandas or polars: pip install pandas.")


def _typed_series(name: str, column: TypedValues, library: str) -> nw.Series[Any]:
    if column.kind == "nominal" and library == "pandas":  # narwhals has no type of levels without an order
        in_order = nw.new_series(name, list(column.values), nw.Enum(column.levels), backend="pandas").to_native()
        return nw.from_native(in_order.cat.as_unordered(), series_only=True)
    # Text has no dtype here: without one, libraries keep None, which older pandas would cast to the text "None".
    dtype = nw.Categorical() if column.kind == "nominal" else _DTYPES.get(column.kind)
    values = column.values
    values = values if isinstance(values, np.ndarray) and values.dtype.kind == "f" else list(values)
    return nw.new_series(name, values, dtype, backend=library)  # type: ignore[arg-type]


_LOCK = threading.Lock()


@contextmanager
def without_panic_traces() -> Iterator[None]:
    """Keep what is written to the error stream meanwhile, and write it there unless the code inside fails.

    A damaged file lets polars panic: its Rust library writes a stack trace before Python sees the exception. One thread
    at a time redirects the stream of the process; others go on as usual.
    """
    if not _LOCK.acquire(blocking=False):
        yield
        return
    try:
        with tempfile.TemporaryFile() as kept:
            with _redirected(kept.fileno()):
                yield
            kept.seek(0)
            if text := kept.read():
                os.write(2, text)
    finally:
        _LOCK.release()


@contextmanager
def _redirected(target: int) -> Iterator[None]:
    """Let the error stream go to another file."""
    try:
        saved = os.dup(2)
    except OSError:  # there is no error stream
        yield
        return
    if sys.stderr is not None:
        sys.stderr.flush()
    os.dup2(target, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
