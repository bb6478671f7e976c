# SPDX-License-Identifier: BSD-3-Clause
"""A criterion measures the predictions of some rows in integers, and turns these integers into a score.

``measure`` needs rows; ``line`` does not. If ``additive`` is true, the measures of two blocks of rows add up to the
measure of both, so that any split of the rows gives the identical score. A score is always larger-is-better. It is an
exact fraction, so that the mean over segments is rounded once and equal scores stay equal.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints

__all__ = ["Criterion", "Labels", "Measure", "Predictions"]

Measure = tuple[int, ...]
Labels = NDArray[np.int32]


class Predictions(Protocol):
    """Predictions of rows, as criteria need them."""

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The predicted class of each row."""
        ...

    @property
    def probabilities(self) -> Floats:
        """Class probabilities, shape (n_classes, n_samples)."""
        ...

    def surprise(self, target: Labels) -> Ints:
        """Return -log of the true class's probability, in multiples of 2^-40."""
        ...

    def rank_keys(self, c: int) -> Ints:
        """Return integers that order rows by the probability of class c."""
        ...


class Criterion(ABC):
    """A score of predictions against the true classes.

    Attributes
    ----------
    name : str
        The value of the parameter ``criterion``.
    kernel : str
        Name of the compiled kernel that measures it.
    kernel_argument : float
        A number that this kernel takes; 0 if it takes none.
    is_loss : bool
        Whether the natural value is smaller-is-better; the score is then its negative.
    additive : bool
        Whether measures of blocks of rows add up.
    uses_benefits : bool
        Whether the score depends on the benefits of actions.
    efforts : int
        Number of steps in which that kernel can narrow its bounds before exact measurement.
    """

    name: str
    kernel: str
    kernel_argument: float = 0.0
    is_loss: bool = True
    additive: bool = True
    uses_benefits: bool = False
    efforts: int = 1

    @abstractmethod
    def measure(self, predictions: Predictions, target: Labels, weights: Ints, n_classes: int) -> Measure:
        """Return exact integers from which the score of these rows is computed."""

    @abstractmethod
    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return slopes and constant of one segment's score, which is linear in its measure.

        ``mass`` is the weight of each class in the segment, ``pooled`` that in all segments together.
        """

    def natural(self, score: float) -> float:
        """Return the natural value of a score: a loss is a negated score."""
        return -score if self.is_loss else score

    def on(self, benefits: Floats | None) -> "Criterion":
        """Return the criterion for rows with these benefits of actions; most criteria do not need them."""
        return self

    def subset_costs(self, n_columns: int) -> Floats | None:
        """Return the additional cost of a subset of each size, 0 to n_columns, in nats; None if there is none."""
        return None
