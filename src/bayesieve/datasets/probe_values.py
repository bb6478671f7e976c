# SPDX-License-Identifier: BSD-3-Clause
"""The values of probes: one function of a real column per kind."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils.random import sample_without_replacement

__all__ = ["PROBE_KINDS", "ProbeKind", "fill_rows"]

Entries = tuple[NDArray[Any], NDArray[Any]]
ProbeKind = Callable[[NDArray[Any], int, RandomState], Entries]

_ZIPF_EXPONENT = 2.0
_LARGEST_COUNT = 127  # fits any integer type


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


PROBE_KINDS: dict[str, ProbeKind] = {"permute": _permuted, "gaussian": _gaussian, "zipf": _zipf}


def fill_rows(n_rows: int, entries: Entries) -> NDArray[Any]:
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
