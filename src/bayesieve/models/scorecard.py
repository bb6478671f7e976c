# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models that are sums of tables: score tables of columns and pairs, a scorecard, amounts; and importances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import Partition, with_classes
from bayesieve.decisions import Calibration, smooth
from bayesieve.exact import exp_nonpositive, in_nats, log_positive, ordered_sum, sum_of_classes, to_fixed
from bayesieve.models.model import Evidence, add_entries

__all__ = [
    "AMOUNT_ONE",
    "AmountModel",
    "PairCodes",
    "PairTable",
    "ScoreTable",
    "Scorecard",
    "contrast_errors",
    "importances",
    "in_units",
    "join_texts",
    "term_importances",
]


@dataclass(frozen=True)
class ScoreTable:
    """The weights of evidence of one column.

    Attributes
    ----------
    name : str
        Name of the column.
    partition : Partition
        Maps values to codes for prediction.
    table : int64 array of shape (n_bins + 1, n_classes)
        Weight of evidence in multiples of 2^-40 nats, multiplied by ``weight``; the last row, *unseen*, is zero.
    weight : float
        Weight of the column; 1 is plain naive Bayes.
    counts : array of shape (n_bins, n_classes), or None
        Weight of the training rows per bin and class.
    errors : float array of the shape of ``table``, or None
        Standard errors of the entries, in nats; see `bayesieve.models.intervals`.
    """

    name: str
    partition: Partition
    table: NDArray[np.int64]
    weight: float
    counts: NDArray[Any] | None = None
    errors: Floats | None = None

    def __repr__(self) -> str:
        return f"ScoreTable({self.name}: {self.partition.n_bins} bins, weight {self.weight:.4g})"

    @property
    def bin_mass(self) -> NDArray[Any]:
        """Weight of the training rows per bin."""
        if self.counts is None:
            raise ValueError(f"The score table of column {self.name!r} has no counts.")
        mass: NDArray[Any] = self.counts.sum(axis=1)
        return mass

    def contributions(self, c: int) -> Floats:
        """Return what each bin adds to the log-odds of class c against the other, shape (n_bins,).

        With more than two classes, what it adds to the score of class c relative to the mean over classes.
        """
        return _relative(in_nats(self.table[:-1]), c)

    def contribution_errors(self, c: int) -> Floats | None:
        """Return the standard errors of `contributions`, if they are known."""
        return None if self.errors is None else contrast_errors(self.errors[:-1], c)

    def weighted(self, weight: float) -> "ScoreTable":
        """Return an unweighted table with a weight."""
        table = self.table if weight == 1.0 else np.rint(weight * self.table).astype(np.int64)
        return replace(self, table=table, weight=weight)

    def of_classes(self, class_numbers: NDArray[np.intp]) -> "ScoreTable":
        """Return the table for some other order of the classes, given by their present numbers."""
        return replace(
            self,
            partition=with_classes(self.partition, class_numbers),
            table=_of_classes(self.table, class_numbers),
            counts=None if self.counts is None else self.counts[:, class_numbers],
            errors=None if self.errors is None else self.errors[:, class_numbers],
        )


def _of_classes(scores: NDArray[np.int64], class_numbers: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return scores for another order of the classes; scores relative to the first of two classes stay so."""
    arranged: NDArray[np.int64] = scores[..., class_numbers]
    is_relative = len(class_numbers) == 2 and not scores[..., 0].any()
    return arranged - arranged[..., :1] if is_relative else arranged


PairCodes = tuple[NDArray[Any], NDArray[Any]]
"""The codes of the two columns of a pair, one of each per row."""


def join_texts(first: str, second: str) -> str:
    """Return the texts of two names, values or bins as one text of the pair."""
    return f"{first} × {second}"


@dataclass(frozen=True)
class PairTable:
    """The weights of evidence of two columns together.

    Attributes
    ----------
    names : tuple of two str
        Names of the columns.
    partitions : tuple of two Partition
        The bins of this pair, which are not those of the columns' own tables.
    table : int64 array of shape (n_bins_a + 1, n_bins_b + 1, n_classes)
        Weight of evidence in multiples of 2^-40 nats; the last row and the last column, *unseen*, are zero.
    counts : array of shape (n_bins_a, n_bins_b, n_classes), or None
        Weight of the training rows per cell and class.
    log_bayes_factor : float or None
        Logarithm of the Bayes factor of the pair against none, in nats.
    gain : float or None
        Improvement of the out-of-fold log loss by the pair, in nats per row.
    errors : float array of the shape of ``table``, or None
        Standard errors of the entries, in nats.
    """

    names: tuple[str, str]
    partitions: tuple[Partition, Partition]
    table: NDArray[np.int64]
    counts: NDArray[Any] | None = None
    log_bayes_factor: float | None = None
    gain: float | None = None
    errors: Floats | None = None

    def __repr__(self) -> str:
        return f"PairTable({self.label}: {' × '.join(map(str, self.n_bins))} bins)"

    @property
    def label(self) -> str:
        """The two names as one text."""
        return join_texts(*self.names)

    @property
    def n_bins(self) -> tuple[int, int]:
        """Number of bins of each column."""
        return self.partitions[0].n_bins, self.partitions[1].n_bins

    @property
    def cell_mass(self) -> NDArray[Any]:
        """Weight of the training rows per cell, shape (n_bins_a, n_bins_b)."""
        if self.counts is None:
            raise ValueError(f"The table of the pair {self.label!r} has no counts.")
        mass: NDArray[Any] = self.counts.sum(axis=2)
        return mass

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The codes of all cells, row by row, without those of unseen values."""
        n_first, n_second = self.n_bins
        return [(a, b) for a in range(n_first) for b in range(n_second)]

    def contributions(self, c: int) -> Floats:
        """Return what each cell adds to the log-odds of class c against the other, shape (n_bins_a, n_bins_b).

        With more than two classes, what it adds to the score of class c relative to the mean over classes.
        """
        return _relative(in_nats(self.table[:-1, :-1]), c)

    def contribution_errors(self, c: int) -> Floats | None:
        """Return the standard errors of `contributions`, if they are known."""
        return None if self.errors is None else contrast_errors(self.errors[:-1, :-1], c)

    def of_classes(self, class_numbers: NDArray[np.intp]) -> "PairTable":
        """Return the table for some other order of the classes, given by their present numbers."""
        first, second = (with_classes(each, class_numbers) for each in self.partitions)
        return replace(
            self,
            partitions=(first, second),
            table=_of_classes(self.table, class_numbers),
            counts=None if self.counts is None else self.counts[..., class_numbers],
            errors=None if self.errors is None else self.errors[..., class_numbers],
        )

    def describe(self, first: int, second: int) -> str:
        """Return the description of a cell: its two bins."""
        return join_texts(self.partitions[0].describe(first), self.partitions[1].describe(second))


@dataclass(frozen=True)
class Scorecard:
    """A fitted classifier: the score of a class is the sum of its start and of one entry per column and per pair.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Labels: integers, floats, booleans or strings.
    start : int64 array of shape (n_classes,)
        Scores without any column: the log-priors.
    tables : tuple of ScoreTable
        One table per column.
    class_mass : tuple of float
        Total weight of the training rows of each class.
    laplace : bool
        Whether a probability p becomes (N p + 0.5 / J) / (N + 0.5), with J classes.
    calibration : Calibration or None
        Post-hoc calibration of the probabilities, fitted on held-out rows. Calibrated probabilities are always smoothed
        as with ``laplace``, because an isotonic map may return 0.
    shift : int64 array of shape (n_classes,), or None
        The part of ``start`` that comes from a class prior other than that of the training rows; calibration is fitted
        without it.
    pairs : tuple of PairTable
        Tables of pairs of columns. Their columns need not have tables of their own.
    start_errors : float array of shape (n_classes,), or None
        Standard errors of ``start`` without its shift, in nats.
    """

    classes: NDArray[Any]
    start: NDArray[np.int64]
    tables: tuple[ScoreTable, ...]
    class_mass: tuple[float, ...]
    laplace: bool
    calibration: Calibration | None = None
    shift: NDArray[np.int64] | None = None
    pairs: tuple[PairTable, ...] = ()
    start_errors: Floats | None = None

    def __repr__(self) -> str:
        pairs = f", {len(self.pairs)} pairs" if self.pairs else ""
        return f"{type(self).__name__}({len(self.classes)} classes, {len(self.tables)} columns{pairs})"

    @property
    def mass(self) -> float:
        """N, the total weight of the training rows."""
        return sum(self.class_mass)

    @property
    def names(self) -> list[str]:
        """Names of the columns that have tables of their own, in the order of the tables."""
        return [table.name for table in self.tables]

    @property
    def columns(self) -> list[str]:
        """Names of all columns that are read: those of the tables, then those that occur in pairs only."""
        return list(dict.fromkeys([*self.names, *(name for pair in self.pairs for name in pair.names)]))

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each column that has a table of its own."""
        return {table.name: table.weight for table in self.tables}

    def __getitem__(self, name: str) -> ScoreTable:
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def of_classes(self, class_numbers: NDArray[np.intp]) -> Self:
        """Return the same model with its classes in another order, given by their present numbers."""
        return replace(
            self,
            classes=self.classes[class_numbers],
            start=_of_classes(self.start, class_numbers),
            tables=tuple(table.of_classes(class_numbers) for table in self.tables),
            class_mass=tuple(self.class_mass[c] for c in class_numbers),
            calibration=None if self.calibration is None else self.calibration.of_classes(class_numbers),
            shift=None if self.shift is None else self.shift[class_numbers],
            pairs=tuple(pair.of_classes(class_numbers) for pair in self.pairs),
            start_errors=None if self.start_errors is None else self.start_errors[class_numbers],
        )

    def additive(self) -> "Scorecard | None":
        """Return the model with one score per class and bin, which add up; None if there is no such form."""
        return self

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]], pair_codes: Iterable[PairCodes] = ()) -> Evidence:
        """Add up the score tables of some rows.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        codes : iterable of int arrays of shape (n_rows,)
            The codes of each table's column, in the order of ``tables``.
        pair_codes : iterable of pairs of int arrays of shape (n_rows,)
            The codes of the two columns of each pair by the partitions of that pair, in the order of ``pairs``.
        """
        scores = np.repeat(self.start[:, None], n_rows, axis=1)
        for table, coded in zip(self.tables, codes, strict=True):
            add_entries(scores, table.table, coded)
        for pair, (first, second) in zip(self.pairs, pair_codes, strict=True):
            scores += pair.table[first, second].T
        return Evidence(scores, of_model=True)

    def probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_classes, n_samples)."""
        if self.calibration is not None:
            probabilities = self._calibrated(evidence, self.calibration)
            return smooth(probabilities, self.mass, len(probabilities))
        probabilities = evidence.probabilities
        return smooth(probabilities, self.mass, len(probabilities)) if self.laplace else probabilities

    def probability_at(self, log_odds: float, positive: int) -> float:
        """Return the probability of the positive one of two classes at the log-odds that scores add up to, in nats."""
        scores = np.zeros((2, 1), dtype=np.int64)
        scores[positive] = to_fixed(np.array([log_odds]))
        return float(self.probabilities(Evidence(scores, of_model=True))[positive, 0])

    def log_probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return logarithms of the class probabilities."""
        exact = not self.laplace and self.calibration is None
        return evidence.log_probabilities if exact else log_positive(self.probabilities(evidence))

    def _calibrated(self, evidence: Evidence, calibration: Calibration) -> NDArray[np.float64]:
        """Return probabilities that are calibrated under the training prior, and then shifted to the present prior."""
        shift = np.zeros(len(self.start), dtype=np.int64) if self.shift is None else self.shift
        trained = Evidence(evidence.scores - shift[:, None], of_model=True)
        probabilities = calibration.probabilities([in_nats(trained.log_odds(c)) for c in calibration.ranked])
        if not shift.any():
            return probabilities
        probabilities = probabilities * exp_nonpositive(in_nats(shift - shift.max()))[:, None]
        shifted: NDArray[np.float64] = probabilities / sum_of_classes(probabilities)
        return shifted


def _relative(points: Floats, c: int) -> Floats:
    """Return the points of class c less those of the other, or of the mean over classes, which are the last axis."""
    other = points[..., 1 - c] if points.shape[-1] == 2 else points.mean(axis=-1)
    difference: Floats = points[..., c] - other
    return difference


def contrast_errors(errors: Floats, c: int) -> Floats:
    """Return the standard errors of what `_relative` returns, given those of the points of independent classes."""
    n_classes = errors.shape[-1]
    weights = np.ones(2) if n_classes == 2 else np.where(np.arange(n_classes) == c, n_classes - 1.0, 1.0) / n_classes
    return np.asarray(ordered_sum((weights * errors) ** 2, -1) ** 0.5)


AMOUNT_ONE = 2**20
"""Amounts are multiples of its inverse, so that their sums are exact in doubles, here and in a database."""


@dataclass(frozen=True)
class AmountModel:
    """The expected amount of a positive row.

    Attributes
    ----------
    start : int
        Of a row about which no column is known, in multiples of 1 / `AMOUNT_ONE`.
    tables : tuple of ScoreTable
        What each bin of a column adds, one number per bin; values that are unseen in training add nothing.
    """

    start: int
    tables: tuple[ScoreTable, ...]

    def amounts(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Floats:
        """Return the amount of each row, at least 0, given the codes of each table's column."""
        total = np.full(n_rows, self.start, dtype=np.int64)
        for table, coded in zip(self.tables, codes, strict=True):
            total += table.table[coded]
        return np.maximum(in_units(total), 0.0)


def in_units(amounts: NDArray[np.int64] | int) -> Floats:
    """Return amounts in the unit of the data, such as dollars."""
    return np.asarray(amounts, dtype=np.float64) / AMOUNT_ONE


def importances(
    tables: Sequence[ScoreTable], position: Mapping[str, int], pairs: Sequence[PairTable] = ()
) -> NDArray[np.float64]:
    """Return the mean absolute deviation of each column's contribution to the log-odds; they sum to one.

    The contributions of an additive score are its Shapley values; that of a pair is divided equally between its two
    columns. With more than two classes, the mean over classes of the contribution to each class against the others; of
    a table with one entry per bin, that entry. ``position`` gives the place of each column of the table.
    """
    shares = np.zeros(len(position))
    for each in tables:
        shares[position[each.name]] = _deviation(each)
    for pair in pairs:
        shares[[position[name] for name in pair.names]] += 0.5 * _deviation(pair)
    return _normalized(shares)


def term_importances(tables: Sequence[ScoreTable], pairs: Sequence[PairTable] = ()) -> NDArray[np.float64]:
    """Return the same for terms: first each column's own table, then each pair; they sum to one."""
    terms: list[ScoreTable | PairTable] = [*tables, *pairs]
    return _normalized(np.array([_deviation(each) for each in terms], dtype=np.float64))


def _deviation(term: ScoreTable | PairTable) -> float:
    """Return the mean absolute deviation of a term's contribution from its mean, summed over classes."""
    if isinstance(term, PairTable):
        mass = term.cell_mass.astype(np.float64).ravel()
        entries = term.table[:-1, :-1].reshape(len(mass), -1)
    else:
        mass = term.bin_mass.astype(np.float64)
        entries = term.table[: len(mass)].reshape(len(mass), -1)
    total, by_row = mass.sum(), mass[:, None]
    if not total > 0:
        return 0.0
    contributions = in_nats(entries)
    if contributions.shape[1] > 1:
        contributions = contributions - contributions.mean(axis=1, keepdims=True)
    contributions = contributions - (by_row * contributions).sum(axis=0) / total
    return float((by_row * np.abs(contributions)).sum(axis=0).sum()) / float(total)


def _normalized(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    total = shares.sum()
    return shares / total if total > 0 else shares
