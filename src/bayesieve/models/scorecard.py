"""A fitted classifier as a scorecard: each column adds evidence to each class."""

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
    """What one column says.

    Attributes
    ----------
    name : str
        Of the column.
    partition : Partition
        How values become codes for prediction.
    table : int64 array of shape (n_bins + 1, n_classes)
        Evidence in multiples of 2^-40 nats, already weighted; the last row, *unseen*, is zero.
    weight : float
        How strongly the column speaks.
    """

    name: str
    partition: Partition
    table: NDArray[np.int64]
    weight: float


@dataclass(frozen=True)
class Scorecard:
    """All columns that speak.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Labels: integers, floats, booleans or strings.
    start : int64 array of shape (n_classes,)
        Evidence before any column speaks.
    cards : tuple of Card
        The columns.
    mass : float
        N, the total weight of the training rows.
    laplace : bool
        Whether a probability p becomes (N p + 0.5 / J) / (N + 0.5), with J classes.
    calibration : Calibration or None
        What the sum of the evidence has meant on rows that it did not know. Such probabilities become as with
        ``laplace``: an isotonic map may say 0.
    shift : int64 array of shape (n_classes,), or None
        What of ``start`` is due to another class prior than that of the training rows, which calibration knows.
    """

    classes: NDArray[Any]
    start: NDArray[np.int64]
    tables: tuple[ScoreTable, ...]
    mass: float
    laplace: bool
    calibration: Calibration | None = None
    shift: NDArray[np.int64] | None = None

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Evidence:
        """Add up what the cards say of some rows, given the codes of each card's column."""
        scores = np.repeat(self.start[:, None], n_rows, axis=1)
        for card, coded in zip(self.tables, codes, strict=True):
            scores += card.table.T[:, coded]
        return Evidence(scores)

    def probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_classes, n_rows)."""
        if self.calibration is not None:
            told = self._calibrated(evidence, self.calibration)
            return smooth(told, self.mass, len(told))
        told = evidence.probabilities
        return smooth(told, self.mass, len(told)) if self.laplace else told

    def log_probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return logarithms of the class probabilities."""
        exact = not self.laplace and self.calibration is None
        return evidence.log_probabilities if exact else log_positive(self.probabilities(evidence))

    def _calibrated(self, evidence: Evidence, calibration: Calibration) -> NDArray[np.float64]:
        """Return what the evidence means under the training prior, and then that under the present one."""
        shift = np.zeros(len(self.start), dtype=np.int64) if self.shift is None else self.shift
        trained = Evidence(evidence.scores - shift[:, None])
        told = calibration.probabilities([in_nats(trained.log_odds(c)) for c in calibration.ranked])
        if not shift.any():
            return told
        told = told * exp_nonpositive(in_nats(shift - shift.max()))[:, None]
        shifted: NDArray[np.float64] = told / told.sum(axis=0)
        return shifted
