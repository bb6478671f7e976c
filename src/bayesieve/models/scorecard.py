"""A fitted classifier as a scorecard: each column adds its weight of evidence to the score of each class."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve.coding import Partition
from bayesieve.decisions import Calibration, smooth
from bayesieve.models.evidence import Evidence, in_nats

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
    """

    name: str
    partition: Partition
    table: NDArray[np.int64]
    weight: float


@dataclass(frozen=True)
class Scorecard:
    """The tables of all selected columns.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Labels: integers, floats, booleans or strings.
    start : int64 array of shape (n_classes,)
        Scores without any column: the log-priors.
    tables : tuple of ScoreTable
        One table per column.
    mass : float
        N, the total weight of the training rows.
    laplace : bool
        Whether a probability p becomes (N p + 0.5 / J) / (N + 0.5), with J classes.
    calibration : Calibration or None
        Post-hoc calibration of the probabilities, fitted on held-out rows. Calibrated probabilities are always smoothed
        as with ``laplace``, because an isotonic map may return 0.
    shift : int64 array of shape (n_classes,), or None
        The part of ``start`` that comes from a class prior other than that of the training rows; calibration is fitted
        without it.
    """

    classes: NDArray[Any]
    start: NDArray[np.int64]
    tables: tuple[ScoreTable, ...]
    mass: float
    laplace: bool
    calibration: Calibration | None = None
    shift: NDArray[np.int64] | None = None

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Evidence:
        """Add up the scores of some rows, given the codes of each table's column."""
        scores = np.repeat(self.start[:, None], n_rows, axis=1)
        for table, coded in zip(self.tables, codes, strict=True):
            scores += table.table.T[:, coded]
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
