# SPDX-License-Identifier: BSD-3-Clause
"""Stacked fits of shapes and tables of pairs, and the gradient sums of all of them over some rows.

Scores are multiples of 2^-40 and derivatives are rounded row by row, so that sums over blocks of rows add up to those
of all rows, to the last bit. A block makes its rows for each question and keeps nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.reference import to_fixed
from bayesieve.additive.row_losses import log_losses
from bayesieve.additive.shape_fit import ShapeFit, ShapeState, make_shape_fit
from bayesieve.additive.shape_prior import ShapeBasis, ShapePriors
from bayesieve.additive.shape_rows import ShapeRows
from bayesieve.bins import CodedRows

__all__ = [
    "BlockSums",
    "PairCells",
    "ShapeLayout",
    "StackedShapes",
    "add_sums",
    "block_sums",
    "cell_counts",
    "split_sums",
]

_NO_PRIORS: Final = ShapePriors((1.0,), (), (1.0,))
_MOST_LOSS: Final = 64.0  # of a row
_NOTHING: Final = np.empty(0)


def loss_unit(bits: int) -> float:
    """Return the unit of the log loss: sums have as many bits as those of gradients."""
    return 2.0**-bits * _MOST_LOSS


class BlockSums(NamedTuple):
    """Integer sums over rows: of gradients of each fit and of their sum, shape (n_entries, 2), and the log loss.

    First derivatives stand together in memory, and so do second ones: apart they are sent in fewer bytes.
    """

    gradients: Ints
    loss: int


def add_sums(a: BlockSums, b: BlockSums) -> BlockSums:
    """Return the sums of the rows of both."""
    return BlockSums(a.gradients + b.gradients, a.loss + b.loss)


@dataclass(frozen=True)
class PairCells:
    """Two columns of rows, the pair bin of each of their bins, and the numbers of pair bins."""

    columns: tuple[int, int]
    bins: tuple[Ints, Ints]
    shape: tuple[int, int]

    def of_rows(self, rows: ShapeRows) -> Ints:
        """Return the cell of each row."""
        a, b = (bins.astype(np.uint8)[rows.codes[k]] for k, bins in zip(self.columns, self.bins, strict=True))
        return np.asarray(a * np.uint8(self.shape[1]) + b)


@dataclass(frozen=True)
class ShapeLayout:
    """How coded rows become rows of shapes.

    Attributes
    ----------
    columns : tuple of int
        The coded columns.
    places : tuple of arrays
        The bin of a shape that each bin of the column's partition is.
    pairs : tuple of PairCells
        Pairs of these columns.
    unit : float
        The unit of integer weights.
    bits : int
        Of gradients after the point.
    """

    columns: tuple[int, ...]
    places: tuple[NDArray[np.uint16], ...]
    pairs: tuple[PairCells, ...]
    unit: float
    bits: int

    @property
    def loss_unit(self) -> float:
        """The unit of the log loss."""
        return loss_unit(self.bits)

    def rows(self, coded: CodedRows) -> ShapeRows:
        """Return the rows of a segment; they have no bases."""
        codes = []
        for j, place in zip(self.columns, self.places, strict=True):
            own = coded.codes.column(j)
            narrow = place.astype(own.dtype)
            codes.append(own if (place == np.arange(len(place))).all() else narrow[own])
        sizes = [len(place) for place in self.places]
        target, weights = coded.target.astype(np.float64), (coded.weights * self.unit).astype(np.float64)
        return _plain_rows(codes, sizes, target, weights, coded.n_classes, self.bits)


@dataclass(frozen=True)
class StackedShapes:
    """A weighted sum of fits, each of which is beside the tables of pairs.

    Attributes
    ----------
    priors : tuple of (ShapePriors, float)
        Of each fit, with the prior probability that a column has no effect.
    states : tuple of ShapeState
        Where each fit is.
    weights : array of shape (n_fits,)
        Of the tables of each fit.
    tables : tuple of arrays of shape (n_cells[, n_classes])
        Scores per cell of each pair, in multiples of 2^-40.
    intercept : array of shape () or (n_classes,)
        Of the sum.
    """

    priors: tuple[tuple[ShapePriors, float], ...]
    states: tuple[ShapeState, ...]
    weights: Floats
    tables: tuple[Floats, ...]
    intercept: Floats

    def offset(self, rows: ShapeRows, cells: Sequence[Ints]) -> Floats:
        """Return what pairs add to each row."""
        added = np.zeros((rows.n_rows, *rows.score_shape))
        for table, own in zip(self.tables, cells, strict=True):
            added += table[own]
        return added

    def fits(self, rows: ShapeRows, offset: Floats, backend: str) -> Iterator[ShapeFit]:
        """Return the fits on some rows, one by one: only one of them takes memory."""
        for (priors, no_effect), state in zip(self.priors, self.states, strict=True):
            fit = make_shape_fit(rows, priors, None, no_effect=no_effect, backend=backend, start=state)
            if self.tables:
                fit.shift(offset)
            yield fit

    def sums(self, rows: ShapeRows, cells: Sequence[Ints], backend: str) -> tuple[BlockSums, Floats]:
        """Return the gradient sums of each fit, those of the sum per cell of pairs and over all rows, and its log loss.

        The second result is the sum for each row without its intercept.
        """
        if backend != "reference" and core is None:
            warn_if_missing()
        if rows.n_classes == 2 and backend != "reference" and core is not None:
            return self._stacked_sums(rows, cells)
        return self.sums_of_fits(rows, cells, backend)

    def _stacked_sums(self, rows: ShapeRows, cells: Sequence[Ints]) -> tuple[BlockSums, Floats]:
        """Return the same of two classes: all fits in one pass over the rows."""
        fits = tuple(
            (float(to_fixed(state.intercept)), weight, state.tables, state.variances if no_effect > 0.0 else _NOTHING)
            for (_, no_effect), state, weight in zip(self.priors, self.states, self.weights.tolist(), strict=True)
        )
        by_pair = np.array(cells, dtype=np.uint8).reshape(len(cells), rows.n_rows)
        gradients, total, loss = core.stacked_sums(
            rows.arrays, rows.unit, fits, by_pair, self.tables, float(to_fixed(self.intercept))
        )
        return BlockSums(gradients, loss), total

    def sums_of_fits(self, rows: ShapeRows, cells: Sequence[Ints], backend: str) -> tuple[BlockSums, Floats]:
        """Return the same, fit by fit: the specification, and what more than two classes have."""
        offset = self.offset(rows, cells)
        parts, total = [], offset
        for weight, fit in zip(self.weights.tolist(), self.fits(rows, offset, backend), strict=True):
            parts.append(fit.sums())
            total = total + weight * (fit.scores - fit.intercept - offset)
        total = to_fixed(total)
        parts.append(self.joint_fit(rows, cells, total, backend).sums())
        losses = np.minimum(log_losses(total + self.intercept, rows.target), _MOST_LOSS)
        loss = int(np.rint(losses * (rows.weights / loss_unit(rows.bits))).astype(np.int64).sum())
        return BlockSums(np.concatenate(parts), loss), total

    def joint_fit(self, rows: ShapeRows, cells: Sequence[Ints], scores: Floats, backend: str) -> ShapeFit:
        """Return a fit whose columns are cells of pairs, at the sum's intercept and given scores of rows."""
        n_cells = [len(table) for table in self.tables]
        own = _plain_rows(cells, n_cells, rows.target, rows.weights, rows.n_classes, rows.bits)
        nothing = np.zeros(sum(n_cells) * int(np.prod(rows.score_shape)))
        state = ShapeState(self.intercept, nothing, np.empty(0), ())
        fit = make_shape_fit(own, _NO_PRIORS, None, backend=backend, start=state)
        fit.shift(scores)
        return fit


def block_sums(coded: CodedRows, layout: ShapeLayout, model: StackedShapes, backend: str) -> BlockSums:
    """Return the sums of the rows of a block."""
    rows = layout.rows(coded)
    if not rows.n_rows:
        n_scores = int(np.prod(rows.score_shape))
        n_entries = [state.tables.size + n_scores for state in model.states]
        n_all = sum(n_entries) + sum(table.size for table in model.tables) + n_scores
        return BlockSums(np.zeros((n_all, 2), dtype=np.int64, order="F"), 0)
    sums, _ = model.sums(rows, [pair.of_rows(rows) for pair in layout.pairs], backend)
    return BlockSums(np.asfortranarray(sums.gradients), sums.loss)


def cell_counts(coded: CodedRows, layout: ShapeLayout) -> list[Ints]:
    """Return the weight of each class in each cell of pairs, of the rows of a block."""
    rows, counts = layout.rows(coded), []
    for pair in layout.pairs:
        own = np.zeros((pair.shape[0] * pair.shape[1], coded.n_classes), dtype=np.int64)
        np.add.at(own, (pair.of_rows(rows), coded.target), coded.weights)
        counts.append(own.reshape(*pair.shape, -1))
    return counts


def split_sums(sums: Ints, model: StackedShapes) -> list[Ints]:
    """Return the sums of each fit, and last those of their sum."""
    n_scores = int(np.prod(model.intercept.shape))
    return np.split(sums, np.cumsum([state.tables.size + n_scores for state in model.states]))


def _plain_rows(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], target: Floats, weights: Floats, n_classes: int, bits: int
) -> ShapeRows:
    """Return rows of columns without bases, for sums alone."""
    bases = []
    for size in sizes:
        nothing = np.zeros(size)
        bases.append(ShapeBasis(nothing, nothing, nothing, nothing, nominal=False))
    none = np.zeros(len(sizes), dtype=np.int8)
    ends = np.array([len(target)], dtype=np.int64)
    return ShapeRows(codes, bases, none.astype(bool), none, target, weights, ends, n_classes=n_classes, given_bits=bits)
