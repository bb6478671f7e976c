# SPDX-License-Identifier: BSD-3-Clause
"""Shapes fitted in cycles: compiled, or in NumPy, with mixture weights that are learned over the columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.class_reference import ReferenceClassShapeFit
from bayesieve.additive.reference import ReferenceShapeFit
from bayesieve.additive.shape_prior import ShapePriors
from bayesieve.additive.shape_rows import ShapeRows
from bayesieve.exact import log_positive

__all__ = ["ShapeFit", "ShapeState", "make_shape_fit"]

_PSEUDO_COLUMNS: Final = 2.0  # weight of the prior of the mixture's weights


class _Cycles(Protocol):
    """The present tables, and the log-odds that they give all rows."""

    def evidence(self, columns: Ints, numeric: Floats, nominal: Floats) -> Floats:
        """Return the log Bayes factor of each column beside the present fit, its own shape taken out."""
        ...

    def cycle(self, columns: Ints, numeric: Floats, nominal: Floats) -> tuple[float, Floats, Floats]:
        """Update columns in turn, then the intercept; return how far they moved and sums of component weights."""
        ...

    def shift(self, change: Floats) -> None:
        """Add something else to the log-odds of each row."""
        ...

    def scores(self, begin: int, end: int) -> Floats:
        """Return the log-odds, or the scores of all classes, of some rows, of held-out ones too."""
        ...

    def tables(self) -> Floats:
        """Return the scores of all bins of all columns."""
        ...

    def sums(self) -> Ints:
        """Return first and second derivatives per bin of all columns, and last of all training rows."""
        ...

    def correct(self, slopes: Ints, least: Ints) -> None:
        """From now on add slopes to first derivatives, and let second ones have a least value."""
        ...


class _TwoClasses(_Cycles, Protocol):
    def go_to(self, intercept: float, tables: Floats, variances: Floats) -> None:
        """Go to an intercept and tables from anywhere, what else was added to the log-odds taken away."""
        ...

    def variances(self) -> Floats:
        """Return the variances of all bins of all columns, where they are moderated."""
        ...

    def intercept(self) -> float:
        """Return the intercept."""
        ...


class _Classes(_Cycles, Protocol):
    def intercepts(self) -> Floats:
        """Return the intercept of each class."""
        ...


@dataclass(frozen=True)
class ShapeState:
    """Where a fit is: intercept, entries of all tables, their variances, weights of the mixture (none: the prior)."""

    intercept: Floats
    tables: Floats
    variances: Floats
    weights: tuple[Floats, ...]

    @property
    def arrays(self) -> list[Floats]:
        """All numbers, in the order of the constructor."""
        return [self.intercept, self.tables, self.variances, *self.weights]


class ShapeFit:
    """One fit of shapes; columns may join between cycles.

    ``no_effect`` is the prior probability that a column has none. Above 0 the weights of the mixture are learned over
    all columns, by expectation maximization.
    """

    def __init__(self, cycles: _TwoClasses | _Classes, rows: ShapeRows, priors: ShapePriors, no_effect: float) -> None:
        self._cycles, self._rows, self._learns = cycles, rows, no_effect > 0.0
        least = max(no_effect, 1e-12)
        self._prior = tuple(_prior_weights(priors, least, nominal=nominal) for nominal in (False, True))
        self._weights = tuple(weights.copy() for weights in self._prior)
        self._counted = tuple(_PSEUDO_COLUMNS * weights for weights in self._prior)

    def set_weights(self, weights: tuple[Floats, ...]) -> None:
        """Set the weights of the mixture."""
        self._weights = weights

    def evidence(self, columns: Sequence[int]) -> Floats:
        """Return the log Bayes factor of each column beside the present fit, at the prior weights of the mixture."""
        return self._cycles.evidence(np.asarray(columns, dtype=np.int64), *self._prior)

    def run(
        self, columns: Sequence[int], most_cycles: int, tolerance: float, check: Callable[[], None] = lambda: None
    ) -> int:
        """Update columns in turn until they move little: sum of H (change)^2; return the number of cycles."""
        order = np.asarray(columns, dtype=np.int64)
        for n in range(most_cycles):
            check()
            moved, *sums = self._cycles.cycle(order, *self._weights)
            if self._learns:
                self._weights = tuple(
                    (own + counted) / (np.add.reduce(own) + _PSEUDO_COLUMNS)
                    for own, counted in zip(sums, self._counted, strict=True)
                )
            if moved < tolerance:
                return n + 1
        return most_cycles

    def shift(self, change: Floats) -> None:
        """Add something else, in multiples of 2^-40, to the scores of each row."""
        self._cycles.shift(np.ascontiguousarray(change).ravel())

    def sums(self) -> Ints:
        """Return the sums of first and second derivatives, as integers of shape (n_entries, 2).

        Entries are those of all tables; the last ones, one per score of a row, are sums over all training rows.
        """
        return self._cycles.sums()

    def correct(self, slopes: Ints, least: Ints) -> None:
        """Learn from rows elsewhere, too: add slopes to first derivatives, and let second ones have a least value."""
        self._cycles.correct(np.ascontiguousarray(slopes), np.ascontiguousarray(least))

    @property
    def state(self) -> ShapeState:
        """Where the fit is, but for what was added to scores."""
        cycles = self._cycles
        variances = cycles.variances() if self._rows.n_classes == 2 else np.empty(0)  # type: ignore[union-attr]
        return ShapeState(self.intercept, cycles.tables(), variances, self._weights)

    @property
    def intercept(self) -> Floats:
        """The intercept; with more than two classes, that of each."""
        cycles = self._cycles
        return np.array(cycles.intercept()) if self._rows.n_classes == 2 else cycles.intercepts()  # type: ignore[union-attr]

    @property
    def scores(self) -> Floats:
        """The log-odds of all rows, of held-out ones too, or their scores of all classes."""
        return self._cycles.scores(0, self._rows.n_rows)

    def scores_of_fold(self, fold: int | None) -> Floats:
        """Return the scores of the rows of a fold."""
        return self._cycles.scores(*self._rows.fold(fold))

    @property
    def tables(self) -> list[Floats]:
        """The scores of the bins of each column; with more than two classes, one column per class."""
        tables = self._cycles.tables().reshape(-1, *self._rows.score_shape)
        return [tables[begin:end] for begin, end in pairwise(self._rows.offsets.tolist())]


def _prior_weights(priors: ShapePriors, no_effect: float, *, nominal: bool) -> Floats:
    """Return the prior weight of each component: half of what has an effect are lines, where there are any."""
    n_walks, n_lines = len(priors.walks), 2 * len(priors.lines)
    rest = 1.0 - no_effect
    if nominal:
        n_categories = len(priors.categories)
        return np.append(no_effect, np.full(n_categories, rest / n_categories))
    walks = np.full(n_walks, rest * (0.5 if n_lines else 1.0) / n_walks)
    return np.concatenate([[no_effect], walks, np.full(n_lines, rest / 2.0 / max(n_lines, 1))])


def make_shape_fit(
    rows: ShapeRows,
    priors: ShapePriors,
    fold: int | None,
    *,
    no_effect: float = 0.0,
    backend: str = "auto",
    start: ShapeFit | ShapeState | None = None,
) -> ShapeFit:
    """Return a fit on all rows but those of a fold.

    It begins at zero, in a given state or, with more than two classes, where another fit is, which may have other
    priors. With two classes it is moderated where columns may have no effect.
    """
    if backend != "reference" and core is None:
        warn_if_missing()
    compiled = backend != "reference" and core is not None
    make = _two_class_cycles if rows.n_classes == 2 else _class_cycles
    state = start.state if isinstance(start, ShapeFit) else start
    fit = ShapeFit(make(rows, priors, fold, no_effect, state, compiled=compiled), rows, priors, no_effect)
    if isinstance(start, ShapeState) and start.weights:
        fit.set_weights(start.weights)
    return fit


class _NativeTwoClasses:
    """The core's fit of one score per row."""

    def __init__(
        self, rows: ShapeRows, priors: ShapePriors, fold: int | None, *, moderated: bool, intercept: float
    ) -> None:
        start, tables = np.array([intercept]), np.zeros(int(rows.offsets[-1]))
        lead, held_out = np.zeros(rows.n_columns, dtype=np.int64), rows.fold(fold)
        self._fit = core.CyclicFit(
            rows.arrays, rows.unit, "logistic", 1, _variances(priors), lead, *held_out, moderated, start, tables
        )
        self.evidence, self.cycle, self.shift = self._fit.evidence, self._fit.cycle, self._fit.shift
        self.sums, self.correct = self._fit.sums, self._fit.correct
        self.tables, self.variances = self._fit.tables, self._fit.variances

    def go_to(self, intercept: float, tables: Floats, variances: Floats) -> None:
        self._fit.go_to(np.array([intercept]), tables, variances)

    def intercept(self) -> float:
        return float(self._fit.intercepts()[0])

    def scores(self, begin: int, end: int) -> Floats:
        return np.asarray(self._fit.scores(begin, end)[:, 0])


def _two_class_cycles(
    rows: ShapeRows,
    priors: ShapePriors,
    fold: int | None,
    no_effect: float,
    start: ShapeState | None,
    *,
    compiled: bool,
) -> _TwoClasses:
    moderated, intercept = no_effect > 0.0, 0.0
    if start is None:
        negative, positive = _class_mass(rows, fold).tolist()
        intercept = float(log_positive(np.array(positive / negative)))
    made: _TwoClasses
    if compiled:
        made = _NativeTwoClasses(rows, priors, fold, moderated=moderated, intercept=intercept)
    else:
        made = ReferenceShapeFit(rows, priors, fold, moderated=moderated, intercept=intercept)
    if start is not None:
        made.go_to(float(start.intercept), start.tables, start.variances)
    return made


def _class_cycles(
    rows: ShapeRows, priors: ShapePriors, fold: int | None, _: float, start: ShapeState | None, *, compiled: bool
) -> _Classes:
    if start is None:
        mass = _class_mass(rows, fold)
        logs = log_positive(np.maximum(mass, 1e-3 * mass.sum() / rows.n_rows))  # a class may be in one fold only
        intercepts, tables = logs - np.cumsum(logs)[-1] / len(logs), np.zeros(int(rows.offsets[-1]) * rows.n_classes)
    else:
        intercepts, tables = start.intercept, start.tables
    if not compiled:
        return ReferenceClassShapeFit(rows, priors, fold, intercepts, tables)
    return core.CyclicFit(
        rows.arrays,
        rows.unit,
        "softmax",
        rows.n_classes,
        _variances(priors),
        rows.lead,
        *rows.fold(fold),
        False,
        intercepts,
        tables,
    )


def _variances(priors: ShapePriors) -> tuple[Floats, Floats, Floats, float]:
    walks, lines, categories = (np.array(each, dtype=np.float64) for each in priors.variances)
    return walks, lines, categories, priors.curve


def _class_mass(rows: ShapeRows, fold: int | None) -> Floats:
    """Return the weight of the training rows of each class."""
    begin, end = rows.fold(fold)
    outside = np.r_[0:begin, end : rows.n_rows]
    target, weights = rows.target[outside], rows.weights[outside]
    if rows.n_classes == 2:
        positive = float((target * weights).sum())
        return np.array([float(weights.sum()) - positive, positive])
    sums = np.array([float(weights[target == c].sum()) for c in range(rows.n_classes)])
    return sums
