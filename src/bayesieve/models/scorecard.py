"""A fitted classifier as a scorecard: each column adds evidence to each class."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive
from bayesieve.coding import Partition
from bayesieve.decisions import smooth
from bayesieve.models.evidence import Evidence

__all__ = ["Card", "Scorecard"]


@dataclass(frozen=True)
class Card:
    """What one column says.

    Attributes
    ----------
    name : str
        Of the column.
    partition : Partition
        How values become codes for prediction.
    table : int64 array of shape (n_parts + 1, n_classes)
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
    """

    classes: NDArray[Any]
    start: NDArray[np.int64]
    cards: tuple[Card, ...]
    mass: float
    laplace: bool

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Evidence:
        """Add up what the cards say of some rows, given the codes of each card's column."""
        scores = np.repeat(self.start[:, None], n_rows, axis=1)
        for card, coded in zip(self.cards, codes, strict=True):
            scores += card.table.T[:, coded]
        return Evidence(scores)

    def probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_classes, n_rows)."""
        told = evidence.probabilities
        return smooth(told, self.mass, len(told)) if self.laplace else told

    def log_probabilities(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return logarithms of the class probabilities."""
        return log_positive(self.probabilities(evidence)) if self.laplace else evidence.log_probabilities
