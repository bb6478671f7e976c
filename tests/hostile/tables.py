"""Hostile tables: columns of `columns.py` in every container that a caller may have."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hostile.columns import COLUMNS, MILD_COLUMNS, MILD_TARGETS, MILD_WEIGHTS, TARGETS, TEXTS, WEIGHTS
from scipy import sparse


@dataclass(frozen=True)
class HostileTable:
    """A table, its target and weights, and how they were made."""

    text: str
    X: Any
    y: Any
    weights: Any
    n_rows: int


class CannotBeMadeError(Exception):
    """The container's own library refuses such columns."""


def _thinned(rng, numbers):
    return np.where(rng.random(numbers.shape) < 0.6, 0.0, numbers)


def _strided(rng, numbers):
    room = np.empty((2 * len(numbers), 3 * numbers.shape[1]))
    room[::2, ::3] = numbers
    return room[::2, ::3]


def _read_only(rng, numbers):
    numbers.flags.writeable = False
    return numbers


def _records(rng, numbers):
    kinds = [(f"c{j}", float) for j in range(numbers.shape[1])]
    return np.array([tuple(row) for row in numbers], kinds) if kinds else numbers


def _sparse(kind, maker=sparse.csr_matrix):
    def make(rng, numbers):
        matrix = maker(_thinned(rng, numbers))
        return matrix.asformat(kind) if matrix.shape[0] and matrix.shape[1] else matrix

    return make


def _sparse_zeros(rng, numbers):
    matrix = sparse.csr_matrix(_thinned(rng, numbers))
    matrix.data[:1] = -0.0
    return matrix


def _sparse_missing(rng, numbers):
    return sparse.csr_matrix(np.where(rng.random(numbers.shape) < 0.2, np.nan, _thinned(rng, numbers)))


def _sparse_long(rng, numbers):
    matrix = sparse.csc_matrix(_thinned(rng, numbers))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


# Containers of numbers: functions of (rng, matrix).
ARRAYS = {
    "array": lambda rng, numbers: numbers,
    "Fortran": lambda rng, numbers: np.asfortranarray(numbers),
    "read-only": _read_only,
    "strided": _strided,
    "big endian": lambda rng, numbers: numbers.astype(">f8"),
    "masked": lambda rng, numbers: np.ma.masked_array(numbers, numbers > 1),
    "matrix": lambda rng, numbers: np.asmatrix(numbers),
    "records": _records,
    "vector": lambda rng, numbers: numbers.ravel(),
    "cube": lambda rng, numbers: numbers[:, :, None],
    "lists": lambda rng, numbers: numbers.tolist(),
    "sparse frame": lambda rng, numbers: pd.DataFrame(numbers).add_prefix("c").astype(pd.SparseDtype(float, 0.0)),
    "CSR with NaN": _sparse_missing,
    "CSR with zeros": _sparse_zeros,
    "CSC of 64 bits": _sparse_long,
    "CSR reversed": lambda rng, numbers: sparse.csr_matrix(_thinned(rng, numbers))[:, ::-1],
    "COO array": _sparse("coo", sparse.coo_array),
    "CSR array": _sparse("csr", sparse.csr_array),
    **{f"{kind.upper()} matrix": _sparse(kind) for kind in ("csr", "csc", "coo", "lil", "bsr", "dok", "dia")},
}


def _renamed(frame, names):
    copy = frame.copy()
    copy.columns = names
    return copy


def _hostile_names(rng, frame):
    texts = [TEXTS[(7 * j + int(rng.integers(3))) % len(TEXTS)] + str(j) * (j % 2) for j in range(frame.shape[1])]
    return _renamed(frame, texts)


def _two_levels(rng, frame):
    return _renamed(frame, pd.MultiIndex.from_tuples([("a", str(j)) for j in range(frame.shape[1])]))


# Containers of columns: functions of (rng, frame).
FRAMES = {
    "pandas": lambda rng, frame: frame,
    "polars": lambda rng, frame: pl.from_pandas(frame),
    "polars objects": lambda rng, frame: pl.DataFrame(
        {name: pl.Series(name, list(frame[name]), dtype=pl.Object) for name in frame}
    ),
    "arrow": lambda rng, frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrow dictionary": lambda rng, frame: pa.table(
        {name: pa.array(map(ascii, frame[name]), pa.string()).dictionary_encode() for name in frame}
    ),
    "pandas of arrow": lambda rng, frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "object array": lambda rng, frame: frame.to_numpy(object),
    "series": lambda rng, frame: frame.iloc[:, 0],
    "same names": lambda rng, frame: _renamed(frame, ["c"] * frame.shape[1]),
    "integer names": lambda rng, frame: _renamed(frame, range(frame.shape[1])),
    "mixed names": lambda rng, frame: _renamed(frame, [j if j % 2 else f"c{j}" for j in range(frame.shape[1])]),
    "names of two levels": _two_levels,
    "same index": lambda rng, frame: frame.set_axis([7] * len(frame)),
    "reversed": lambda rng, frame: frame.iloc[::-1, ::-1],
    "hostile names": _hostile_names,
}


CONTAINERS = ARRAYS | FRAMES
REFUSED = ("vector", "cube", "records", "series", "same names", "mixed names")
MILD_CONTAINERS = {name: make for name, make in CONTAINERS.items() if name not in REFUSED}


def choose(rng, registry):
    """Return one name of a registry and its value."""
    name = list(registry)[int(rng.integers(len(registry)))]
    return name, registry[name]


def make_table(rng, mild=False, containers=None):
    """Return a table in some container; ``mild`` ones are made of what a fit accepts."""
    n_rows = int(rng.choice([12, 30, 60, 90] if mild else [0, 1, 2, 3, 6, 12, 30, 30, 60, 60, 60]))
    n_columns = int(rng.choice([1, 2, 4, 6] if mild else [0, 1, 2, 3, 4, 4, 6]))
    target, make_target = choose(rng, MILD_TARGETS if mild else TARGETS)
    y = make_target(rng, n_rows)
    signal = _signal(y, n_rows)
    made = [_column(rng, n_rows, signal, mild) for _ in range(n_columns)]
    if n_columns > 1 and rng.random() < 0.2:
        made[-1] = made[0]
    weights, make_weights = choose(rng, MILD_WEIGHTS if mild or rng.random() < 0.5 else WEIGHTS)
    containers = containers or (MILD_CONTAINERS if mild else CONTAINERS)
    container, X = _contained(rng, [values for _, values in made], signal, containers)
    text = f"{container}, {n_rows} rows, columns {[name for name, _ in made]}, target {target}, weights {weights}"
    return HostileTable(text, X, y, make_weights(rng, n_rows), n_rows)


def _signal(y, n_rows):
    """Return numbers that follow the target, so that something is selected."""
    labels = np.asarray(y, dtype=object).ravel()[:n_rows]
    return np.unique(labels.astype(str), return_inverse=True)[1] if n_rows else np.zeros(0)


def _column(rng, n_rows, signal, mild):
    if rng.random() < 0.35:
        return "signal", signal + rng.normal(size=n_rows) * rng.choice([0, 0.1, 0.5, 2])
    name, make = choose(rng, MILD_COLUMNS if mild else COLUMNS)
    return name, make(rng, n_rows)


def _contained(rng, columns, signal, containers):
    name, make = choose(rng, containers)
    try:
        if name in FRAMES:
            frame = {f"c{j}": pd.Series(values) for j, values in enumerate(columns)}
            return name, make(rng, pd.DataFrame(frame, index=range(len(signal))))
        numbers = [_numbers(values, signal) for values in columns]
        return name, make(rng, np.array(numbers).reshape(len(columns), len(signal)).T)
    except Exception as error:
        raise CannotBeMadeError(name) from error


def _numbers(values, signal):
    try:
        return np.asarray(values, float) if np.asarray(values).dtype.kind != "c" else np.asarray(signal, float)
    except (TypeError, ValueError, OverflowError):
        return np.asarray(signal, float)
