# SPDX-License-Identifier: BSD-3-Clause
"""Values of several columns that are in the same rows: one fact, such as "no internet service" in six columns."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column
from bayesieve.quality.findings import Finding, quote

__all__ = ["SharedRows", "find_one_fact", "find_shared_rows"]

_FEW_COLUMNS = 3  # two columns that share some rows are common, and a reader sees both
_FEW_ROWS = 20
_RARE = 0.01  # share of the rows
_SHOWN = 3
_MOST_GROUPED = 12  # columns that are worth selecting together
_BITS = 26  # of random numbers, whose sums over 2^27 rows are exact as float64


@dataclass(frozen=True)
class SharedRows:
    """Rows that have one value in each of several columns: the places of columns and values, and the number of rows."""

    columns: tuple[int, ...]
    values: tuple[int, ...]
    n_rows: int


def find_shared_rows(ids: Sequence[NDArray[np.int32]], fewest: int) -> list[SharedRows]:
    """Return which values of which columns are in the same rows, of at least this number of columns.

    The first are of the most columns, then of the most rows. Values of columns that are all in a set that comes before
    are left out: more than one fact about the same columns adds nothing.

    Parameters
    ----------
    ids : sequence of arrays of shape (n_samples,)
        The value of each row, by its number, of each column.
    fewest : int
        Number of columns.
    """
    n_rows = len(ids[0]) if ids else 0
    rng = np.random.default_rng(0)
    marks = [rng.integers(0, 2**_BITS, n_rows).astype(np.float64) for _ in range(2)]
    least = max(_FEW_ROWS, _RARE * n_rows)
    places: dict[tuple[float, ...], list[tuple[int, int]]] = {}
    for j, of_column in enumerate(ids):
        counts = np.bincount(of_column)
        frequent = np.flatnonzero((counts >= least) & (counts <= n_rows - least))
        if not len(frequent):
            continue
        sums = [np.bincount(of_column, mark)[frequent] for mark in marks]
        for value, *key in zip(frequent.tolist(), counts[frequent].tolist(), *(s.tolist() for s in sums), strict=True):
            places.setdefault(tuple(key), []).append((j, value))
    found = [_verified(ids, each) for each in places.values() if len(each) >= fewest]
    found.sort(key=lambda each: (-len(each.columns), -each.n_rows, each.columns))
    kept: list[SharedRows] = []
    for each in found:
        if len(each.columns) >= fewest and not any(set(each.columns) <= set(other.columns) for other in kept):
            kept.append(each)
    return kept


def _verified(ids: Sequence[NDArray[np.int32]], places: Sequence[tuple[int, int]]) -> SharedRows:
    """Return the columns whose value is in the same rows as that of the first: equal sums alone may be chance."""
    (first, value), *_ = places
    rows = ids[first] == value
    same = [(j, v) for j, v in places if np.array_equal(ids[j] == v, rows)]
    columns, values = zip(*same, strict=True)
    return SharedRows(columns, values, int(rows.sum()))


def find_one_fact(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield values that are in the same rows in three columns or more, which are not copies of each other."""
    for shared in find_shared_rows([column.ids for column in columns], _FEW_COLUMNS):
        members = [columns[j] for j in shared.columns]
        names = [column.name for column in members]
        words = [_words(column, value) for column, value in zip(members, shared.values, strict=True)]
        message = (
            f"{_occurrence(words[0])} {shared.n_rows:,} rows {_others(names, words)}: one fact in {len(names)} "
            "columns, whose points for it add up"
        )
        option = shlex.quote(f"{_group_name(names, words)}={','.join(names)}")
        advice = f"--feature-group {option} selects them together or not at all"
        can_be_grouped = len(names) <= _MOST_GROUPED and not any("," in name for name in names)
        yield Finding("one fact", names[0], message, advice if can_be_grouped else "")


def _words(column: Column, value: int) -> str:
    """Return a value in quotes, a number as it is, and nothing for a missing value."""
    if value == len(column.labels):
        return ""
    label = column.labels[value]
    return column.scale.words(float(label)) if column.ordered else quote([str(label)])


def _occurrence(words: str) -> str:
    return f"{words} occurs in the same" if words else "it is missing in the same"


def _others(names: Sequence[str], words: Sequence[str]) -> str:
    """Return the other columns with their values, which are named where they change."""
    shown = names[1 : _SHOWN + 1]
    parts = []
    for (_, before), (name, own) in pairwise(zip(names[: len(shown) + 1], words, strict=False)):
        parts.append(quote([name]) if own == before else f"{own or 'missing values'} of {quote([name])}")
    more = len(names) - 1 - len(shown)
    listed = ", ".join(parts) + (f" and {more} more" if more else "")
    return f"as in {listed}" if words[1] == words[0] else f"as {listed}"


def _group_name(names: Sequence[str], words: Sequence[str]) -> str:
    """Return a name for the group, of letters and digits: the text that most columns share, or the first column."""
    most = max(words, key=list(words).count)
    name = most.strip("'\"").lower() if any(map(str.isalpha, most)) else f"{names[0]}_group"
    return "".join(letter if letter.isalnum() else "_" for letter in name).strip("_")
