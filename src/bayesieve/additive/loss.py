# SPDX-License-Identifier: BSD-3-Clause
"""The loss: what kind of target there is, and nothing else knows.

A row has one score or several. A loss turns scores and targets into losses of rows and their derivatives, and decides
what follows from the kind of scores: where they start, which levels of tables mean nothing, and which tuned numbers
hold.
Two classes have one score per row, the log-odds of the second; more have one per class.

The last axis of an array of scores is that of the scores of a row, also where there is one. What the compiled core has,
too (``native/src/additive/losses.cpp``), is computed by the same operations in the same order: the same bits.
"""

from abc import ABC, abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import CLASSES, DECIMALS, LEAST_CURVATURE_SHARE, ONE_SCORE, Tuning
from bayesieve.additive.row_scores import ClassScores, Direction, OneScore, RowScores
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum
from bayesieve.models.number_scorecard import NumberScale

__all__ = [
    "LARGEST_SCORE",
    "LOGISTIC",
    "MOST_SIZE",
    "Logistic",
    "Loss",
    "ScoreLoss",
    "Softmax",
    "StackProblem",
    "integer_sum",
    "loss_of_classes",
    "mean_target",
    "softmax",
]

LARGEST_SCORE: Final = 500.0
"""Log-odds, and losses, beyond are cut off where they become integers."""

_EIGHTH_OF_PI: Final = float.fromhex("0x1.921fb54442d18p-2")
_LEAST_CURVATURE: Final = 1e-6
MOST_SIZE: Final = 2**42  # of losses, in multiples of 2^20 units: their sum fits 62 bits

StackProblem = tuple[Floats, Floats, Floats, float]
"""Centered scores of shape (n_members, n_rows, n_scores), targets, weights of rows, unit of sums."""


class Loss(ABC):
    """A loss of the scores of rows.

    Attributes
    ----------
    name : str
        Its name in the compiled core.
    n_scores : int
        Scores per row.
    tuning : Tuning
        The tuned numbers that hold.
    largest_derivative : float
        A bound of first derivatives and curvatures of rows, with which sums over rows fit integers.
    most_steps : tuple of float
        By which a score of a bin, and an intercept, change at most in one update.
    """

    name: str
    n_scores: int = 1
    tuning: Tuning = ONE_SCORE
    largest_derivative: float = 1.0
    most_steps: tuple[float, float] = (2.0, 1.0)

    @property
    def n_contrasts(self) -> int:
        """Number of scores of a row of which the others do not follow."""
        return max(1, self.n_scores - 1)

    @abstractmethod
    def losses(self, scores: Floats, target: Floats) -> Floats:
        """Return the loss of each row, in nats."""

    @abstractmethod
    def start(self, target: Floats, weights: Floats) -> Floats:
        """Return the scores of all rows that fit best without any column."""

    @abstractmethod
    def row_scores(self, target: Floats, scale: Floats, training: NDArray[np.intp], unit: float) -> RowScores:
        """Return scores of rows as a cyclic fit in NumPy changes them."""

    def is_moderated(self, no_effect: float) -> bool:
        """Return whether fits average derivatives over the uncertainty of tables, given a prior share of no effect."""
        return False

    # ---- what people read

    scale: NumberScale | None = None
    """What scores are of a target that is a number; None for classes."""

    def classes_of(self, target: Floats) -> NDArray[np.intp]:
        """Return the number of the class of each row, below the length of `class_scores`."""
        return target.astype(np.intp)

    def shown(self, loss: float) -> float:
        """Return the mean loss of rows as people read it."""
        return loss

    def limits(self, last: Floats, without: Floats, lost: float) -> Floats:
        """Return the largest losses that are enough: of the gain of the last size, at most a share is lost."""
        return np.maximum(last, without - (1.0 - lost) * (without - last))

    def start_cost(self, scores: Floats, target: Floats, weights: Floats) -> float:
        """Return by how much the mean loss rises if no row has a part in its own start, to first order.

        With gradients g and curvatures h of rows at the start, it is sum of w g^2 / (sum of w h x sum of w) per score.
        """
        gradients, curvatures, _ = self.bounded_terms(scores, target)
        squares, sums = ((weights[:, None] * each).sum(axis=0) for each in (gradients * gradients, curvatures))
        return float((squares / np.maximum(sums, _LEAST_CURVATURE)).sum()) / float(weights.sum())

    # ---- tables of pairs

    @abstractmethod
    def bounded_terms(self, scores: Floats, target: Floats) -> tuple[Floats, Floats, Floats]:
        """Return gradient and curvature of the log-likelihood per score, and the loss per row, none of them huge."""

    def centered(self, tables: Floats) -> Floats:
        """Return tables without what changes no prediction."""
        return tables

    # ---- passes over all rows

    @abstractmethod
    def moved(self, before: Floats, after: Floats, weights: Floats) -> float:
        """Return how far scores moved: the sum over rows of weight x curvature x squared change."""

    # ---- merging of bins

    @abstractmethod
    def potential(self, scores: Floats) -> Floats:
        """Return A of each row: the loss is A(scores) less a linear function of the scores."""

    @abstractmethod
    def mean(self, scores: Floats) -> Floats:
        """Return the gradient of A: the mean of the target of each row."""

    @abstractmethod
    def curvatures(self, scores: Floats, target: Floats, weights: Floats) -> Floats:
        """Return the curvature of each row per score, times its weight, and not far below that without columns."""

    def separate_curvatures(self, sums: Floats, counts: Floats) -> Floats:
        """Return curvatures of bins with which the scores of a row count as independent.

        ``sums`` are those of gradients and curvatures, of shape (..., n_scores, 2), and ``counts`` the weights of the
        classes, of shape (..., n_classes).
        """
        return np.asarray(sums[..., 1])

    def merged_scores(self, means: Floats, direction: Direction | None) -> Floats:
        """Return the rounded scores of merged bins, given their means."""
        return np.round(means, DECIMALS) + 0.0

    def merge_weights(self, curvatures: Floats, direction: Direction | None) -> Floats:
        """Return the weights by which the scores of merged bins are averaged."""
        return curvatures

    # ---- weights of members

    @abstractmethod
    def stack_start(self, centers: Floats, prior: Floats, problem: StackProblem, total: float) -> Floats:
        """Return intercepts from which weights of members are found; ``centers`` are the means of their scores."""

    @abstractmethod
    def stack_sums(self, problem: StackProblem, a: Floats, b: Floats) -> Ints:
        """Return the sums of `stack_sums` in NumPy: their specification."""

    @abstractmethod
    def base_curvature(self, problem: StackProblem, total: float) -> float:
        """Return the curvature of all rows, of a total weight, without any column."""

    # ---- classes

    @abstractmethod
    def class_scores(self, scores: Floats) -> Floats:
        """Return a score per class."""


class ScoreLoss(Loss):
    """A loss of one score per row: all that a new one must define is abstract."""

    @abstractmethod
    def derivatives(self, scores: Floats, variances: Floats | None, target: Floats) -> tuple[Floats, Floats]:
        """Return gradient and curvature of the log-likelihood of rows, averaged over the variances of their scores."""

    def row_scores(self, target: Floats, scale: Floats, training: NDArray[np.intp], unit: float) -> RowScores:
        """Return scores of rows as a cyclic fit in NumPy changes them."""
        return OneScore(target, scale, training, unit, self.derivatives, self.most_steps)

    def stack_sums(self, problem: StackProblem, a: Floats, b: Floats) -> Ints:
        """Return the sums of `stack_sums` in NumPy."""
        scores, target, weights, unit = problem
        z, n = np.full(scores.shape[1], b[0]), len(a)
        for weight, score in zip(a, scores, strict=True):
            z += weight * score[:, 0]
        residual, curvature = (weights * each for each in self.derivatives(z, None, target))
        losses = weights * self.losses(z[:, None], target)
        curvatures = np.zeros((n, n), dtype=np.int64)
        for j in range(n):
            weighted = curvature * scores[j, :, 0]
            for k in range(j + 1):
                curvatures[j, k] = integer_sum(weighted * scores[k, :, 0], unit)
        size = int((losses / unit * 2.0**-20).astype(np.int64).sum())
        parts = [
            [0 if size >= MOST_SIZE else integer_sum(losses, unit), size],
            [integer_sum(residual * own[:, 0], unit) for own in scores],
            [integer_sum(residual, unit), integer_sum(curvature, unit)],
            curvatures.ravel(),
            [integer_sum(curvature * own[:, 0], unit) for own in scores],
        ]
        return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])


class Logistic(ScoreLoss):
    """Log loss of two classes: the score of a row is the log-odds of the second."""

    name = "logistic"

    def losses(self, scores: Floats, target: Floats) -> Floats:
        """Return the log loss of each row."""
        if core is None:
            warn_if_missing()
            return self.losses_numpy(scores, target)
        return core.row_losses(self.name, np.ascontiguousarray(scores), np.ascontiguousarray(target, dtype=np.float64))

    @staticmethod
    def losses_numpy(scores: Floats, target: Floats) -> Floats:
        """Specification of `losses`, and its fallback."""
        z = np.where(target > 0.5, scores[:, 0], -scores[:, 0])
        return np.maximum(-z, 0.0) + log_positive(1.0 + exp_nonpositive(-np.abs(z)))

    def start(self, target: Floats, weights: Floats) -> Floats:
        """Return the log-odds of the class frequencies."""
        positive = float((target * weights).sum())
        return log_positive(np.array([positive / (float(weights.sum()) - positive)]))

    def derivatives(self, scores: Floats, variances: Floats | None, target: Floats) -> tuple[Floats, Floats]:
        """Return y - p and p (1 - p); under a normal distribution of log-odds, by MacKay's approximation."""
        shrinkage = np.ones(len(scores)) if variances is None else 1.0 / np.sqrt(1.0 + _EIGHTH_OF_PI * variances)
        z = shrinkage * scores
        e = exp_nonpositive(np.where(z < 0.0, z, -z))
        likely = 1.0 / (1.0 + e)
        unlikely = e * likely
        gradients = target - np.where(z < 0.0, unlikely, likely)
        return gradients, np.maximum(shrinkage * unlikely * likely, _LEAST_CURVATURE)

    def is_moderated(self, no_effect: float) -> bool:
        """Return whether columns may have no effect: tables are then uncertain in kind, not only in size."""
        return no_effect > 0.0

    def bounded_terms(self, scores: Floats, target: Floats) -> tuple[Floats, Floats, Floats]:
        """Return y - p, p (1 - p) and the log loss, of log-odds that are cut off."""
        z = scores[:, 0]
        size, is_positive = np.minimum(np.abs(z), LARGEST_SCORE), target == 1
        e = exp_nonpositive(-size)
        likely = 1.0 / (1.0 + e)
        unlikely, is_wrong = e * likely, (z < 0.0) == is_positive
        error = np.where(is_wrong, likely, unlikely)
        loss = np.where(is_wrong, size, 0.0) - log_positive(likely)
        return np.where(is_positive, error, -error)[:, None], (unlikely * likely)[:, None], loss

    def moved(self, before: Floats, after: Floats, weights: Floats) -> float:
        """Return the sum of weight x variance of the change of a score under the probabilities of the classes."""
        return _moved(self.class_scores(after), self.class_scores(after - before), weights)

    def potential(self, scores: Floats) -> Floats:
        """Return log(1 + e^z): the log loss of rows of the first class."""
        return self.losses(scores, np.zeros(len(scores)))

    def mean(self, scores: Floats) -> Floats:
        """Return the probability of the second class."""
        e = exp_nonpositive(-np.abs(scores))
        return np.where(scores < 0.0, e, 1.0) / (1.0 + e)

    def curvatures(self, scores: Floats, target: Floats, weights: Floats) -> Floats:
        """Return p (1 - p) of each row, or a share of that of the class frequencies, times its weight."""
        e = exp_nonpositive(-np.abs(scores[:, 0]))
        share = float((target * weights).sum()) / float(weights.sum())
        least = LEAST_CURVATURE_SHARE * share * (1.0 - share)
        return np.asarray(weights * np.maximum(e / (1.0 + e) ** 2, least))[:, None]

    def stack_start(self, centers: Floats, prior: Floats, problem: StackProblem, total: float) -> Floats:
        """Return the log-odds of the class frequencies."""
        share = mean_target(problem, total)
        return log_positive(np.array([share / (1.0 - share)]))

    def base_curvature(self, problem: StackProblem, total: float) -> float:
        """Return the weight of the rows times the product of the shares of the classes."""
        share = mean_target(problem, total)
        return total * share * (1.0 - share)

    def class_scores(self, scores: Floats) -> Floats:
        """Return 0 for the first class and the log-odds for the second."""
        return np.concatenate([np.zeros((*scores.shape[:-1], 1)), scores], axis=-1)


class Softmax(Loss):
    """Log loss of three classes or more: a row has a score per class, and probabilities are their softmax."""

    name = "softmax"
    tuning = CLASSES

    def __init__(self, n_classes: int) -> None:
        self.n_scores = n_classes

    def losses(self, scores: Floats, target: Floats) -> Floats:
        """Return the log loss of each row."""
        (_, top, log_totals), own = softmax(scores), scores[np.arange(len(target)), target.astype(np.intp)]
        return np.asarray(log_totals + (top - own))

    def start(self, target: Floats, weights: Floats) -> Floats:
        """Return the logarithms of the class frequencies, of mean 0; a class may have no weight."""
        mass = np.array([float(weights[target == c].sum()) for c in range(self.n_scores)])
        logs = log_positive(np.maximum(mass, 1e-3 * mass.sum() / len(target)))
        return np.asarray(logs - ordered_sum(logs) / len(logs))

    def start_cost(self, scores: Floats, target: Floats, weights: Floats) -> float:
        """Return the number of free frequencies per row: their curvature is that of all scores together."""
        return self.n_contrasts / float(weights.sum())

    def row_scores(self, target: Floats, scale: Floats, training: NDArray[np.intp], unit: float) -> RowScores:
        """Return class scores of rows as a cyclic fit in NumPy changes them."""
        return ClassScores(target, scale, training, unit)

    def bounded_terms(self, scores: Floats, target: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the gradients, the curvatures of a bound, p min(1, 2 (1 - p)), and the log loss.

        With this bound the scores of the classes may be changed independently.
        """
        own, top = target.astype(np.intp), scores.max(axis=1)
        e = exp_nonpositive(scores - top[:, None])
        total = ordered_sum(e, 1)
        p, is_own = e / total[:, None], np.arange(self.n_scores) == own[:, None]
        loss = np.minimum(log_positive(total) + (top - scores[np.arange(len(top)), own]), LARGEST_SCORE)
        return is_own - p, p * np.minimum(2.0 * (1.0 - p), 1.0), loss

    def centered(self, tables: Floats) -> Floats:
        """Return tables with class scores of mean 0: a change of all scores of a bin changes no probability."""
        return np.asarray(tables - np.add.accumulate(tables, axis=-1)[..., -1:] / self.n_scores)

    def moved(self, before: Floats, after: Floats, weights: Floats) -> float:
        """Return the sum of weight x variance of the change of a score under the probabilities of the classes."""
        return _moved(self.class_scores(after), self.class_scores(after - before), weights)

    def potential(self, scores: Floats) -> Floats:
        """Return the logarithm of the sum of exponentials."""
        _, top, log_totals = softmax(scores)
        return np.asarray(top + log_totals)

    def mean(self, scores: Floats) -> Floats:
        """Return the probability of each class."""
        return softmax(scores)[0]

    def curvatures(self, scores: Floats, target: Floats, weights: Floats) -> Floats:
        """Return p (1 - p) of each row and class, or a share of that of the class frequencies, times its weight."""
        p = softmax(scores)[0]
        mass = np.bincount(target.astype(np.intp), weights=weights, minlength=self.n_scores)
        shares = mass / mass.sum()
        least = LEAST_CURVATURE_SHARE * shares * (1.0 - shares)
        return np.asarray(np.maximum(p * (1.0 - p), least) * weights[:, None])

    def separate_curvatures(self, sums: Floats, counts: Floats) -> Floats:
        """Return the sums of the probabilities of each class."""
        return np.maximum(counts - sums[..., 0], 0.0)

    def merged_scores(self, means: Floats, direction: Direction | None) -> Floats:
        """Return rounded scores; with a direction, leads are rounded, which keeps their order."""
        if direction is None:
            return super().merged_scores(means, direction)
        first, sign, c = direction
        lead = means[:, c][:, None]
        leads = np.round(lead - means, DECIMALS)
        leads[first:] = sign * np.maximum.accumulate(sign * leads[first:], axis=0)
        return np.asarray(np.round(np.round(lead, DECIMALS) - leads, DECIMALS) + 0.0)

    def merge_weights(self, curvatures: Floats, direction: Direction | None) -> Floats:
        """Return curvatures; with a direction their sums, with which means keep the order of leads."""
        if direction is None:
            return curvatures
        return np.repeat(curvatures.sum(axis=1, keepdims=True), self.n_scores, axis=1)

    def stack_start(self, centers: Floats, prior: Floats, problem: StackProblem, total: float) -> Floats:
        """Return the means of the scores of the members at their prior weights."""
        return np.asarray((centers * prior[:, None]).sum(axis=0))

    def stack_sums(self, problem: StackProblem, a: Floats, b: Floats) -> Ints:
        """Return the sums of `stack_sums` in NumPy."""
        scores, target, weights, unit = problem
        n, n_rows = scores.shape[:2]
        z, own_class = np.tile(b, (n_rows, 1)), target.astype(np.intp)
        for weight, own in zip(a.tolist(), scores, strict=True):
            z = z + weight * own
        top = z.max(axis=1)
        e = exp_nonpositive(z - top[:, None])
        total = ordered_sum(e, 1)
        rows, scale = np.arange(n_rows), 1.0 / unit
        losses = weights * (log_positive(total) + (top - z[rows, own_class]))
        p, weighted = e / total[:, None], weights * scale
        starts = -_integer_sums(p * weighted[:, None])
        np.add.at(starts, own_class, np.rint(weighted).astype(np.int64))
        means = [ordered_sum(p * own, 1) for own in scores]
        curvatures = np.zeros((n, n), dtype=np.int64)
        for j in range(n):
            for k in range(j + 1):
                square = ordered_sum(p * scores[j] * scores[k], 1)
                curvatures[j, k] = _integer_sums((square - means[j] * means[k]) * weighted)
        pairs = list(zip(scores, means, strict=True))
        parts = [
            [_integer_sums(losses * scale), 0],
            [_integer_sums((own[rows, own_class] - mean) * weighted) for own, mean in pairs],
            starts,
            _integer_sums(p * np.minimum(2.0 * (1.0 - p), 1.0) * weighted[:, None]),
            curvatures.ravel(),
            *(_integer_sums(p * (own - mean[:, None]) * weighted[:, None]) for own, mean in pairs),
        ]
        return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])

    def base_curvature(self, problem: StackProblem, total: float) -> float:
        """Return the weight of the rows: it is not used, as few rows do not change the penalty of classes."""
        return total

    def class_scores(self, scores: Floats) -> Floats:
        """Return the scores."""
        return scores


LOGISTIC: Final = Logistic()


def loss_of_classes(n_classes: int) -> Loss:
    """Return the log loss of a number of classes."""
    return LOGISTIC if n_classes == 2 else Softmax(n_classes)


def softmax(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Return probabilities, shape (n_rows, n_classes), the top score of each row, and log sum of exp(score - top)."""
    if core is None:
        warn_if_missing()
        return softmax_numpy(scores)
    result: tuple[Floats, Floats, Floats] = core.softmax(np.ascontiguousarray(scores))
    return result


def softmax_numpy(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Specification of `softmax`, and its fallback."""
    top = scores.max(axis=1)
    e = exp_nonpositive(scores - top[:, None])
    total = ordered_sum(e, 1)
    return e / total[:, None], top, log_positive(total)


def _moved(scores: Floats, change: Floats, weights: Floats) -> float:
    e = exp_nonpositive(scores - scores.max(axis=1)[:, None])
    p = e / ordered_sum(e, 1)[:, None]
    mean = ordered_sum(p * change, 1)[:, None]
    variances = ordered_sum(p * (change - mean) ** 2, 1)
    return ordered_sum(weights * variances)


def mean_target(problem: StackProblem, total: float) -> float:
    """Return the mean of the target: the share of the second class."""
    _, target, weights, unit = problem
    return float(integer_sum(weights * target, unit)) * unit / total


def integer_sum(x: Floats, unit: float) -> int:
    """Return the sum of numbers, each rounded to multiples of a unit, in units."""
    return int(np.rint(x / unit).astype(np.int64).sum())


def _integer_sums(x: Floats) -> Ints:
    return np.asarray(np.rint(x).astype(np.int64).sum(axis=0))
