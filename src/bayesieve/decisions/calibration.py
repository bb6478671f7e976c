# SPDX-License-Identifier: BSD-3-Clause
"""Calibration maps from the scores of a model to probabilities, fitted on held-out rows.

*Isotonic*: the increasing function of the log-odds closest to the classes (pool adjacent violators), linear between its
knots. *Beta* (Kull, Silva Filho and Flach, 2017), with s the model's probability:

    P = 1 / (1 + exp(-(a log s - b log(1 - s) + c))),    a, b >= 0

fitted by maximum likelihood. As Platt does, a positive row counts as (N+ + 1) / (N+ + 2) and a negative one as
1 / (N- + 2), so that a and b stay finite for separable classes. More than two classes have one map each, against all
others, and their probabilities are divided by their sum.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data.document import Entry
from bayesieve.exact import exp_nonpositive, log_positive, sum_of_classes

__all__ = [
    "CALIBRATIONS",
    "Beta",
    "Calibration",
    "CalibrationMap",
    "Isotonic",
    "calibrate",
    "calibration_from_plain",
    "calibration_to_plain",
    "smooth",
]


@dataclass(frozen=True)
class Isotonic:
    """An increasing function, constant outside its knots.

    Attributes
    ----------
    log_odds, probabilities : arrays of shape (n_knots,)
        The knots, in increasing order.
    """

    log_odds: Floats
    probabilities: Floats

    def __call__(self, log_odds: Floats) -> Floats:
        """Return probabilities."""
        return np.interp(log_odds, self.log_odds, self.probabilities)

    @staticmethod
    def fit(log_odds: Floats, truth: NDArray[np.bool_], weights: Floats) -> "Isotonic":
        """Fit the map to rows, at least one of which has a positive weight."""
        from scipy.optimize import isotonic_regression

        distinct, shares, mass = _distinct(log_odds, truth, weights)
        fitted = np.clip(isotonic_regression(shares, weights=mass).x, 0.0, 1.0)
        # Only the ends of a flat segment are needed as knots.
        kept = np.ones(len(fitted), dtype=bool)
        kept[1:-1] = (fitted[1:-1] != fitted[:-2]) | (fitted[1:-1] != fitted[2:])
        return Isotonic(distinct[kept], fitted[kept])


@dataclass(frozen=True)
class Beta:
    """Beta calibration with the parameters a, b and c of the module's formula."""

    a: float
    b: float
    c: float

    def __call__(self, log_odds: Floats) -> Floats:
        """Return probabilities."""
        on, off = _log_sigmoid(log_odds), _log_sigmoid(-log_odds)
        return exp_nonpositive(_log_sigmoid(self.a * on - self.b * off + self.c))

    @staticmethod
    def fit(log_odds: Floats, truth: NDArray[np.bool_], weights: Floats) -> "Beta":
        """Fit the map to rows, at least one of which has a positive weight."""
        distinct, shares, mass = _distinct(log_odds, truth, weights)
        positive = float((mass * shares).sum())
        negative = float(mass.sum()) - positive
        targets = shares * (positive + 1) / (positive + 2) + (1 - shares) / (negative + 2)
        terms = np.stack([_log_sigmoid(distinct), -_log_sigmoid(-distinct), np.ones(len(distinct))])
        # The loss is convex: under a, b >= 0 its minimum is that of a face, the best of those that keep the bounds.
        best, best_loss = np.zeros(3), np.inf
        for free in product((True, False), repeat=2):
            face = np.array([*free, True])
            parameters = np.zeros(3)
            parameters[face] = _newton(terms[face], targets, mass)
            loss = _loss(_combined(parameters, terms), targets, mass)
            if (parameters[:2] >= 0).all() and loss < best_loss:
                best, best_loss = parameters, loss
        return Beta(*map(float, best))


CalibrationMap = Isotonic | Beta
CALIBRATIONS: Final[dict[str, Callable[[Floats, NDArray[np.bool_], Floats], CalibrationMap]]] = {
    "isotonic": Isotonic.fit,
    "beta": Beta.fit,
}


@dataclass(frozen=True)
class Calibration:
    """A map for one of two classes, or for each of more.

    Attributes
    ----------
    maps : tuple of CalibrationMap
        The maps.
    mapped : int
        The class that has the map, of two classes.
    """

    maps: tuple[CalibrationMap, ...]
    mapped: int = 1

    @property
    def ranked(self) -> tuple[int, ...]:
        """The classes whose log-odds against all others are needed."""
        return (self.mapped,) if len(self.maps) == 1 else tuple(range(len(self.maps)))

    def of_classes(self, class_numbers: NDArray[np.intp]) -> "Calibration":
        """Return the same for another order of the classes, given by their present numbers."""
        if len(self.maps) == 1:
            return Calibration(self.maps, int(np.flatnonzero(class_numbers == self.mapped)[0]))
        return Calibration(tuple(self.maps[c] for c in class_numbers))

    def probabilities(self, log_odds: Sequence[Floats]) -> Floats:
        """Return class probabilities, shape (n_classes, n_samples), from the log-odds of the ranked classes."""
        calibrated = np.stack([each(scores) for each, scores in zip(self.maps, log_odds, strict=True)])
        if len(calibrated) == 1:
            both = [1.0 - calibrated, calibrated]
            return np.concatenate(both if self.mapped else both[::-1])
        total = sum_of_classes(calibrated)
        # If all probabilities are 0, the classes are equally probable.
        return np.where(total > 0, calibrated / np.where(total > 0, total, 1.0), 1.0 / len(calibrated))


def calibrate(kind: str, log_odds: Sequence[Floats], target: NDArray[np.int32], weights: Floats) -> Calibration:
    """Fit a map for each class whose log-odds are given: the second of two, or all.

    The rows must not be training rows of the model that gave the log-odds.
    """
    classes = (1,) if len(log_odds) == 1 else range(len(log_odds))
    fit = CALIBRATIONS[kind]
    return Calibration(tuple(fit(scores, target == c, weights) for c, scores in zip(classes, log_odds, strict=True)))


def smooth(probabilities: Floats, n_rows: float, n_classes: int) -> Floats:
    """Move probabilities away from 0 and 1: p becomes (N p + 1/2 / J) / (N + 1/2), with N rows and J classes."""
    return (n_rows * probabilities + 0.5 / n_classes) / (n_rows + 0.5)


def _distinct(log_odds: Floats, truth: NDArray[np.bool_], weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the distinct log-odds of positive weight, and the share of positives and the weight of each."""
    counted = weights > 0
    distinct, place = np.unique(log_odds[counted], return_inverse=True)
    mass = np.bincount(place, weights[counted]).astype(np.float64)
    return distinct, np.bincount(place, weights[counted] * truth[counted]) / mass, mass


def _log_sigmoid(x: Floats) -> Floats:
    return np.asarray(np.minimum(x, 0.0) - log_positive(1.0 + exp_nonpositive(-np.abs(x))))


def _loss(x: Floats, targets: Floats, mass: Floats) -> float:
    """Return the weighted cross-entropy of probabilities 1 / (1 + exp(-x)) against targets."""
    return float(-(mass * (targets * _log_sigmoid(x) + (1 - targets) * _log_sigmoid(-x))).sum())


def _combined(parameters: Floats, terms: Floats) -> Floats:
    """Return the sum of terms times their parameters, whose order of addition is the same on every machine."""
    return np.asarray((parameters[:, None] * terms).sum(axis=0))


def _solved(curvature: Floats, slope: Floats) -> Floats:
    """Return x with curvature x = slope, by elimination with the largest diagonal entry first.

    A direction whose remaining curvature is below 1e-14 of the largest is left out.
    """
    left, right, n = curvature.copy(), slope.copy(), len(slope)
    order: list[int] = []
    for _ in range(n):
        pivot = max((k for k in range(n) if k not in order), key=lambda k: left[k, k])
        if not left[pivot, pivot] > 1e-14 * curvature.max():
            break
        order.append(pivot)
        for k in range(n):
            if k not in order:
                factor = left[k, pivot] / left[pivot, pivot]
                left[k], right[k] = left[k] - factor * left[pivot], right[k] - factor * right[pivot]
    solution = np.zeros(n)
    for k in reversed(order):
        solution[k] = (right[k] - (left[k] * solution).sum()) / left[k, k]
    return solution


def _newton(terms: Floats, targets: Floats, mass: Floats) -> Floats:
    """Return the coefficients of the terms that minimize the loss; a step that increases it is halved."""
    at: Floats = np.zeros(len(terms))
    loss = _loss(_combined(at, terms), targets, mass)
    for _ in range(100):
        p = exp_nonpositive(_log_sigmoid(_combined(at, terms)))
        slope = (terms * (mass * (p - targets))).sum(axis=1)
        curvature = (terms[:, None] * terms[None] * (mass * p * (1 - p))).sum(axis=2)
        step = _solved(curvature, slope)
        for _ in range(50):
            new_loss = _loss(_combined(at - step, terms), targets, mass)
            if new_loss <= loss:
                break
            step = step / 2
        else:
            return at
        at, gained, loss = at - step, loss - new_loss, new_loss
        if gained <= 1e-14 * abs(loss):
            return at
    return at


def calibration_to_plain(calibration: Calibration) -> list[dict[str, Any]]:
    """Return a calibration as numbers, strings, lists and dicts."""
    return [_map_to_plain(each) for each in calibration.maps]


def calibration_from_plain(entry: Entry, n_classes: int, mapped: int = 1) -> Calibration:
    """Return the calibration at an entry of a document, given the one of two classes that is mapped."""
    maps = tuple(_map_from_plain(item) for item in entry.items())
    n_maps = 1 if n_classes == 2 else n_classes
    if len(maps) != n_maps:
        entry.refuse(f"a list of {n_maps}")
    return Calibration(maps, mapped)


def _map_to_plain(each: CalibrationMap) -> dict[str, Any]:
    if isinstance(each, Beta):
        return {"kind": "beta", "numbers": [each.a, each.b, each.c]}
    return {"kind": "isotonic", "numbers": [*each.log_odds.tolist(), *each.probabilities.tolist()]}


def _map_from_plain(entry: Entry) -> CalibrationMap:
    fields = entry.fields("kind", "numbers")
    kind, numbers = fields["kind"].choice("isotonic", "beta"), fields["numbers"].numbers()
    if kind == "beta":
        if len(numbers) != 3 or (numbers[:2] < 0).any():
            fields["numbers"].refuse("three numbers, the first two of them not negative")
        return Beta(*numbers.tolist())
    knots, values = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    is_increasing = (np.diff(knots) > 0).all() and (np.diff(values) >= 0).all()
    if not len(knots) or len(values) != len(knots) or not is_increasing or values[0] < 0 or values[-1] > 1:
        fields["numbers"].refuse("increasing knots, and as many probabilities that do not decrease")
    return Isotonic(knots, values)
