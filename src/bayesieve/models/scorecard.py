"""A fitted classifier as a scorecard: columns and pairs of columns add their weights of evidence to class scores."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve.coding import Partition
from bayesieve.decisions import Calibration, smooth
from bayesieve.models.base import Evidence, in_nats
from bayesieve.models.pair_table import PairCodes, PairTable

__all__ = ["ScoreTable", "Scorecard"]


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
            scores += table.table.T[:, coded]
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
