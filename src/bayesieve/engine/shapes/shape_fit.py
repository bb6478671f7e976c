"""Shapes fitted in cycles: compiled, or in NumPy, with mixture weights that are learned over the columns."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._native.elementary import log_positive
from bayesieve._typing import Floats, Ints
from bayesieve.engine.shapes.reference import ReferenceShapeFit
from bayesieve.engine.shapes.shape_rows import ShapeRows
from bayesieve.models.shape_prior import ShapePriors

__all__ = ["ShapeFit", "make_shape_fit"]

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

    def intercept(self) -> float:
        """Return the intercept."""
        ...

    def scores(self) -> Floats:
        """Return the log-odds of all rows, of held-out ones too."""
        ...

    def tables(self) -> Floats:
        """Return the scores of all bins of all columns."""
        ...


class ShapeFit:
    """One fit of shapes; columns may join between cycles.

    ``no_effect`` is the prior probability that a column has none. Above 0 the weights of the mixture are learned over
    all columns, by expectation maximization.
    """

    def __init__(self, cycles: _Cycles, rows: ShapeRows, priors: ShapePriors, no_effect: float) -> None:
        self._cycles, self._offsets, self._learns = cycles, rows.offsets, no_effect > 0.0
        least = max(no_effect, 1e-12)
        self._prior = tuple(_prior_weights(priors, least, nominal=nominal) for nominal in (False, True))
        self._weights = tuple(weights.copy() for weights in self._prior)

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
                    (own + _PSEUDO_COLUMNS * prior) / (own.sum() + _PSEUDO_COLUMNS)
                    for own, prior in zip(sums, self._prior, strict=True)
                )
            if moved < tolerance:
                return n + 1
        return most_cycles

    def shift(self, change: Floats) -> None:
        """Add something else, in multiples of 2^-40, to the log-odds of each row."""
        self._cycles.shift(change)

    @property
    def intercept(self) -> float:
        """The intercept."""
        return self._cycles.intercept()

    @property
    def scores(self) -> Floats:
        """The log-odds of all rows, of held-out ones too."""
        return self._cycles.scores()

    @property
    def tables(self) -> list[Floats]:
        """The scores of the bins of each column."""
        return np.split(self._cycles.tables(), self._offsets[1:-1])


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
    rows: ShapeRows, priors: ShapePriors, fold: int | None, *, no_effect: float = 0.0, backend: str = "auto"
) -> ShapeFit:
    """Return a fit from zero on all rows but those of a fold; moderated where columns may have no effect."""
    moderated = no_effect > 0.0
    begin, end = rows.fold(fold)
    outside = np.r_[0:begin, end : rows.n_rows]
    positive, total = float(rows.target[outside] @ rows.weights[outside]), float(rows.weights[outside].sum())
    intercept = float(log_positive(np.array(positive / (total - positive))))
    if backend != "reference" and core is None:
        warn_if_missing()
    if backend == "reference" or core is None:
        reference = ReferenceShapeFit(rows, priors, fold, moderated=moderated, intercept=intercept)
        return ShapeFit(reference, rows, priors, no_effect)
    walks, lines, categories = (np.array(each, dtype=np.float64) for each in priors.variances)
    compiled = core.ShapeFit(
        rows.arrays, rows.unit, walks, lines, categories, priors.curve, moderated, begin, end, intercept
    )
    return ShapeFit(compiled, rows, priors, no_effect)
