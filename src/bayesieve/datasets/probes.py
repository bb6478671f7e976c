# SPDX-License-Identifier: BSD-3-Clause
"""Probes: irrelevant columns that are added to count how many of them a selection includes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import hstack, issparse
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from bayesieve.data import append_columns, is_frame, read_table
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["ProbeReport", "add_probes", "probe_report"]

Entries = tuple[NDArray[Any], NDArray[Any]]
_ProbeKind = Callable[[NDArray[Any], int, RandomState], Entries]

_ZIPF_EXPONENT = 2.0
_LARGEST_COUNT = 127  # fits any integer type


@dataclass(frozen=True)
class ProbeReport:
    """The number of probes in a selection.

    Attributes
    ----------
    n_real, n_probes : int
        Number of selected real columns and of selected probes.
    probe_share : float
        Share of probes among the selected columns, as in the NIPS 2003 challenge; 0 if no column is selected.
    false_discovery_rate : float
        Estimated share of irrelevant columns among the selected real ones, from the number of selected probes and
        ``ratio``. It is conservative, since some real columns are relevant; at most 1.
    """

    n_real: int
    n_probes: int
    probe_share: float
    false_discovery_rate: float


def add_probes(
    X: Any, kind: str = "permute", ratio: float = 1.0, random_state: Any = None
) -> tuple[Any, NDArray[np.bool_]]:
    """Add columns that resemble the real ones but are independent of the target.

    Parameters
    ----------
    X : data frame, array or SciPy sparse table
        The real columns; a sparse table stays sparse.
    kind : {"permute", "gaussian", "zipf"}, default="permute"
        Each probe is derived from a real column: its values in another order of rows; Gaussian values of the same mean
        and standard deviation (those of the entries of a sparse column); or counts by Zipf's law in as many rows as it
        has values other than zero. The last two need numbers; in a data frame they use the numeric columns.
    ratio : float, default=1.0
        Number of probes per real column.
    random_state : int, RandomState or None
        The seed or generator of the random numbers.

    Returns
    -------
    X : same type as X
        The table with probes after the real columns; in a data frame they are named ``probe_1``, ``probe_2``, ...
    is_probe : bool array
        Which columns are probes.

    See Also
    --------
    probe_report : Counts the selected probes.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.datasets import add_probes
    >>> X, is_probe = add_probes(np.array([[1, 5], [2, 6], [3, 7]]), ratio=0.5, random_state=0)
    >>> X.shape, is_probe.tolist()
    ((3, 3), [False, False, True])
    >>> sorted(X[:, 2].tolist()) in ([1, 2, 3], [5, 6, 7])
    True
    """
    if kind not in _PROBE_KINDS:
        raise ParameterError(f"kind must be {', '.join(map(repr, _PROBE_KINDS))}, got {kind!r:.60}.")
    rng = check_random_state(random_state)
    add = _add_to_sparse if issparse(X) else _add_to_frame if is_frame(X) else _add_to_array
    longer, n_probes = add(X, kind, ratio, rng)
    is_probe = np.zeros(longer.shape[1], dtype=bool)
    is_probe[longer.shape[1] - n_probes :] = True
    return longer, is_probe


def probe_report(support: ArrayLike, is_probe: ArrayLike, ratio: float = 1.0) -> ProbeReport:
    """Count the selected probes, and estimate the share of irrelevant columns.

    Parameters
    ----------
    support : bool array, or positions
        The selected columns, for instance ``get_support()``.
    is_probe : bool array
        The mask that `add_probes` returned.
    ratio : float, default=1.0
        Number of probes per real column, as in `add_probes`.

    Returns
    -------
    report : ProbeReport
        Counts and shares.

    Examples
    --------
    >>> from bayesieve.datasets import probe_report
    >>> probe_report([True, True, False, True], [False, False, False, True], ratio=0.5)
    ProbeReport(n_real=2, n_probes=1, probe_share=0.3333333333333333, false_discovery_rate=1.0)
    """
    mask, positions = np.asarray(is_probe, dtype=bool), np.asarray(support)
    if positions.dtype.kind == "b" and positions.shape != mask.shape:
        raise ParameterError(
            f"support has {positions.size} columns and is_probe has {mask.size}; equal lengths are expected."
        )
    _check_ratio(ratio)
    selected = mask[positions if len(positions) else []]
    n_probes = int(selected.sum())
    n_real = len(selected) - n_probes
    irrelevant = n_probes / ratio
    return ProbeReport(
        n_real,
        n_probes,
        n_probes / len(selected) if len(selected) else 0.0,
        min(1.0, irrelevant / n_real) if n_real else float(n_probes > 0),
    )


def _add_to_sparse(X: Any, kind: str, ratio: float, rng: RandomState) -> tuple[Any, int]:
    table = X.tocsc(copy=True)
    table.sum_duplicates()
    _refuse_non_numbers(table.dtype, kind)
    n_rows = table.shape[0]
    sources = _sources(np.arange(table.shape[1]), ratio, rng)
    probes = [
        _PROBE_KINDS[kind](table.data[table.indptr[j] : table.indptr[j + 1]], n_rows, rng) for j in sources.tolist()
    ]
    begins = np.cumsum([0, *(len(rows) for rows, _ in probes)])
    rows, data = (np.concatenate(each) for each in zip(*probes, strict=True))
    added = type(table)((data, rows, begins), shape=(n_rows, len(probes)))
    return hstack([table, added], format=X.format), len(probes)


def _add_to_array(X: Any, kind: str, ratio: float, rng: RandomState) -> tuple[Any, int]:
    array, n_rows = np.asarray(X), read_table(X).n_rows
    _refuse_non_numbers(array.dtype, kind)
    sources = _sources(np.arange(array.shape[1]), ratio, rng)
    probes = [_fill_rows(n_rows, _PROBE_KINDS[kind](array[:, j], n_rows, rng)) for j in sources.tolist()]
    return np.column_stack([array, *probes]), len(probes)


def _add_to_frame(X: Any, kind: str, ratio: float, rng: RandomState) -> tuple[Any, int]:
    table = read_table(X)
    if kind == "permute":
        positions = _sources(np.arange(table.n_columns), ratio, rng).tolist()
        return append_columns(X, _named([(j, rng.permutation(table.n_rows)) for j in positions])), len(positions)
    numeric = [j for j in range(table.n_columns) if table.values(j).dtype.kind in "iuf"]
    if not numeric:
        raise DataError(f"kind={kind!r} needs numeric columns, and the table has none; use 'permute'.")
    sources = _sources(np.array(numeric), ratio * table.n_columns / len(numeric), rng)
    make: Callable[..., Any] = _PROBE_KINDS[kind]
    probes = [_fill_rows(table.n_rows, make(table.values(j), table.n_rows, rng)) for j in sources.tolist()]
    return append_columns(X, _named(probes)), len(probes)


def _named(probes: list[Any]) -> dict[str, Any]:
    return {f"probe_{i}": probe for i, probe in enumerate(probes, 1)}


def _sources(columns: NDArray[np.intp], ratio: float, rng: RandomState) -> NDArray[np.intp]:
    """Return the real column of each probe: each equally often, and the rest at random."""
    _check_ratio(ratio)
    n_probes = round(ratio * len(columns))
    if n_probes == 0:
        raise ParameterError(f"ratio={ratio:g} gives no probe for {len(columns)} columns; a larger ratio is expected.")
    rounds, rest = divmod(n_probes, len(columns))
    return np.concatenate([*([columns] * rounds), np.sort(rng.choice(columns, rest, replace=False))])


def _check_ratio(ratio: float) -> None:
    if not isfinite(ratio) or ratio <= 0:
        raise ParameterError(f"ratio must be a positive number of probes per column, got {ratio!r}.")


def _refuse_non_numbers(dtype: np.dtype[Any], kind: str) -> None:
    if kind != "permute" and dtype.kind not in "iuf":
        raise DataError(f"kind={kind!r} needs numbers, and the table is of type {dtype}; use 'permute'.")


def _permuted(entries: NDArray[Any], n_rows: int, rng: RandomState) -> Entries:
    """Put the same entries in other rows."""
    return _places(n_rows, len(entries), rng), entries[rng.permutation(len(entries))]


def _gaussian(entries: NDArray[Any], n_rows: int, rng: RandomState) -> Entries:
    """Draw as many entries, Gaussian with their mean and standard deviation; integers if they are."""
    present = entries[~np.isnan(entries)]
    mean, deviation = (present.mean(), present.std()) if len(present) else (0.0, 1.0)
    drawn = mean + (deviation or 1.0) * rng.standard_normal(len(entries))
    return _places(n_rows, len(entries), rng), _as_type(drawn, entries.dtype)


def _zipf(entries: NDArray[Any], n_rows: int, rng: RandomState) -> Entries:
    """Draw counts by Zipf's law in as many rows as there are entries that are not zero."""
    n_counts = int(np.count_nonzero(entries[~np.isnan(entries)]))
    counts = np.minimum(rng.zipf(_ZIPF_EXPONENT, n_counts), _LARGEST_COUNT)
    return _places(n_rows, n_counts, rng), counts.astype(entries.dtype)


_PROBE_KINDS: dict[str, _ProbeKind] = {"permute": _permuted, "gaussian": _gaussian, "zipf": _zipf}


def _fill_rows(n_rows: int, entries: Entries) -> NDArray[Any]:
    """Return a column that is zero except for its entries."""
    rows, values = entries
    column = np.zeros(n_rows, dtype=values.dtype)
    column[rows] = values
    return column


def _places(n_rows: int, n_entries: int, rng: RandomState) -> NDArray[np.intp]:
    """Return distinct rows in increasing order."""
    if n_entries == n_rows:
        return np.arange(n_rows)
    rows: NDArray[np.intp] = np.sort(sample_without_replacement(n_rows, n_entries, random_state=rng))
    return rows


def _as_type(values: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
