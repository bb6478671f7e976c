# SPDX-License-Identifier: BSD-3-Clause
"""A criterion measures the predictions of some rows in integers, and turns these integers into a score.

``measure`` needs rows; ``line`` does not. If ``additive`` is true, the measures of two blocks of rows add up to the
measure of both, so that any split of the rows gives the identical score. A score is always larger-is-better. It is an
exact fraction, so that the mean over segments is rounded once and equal scores stay equal.
"""

from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Criterion", "Measure", "Predictions"]

Measure = tuple[int, ...]


class Predictions(Protocol):
    """Predictions of rows, as criteria need them."""

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The predicted class of each row."""
        ...

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, shape (n_classes, n_samples)."""
        ...

    def surprise(self, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return -log of the true class's probability, in multiples of 2^-40."""
        ...

    def rank_keys(self, c: int) -> NDArray[np.int64]:
        """Return integers that order rows by the probability of class c."""
        ...


class Criterion(Protocol):
    """A score of predictions against the true classes.

    Attributes
    ----------
    name : str
        The value of the parameter ``criterion``.
    is_loss : bool
        Whether the natural value is smaller-is-better; the score is then its negative.
    additive : bool
        Whether measures of blocks of rows add up.
    kernel : str
        Name of the compiled kernel that measures it.
    kernel_argument : float
        A number that this kernel takes; 0 if it takes none.
    uses_benefits : bool
        Whether the score depends on the benefits of actions.
    efforts : int
        Number of steps in which that kernel can narrow its bounds before exact measurement.
    """

    name: str
    is_loss: bool
    additive: bool
    kernel: str
    kernel_argument: float
    efforts: int
    uses_benefits: bool

    def natural(self, score: float) -> float:
        """Return the natural value of a score: a loss is a negated score."""
        ...

    def measure(
        self, predictions: Predictions, target: NDArray[np.int32], weights: NDArray[np.int64], n_classes: int
    ) -> Measure:
        """Return exact integers from which the score of these rows is computed."""
        ...

    def on(self, benefits: NDArray[np.float64] | None) -> "Criterion":
        """Return the criterion for rows with these benefits of actions; most criteria do not need them."""
        ...

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return slopes and constant of one segment's score, which is linear in its measure.

        ``mass`` is the weight of each class in the segment, ``pooled`` that in all segments together.
        """
        ...

    def subset_costs(self, n_columns: int) -> NDArray[np.float64] | None:
        """Return the additional cost of a subset of each size, 0 to n_columns, in nats; None if there is none."""
        ...
