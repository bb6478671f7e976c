# SPDX-License-Identifier: BSD-3-Clause
"""The columns that take part, and the rows in the order of their folds.

Neither names nor the order of rows and columns matter: columns are ordered, and rows are dealt to folds, by what they
contain. Copies of a column, and columns of a wide table without evidence of an effect, are left out.
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.additive import constants
from bayesieve.additive.priors import column_basis
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.rows import AdditiveRows
from bayesieve.bins import CodedRows, Groups
from bayesieve.exact import log_positive
from bayesieve.search import Exclusion, Gains

__all__ = [
    "AdditiveColumns",
    "find_exclusions",
    "make_columns",
    "places_of",
]


@dataclass(frozen=True, eq=False)
class AdditiveColumns:
    """Rows and columns that take part, and where they come from.

    Attributes
    ----------
    rows : AdditiveRows
        The rows, by fold.
    coded : CodedRows
        The coded rows of the problem.
    columns : tuple of int
        The coded columns of the problem that take part.
    bin_orders : list of int arrays
        The bin of the column's partition that each bin of the rows is: missing values come first here.
    copies : dict of int to int
        Columns with the same codes as one that takes part, and that one.
    positions : int array of shape (n_rows,)
        The coded row that each row is.
    fold : int array of shape (n_rows,)
        The fold of each row.
    unit : float
        The unit of the weights.
    """

    rows: AdditiveRows
    coded: CodedRows
    columns: tuple[int, ...]
    bin_orders: list[Ints]
    copies: dict[int, int]
    positions: NDArray[np.intp]
    fold: Ints
    unit: float


def make_columns(problem: AdditiveProblem) -> AdditiveColumns:
    """Prepare the rows of a problem."""
    coded = problem.rows
    positions, unit = np.flatnonzero(coded.weights > 0), _unit(coded, problem.unit)
    screens = [_screened(problem)]
    columns, copies = _distinct_columns(coded, screens[0], problem)
    columns, keys = _by_content(problem, coded, columns, positions)
    drawn = _draw_folds(problem, positions, keys) if problem.fold is None else problem.fold[positions]
    if len(problem.columns) > constants.MOST_COLUMNS:
        screens += _screened_in_folds(problem, coded, positions, drawn)
        columns, copies = _distinct_columns(coded, sorted(set().union(*screens)), problem)
        columns, keys = _by_content(problem, coded, columns, positions)
    counts = [_bin_counts(problem, coded, j) for j in columns]
    by_fold = np.lexsort((coded.weights[positions], keys, drawn))
    positions, drawn = positions[by_fold], drawn[by_fold]
    nominal = [isinstance(problem.columns[j].partition, Groups) for j in columns]
    missing = [bool(getattr(problem.columns[j].partition, "missing", False)) for j in columns]
    orders = [_bin_order(len(own), first) for own, first in zip(counts, missing, strict=True)]
    bases = []
    for j, own, order, is_nominal in zip(columns, counts, orders, nominal, strict=True):
        mass = own.sum(axis=1)[order] * unit
        values = None if is_nominal else problem.columns[j].values
        bases.append(column_basis(mass, values, has_missing=bool(order[0] != 0)))
    rows = AdditiveRows(
        codes=[places_of(order)[coded.codes.column(j)[positions]] for j, order in zip(columns, orders, strict=True)],
        bases=bases,
        missing=np.array(missing, dtype=bool),
        monotone=np.array([problem.columns[j].direction for j in columns], dtype=np.int8),
        loss=problem.loss,
        leads=np.array([problem.columns[j].lead for j in columns], dtype=np.int64),
        target=coded.target[positions].astype(np.float64),
        weights=(coded.weights[positions] * unit).astype(np.float64),
        fold_ends=np.cumsum(np.bincount(drawn)).astype(np.int64),
    )
    if len(screens) > 1:
        index = {j: k for k, j in enumerate(columns)}
        owners = [{copies.get(j, j) for j in each} for each in screens]
        rows = replace(rows, taking_part=tuple(frozenset(index[j] for j in each if j in index) for each in owners))
    return AdditiveColumns(rows, coded, tuple(columns), orders, copies, positions, drawn.astype(np.int64), unit)


def _unit(coded: CodedRows, unit: float) -> float:
    """Return the unit of weights, so that their sum is from 1 to 2^50: others are as small, or as large, as these."""
    _, exponent = np.frexp(float(coded.weights.sum(dtype=np.float64)))
    return float(np.clip(unit, 2.0 ** (1 - exponent), 2.0 ** (50 - exponent)))


def _bin_order(n_bins: int, missing_first: bool) -> Ints:
    bins = np.arange(n_bins)
    return np.roll(bins, 1) if missing_first else bins


def places_of(order: Ints) -> NDArray[np.uint16]:
    """Return the bin of the rows that each bin of a partition is."""
    places = np.empty(len(order), dtype=np.uint16)
    places[order] = np.arange(len(order))
    return places


def _screened(problem: AdditiveProblem) -> list[int]:
    """Return the columns that take part: all, or of a wide table those with the largest Bayes factors alone."""
    if len(problem.columns) <= constants.MOST_COLUMNS:
        return list(range(len(problem.columns)))
    counts = [column.counts[:-1] for column in problem.columns]
    begins = np.cumsum([0, *(len(own) for own in counts[:-1])])
    return _largest(problem, np.concatenate(counts), begins)


def _screened_in_folds(
    problem: AdditiveProblem, coded: CodedRows, positions: NDArray[np.intp], fold: Ints
) -> list[list[int]]:
    """Return for each fold the columns that take part without its rows: a fold must not choose its own columns."""
    n_folds, labels = int(fold.max()) + 1, np.zeros(coded.codes.n_rows, dtype=np.int32)
    n_classes = coded.n_classes
    labels[positions] = n_classes * fold + coded.target[positions]
    counts = coded.codes.count(labels, coded.weights, n_classes * n_folds)
    by_fold = counts.reshape(len(counts), n_folds, n_classes)
    everything, begins = by_fold.sum(axis=1), coded.codes.offsets[:-1]
    return [_largest(problem, everything - by_fold[:, q], begins) for q in range(n_folds)]


def _largest(problem: AdditiveProblem, counts: Ints, begins: Ints) -> list[int]:
    """Return the columns of the largest Bayes factors under independent scores of bins, and those that must stay."""
    weights = counts * problem.unit
    mass, total = weights[begins[0] : begins[1]].sum(axis=0), weights.sum(axis=1)  # every column counts all rows
    factors, variance = np.zeros(len(begins)), constants.SCREEN_VARIANCE
    for c in range(len(mass) - problem.loss.n_scores, len(mass)):
        share = mass[c] / mass.sum()
        slopes, curvatures = weights[:, c] - share * total, share * (1.0 - share) * total
        terms = slopes**2 / (curvatures + 1.0 / variance) - log_positive(1.0 + variance * curvatures)
        factors += np.add.reduceat(terms, begins)
    factors[sorted(problem.locked)] = np.inf
    return sorted(np.argsort(-factors, kind="stable")[: constants.MOST_COLUMNS].tolist())


def _distinct_columns(
    coded: CodedRows, columns: Sequence[int], problem: AdditiveProblem
) -> tuple[list[int], dict[int, int]]:
    """Return columns of several bins, of those with equal codes the first; and the other copies.

    A column that must be selected comes before its copies.
    """
    required = problem.locked
    first: dict[bytes, int] = {}
    copies: dict[int, int] = {}
    for j in sorted(columns, key=lambda j: (j not in required, j)):
        if coded.codes.n_bins[j] < 2:
            continue
        codes = coded.codes.column(j).astype(np.uint16)
        key = hashlib.blake2b(np.ascontiguousarray(codes).tobytes(), digest_size=16).digest()
        owner = first.setdefault(key, j)
        if owner != j and j not in required:
            copies[j] = owner
    kept = set(columns) - set(copies)
    return [j for j in sorted(kept) if coded.codes.n_bins[j] > 1], copies


def _bin_counts(problem: AdditiveProblem, coded: CodedRows, j: int) -> Ints:
    return np.asarray(problem.columns[j].counts[: int(coded.codes.n_bins[j])])


def _by_content(
    problem: AdditiveProblem, coded: CodedRows, columns: Sequence[int], positions: NDArray[np.intp]
) -> tuple[list[int], NDArray[np.uint64]]:
    """Return the columns in an order, and the rows with keys, that depend on what they contain alone.

    The key of a row is a sum over columns, and that of a column is made of its counts or, where these are those of
    another column, of a sum over rows: neither the order of rows nor that of columns matters. Columns that differ by
    the names of the rows alone are taken as they come. Rows of a class with equal keys are equal but for their weights.
    """
    counts = [np.ascontiguousarray(_bin_counts(problem, coded, j), dtype=np.int64) for j in columns]
    seeds = np.array([_seed(own.tobytes()) for own in counts], dtype=np.uint64)
    keys = _row_keys(coded, columns, positions, seeds)
    _, place, times = np.unique(seeds, return_inverse=True, return_counts=True)
    equal = np.flatnonzero(times[place] > 1).tolist()
    if equal:
        own_rows = keys + coded.target[positions].astype(np.uint64)
        for i in equal:
            column = _column_keys(coded, columns[i], positions, seeds[i])
            seeds[i] = _mixed(own_rows + column, seeds[i]).sum(dtype=np.uint64)
        order = np.argsort(seeds, kind="stable")
        seeds[order] += np.arange(len(order), dtype=np.uint64)
        keys = _row_keys(coded, columns, positions, seeds)
    return [columns[i] for i in np.argsort(seeds, kind="stable").tolist()], keys


def _seed(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def _column_keys(coded: CodedRows, j: int, positions: NDArray[np.intp], seed: np.uint64) -> NDArray[np.uint64]:
    codes = np.arange(int(coded.codes.n_bins[j]) + 1, dtype=np.uint64)
    return np.asarray(_mixed(codes, seed)[coded.codes.column(j)[positions]])


def _row_keys(
    coded: CodedRows, columns: Sequence[int], positions: NDArray[np.intp], seeds: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    keys = np.zeros(len(positions), dtype=np.uint64)
    for j, seed in zip(columns, seeds, strict=True):
        keys += _column_keys(coded, j, positions, seed)
    return keys


def _draw_folds(problem: AdditiveProblem, positions: NDArray[np.intp], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Deal the rows of each class to folds in the order of their keys, so that equal rows go to different folds.

    Of many classes, the next is dealt from where the last ended: there may be fewer rows than folds.
    """
    fold, first = np.empty(len(positions), dtype=np.int64), 0
    coded, n_folds = problem.rows, problem.options.n_folds
    target, weights = coded.target[positions], coded.weights[positions]
    for c in range(coded.n_classes):
        own_rows = np.flatnonzero(target == c)
        dealt = np.arange(first, first + len(own_rows)) % n_folds
        fold[own_rows[np.lexsort((weights[own_rows], keys[own_rows]))]] = dealt
        first += len(own_rows) if problem.loss.tuning.deals_on else 0
    return fold


def _mixed(x: NDArray[np.uint64], seed: np.uint64) -> NDArray[np.uint64]:
    """Return numbers that look random (the finalizer of splitmix64)."""
    z = x * np.uint64(0x9E3779B97F4A7C15) + seed
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def find_exclusions(
    problem: AdditiveProblem,
    data: AdditiveColumns,
    gains: Gains | None,
    fitted: Collection[str],
    selected: Collection[str],
) -> dict[str, Exclusion]:
    """Return the reason for each coded column that was not selected.

    Parameters
    ----------
    problem, data : AdditiveProblem, AdditiveColumns
        The columns, and which of them take part.
    gains : Gains or None
        What columns gain; None if the search was stopped, and then columns that take part have no reason here.
    fitted : collection of str
        Columns of the final fit.
    selected : collection of str
        Those of them that are selected.
    """
    names, taking_part = problem.names, set(data.columns)
    group_of = {j: g for g, group in enumerate(problem.space.groups) for j in group.columns}
    exclusions = {}
    for j, name in enumerate(names):
        if name in selected:
            continue
        if j in data.copies:
            owner = names[data.copies[j]]
            exclusions[name] = Exclusion(f"the same values, up to order, as {owner!r}", owner)
        elif problem.rows.codes.n_bins[j] < 2:
            exclusions[name] = Exclusion("constant")
        elif j not in taking_part:
            n = len(taking_part)
            exclusions[name] = Exclusion(f"not among the {n:,} columns with the largest log Bayes factors alone")
        elif gains is not None:
            given_others = float(gains.given_others[group_of[j]])
            exclusions[name] = Exclusion(_reason(problem, len(selected), given_others, is_fitted=name in fitted))
    return exclusions


def _reason(problem: AdditiveProblem, size: int, given_others: float, *, is_fitted: bool) -> str:
    """Return why a column that took part is not selected; ``given_others`` is its gain."""
    if is_fitted:
        return "no visible effect: all its points are 0"
    if not given_others > 0.0:
        return "no evidence of an effect, given the selected columns"
    if size >= problem.stopping.largest:
        return "beyond the number of columns in n_features"
    columns = "column that is" if size == 1 else "columns that are"
    return f"beyond the {size} {columns} enough"
