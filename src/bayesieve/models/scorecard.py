# SPDX-License-Identifier: BSD-3-Clause
"""Score tables while a model is trained, the class scores that they add up to, and a fitted classifier as a scorecard.

Columns, and pairs of columns, add their weights of evidence to the score of each class.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition
from bayesieve.decisions import Calibration, smooth
from bayesieve.exact import exp_nonpositive, in_nats, log_positive, to_fixed
from bayesieve.models.pair_table import PairCodes, PairTable

__all__ = ["RANK_SHIFT", "Evidence", "ScoreTable", "Scorecard", "Tables", "add_entries", "in_nats"]


@dataclass(frozen=True)
class Tables:
    """The tables that a model learned from the training rows.

    Attributes
    ----------
    start : array of shape (n_classes,)
        The scores without any column, for instance log-priors.
    entries : array of shape (offsets[-1], n_classes)
        The table entry of each code of each column; the last code of a column is *unseen*.
    offsets : int64 array of shape (n_columns + 1,)
        Column j owns the rows ``offsets[j]:offsets[j + 1]`` of ``entries``.
    lowered : array of the shape of ``entries``, or None
        The entries for each class if one row of that class had not been counted (leave-one-out).
    log_bayes_factor : float64 array of shape (n_columns,), or None
        Log Bayes factor of each column against a single bin.
    """

    start: NDArray[Any]
    entries: NDArray[Any]
    offsets: NDArray[np.int64]
    lowered: NDArray[Any] | None = None
    log_bayes_factor: NDArray[np.float64] | None = None

    @staticmethod
    def join(start: NDArray[Any], blocks: Sequence["Tables"]) -> "Tables":
        """Put the columns of several tables side by side."""
        sizes = _join([np.diff(block.offsets) for block in blocks])
        offsets = np.zeros(1, dtype=np.int64) if sizes is None else np.append(0, np.cumsum(sizes))
        entries = _join([block.entries for block in blocks])
        return Tables(
            start,
            np.empty((0, len(start)), dtype=np.int64) if entries is None else entries,
            offsets,
            _join([block.lowered for block in blocks]),
            _join([block.log_bayes_factor for block in blocks]),
        )

    def take(self, columns: NDArray[np.intp]) -> "Tables":
        """Return the tables of some columns."""
        sizes = np.diff(self.offsets)[columns]
        offsets = np.append(0, np.cumsum(sizes))
        rows = np.repeat(self.offsets[columns] - offsets[:-1], sizes) + np.arange(offsets[-1])
        lowered = None if self.lowered is None else self.lowered[rows]
        log_bayes_factor = None if self.log_bayes_factor is None else self.log_bayes_factor[columns]
        return Tables(self.start, self.entries[rows], offsets, lowered, log_bayes_factor)

    def without_own(self, c: int) -> "Tables":
        """Return the tables for training rows of class c, each of which is left out of the counts."""
        if self.lowered is None:
            return self
        entries = self.entries.copy()
        entries[:, c] = self.lowered[:, c]
        return replace(self, entries=entries)

    def column(self, j: int) -> NDArray[Any]:
        """Return one column's table, shape (n_codes, n_classes)."""
        return self.entries[self.offsets[j] : self.offsets[j + 1]]


def _join(arrays: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    """Concatenate arrays; None if there are none."""
    present = [array for array in arrays if array is not None]
    return np.concatenate(present) if present else None


_FEW_ROWS = 64  # for which one call takes less time than one per class


def add_entries(scores: NDArray[np.int64], table: NDArray[np.int64], codes: NDArray[Any]) -> None:
    """Add the table entries of each row's code to scores of shape (n_classes, n_samples)."""
    if len(codes) < _FEW_ROWS:
        scores += table.T[:, codes]
        return
    for c, entries in enumerate(table.T):
        scores[c] += entries.take(codes)


RANK_SHIFT = 24  # ranking keys are evidence rounded from 2^-40 to 2^-16


@dataclass(frozen=True)
class Evidence:
    """Class scores in multiples of 2^-40 nats, shape (n_classes, n_samples); probabilities are their softmax."""

    scores: NDArray[np.int64]

    @cached_property
    def _relative(self) -> "Relative":
        return _relative(self.scores)

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The class with the largest score, the lowest index on ties."""
        best: NDArray[np.intp] = np.argmax(self.scores, axis=0)
        return best

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, shape (n_classes, n_samples)."""
        weights, total, _ = self._relative
        return weights / total

    @property
    def log_probabilities(self) -> NDArray[np.float64]:
        """Logarithms of the class probabilities, shape (n_classes, n_samples)."""
        _, total, top = self._relative
        return in_nats(self.scores - top) - log_positive(total)

    def surprise(self, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return -log of the true class's probability in multiples of 2^-40; it is always finite."""
        _, total, top = self._relative
        shortfall: NDArray[np.int64] = top - self.scores[target, np.arange(len(target))]
        return shortfall + to_fixed(log_positive(total))

    def log_odds(self, c: int) -> NDArray[np.int64]:
        """Return the log-odds of class c against all others, in multiples of 2^-40."""
        if len(self.scores) == 2:
            difference: NDArray[np.int64] = self.scores[c] - self.scores[1 - c]
            return difference
        others = np.delete(self.scores, c, axis=0)
        _, total, top = _relative(others)
        log_odds: NDArray[np.int64] = self.scores[c] - top - to_fixed(log_positive(total))
        return log_odds

    def rank_keys(self, c: int) -> NDArray[np.int64]:
        """Return integers that order rows by the probability of class c: its log-odds in multiples of 2^-16."""
        return (self.log_odds(c) + (1 << (RANK_SHIFT - 1))) >> RANK_SHIFT


Relative = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def _relative(scores: NDArray[np.int64]) -> Relative:
    """Return exp(score - top) for each class, their sum in class order, and top, the largest score of each row."""
    top = scores.max(axis=0)
    if len(scores) == 2:  # one of the two is 1
        gap = scores[1] - scores[0]
        lower = exp_nonpositive(in_nats(-np.abs(gap)))
        return np.stack([np.where(gap > 0, lower, 1.0), np.where(gap < 0, lower, 1.0)]), 1.0 + lower, top
    weights = exp_nonpositive(in_nats(scores - top))
    total = weights[0].copy()
    for weight in weights[1:]:
        total += weight
    return weights, total, top


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
    """

    name: str
    partition: Partition
    table: NDArray[np.int64]
    weight: float
    counts: NDArray[Any] | None = None

    def __repr__(self) -> str:
        return f"ScoreTable({self.name}: {self.partition.n_bins} bins, weight {self.weight:.4g})"

    @property
    def bin_mass(self) -> NDArray[Any]:
        """Weight of the training rows per bin."""
        if self.counts is None:
            raise ValueError(f"The score table of column {self.name!r} has no counts.")
        mass: NDArray[Any] = self.counts.sum(axis=1)
        return mass

    def weighted(self, weight: float) -> "ScoreTable":
        """Return an unweighted table with a weight."""
        table = self.table if weight == 1.0 else np.rint(weight * self.table).astype(np.int64)
        return replace(self, table=table, weight=weight)


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
    """

    classes: NDArray[Any]
    start: NDArray[np.int64]
    tables: tuple[ScoreTable, ...]
    class_mass: tuple[float, ...]
    laplace: bool
    calibration: Calibration | None = None
    shift: NDArray[np.int64] | None = None
    pairs: tuple[PairTable, ...] = ()

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
        return Evidence(scores)

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
        return float(self.probabilities(Evidence(scores))[positive, 0])

    def log_probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return logarithms of the class probabilities."""
        exact = not self.laplace and self.calibration is None
        return evidence.log_probabilities if exact else log_positive(self.probabilities(evidence))

    def _calibrated(self, evidence: Evidence, calibration: Calibration) -> NDArray[np.float64]:
        """Return probabilities that are calibrated under the training prior, and then shifted to the present prior."""
        shift = np.zeros(len(self.start), dtype=np.int64) if self.shift is None else self.shift
        trained = Evidence(evidence.scores - shift[:, None])
        probabilities = calibration.probabilities([in_nats(trained.log_odds(c)) for c in calibration.ranked])
        if not shift.any():
            return probabilities
        probabilities = probabilities * exp_nonpositive(in_nats(shift - shift.max()))[:, None]
        shifted: NDArray[np.float64] = probabilities / probabilities.sum(axis=0)
        return shifted
