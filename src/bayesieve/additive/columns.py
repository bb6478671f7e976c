# SPDX-License-Identifier: BSD-3-Clause
"""The columns that take part, and the rows in the order of their folds.

Neither names nor the order of rows and columns matter, nor the sign of a column: columns are ordered and directed, and
rows are dealt to folds, by what they contain. Copies of a column, and columns of a wide table without evidence of an
effect, are left out.
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.additive import constants
from bayesieve.additive.priors import ShapeBasis, column_basis
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.rows import AdditiveRows
from bayesieve.bins import CodedRows, Groups, has_order, n_mergeable
from bayesieve.exact import log_positive, scrambled
from bayesieve.search import Exclusion, Gains

_UNSEEN = 1 << 20  # beyond the numbers of bins

__all__ = [
    "AdditiveColumns",
    "DirectedCodes",
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
    reversed : list of bool
        Whether the intervals of the column's partition are in the opposite order here.
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
    reversed: list[bool]
    copies: dict[int, int]
    positions: NDArray[np.intp]
    fold: Ints
    unit: float


def make_columns(problem: AdditiveProblem) -> AdditiveColumns:
    """Prepare the rows of a problem."""
    coded = problem.rows
    positions, unit = np.flatnonzero(coded.weights > 0), _unit(coded, problem.unit)
    screens = [_screened(problem)]
    directed = DirectedCodes(problem)
    columns, copies, keys = _by_content(directed, screens[0], positions)
    drawn = _draw_folds(problem, positions, keys) if problem.fold is None else problem.fold[positions]
    if len(problem.columns) > constants.MOST_COLUMNS:
        screens += _screened_in_folds(problem, coded, positions, drawn)
        columns, copies, keys = _by_content(directed, sorted(set().union(*screens)), positions)
    numbers = () if problem.numbers is None else (problem.numbers[positions],)
    by_fold = np.lexsort((coded.weights[positions], *numbers, keys, drawn))
    positions, drawn = positions[by_fold], drawn[by_fold]
    orders = [directed.order(j) for j in columns]
    rows = AdditiveRows(
        codes=[places_of(order)[coded.codes.column(j)[positions]] for j, order in zip(columns, orders, strict=True)],
        bases=[directed.basis(j, unit) for j in columns],
        missing=np.array([directed.has_missing(j) for j in columns], dtype=bool),
        monotone=np.array([directed.sign(j) * problem.columns[j].direction for j in columns], dtype=np.int8),
        loss=problem.loss,
        leads=np.array([problem.columns[j].lead for j in columns], dtype=np.int64),
        target=(coded.target if problem.numbers is None else problem.numbers)[positions].astype(np.float64),
        strata=None if problem.numbers is None else coded.target[positions].astype(np.int64),
        weights=(coded.weights[positions] * unit).astype(np.float64),
        fold_ends=np.cumsum(np.bincount(drawn)).astype(np.int64),
        neutral=[directed.mass(j, unit) if problem.columns[j].has_neutral_bin else None for j in columns],
    )
    if len(screens) > 1:
        index = {j: k for k, j in enumerate(columns)}
        owners = [{copies.get(j, j) for j in each} for each in screens]
        rows = replace(rows, taking_part=tuple(frozenset(index[j] for j in each if j in index) for each in owners))
    signs = [directed.sign(j) < 0 for j in columns]
    return AdditiveColumns(rows, coded, tuple(columns), orders, signs, copies, positions, drawn.astype(np.int64), unit)


class DirectedCodes:
    """Bins in an order that neither the sign of the values nor the names of categories change.

    Intervals begin at the end of the larger counts: they are compared from both ends, bin by bin; where all are the
    same, intervals begin with the smallest values. Categories are in decreasing order of their weight, then of their
    weight in each class, then by the rows that they hold (`arrange`); those that differ by their names alone keep the
    order of the partition. The pool of rare categories is last.
    """

    def __init__(self, problem: AdditiveProblem) -> None:
        self.problem = problem
        self._signs: dict[int, int] = {}
        self._ranked: dict[int, Ints] = {}
        self._held: dict[int, NDArray[np.uint64]] = {}

    def arrange(self, columns: Sequence[int], positions: NDArray[np.intp]) -> None:
        """Order categories with the same counts by the rows that they hold."""
        tied = [j for j in columns if self._is_nominal(j) and len(self._ranks(j)) > self._ranks(j).max() + 1]
        if not tied:
            return
        coded = self.problem.rows
        keys, met = coded.target[positions].astype(np.uint64), set[int]()
        for j in columns:
            of_bins = np.append(self._ranks(j) if self._is_nominal(j) else places_of(self._directed(j)), _UNSEEN)
            places = of_bins.astype(np.uint64)[self._bins(j, positions)]
            if (content := _seed(places.tobytes())) not in met:  # copies of a column must not matter
                met.add(content)
                keys += scrambled(places, _seed(self.shares(j).tobytes()))
        weights = coded.weights[positions].astype(np.int64)
        weights //= max(1, int(np.gcd.reduce(weights)))
        contents = (scrambled(keys) >> np.uint64(32)) * weights.astype(
            np.uint64
        )  # so that sums of copies have their order
        for j in tied:
            self._held[j] = np.zeros(len(self._ranks(j)) + 1, dtype=np.uint64)
            np.add.at(self._held[j], self._bins(j, positions), contents)

    def sign(self, j: int) -> int:
        """Return -1 for a column whose intervals begin with the largest values, 1 for others."""
        if j not in self._signs:
            own = self._counts(j)[: self._n_intervals(j)]
            first = np.flatnonzero((own != own[::-1]).ravel())[:1]
            self._signs[j] = -1 if len(first) and (own < own[::-1]).ravel()[first[0]] else 1
        return self._signs[j]

    def has_missing(self, j: int) -> bool:
        """Return whether the last bin of a column holds missing values."""
        return bool(getattr(self.problem.columns[j].partition, "missing", False))

    def shares(self, j: int) -> Ints:
        """Return the shares of each bin and class as whole numbers without a common divisor, missing values last."""
        counts = np.ascontiguousarray(self._counts(j)[self._directed(j)], dtype=np.int64)
        return np.asarray(counts // max(1, int(np.gcd.reduce(counts, axis=None))))

    def codes(self, j: int) -> NDArray[Any]:
        """Return the bin of each row, that of missing values last."""
        codes = self.problem.rows.codes.column(j)
        directed = self._directed(j)
        if (directed == np.arange(len(directed))).all():
            return codes
        return np.append(places_of(directed), np.uint16(len(directed)))[codes]  # unseen is last

    def order(self, j: int) -> Ints:
        """Return the bin of the partition that each bin is, that of missing values first."""
        directed = self._directed(j)
        return np.roll(directed, 1) if self.has_missing(j) else directed

    def mass(self, j: int, unit: float) -> Floats:
        """Return the weight of each bin, that of missing values first."""
        return np.asarray(self._counts(j).sum(axis=1)[self.order(j)] * unit, dtype=np.float64)

    def basis(self, j: int, unit: float) -> ShapeBasis:
        """Return the basis of a column: the negative values are those of intervals that begin with the largest."""
        column = self.problem.columns[j]
        values = None if self._is_nominal(j) else column.values
        if values is not None and self.sign(j) < 0:
            means, (low, high) = values
            values = -means[::-1], (-high, -low)
        return column_basis(self.mass(j, unit), values, has_missing=self.has_missing(j))

    def _counts(self, j: int) -> Ints:
        return np.asarray(self.problem.columns[j].counts[: int(self.problem.rows.codes.n_bins[j])])

    def _bins(self, j: int, positions: NDArray[np.intp]) -> NDArray[Any]:
        """Return the bin of the partition of each row."""
        return np.asarray(self.problem.rows.codes.column(j)[positions])

    def _is_nominal(self, j: int) -> bool:
        return not has_order(self.problem.columns[j].partition)

    def _n_intervals(self, j: int) -> int:
        return 0 if self._is_nominal(j) else n_mergeable(self.problem.columns[j].partition)

    def _directed(self, j: int) -> Ints:
        """Return the bin of the partition that each bin is, that of missing values last."""
        bins, n = np.arange(int(self.problem.rows.codes.n_bins[j])), self._n_intervals(j)
        if not self._is_nominal(j):
            return np.concatenate([bins[:n][:: self.sign(j)], bins[n:]])
        ranks = self._ranks(j)
        held = self._held.get(j, np.zeros(len(ranks) + 1, dtype=np.uint64))
        return np.lexsort((held[: len(ranks)], ranks))

    def _ranks(self, j: int) -> Ints:
        """Return the place of each bin of categories by its counts, from 0; equal counts have the same place."""
        if j not in self._ranked:
            partition, counts = self.problem.columns[j].partition, self._counts(j)
            groups, pool = (partition.groups, partition.other) if isinstance(partition, Groups) else ((), None)
            kind = [int(len(group) > 1 or g == pool) for g, group in enumerate(groups)]
            kind += [2] * (len(counts) - len(groups))
            keys = np.column_stack([np.array(kind, dtype=np.int64), -counts.sum(axis=1), -counts])
            self._ranked[j] = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        return self._ranked[j]


def _unit(coded: CodedRows, unit: float) -> float:
    """Return the unit of weights, so that their sum is from 1 to 2^50: others are as small, or as large, as these."""
    _, exponent = np.frexp(float(coded.weights.sum(dtype=np.float64)))
    return float(np.clip(unit, 2.0 ** (1 - exponent), 2.0 ** (50 - exponent)))


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
    first = 0 if problem.numbers is not None else len(mass) - problem.loss.n_scores
    for c in range(first, len(mass)):
        share = mass[c] / mass.sum()
        slopes, curvatures = weights[:, c] - share * total, share * (1.0 - share) * total
        terms = slopes**2 / (curvatures + 1.0 / variance) - log_positive(1.0 + variance * curvatures)
        factors += np.add.reduceat(terms, begins)
    factors[sorted(problem.locked)] = np.inf
    return sorted(np.argsort(-factors, kind="stable")[: constants.MOST_COLUMNS].tolist())


def _distinct_columns(directed: DirectedCodes, columns: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """Return columns of several bins, of those with equal codes the first; and the other copies.

    A column that must be selected comes before its copies.
    """
    coded, required = directed.problem.rows, directed.problem.locked
    first: dict[bytes, int] = {}
    copies: dict[int, int] = {}
    for j in sorted(columns, key=lambda j: (j not in required, j)):
        if coded.codes.n_bins[j] < 2:
            continue
        codes = directed.codes(j).astype(np.uint16)
        key = hashlib.blake2b(np.ascontiguousarray(codes).tobytes(), digest_size=16).digest()
        owner = first.setdefault(key, j)
        if owner != j and j not in required:
            copies[j] = owner
    kept = set(columns) - set(copies)
    return [j for j in sorted(kept) if coded.codes.n_bins[j] > 1], copies


def _by_content(
    directed: DirectedCodes, columns: Sequence[int], positions: NDArray[np.intp]
) -> tuple[list[int], dict[int, int], NDArray[np.uint64]]:
    """Return distinct columns in an order, their copies, and keys of rows, that depend on what they contain alone.

    The key of a row is a sum over columns, and that of a column is made of its counts or, where these are those of
    another column, of a sum over rows: neither the order of rows nor that of columns matters. Columns that differ by
    the names of the rows alone are taken as they come. Rows of a class with equal keys are equal but for their weights.
    """
    coded = directed.problem.rows
    directed.arrange([j for j in columns if coded.codes.n_bins[j] > 1], positions)
    columns, copies = _distinct_columns(directed, columns)
    seeds = np.array([_seed(directed.shares(j).tobytes()) for j in columns], dtype=np.uint64)
    keys = _row_keys(directed, columns, positions, seeds)
    _, place, times = np.unique(seeds, return_inverse=True, return_counts=True)
    equal = np.flatnonzero(times[place] > 1).tolist()
    if equal:
        own_rows = keys + coded.target[positions].astype(np.uint64)
        for i in equal:
            column = _column_keys(directed, columns[i], positions, seeds[i])
            seeds[i] = scrambled(own_rows + column, seeds[i]).sum(dtype=np.uint64)
        order = np.argsort(seeds, kind="stable")
        seeds[order] += np.arange(len(order), dtype=np.uint64)
        keys = _row_keys(directed, columns, positions, seeds)
    return [columns[i] for i in np.argsort(seeds, kind="stable").tolist()], copies, keys


def _seed(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def _column_keys(directed: DirectedCodes, j: int, positions: NDArray[np.intp], seed: np.uint64) -> NDArray[np.uint64]:
    codes = np.arange(int(directed.problem.rows.codes.n_bins[j]) + 1, dtype=np.uint64)
    return np.asarray(scrambled(codes, seed)[directed.codes(j)[positions]])


def _row_keys(
    directed: DirectedCodes, columns: Sequence[int], positions: NDArray[np.intp], seeds: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    keys = np.zeros(len(positions), dtype=np.uint64)
    for j, seed in zip(columns, seeds, strict=True):
        keys += _column_keys(directed, j, positions, seed)
    return keys


def _draw_folds(problem: AdditiveProblem, positions: NDArray[np.intp], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Deal the rows of each class to folds in the order of their keys, so that equal rows go to different folds.

    Where rows repeat beyond chance, equal rows are dealt together. Of many classes, the next is dealt from where the
    last ended: there may be fewer rows than folds.
    """
    fold, first = np.empty(len(positions), dtype=np.int64), 0
    coded, n_folds = problem.rows, problem.options.n_folds
    target, weights = coded.target[positions], coded.weights[positions]
    numbers = np.zeros(len(positions)) if problem.numbers is None else problem.numbers[positions]
    for c in range(coded.n_classes):
        own_rows = np.flatnonzero(target == c)
        order = np.lexsort((weights[own_rows], numbers[own_rows], keys[own_rows]))
        place = np.arange(len(own_rows))
        if problem.equal is not None:
            order, place = _dealt_together(keys[own_rows], weights[own_rows], problem.equal[positions[own_rows]])
        fold[own_rows[order]] = (first + place) % n_folds
        n_dealt = int(place[-1]) + 1 if len(place) else 0
        first += n_dealt if problem.loss.tuning.deals_on else 0
    return fold


def _dealt_together(keys: NDArray[np.uint64], weights: Ints, equal: Ints) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows in the order of their keys, equal rows as neighbors, and the place of each: that of all its copies.

    Copies of one row have equal keys; other rows with these keys differ by the weight of all their copies.
    """
    _, kind = np.unique(equal, return_inverse=True)
    total = np.bincount(kind.ravel(), weights=weights)[kind.ravel()]
    order = np.lexsort((weights, kind.ravel(), total, keys))
    starts = np.append(True, np.diff(kind.ravel()[order]) != 0)
    return order, np.cumsum(starts) - 1


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
        return "beyond the number of columns in n_features (--max-features)"
    columns = "column that is" if size == 1 else "columns that are"
    return f"beyond the {size} {columns} enough"
