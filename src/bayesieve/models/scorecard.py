"""A fitted classifier as a scorecard: each column adds evidence to each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Partition

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
