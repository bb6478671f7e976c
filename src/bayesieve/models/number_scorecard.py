# SPDX-License-Identifier: BSD-3-Clause
"""A fitted model of a number: the score of a row is the sum of its start and of one entry per column and per pair."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exact import exp_nonpositive, in_nats
from bayesieve.exceptions import ParameterError
from bayesieve.models.model import Evidence
from bayesieve.models.scorecard import Scorecard

__all__ = ["NO_CLASSES", "NumberScale", "NumberScorecard", "refuse_numbers"]

NO_CLASSES: NDArray[np.str_] = np.empty(0, dtype="U1")
"""The class labels of a model of a number."""

_MOST_EXPONENT = 700.0  # exp of it is finite
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class NumberScale:
    """What scores are: ``center + unit x score`` is the number, or its logarithm.

    Attributes
    ----------
    center, unit : float
        Of the number, in its own unit; with a logarithm, ``center`` is in its own unit too, and predictions are
        ``center x exp(unit x score)``.
    is_log : bool
        Whether the logarithm of the number is a sum.
    """

    center: float
    unit: float
    is_log: bool = False

    def numbers(self, scores: Floats) -> Floats:
        """Return the numbers of scores, which are finite."""
        with np.errstate(over="ignore"):
            if not self.is_log:
                return np.clip(self.center + self.unit * scores, -_LARGEST, _LARGEST)
            exponents = np.clip(self.unit * scores, -_MOST_EXPONENT, _MOST_EXPONENT)
            e = exp_nonpositive(-np.abs(exponents))
            return np.minimum(self.center * np.where(exponents > 0.0, 1.0 / e, e), _LARGEST)


@dataclass(frozen=True)
class NumberScorecard(Scorecard):
    """A fitted model of a number. Tables and start have one score, in the unit of ``scale``.

    Attributes
    ----------
    scale : NumberScale
        What scores are.
    """

    scale: NumberScale = NumberScale(0.0, 1.0)

    def __repr__(self) -> str:
        pairs = f", {len(self.pairs)} pairs" if self.pairs else ""
        return f"{type(self).__name__}({len(self.tables)} columns{pairs})"

    def numbers(self, evidence: Evidence) -> Floats:
        """Return the prediction of each row."""
        return self.scale.numbers(in_nats(evidence.scores[0]))

    @property
    def intercept(self) -> float:
        """The prediction of a row about which no column is known."""
        return float(self.scale.numbers(in_nats(self.start))[0])

    def points(self, entries: NDArray[np.int64]) -> Floats:
        """Return what entries add to the number, or to its logarithm."""
        return np.asarray(self.scale.unit * in_nats(entries))


def refuse_numbers(model: object, what: str) -> None:
    """Refuse a fitted model of a number where classes are needed."""
    if isinstance(getattr(model, "scorecard_", None), NumberScorecard):
        raise ParameterError(f"{what} are for classes; the target of this {type(model).__name__} is a number.")
